/* Loaded before the program (LD_PRELOAD): counts the calls that change files under a folder, and at
   one of them kills the process or lets the call fail. SHIM_FOLDER: where; SHIM_READS: count reads
   as well; SHIM_AT: which call, from 1; SHIM_DO: "before", "after" (SIGKILL), "short" (half of it
   is written), or an errno; with SHIM_ALWAYS all calls from there on fail; SHIM_FILE: only files
   whose path ends so; SHIM_RANK: only in the process of this rank (of all replicas); SHIM_CALLS:
   only calls whose name has one of these words, with commas between them; SHIM_COUNT: file that the
   names of the calls are written to. A close that fails has closed the file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls, halve;

static int ends(const char *path, const char *end)
{
  size_t n = strlen(path), m = end ? strlen(end) : 0;
  return end && n >= m && strcmp(path + n - m, end) == 0;
}

static int within(const char *path)
{
  const char *folder = getenv("SHIM_FOLDER");
  char full[2 * PATH_MAX + 2], here[PATH_MAX];
  if (path[0] == '/' || !getcwd(here, sizeof here))
    snprintf(full, sizeof full, "%s", path);
  else
    snprintf(full, sizeof full, "%s/%s", here, path);
  if (!folder || strncmp(full, folder, strlen(folder)) != 0) return 0;
  return !getenv("SHIM_FILE") || ends(full, getenv("SHIM_FILE")) ||
         ends(full, getenv("SHIM_OTHER"));
}

static int within_file(int file)
{
  char name[64], path[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t n = readlink(name, path, sizeof path - 1);
  if (n <= 0 || path[0] != '/') return 0; /* pipes and sockets are none */
  path[n] = 0;
  return within(path);
}

/* 1 if the name of a call has one of the words of SHIM_CALLS. */
static int counts(const char *name)
{
  char words[256], *rest = words;
  if (!getenv("SHIM_CALLS")) return strcmp(name, "close") != 0;
  snprintf(words, sizeof words, "%s", getenv("SHIM_CALLS"));
  for (char *word; (word = strsep(&rest, ","));)
    if (strstr(name, word)) return 1;
  return 0;
}

/* 1: this call fails, errno is set. */
static int strike(const char *name, const char *when)
{
  const char *at = getenv("SHIM_AT"), *what = getenv("SHIM_DO"), *count = getenv("SHIM_COUNT");
  const char *rank = getenv("SHIM_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
  int before = strcmp(when, "before") == 0, due;
  if ((rank && own && strcmp(rank, own) != 0) || !counts(name)) return 0;
  if (before) calls++;
  if (before && count) {
    FILE *f = fopen(count, "a");
    if (f) {
      fprintf(f, "%s\n", name);
      fclose(f);
    }
  }
  if (!at || !what) return 0;
  due = getenv("SHIM_ALWAYS") ? calls >= atoi(at) : calls == atoi(at);
  if (!due) return 0;
  if (strcmp(what, when) == 0) kill(getpid(), SIGKILL);
  if (!before || strcmp(what, "before") == 0 || strcmp(what, "after") == 0) return 0;
  halve = strcmp(what, "short") == 0;
  errno = atoi(what);
  return !halve;
}

/* Bytes to write of n. */
static size_t cut(size_t n)
{
  size_t left = halve ? n / 2 : n;
  halve = 0;
  return left;
}

#define WRAP(result, name, condition, parameters, arguments)                                       \
  result name parameters                                                                           \
  {                                                                                                \
    static result(*next) parameters;                                                               \
    if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);                               \
    int ours = condition;                                                                          \
    if (ours && strike(#name, "before")) return -1;                                                \
    result value = next arguments;                                                                 \
    int kept = errno;                                                                              \
    if (ours) strike(#name, "after");                                                              \
    errno = kept;                                                                                  \
    return value;                                                                                  \
  }

#define CHANGES(path) (!getenv("SHIM_READS") && within(path))
#define WRITES (!getenv("SHIM_READS") && within_file(file))
WRAP(int, rename, CHANGES(from) || CHANGES(to), (const char *from, const char *to), (from, to))
WRAP(int, renameat2, CHANGES(from) || CHANGES(to),
     (int a, const char *from, int b, const char *to, unsigned int flags), (a, from, b, to, flags))
WRAP(int, link, CHANGES(to), (const char *from, const char *to), (from, to))
WRAP(int, symlink, CHANGES(to), (const char *from, const char *to), (from, to))
WRAP(int, unlink, CHANGES(path), (const char *path), (path))
WRAP(int, truncate, CHANGES(path), (const char *path, off_t size), (path, size))
WRAP(int, ftruncate, WRITES, (int file, off_t size), (file, size))
WRAP(int, ftruncate64, WRITES, (int file, off64_t size), (file, size))
WRAP(int, fsync, WRITES, (int file), (file))
WRAP(int, fdatasync, WRITES, (int file), (file))
WRAP(ssize_t, write, WRITES, (int file, const void *data, size_t n), (file, data, cut(n)))
WRAP(ssize_t, pwrite, WRITES, (int file, const void *data, size_t n, off_t at),
     (file, data, cut(n), at))
WRAP(ssize_t, pwrite64, WRITES, (int file, const void *data, size_t n, off64_t at),
     (file, data, cut(n), at))
WRAP(ssize_t, writev, WRITES, (int file, const struct iovec *part, int n), (file, part, n))
WRAP(ssize_t, pwritev, WRITES, (int file, const struct iovec *part, int n, off_t at),
     (file, part, n, at))
WRAP(ssize_t, pwritev64, WRITES, (int file, const struct iovec *part, int n, off64_t at),
     (file, part, n, at))

int close(int file)
{
  static int (*next)(int file);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "close");
  int ours = WRITES, fails = ours && strike("close", "before"), why = errno;
  int value = next(file), kept = errno;
  if (ours && !fails) strike("close", "after");
  errno = fails ? why : kept;
  return fails ? -1 : value;
}

#define READS (getenv("SHIM_READS") && within_file(file))
WRAP(ssize_t, read, READS, (int file, void *data, size_t n), (file, data, n))
WRAP(ssize_t, pread, READS, (int file, void *data, size_t n, off_t at), (file, data, n, at))
WRAP(ssize_t, pread64, READS, (int file, void *data, size_t n, off64_t at), (file, data, n, at))
