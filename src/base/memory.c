#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"

double memory_bytes(void)
{
  static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                       "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), limit;
  if (!(bytes > 0)) bytes = (double)INFINITY;
  for (int k = 0; k < 2; k++) {
    FILE *file = fopen(limits[k], "r");
    if (file && fscanf(file, "%lf", &limit) == 1 && limit > 0) bytes = fmin(bytes, limit);
    if (file) fclose(file);
  }
  return bytes;
}

void memory_require(double bytes, const char *what)
{
  enum { CHECKED_FROM = 1 << 28 }; /* bytes; smaller requests are not checked */
  if (bytes < CHECKED_FROM) return;
  double has = memory_bytes();
  if (bytes > has)
    die(STATUS_INPUT,
        "%s: %.4g GB of memory are needed here, and this computer has %.4g GB; use more nodes, or "
        "a smaller system",
        what, 1e-9 * bytes, 1e-9 * has);
}

static size_t array_bytes(long long count, unsigned long size)
{
  if (count < 0 || (size > 0 && (unsigned long long)count > (unsigned long long)PTRDIFF_MAX / size))
    die(STATUS_INPUT, "an array of %lld elements of %lu bytes is larger than any memory", count,
        size);
  size_t bytes = (size_t)count * size;
  memory_require((double)bytes, "out of memory");
  return bytes ? bytes : 1;
}

void *alloc_array(long long count, unsigned long size)
{
  size_t bytes = array_bytes(count, size);
  void *p = calloc(1, bytes);
  if (!p) die(STATUS_INPUT, "out of memory: %zu bytes asked for; use more nodes", bytes);
  return p;
}

void *grow_array(void *old, long long count, unsigned long size)
{
  size_t bytes = array_bytes(count, size);
  void *p = realloc(old, bytes);
  if (!p) die(STATUS_INPUT, "out of memory: %zu bytes asked for; use more nodes", bytes);
  return p;
}

void *extend_array(void *old, long long n, unsigned long size)
{
  enum { LEAST = 16 };
  if (n > 0 && (n < LEAST || (n & (n - 1)))) return old;
  return grow_array(old, n ? 2 * n : LEAST, size);
}
