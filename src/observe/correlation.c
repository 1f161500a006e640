#include "observe/correlation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void correlation_add(struct correlation *c, struct observable *o, int type, const char *name)
{
  const struct forcefield *ff = o->about->ff;
  if (!c->curve) c->curve = observe_memory(o, ff->n_types + ff->n_molecules + 1, sizeof *c->curve);
  for (int k = 0; k < c->curves; k++)
    if (c->curve[k].type == type) return;
  c->curve[c->curves++] = (struct curve){.type = type, .name = name};
}

void correlation_open(struct correlation *c, struct observable *o, int64_t n, subset_member *of,
                      int head, int start)
{
  int64_t *listed = alloc_array(c->curves, sizeof *listed);
  for (int k = 0; k < c->curves; k++) {
    struct curve *curve = &c->curve[k];
    curve->index = subset_list(o, n, of, curve->type, &curve->n);
    listed[k] = curve->n;
  }
  items_open(&c->items, o, c->curves, listed, 3);
  for (int k = 0; k < c->curves; k++) {
    c->curve[k].first = c->items.first[k];
    c->curve[k].end = c->items.first[k + 1];
  }
  c->head = head;
  c->start = start * c->items.all;
  c->row = head + 3 * c->items.all;
  free(listed);
}

void correlation_tables(const struct correlation *c, struct observable *o,
                        const struct observe_column *column, int columns, const char *summary,
                        const struct observe_column *summary_column, int summary_columns)
{
  char name[2 * OBSERVE_NAME];
  o->values += LAGS * (1 + 2 * c->curves);
  for (int k = 0; k < c->curves; k++) {
    snprintf(name, sizeof name, "%s_%.63s", o->kind->name, c->curve[k].name);
    observable_add_table(o, name, "lag", "ps", LAGS);
    observable_add_columns(o, column, columns);
  }
  struct observe_table *table = observable_add_table(o, summary, NULL, NULL, c->curves);
  for (int k = 0; k < c->curves; k++)
    snprintf(table->label[k], OBSERVE_NAME, "%s", c->curve[k].name);
  observable_add_columns(o, summary_column, summary_columns);
}

void correlation_collect(struct correlation *c, const struct observable *o,
                         const struct observe_frame *f, correlation_item *item)
{
  int64_t *word = c->items.own;
  for (int k = 0; k < c->curves; k++)
    for (int64_t j = 0; j < c->curve[k].n; j++, word += 3)
      item(o, f, c->curve[k].index[j], word);
  items_gather(&c->items);
}

double *correlation_frame(const struct correlation *c, struct observable *o, double unit)
{
  double *frame = lags_add(o, c->start, c->row);
  for (int64_t k = 0; k < 3 * c->items.all; k++)
    frame[c->head + k] = (double)c->items.whole[k] / unit;
  return frame;
}

void correlation_sample(const struct correlation *c, const struct observable *o, const double *to,
                        correlation_pair *pair, double *value)
{
  double mean[2];
  for (int lag = 0; lag < LAGS; lag++) {
    const double *from = lags_origin(o, c->start, c->row, lag);
    if (!from) continue;
    value[lag] = 1;
    for (int k = 0; k < c->curves; k++) {
      pair(&c->curve[k], from, to, mean);
      for (int which = 0; which < 2; which++)
        value[LAGS * (1 + 2 * k + which) + lag] = mean[which];
    }
  }
}

void correlation_derive(const struct correlation *c, const struct observable *o, const double *mean,
                        double *result)
{
  for (int k = 0; k < c->curves; k++) {
    double *axis = observe_axis_of(o, result, k);
    for (int lag = 0; lag < LAGS; lag++)
      axis[lag] = lags_time(o, lag);
    for (int which = 0; which < 2; which++) {
      double *column = observe_column_of(o, result, k, which);
      const double *sum = mean + LAGS * (1 + 2 * k + which);
      for (int lag = 0; lag < LAGS; lag++)
        column[lag] = mean[lag] > 0 ? sum[lag] / mean[lag] : (double)NAN;
    }
  }
}
