#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at the beginning of a text that is no control character; 0: none. */
static int printable_bytes(const unsigned char *c)
{
  if (c[0] < 0x80) return c[0] >= 0x20 && c[0] != 0x7f;
  const int more = c[0] >= 0xf0 && c[0] < 0xf5 ? 3 : c[0] >= 0xe0 ? 2 : 1;
  if (c[0] < 0xc2 || c[0] >= 0xf5) return 0;
  for (int k = 1; k <= more; k++)
    if ((c[k] & 0xc0) != 0x80) return 0;
  return c[0] == 0xc2 && c[1] < 0xa0 ? 0 : 1 + more; /* C1 controls */
}

size_t text_escape(char *out, const char *text, const char *keep)
{
  size_t n = 0;
  char code[8];
  while (*text) {
    int bytes = strchr(keep, *text) ? 1 : printable_bytes((const unsigned char *)text);
    const char *from = bytes ? text : code;
    const int add = bytes ? bytes : snprintf(code, sizeof code, "\\x%02x", (unsigned char)*text);
    if (out) memcpy(out + n, from, (size_t)add);
    n += (size_t)add;
    text += bytes ? bytes : 1;
  }
  if (out) out[n] = 0;
  return n;
}

char *text_vformat(const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = n < 0 ? NULL : malloc((size_t)n + 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, args);
  return text;
}

char *text_vformat_safe(const char *format, va_list args, const char *keep)
{
  char *text = text_vformat(format, args);
  char *safe = text ? malloc(text_escape(NULL, text, keep) + 1) : NULL;
  if (safe) text_escape(safe, text, keep);
  free(text);
  return safe;
}
