/* See file_call.h. The state of a thread and the number of writes are those of Linux in /proc. */
#define _GNU_SOURCE /* syscall */
#include "mpi/comm/file_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void file_call_begin(struct file_call *c, const char *path)
{
  atomic_store(&c->path, path);
  atomic_store(&c->error, &errno);
  atomic_store(&c->thread, (int)syscall(SYS_gettid));
  errno = 0;
}

void file_call_end(struct file_call *c)
{
  atomic_store(&c->thread, 0);
}

/* R: uses a processor, or could; D and S: sleeps. 0: unknown. */
static char thread_state(int thread)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *f = fopen(path, "re");
  if (!f) return 0;
  const char *name_end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
  fclose(f);
  return name_end && name_end[1] == ' ' ? name_end[2] : (char)0;
}

/* Calls of this process that write, so far; -1: unknown. */
static long long write_calls(void)
{
  char line[128];
  long long calls = -1;
  FILE *f = fopen("/proc/self/io", "re");
  if (!f) return calls;
  while (fgets(line, sizeof line, f) && sscanf(line, "syscw: %lld", &calls) != 1)
    continue;
  fclose(f);
  return calls;
}

int file_call_waits(const struct file_call *c, long long *writes)
{
  const int thread = atomic_load(&c->thread);
  if (thread == 0 || thread_state(thread) != 'R') return 0;
  const long long now = write_calls();
  const int same = now >= 0 && now == *writes;
  *writes = now;
  return same;
}

int file_call_error(const struct file_call *c)
{
  static const int of_files[] = {EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ESTALE, ENODEV, ENXIO};
  if (atomic_load(&c->thread) == 0) return 0;
  const int error = *atomic_load(&c->error);
  for (size_t k = 0; k < sizeof of_files / sizeof *of_files; k++)
    if (error == of_files[k]) return error;
  return 0;
}
