#include "base/error_list.h"

#include "base/log.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void error_list_add(struct error_list *m, const char *origin, int line, const char *format, ...)
{
  char what[1024];
  va_list args;
  m->count++;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  for (int k = m->n_items - 1; k >= 0; k--) {
    struct error_item *item = &m->item[k];
    if (strcmp(item->what, what) != 0 || strcmp(item->origin, origin) != 0) continue;
    item->more++;
    item->last_line = line;
    return;
  }
  if (m->n_items == ERROR_LIST_SHOWN) return;
  m->item = grow_array(m->item, m->n_items + 1, sizeof *m->item);
  m->item[m->n_items++] = (struct error_item){
      .origin = text_copy(origin), .what = text_copy(what), .line = line, .last_line = line};
}

/* 1 if the text of an item is WORD: what. */
static int says(const struct error_item *item, const char *what)
{
  const char *colon = strstr(item->what, ": ");
  return colon && !strcmp(colon + 2, what);
}

void error_list_join(struct error_list *m, const char *origin, int line, const char *key,
                     const char *format, ...)
{
  char what[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  for (int k = 0; k < m->n_items; k++) {
    struct error_item *item = &m->item[k];
    if (!says(item, what)) continue;
    char *all = text_format("%s%s%s:%d (%s)", item->also ? item->also : "",
                            item->also ? ", " : "; also ", origin, line, key);
    free(item->also);
    item->also = all;
    m->count++;
    return;
  }
  error_list_add(m, origin, line, "%s: %s", key, what);
}

char *error_list_text(const struct error_list *m)
{
  struct text_stream stream;
  FILE *out = text_begin(&stream);
  for (int k = 0; k < m->n_items; k++) {
    const struct error_item *item = &m->item[k];
    fprintf(out, "%s%s:", k ? "\n" : "", item->origin);
    if (item->line > 0) fprintf(out, "%d:", item->line);
    fprintf(out, " %s%s", item->what, item->also ? item->also : "");
    if (item->more) fprintf(out, " (and %d more", item->more);
    if (item->more && item->last_line > item->line) fprintf(out, ", to line %d", item->last_line);
    if (item->more) fputs(")", out);
  }
  return text_end(&stream);
}

void error_list_free(struct error_list *m)
{
  for (int k = 0; k < m->n_items; k++) {
    free(m->item[k].origin);
    free(m->item[k].what);
    free(m->item[k].also);
  }
  free(m->item);
  free(m->advice);
  memset(m, 0, sizeof *m);
}

void error_list_move(struct error_list *m, struct error_list *from)
{
  m->count += from->count;
  for (; m->n_items < ERROR_LIST_SHOWN && from->n_items > 0; m->n_items++, from->n_items--) {
    m->item = grow_array(m->item, m->n_items + 1, sizeof *m->item);
    m->item[m->n_items] = from->item[0];
    memmove(from->item, from->item + 1, (size_t)(from->n_items - 1) * sizeof *from->item);
  }
  if (from->advice) error_list_advise(m, "%s", from->advice);
  error_list_free(from);
}

void error_list_advise(struct error_list *m, const char *format, ...)
{
  va_list args;
  free(m->advice);
  va_start(args, format);
  m->advice = text_vformat(format, args);
  va_end(args);
}

void error_list_check(struct error_list *m)
{
  if (!m->count) return;
  const char *advice = m->advice ? m->advice : "", *end = m->advice ? "\n" : "";
  char *text = error_list_text(m);
  if (m->count == 1) die_all(STATUS_INPUT, "%s%s%s", text, end, advice);
  const char *first = m->n_items == ERROR_LIST_SHOWN ? ", of which the first are" : "";
  die_all(STATUS_INPUT, "%d mistakes%s:\n%s%s%s", m->count, first, text, end, advice);
}
