#include "base/streams.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  FILES_LEAST = 64, /* open files; MPI and HDF5 take 40 and more */
  FILES_WANTED = 1024,
  FILE_LEAST = 4 << 20 /* bytes; Open MPI creates a file of this size */
};

/* Raises the soft limit of open files. MPI fails with obscure messages if limits are too low. */
static void check_limits(void)
{
  struct rlimit files, size;
  if (getrlimit(RLIMIT_NOFILE, &files) || getrlimit(RLIMIT_FSIZE, &size)) return;
  if (files.rlim_cur < FILES_WANTED) {
    files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max : FILES_WANTED;
    if (setrlimit(RLIMIT_NOFILE, &files)) files.rlim_cur = 0;
  }
  if (files.rlim_cur < FILES_LEAST) {
    fprintf(stderr,
            "lamella: only %lld files may be open at once, and %d are needed; raise the limit with "
            "'ulimit -n'\n",
            (long long)files.rlim_cur, FILES_LEAST);
    _exit(STATUS_INPUT);
  }
  if (size.rlim_cur < FILE_LEAST) {
    fprintf(stderr,
            "lamella: files may have only %lld bytes, and MPI alone needs %d; raise the limit with "
            "'ulimit -f'\n",
            (long long)size.rlim_cur, FILE_LEAST);
    _exit(STATUS_IO);
  }
}

void streams_guard(void)
{
  /* Standard output is opened for reading, so that a write to it fails as it would if closed. */
  static const int mode[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode[fd]) != fd)
      _exit(STATUS_IO); /* no stream to report to */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  check_limits();
}

int streams_flush(void)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  /* A write that failed earlier has left no reason: another one finds it. */
  if (!errno && fputc('\n', stdout) != EOF) fflush(stdout);
  return errno ? errno : EIO;
}
