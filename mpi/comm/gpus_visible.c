#include "mpi/comm/gpus_visible.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MOST = 64 };

/* access() fails where a container or the cgroup of a job keeps a GPU from this process. */
static uint64_t files_in(const char *folder, int *n)
{
  char path[4096];
  uint64_t files = 0;
  *n = 0;
  for (int k = 0; k < FILES_MOST; k++) {
    snprintf(path, sizeof path, "%s/nvidia%d", folder, k);
    if (access(path, R_OK | W_OK)) continue;
    files |= (uint64_t)1 << k;
    ++*n;
  }
  return files;
}

/* How many of n GPUs a list names. As CUDA reads it, it ends at the first word that names none; of
   parts of GPUs (MIG) CUDA takes the first alone. */
static int named(const char *list, int n, int *by_index)
{
  int count = 0;
  char *end;
  for (const char *word = list; count < n; word += *word == ',') {
    if (!strncmp(word, "MIG-", 4)) return count ? count : 1;
    const long index = strtol(word, &end, 10);
    if (end > word) {
      if (index < 0 || index >= n) return count;
      *by_index = 1;
      word = end;
    } else if (!strncmp(word, "GPU-", 4)) {
      word += strcspn(word, ",");
    } else {
      return count;
    }
    count++;
    if (*word != ',') return count;
  }
  return count;
}

struct gpus_visible gpus_visible(const char *folder)
{
  struct gpus_visible v;
  int n, by_index = 0;
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  memset(&v, 0, sizeof v);
  v.files = files_in(folder, &n);
  if (list) {
    snprintf(v.variable, sizeof v.variable, "%s", list);
    n = named(list, n, &by_index);
  }
  v.n = n;
  v.by_index = by_index;
  return v;
}

int gpus_in_use(void)
{
  DIR *folder = opendir("/proc/self/fd");
  char path[300], target[64];
  int found = 0;
  if (!folder) return 0;
  for (const struct dirent *file; !found && (file = readdir(folder));) {
    snprintf(path, sizeof path, "/proc/self/fd/%s", file->d_name);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    found = !strcmp(target, "/dev/nvidia-uvm"); /* tools that only look at GPUs do not open it */
  }
  closedir(folder);
  return found;
}
