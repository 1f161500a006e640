/* One job a prefix: an fcntl lock, which the system takes back when the process ends. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

static char *lock_name(const char *prefix)
{
  char *name = alloc_array((long long)strlen(prefix) + 6, 1);
  sprintf(name, "%s.lock", prefix);
  return name;
}

/* Does the name still lead to the open file? Its last owner may have removed it meanwhile. */
static int is_current(const char *name, int file)
{
  struct stat named, opened;
  return stat(name, &named) == 0 && fstat(file, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

static int take(const char *prefix, const char *name)
{
  for (;;) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) die(STATUS_IO, "cannot write '%s': %s", name, strerror(errno));
    if (fcntl(file, F_SETLK, &lock) == 0) {
      if (is_current(name, file)) return file;
    } else if (errno == EACCES || errno == EAGAIN) {
      die(STATUS_IO,
          "another job is writing '%s.*' ('%s' is locked); wait for its end, or choose another "
          "output.prefix",
          prefix, name);
    } else {
      warn("no lock on '%s' (%s): see to it that no second job writes '%s.*'", name,
           strerror(errno), prefix);
      return file;
    }
    close(file);
  }
}

int lock_take(const struct ranks *r, const char *prefix)
{
  int file = -1;
  char *name = lock_name(prefix);
  if (r->rank == 0) file = take(prefix, name);
  ranks_barrier(r);
  log_remove_at_death(name);
  free(name);
  return file;
}

void lock_release(const struct ranks *r, const char *prefix, int lock)
{
  ranks_barrier(r);
  log_remove_at_death(NULL);
  if (lock < 0) return;
  char *name = lock_name(prefix);
  unlink(name); /* while it is held: see is_current */
  close(lock);
  free(name);
}
