#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

enum { LINKS_MOST = 40 };

char *path_with(const char *path, const char *ending)
{
  return text_format("%s%s", path, ending);
}

char *path_run_name(const char *file)
{
  const char *slash = strrchr(file, '/');
  char *name = text_copy(slash ? slash + 1 : file), *dot = strrchr(name, '.');
  if (dot && dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))) *dot = 0;
  return name;
}

/* Target of a link, relative links resolved from its folder; NULL if the path is no link. */
static char *follow(const char *path)
{
  char text[PATH_MAX];
  ssize_t n = readlink(path, text, sizeof text - 1);
  if (n < 0) return NULL;
  text[n] = 0;
  const char *slash = strrchr(path, '/');
  if (text[0] == '/' || !slash) return text_copy(text);
  return text_format("%.*s/%s", (int)(slash - path), path, text);
}

int path_ends(const char *path, const char *suffix)
{
  const size_t n = strlen(path), m = strlen(suffix);
  return n > m && !strcasecmp(path + n - m, suffix);
}

char *path_instead(const char *path, const char *suffix, const char *ending)
{
  const size_t n = strlen(path) - (path_ends(path, suffix) ? strlen(suffix) : 0);
  return text_format("%.*s%s", (int)n, path, ending);
}

char *path_target(const char *path)
{
  char *now = text_copy(path), *next;
  for (int k = 0; (next = follow(now)); k++) {
    free(now);
    now = next;
    if (k == LINKS_MOST)
      die(STATUS_INPUT, "cannot write '%s': its symbolic links lead in a circle", path);
  }
  return now;
}

int path_exists(const char *path)
{
  struct stat about;
  if (stat(path, &about) == 0) return 1;
  if (errno != ENOENT) die(STATUS_IO, "cannot look at '%s': %s", path, strerror(errno));
  return 0;
}

FILE *path_create(const char *temporary)
{
  struct stat about;
  int file = open(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
      ftruncate(file, 0) == 0)
    return fdopen(file, "w");
  if (file >= 0) {
    close(file);
    errno = EINVAL;
  }
  return NULL;
}
