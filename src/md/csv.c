#include "md/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"

void csv_failed(const char *name, const char *checkpoint)
{
  const int error = errno, any = path_exists(checkpoint);
  die(STATUS_IO,
      "cannot write '%s': %s; check that the disk works and has space. Lines before are whole%s%s",
      name, strerror(error), any ? ", and the last checkpoint is " : "", any ? checkpoint : "");
}

void csv_refuse_columns(FILE *f, const char *path, const char *wanted, const char *why)
{
  char *line = NULL;
  size_t room = 0;
  const ssize_t n = getline(&line, &room, f);
  if (n > 0 && line[n - 1] == '\n' && strcmp(line, wanted) != 0)
    die(STATUS_INPUT,
        "'%s' has other columns than this run would write, as with %s. Nothing was changed. Move "
        "it away: then a new one begins at this step",
        path, why);
  rewind(f);
  free(line);
}

int64_t csv_trim(const char *name, int64_t step)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  off_t keep = 0;
  int64_t last = -1;
  FILE *f = fopen(name, "r+");
  if (!f) return last;
  while ((n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    if (keep > 0 && strtoll(line, NULL, 10) > step) break;
    if (keep > 0) last = strtoll(line, NULL, 10);
    keep = ftello(f);
  }
  free(line);
  if (fflush(f) || ftruncate(fileno(f), keep)) csv_failed(name, "");
  fclose(f);
  return last;
}
