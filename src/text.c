/* Whole text files: see text.h. */
#include "text.h"

#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *text_read(const char *path, size_t max)
{
  size_t n = 0, room = 1 << 16, got;
  FILE *file = fopen(path, "rb");
  if (!file) die_all(STATUS_INPUT, "%s: %s", path, strerror(errno));
  char *text = alloc_array((long long)room, 1);
  while ((got = fread(text + n, 1, room - n - 1, file)) > 0) {
    n += got;
    if (n > max) die_all(STATUS_INPUT, "%s: larger than %zu bytes", path, max);
    if (n + 1 == room) text = grow_array(text, (long long)(room *= 2), 1);
  }
  if (ferror(file))
    die_all(errno == EISDIR ? STATUS_INPUT : STATUS_IO, "%s: %s", path, strerror(errno));
  fclose(file);
  text[n] = 0;
  if (strlen(text) != n) die_all(STATUS_INPUT, "%s: contains NUL, so it is not a text", path);
  return text;
}
