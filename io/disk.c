/* Free disk space: see disk.h. */
#include "io/disk.h"

#include <sys/statvfs.h>

#include "base/log.h"

void disk_require(const char *path, const char *what, double bytes)
{
  struct statvfs disk;
  if (statvfs(path, &disk)) return;
  double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (room < bytes)
    die(STATUS_IO, "no room for %s at '%s': it needs %.2f MB, and %.2f MB are free", what, path,
        1e-6 * bytes, 1e-6 * room);
}
