/* Replacing of files: flush, rename, flush of the folder. */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"

/* 0, or errno. File systems that cannot flush a folder say EINVAL. */
static int flush(const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int why = fsync(file) && errno != EINVAL ? errno : 0;
  close(file);
  return why;
}

void replace_file(const char *temporary, const char *path, const char *previous)
{
  char *copy = text_copy(path);
  int why = flush(temporary), kept = 0;
  if (!why && previous) {
    kept = rename(path, previous) == 0;
    if (!kept && errno != ENOENT) why = errno;
  }
  if (!why && rename(temporary, path)) why = errno;
  if (why) {
    const int lost = kept && rename(previous, path);
    unlink(temporary);
    die(STATUS_IO, "cannot write '%s': %s%s%s", path, strerror(why),
        lost ? "; what was there before is " : "", lost ? previous : "");
  }
  why = flush(dirname(copy));
  if (why) die(STATUS_IO, "cannot bring the folder of '%s' to the disk: %s", path, strerror(why));
  free(copy);
}

int replace_finish(FILE *out)
{
  int failed = fflush(out) || ferror(out) ? (errno ? errno : EIO) : 0;
  if (fclose(out) && !failed) failed = errno;
  return failed;
}

void replace_close(FILE *out, const char *temporary, const char *path)
{
  const int failed = replace_finish(out);
  if (failed) {
    unlink(temporary);
    die(STATUS_IO, "cannot write '%s': %s", path, strerror(failed));
  }
  replace_file(temporary, path, NULL);
}

struct replacement replacement_open(const char *path)
{
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  FILE *out = path_create(temporary);
  if (!out) die(STATUS_IO, "cannot write '%s': %s", temporary, strerror(errno));
  return (struct replacement){out, target, temporary};
}

void replacement_close(struct replacement *r)
{
  replace_close(r->out, r->temporary, r->target);
  free(r->temporary);
  free(r->target);
}
