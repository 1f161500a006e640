/* An fcntl lock, which the system releases when the process ends: see lock.h. The lock file of a
   killed job is taken over. */
#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"

enum { HOST_MOST = 64, OWNER_MOST = 160 };

/* Is the open file still the one of that name? Its last owner may have removed it. */
static int is_current(const char *name, int file)
{
  struct stat named, opened;
  return stat(name, &named) == 0 && fstat(file, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

/* Writes the owner to the lock file: process, host and Slurm job. */
static void write_owner(int file)
{
  char host[HOST_MOST] = "", text[OWNER_MOST];
  const char *job = getenv("SLURM_JOB_ID");
  gethostname(host, sizeof host - 1);
  int n = snprintf(text, sizeof text, "process %ld on host %s%s%.32s\n", (long)getpid(), host,
                   job ? ", Slurm job " : "", job ? job : "");
  /* On a full disk the lock works without its contents. */
  if (ftruncate(file, 0) || pwrite(file, text, (size_t)n, 0) < 0) return;
}

static void read_owner(int file, char text[OWNER_MOST])
{
  ssize_t n = pread(file, text, OWNER_MOST - 1, 0);
  text[n > 0 ? n : 0] = 0;
  text[strcspn(text, "\n")] = 0;
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?';
  if (!text[0]) snprintf(text, OWNER_MOST, "it has not said where");
}

/* Process id of the owner if it is alive on this host; else 0. */
static long owner_alive(const char *text)
{
  char host[HOST_MOST] = "", named[HOST_MOST];
  long pid;
  gethostname(host, sizeof host - 1);
  if (sscanf(text, "process %ld on host %63[^, ]", &pid, named) != 2 || strcmp(host, named) ||
      pid <= 0 || pid == (long)getpid() || (kill((pid_t)pid, 0) && errno == ESRCH))
    return 0;
  return pid;
}

static _Noreturn void refuse(const char *prefix, const char *name, const char *by)
{
  die(STATUS_IO,
      "another job is writing '%s' and files of that name: %s ('%s' is locked); wait for its end, "
      "or choose another output (output.prefix, -o)",
      prefix, by, name);
}

static int file_open(const char *name)
{
  struct stat s;
  if (lstat(name, &s) == 0 && !S_ISREG(s.st_mode))
    die(STATUS_INPUT, "'%s' is %s, where the lock file of a run goes; move it away", name,
        S_ISLNK(s.st_mode)   ? "a symbolic link"
        : S_ISDIR(s.st_mode) ? "a directory"
                             : "no plain file");
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (file < 0) die(STATUS_IO, "cannot write '%s': %s", name, strerror(errno));
  return file;
}

/* For file systems without locks: only the contents of the file are known. A live process of this
   host is believed; one of another host may be dead, and is only named in a warning. */
static void warn_without_locks(int file, int error, const char *prefix, const char *name)
{
  char by[OWNER_MOST];
  struct stat s;
  int signed_before = fstat(file, &s) == 0 && s.st_size > 0;
  read_owner(file, by);
  if (owner_alive(by)) refuse(prefix, name, by);
  warn("no lock on '%s' (%s): see to it that no second job writes '%s' and files of that name%s%s",
       name, strerror(error), prefix, signed_before ? "; the last one was " : "",
       signed_before ? by : "");
}

static int lock_file(const char *prefix, const char *name)
{
  char by[OWNER_MOST];
  for (;;) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = file_open(name), error = fcntl(file, F_SETLK, &lock) ? errno : 0;
    if (error == EACCES || error == EAGAIN) {
      read_owner(file, by);
      refuse(prefix, name, by);
    }
    if (error) warn_without_locks(file, error, prefix, name);
    if (error || is_current(name, file)) {
      write_owner(file);
      return file;
    }
    close(file);
  }
}

int lock_take(const struct ranks *r, const char *prefix)
{
  int file = -1;
  char *name = path_with(prefix, ".lock");
  if (r->rank == 0) file = lock_file(prefix, name);
  ranks_barrier(r);
  if (r->rank == 0) log_remove_at_death(name);
  free(name);
  return file;
}

void lock_release(const struct ranks *r, const char *prefix, int lock)
{
  ranks_barrier(r);
  if (lock < 0) return;
  char *name = path_with(prefix, ".lock");
  log_keep_at_death(name);
  unlink(name); /* removed before it is closed: see is_current */
  close(lock);
  free(name);
}
