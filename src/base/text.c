#include "base/text.h"

#include "base/file_kind.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *text_copy(const char *text)
{
  return text_format("%s", text);
}

char *text_format(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = text_vformat(format, args);
  va_end(args);
  if (!text) die(STATUS_INPUT, "out of memory");
  return text;
}

FILE *text_begin(struct text_stream *s)
{
  s->out = open_memstream(&s->text, &s->bytes);
  if (!s->out) die(STATUS_INPUT, "out of memory");
  return s->out;
}

char *text_end(struct text_stream *s)
{
  const int failed = ferror(s->out);
  if (fclose(s->out) || failed) die(STATUS_INPUT, "out of memory");
  return s->text;
}

void text_print(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = text_vformat_safe(format, args, "\n");
  va_end(args);
  if (!text) die(STATUS_INPUT, "out of memory");
  fputs(text, stdout);
  free(text);
}

static const char *file_type(mode_t mode)
{
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

FILE *text_open(const char *path, size_t max, char why[160])
{
  struct stat about;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  FILE *file = NULL;
  why[0] = 0;
  if (fd >= 0 && fstat(fd, &about) == 0) {
    if (!S_ISREG(about.st_mode))
      snprintf(why, 160, "it is %s; give a file", file_type(about.st_mode));
    else if ((unsigned long long)about.st_size > max)
      snprintf(why, 160, "larger than %zu bytes", max);
    else
      file = fdopen(fd, "rb");
  }
  if (file) return file;
  if (!why[0]) snprintf(why, 160, "%s", strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}

void text_require_file(const char *path)
{
  char why[160];
  FILE *file = text_open(path, SIZE_MAX, why);
  if (!file) die_all(STATUS_INPUT, "%s: %s", path, why);
  fclose(file);
}

int text_line(FILE *in, const char *path, char **line, size_t *room)
{
  errno = 0;
  ssize_t n = getline(line, room, in);
  if (n < 0 && !feof(in)) die_all(STATUS_IO, "%s: %s", path, strerror(errno));
  if (n < 0) return 0;
  if (memchr(*line, 0, (size_t)n))
    die_all(STATUS_INPUT, "%s: contains NUL, so it is not a text", path);
  if ((*line)[n - 1] == '\n') (*line)[--n] = 0;
  if (n && (*line)[n - 1] == '\r') (*line)[--n] = 0;
  return 1;
}

char *text_read_file(const char *path, size_t max)
{
  size_t n = 0, room = 1 << 16, got;
  char why[160];
  FILE *file = text_open(path, max, why);
  if (!file) die_all(STATUS_INPUT, "%s: %s", path, why);
  char *text = alloc_array((long long)room, 1);
  while ((got = fread(text + n, 1, room - n - 1, file)) > 0) {
    if (memchr(text + n, 0, got)) {
      file_kind_require(path, FILE_UNKNOWN, "a text");
      die_all(STATUS_INPUT, "%s: contains NUL, so it is not a text", path);
    }
    n += got;
    if (n > max) die_all(STATUS_INPUT, "%s: larger than %zu bytes", path, max);
    if (n + 1 == room) text = grow_array(text, (long long)(room *= 2), 1);
  }
  if (ferror(file)) die_all(STATUS_IO, "%s: %s", path, strerror(errno));
  fclose(file);
  text[n] = 0;
  return text;
}
