/* Standard streams: see streams.h. */
#include "streams.h"

#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_LEAST = 64, FILES_WANTED = 1024 }; /* open at once; MPI and HDF5 take 40 and more */

/* The system's softer limit is raised; without enough, MPI fails in ways that nobody understands.
 */
static void need_files(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FILES_WANTED) return;
  limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
  if (limit.rlim_cur < FILES_LEAST || setrlimit(RLIMIT_NOFILE, &limit)) {
    fprintf(stderr,
            "lamella: only %lld files may be open at once, and %d are needed; raise the limit with "
            "'ulimit -n'\n",
            (long long)limit.rlim_cur, FILES_LEAST);
    _exit(STATUS_INPUT);
  }
}

void streams_guard(void)
{
  /* The standard output is opened for reading only: a write to it fails, as it would if closed. */
  static const int mode[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode[fd]) != fd)
      _exit(STATUS_IO); /* there is nowhere to say why */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  need_files();
}

int streams_flush(void)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  return errno ? errno : EIO;
}
