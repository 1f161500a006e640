/* Copies of strings, and reading of text files: see text.h. */
#include "base/text.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char *text_copy(const char *text)
{
  size_t bytes = strlen(text) + 1;
  char *copy = alloc_array((long long)bytes, 1);
  memcpy(copy, text, bytes);
  return copy;
}

static const char *kind_name(mode_t mode)
{
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/* Opens a regular file. Pipes and devices are refused without waiting for data. */
static FILE *open_regular(const char *path, size_t max)
{
  struct stat about;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat(fd, &about)) die_all(STATUS_INPUT, "%s: %s", path, strerror(errno));
  if (!S_ISREG(about.st_mode))
    die_all(STATUS_INPUT, "%s: it is %s; give a file", path, kind_name(about.st_mode));
  if ((unsigned long long)about.st_size > max)
    die_all(STATUS_INPUT, "%s: larger than %zu bytes", path, max);
  FILE *file = fdopen(fd, "rb");
  if (!file) die_all(STATUS_IO, "%s: %s", path, strerror(errno));
  return file;
}

char *text_read_file(const char *path, size_t max)
{
  size_t n = 0, room = 1 << 16, got;
  FILE *file = open_regular(path, max);
  char *text = alloc_array((long long)room, 1);
  while ((got = fread(text + n, 1, room - n - 1, file)) > 0) {
    if (memchr(text + n, 0, got))
      die_all(STATUS_INPUT, "%s: contains NUL, so it is not a text", path);
    n += got;
    if (n > max) die_all(STATUS_INPUT, "%s: larger than %zu bytes", path, max);
    if (n + 1 == room) text = grow_array(text, (long long)(room *= 2), 1);
  }
  if (ferror(file)) die_all(STATUS_IO, "%s: %s", path, strerror(errno));
  fclose(file);
  text[n] = 0;
  return text;
}
