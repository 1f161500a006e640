/* Collected errors of an input: see error_list.h. */
#include "base/error_list.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void error_list_add(struct error_list *m, const char *origin, int line, const char *format, ...)
{
  if (m->count++ >= ERROR_LIST_SHOWN) return;
  char what[1024], where[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (line > 0)
    snprintf(where, sizeof where, "%s:%d: ", origin, line);
  else
    snprintf(where, sizeof where, "%s: ", origin);
  size_t old = m->text ? strlen(m->text) : 0, add = strlen(where) + strlen(what) + 2;
  m->text = grow_array(m->text, (long long)(old + add), 1);
  snprintf(m->text + old, add, "%s%s%s", old ? "\n" : "", where, what);
}

void error_list_advise(struct error_list *m, const char *format, ...)
{
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  m->advice = grow_array(m->advice, (long long)strlen(text) + 2, 1);
  snprintf(m->advice, strlen(text) + 2, "\n%s", text);
}

void error_list_check(struct error_list *m)
{
  if (!m->count) return;
  const char *advice = m->advice ? m->advice : "";
  if (m->count == 1) die_all(STATUS_INPUT, "%s%s", m->text, advice);
  const char *first = m->count > ERROR_LIST_SHOWN ? ", of which the first are" : "";
  die_all(STATUS_INPUT, "%d mistakes%s:\n%s%s", m->count, first, m->text, advice);
}
