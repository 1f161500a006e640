/* Loaded before the program (LD_PRELOAD): counts the calls that change files under a folder, and at
   one of them kills the process or lets the call fail. SHIM_FOLDER: where; SHIM_READS: count reads
   instead; SHIM_SENDS: count messages to sockets by send() instead; SHIM_AT: which call, from 1;
   SHIM_DO: "before", "after" (SIGKILL), an errno, or "short": as on a disk with little room, half
   of what a call writes, and ENOSPC if that is nothing; with SHIM_ALWAYS all calls from there on
   fail; SHIM_FILE, SHIM_OTHER: only files whose path ends so; SHIM_RANK: only in the process of
   this rank (of all replicas); SHIM_CALLS: only calls whose name has one of these words, with
   commas between them; SHIM_COUNT: file that the names of the calls are written to. A close that
   fails has closed the file. The C library writes the data of a FILE by calls of its own: fflush
   and fclose of such data count as fflush_write and fclose_write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum struck { GOES_ON, FAILS, SHORT };
static atomic_int calls;

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

/* FAILS: errno is set. */
static enum struck strike(const char *name, const char *when)
{
  const char *at = getenv("SHIM_AT"), *what = getenv("SHIM_DO"), *count = getenv("SHIM_COUNT");
  const char *rank = getenv("SHIM_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
  if (!own) own = getenv("PMI_RANK");
  int before = strcmp(when, "before") == 0, due, now;
  if ((rank && own && strcmp(rank, own) != 0) || !counts(name)) return GOES_ON;
  now = before ? ++calls : calls;
  if (before && count) {
    FILE *f = fopen(count, "a");
    if (f) {
      fprintf(f, "%s\n", name);
      fclose(f);
    }
  }
  if (!at || !what) return GOES_ON;
  due = getenv("SHIM_ALWAYS") ? now >= atoi(at) : now == atoi(at);
  if (!due) return GOES_ON;
  if (strcmp(what, when) == 0) kill(getpid(), SIGKILL);
  if (!before || strcmp(what, "before") == 0 || strcmp(what, "after") == 0) return GOES_ON;
  errno = strcmp(what, "short") == 0 ? ENOSPC : atoi(what);
  return strcmp(what, "short") == 0 ? SHORT : FAILS;
}

/* Half of the first part. 0 if that is nothing. */
static int halve(const struct iovec **part, int *n)
{
  static _Thread_local struct iovec half;
  half = **part;
  half.iov_len /= 2;
  *part = &half;
  *n = 1;
  return half.iov_len > 0;
}

/* half: shortens the arguments of a call that writes; 0 if nothing is left to write. */
#define WRAP_HALF(result, name, condition, parameters, arguments, half)                            \
  result name parameters                                                                           \
  {                                                                                                \
    static result(*next) parameters;                                                               \
    if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);                               \
    int ours = condition;                                                                          \
    enum struck struck = ours ? strike(#name, "before") : GOES_ON;                                 \
    if (struck == FAILS || (struck == SHORT && !(half))) return -1;                                \
    result value = next arguments;                                                                 \
    int kept = errno;                                                                              \
    if (ours) strike(#name, "after");                                                              \
    errno = kept;                                                                                  \
    return value;                                                                                  \
  }
#define WRAP(result, name, condition, parameters, arguments)                                       \
  WRAP_HALF(result, name, condition, parameters, arguments, 0)

#define OTHERS (getenv("SHIM_READS") || getenv("SHIM_SENDS"))
#define CHANGES(path) (!OTHERS && within(path))
#define WRITES (!OTHERS && within_file(file))
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
WRAP_HALF(ssize_t, write, WRITES, (int file, const void *data, size_t n), (file, data, n), n /= 2)
WRAP_HALF(ssize_t, pwrite, WRITES, (int file, const void *data, size_t n, off_t at),
          (file, data, n, at), n /= 2)
WRAP_HALF(ssize_t, pwrite64, WRITES, (int file, const void *data, size_t n, off64_t at),
          (file, data, n, at), n /= 2)
WRAP_HALF(ssize_t, writev, WRITES, (int file, const struct iovec *part, int n), (file, part, n),
          halve(&part, &n))
WRAP_HALF(ssize_t, pwritev, WRITES, (int file, const struct iovec *part, int n, off_t at),
          (file, part, n, at), halve(&part, &n))
WRAP_HALF(ssize_t, pwritev64, WRITES, (int file, const struct iovec *part, int n, off64_t at),
          (file, part, n, at), halve(&part, &n))
WRAP(ssize_t, send, getenv("SHIM_SENDS") && flags & MSG_DONTWAIT,
     (int file, const void *data, size_t n, int flags), (file, data, n, flags))

int close(int file)
{
  static int (*next)(int file);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "close");
  int ours = WRITES, fails = ours && strike("close", "before") != GOES_ON, why = errno;
  int value = next(file), kept = errno;
  if (ours && !fails) strike("close", "after");
  errno = fails ? why : kept;
  return fails ? -1 : value;
}

/* What is left to write of a file, after its flush was struck: half of it is written, or nothing.
 */
static void flush_part(int (*flush)(FILE *), FILE *f, enum struck struck)
{
  struct stat now;
  off_t half = (off_t)__fpending(f) / 2;
  if (struck == FAILS || fstat(fileno(f), &now) != 0) return;
  flush(f);
  syscall(SYS_ftruncate, fileno(f), now.st_size + half);
}

int fflush(FILE *f)
{
  static int (*next)(FILE *);
  if (!next) next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
  int file = f ? fileno(f) : -1, ours = f && __fpending(f) > 0 && WRITES;
  enum struck struck = ours ? strike("fflush_write", "before") : GOES_ON;
  int why = errno, value;
  if (struck != GOES_ON) {
    flush_part(next, f, struck);
    errno = why;
    return EOF;
  }
  value = next(f);
  if (ours) strike("fflush_write", "after");
  return value;
}

int fclose(FILE *f)
{
  static int (*next)(FILE *), (*flush)(FILE *);
  if (!next) next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
  if (!flush) flush = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
  int file = fileno(f), ours = __fwritable(f) && file >= 0 && WRITES, value, why;
  const char *name = __fpending(f) > 0 ? "fclose_write" : "fclose";
  enum struck struck = ours ? strike(name, "before") : GOES_ON;
  why = errno;
  if (struck != GOES_ON) flush_part(flush, f, struck);
  if (struck != GOES_ON) __fpurge(f);
  value = next(f);
  if (ours && struck == GOES_ON) strike(name, "after");
  if (struck != GOES_ON) errno = why;
  return struck != GOES_ON ? EOF : value;
}

#define READS (getenv("SHIM_READS") && within_file(file))
WRAP(ssize_t, read, READS, (int file, void *data, size_t n), (file, data, n))
WRAP(ssize_t, pread, READS, (int file, void *data, size_t n, off_t at), (file, data, n, at))
WRAP(ssize_t, pread64, READS, (int file, void *data, size_t n, off64_t at), (file, data, n, at))
