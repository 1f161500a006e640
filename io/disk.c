/* Free disk space: see disk.h. */
#include "io/disk.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/log.h"
#include "base/path.h"

double disk_free(const char *path)
{
  struct statvfs disk;
  char *target = path_target(path);
  const int failed = statvfs(dirname(target), &disk);
  free(target);
  return failed ? (double)NAN : (double)disk.f_bavail * (double)disk.f_frsize;
}

void disk_require(const char *path, const char *what, double bytes)
{
  const double room = disk_free(path);
  if (room < bytes)
    die(STATUS_IO, "no room for %s at '%s': it needs %.2f MB, and %.2f MB are free", what, path,
        1e-6 * bytes, 1e-6 * room);
}
