#include "observe/frames.h"

#include <stdio.h>

#include "base/log.h"

int observe_frames_any(const struct observable *o)
{
  for (int t = 0; t < o->tables; t++)
    for (int c = 0; c < o->table[t].columns; c++)
      if (o->table[t].column[c].value >= 0) return 1;
  return 0;
}

static void put_column(FILE *f, const struct observe_table *t, const struct observe_column *c)
{
  fprintf(f, "%s\t%s\t%d\t%d\t%s\t", t->name, c->name, c->value, t->rows, c->unit);
  for (int k = 0; !t->axis && k < t->rows; k++)
    fprintf(f, "%s%s", k ? " " : "", t->label[k]);
  fprintf(f, "\n");
}

char *observe_frames_columns(const struct observable *o)
{
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  fprintf(f, "table\tcolumn\tfirst\trows\tunit\tlabels\n");
  for (int t = 0; t < o->tables; t++)
    for (int c = 0; c < o->table[t].columns; c++)
      if (o->table[t].column[c].value >= 0) put_column(f, &o->table[t], &o->table[t].column[c]);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}
