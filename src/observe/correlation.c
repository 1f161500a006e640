#include "observe/correlation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "observe/observe_group.h"

enum { FIRST = 16, NEXT = 8 }; /* frames of level 0, and of each further one */

static int level_of(int k)
{
  return k < FIRST - 1 ? 0 : 1 + (k - (FIRST - 1)) / NEXT;
}

/* Lag k in steps of its level. */
static int units_of(int k)
{
  return k < FIRST - 1 ? k + 1 : NEXT + (k - (FIRST - 1)) % NEXT;
}

int64_t lags_samples(int k)
{
  return (int64_t)units_of(k) << level_of(k);
}

double lags_time(const struct observable *o, int k)
{
  return (double)lags_samples(k) * (double)o->every * o->about->dt;
}

/* Where a level keeps frame i, counted in steps of the level. Level l > 0 keeps those that are 8
   ... 15 steps old; younger ones are still in the levels below. */
static int64_t frame_index(int level, int64_t i)
{
  return level == 0 ? i % FIRST : FIRST + NEXT * (level - 1) + i % NEXT;
}

/* Makes room for the frame of this sample, whose number is o->blocks.samples, and returns it.
   Frames of n numbers lie in o->kept from index start on. */
static double *lags_add(struct observable *o, int64_t start, int64_t n)
{
  const int64_t now = o->blocks.samples;
  int levels = 1;
  while (levels < LAGS_LEVELS && (int64_t)NEXT << levels <= now)
    levels++;
  const int64_t room = start + n * (FIRST + NEXT * (levels - 1));
  if (o->n_kept < room) observable_keep(o, room);
  double *frame = o->kept + start;
  /* The frame that becomes 8 steps of a level old goes there from the level below. */
  for (int l = levels - 1; l > 0; l--)
    if (now % ((int64_t)1 << l) == 0)
      memcpy(frame + n * frame_index(l, now >> l), frame + n * frame_index(l - 1, now >> (l - 1)),
             (size_t)n * sizeof *frame);
  return frame + n * frame_index(0, now);
}

/* The frame that lies lag k before the frame added last. NULL if this sample does not end a pair of
   this lag. */
static const double *lags_origin(const struct observable *o, int64_t start, int64_t n, int k)
{
  const int64_t now = o->blocks.samples, lag = lags_samples(k);
  const int level = level_of(k);
  if (lag > now || now % ((int64_t)1 << level) != 0) return NULL;
  return o->kept + start + n * frame_index(level, (now - lag) >> level);
}

int lags_known(const double *count)
{
  int n = LAGS;
  while (n > 0 && !(count[n - 1] > 0))
    n--;
  return n;
}

int correlation_add(struct correlation *c, struct observable *o, int64_t n, subset_member *of,
                    int type, const char *name)
{
  const struct forcefield *ff = o->about->ff;
  const int most = ff->n_types + ff->n_molecules + 1 + CURVE_GROUPS_MOST;
  if (!c->curve) c->curve = observe_memory(o, most, sizeof *c->curve);
  if (subset_count(o, n, of, type) == 0) return 0;
  for (int k = 0; k < c->curves; k++)
    if (c->curve[k].type == type) return 1;
  c->curve[c->curves++] = (struct curve){.type = type, .in = correlation_in(c, type), .name = name};
  return 1;
}

const char *correlation_in(const struct correlation *c, int type)
{
  return type <= CURVE_GROUPS ? c->in[CURVE_GROUPS - type] : NULL;
}

void correlation_add_groups(struct correlation *c, struct observable *o, struct yaml_tree *t,
                            int options, int64_t n, subset_member *of, const char *lacking)
{
  const int list = yaml_get(t, options, "groups");
  const int groups = list ? yaml_expect_list(t, list, 1, CURVE_GROUPS_MOST) : 0;
  char(*name)[OBSERVE_NAME] = observe_memory(o, groups, sizeof *name);
  c->in = observe_memory(o, groups, sizeof *c->in);
  for (int k = 0; k < groups; k++) {
    const int node = yaml_item(t, list, k);
    int64_t all;
    snprintf(name[k], sizeof name[k], "group%d", k + 1);
    c->in[c->groups] = observe_group_read(o, t, node, name[k], &all);
    if (!c->in[c->groups]) continue;
    for (int j = 0; j < c->curves; j++)
      if (!strcmp(c->curve[j].name, name[k]))
        yaml_add_error(t, node, "there is a curve %s already", name[k]);
    if (!correlation_add(c, o, n, of, CURVE_GROUPS - c->groups++, name[k]))
      yaml_add_error(t, node, "%s", lacking);
  }
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
    for (int j = 0; j < columns; j++)
      observable_add_column(o, column[j].name, column[j].unit, column[j].value);
  }
  struct observe_table *table = observable_add_table(o, summary, NULL, NULL, c->curves);
  for (int k = 0; k < c->curves; k++)
    snprintf(table->label[k], OBSERVE_NAME, "%s", c->curve[k].name);
  for (int j = 0; j < summary_columns; j++)
    observable_add_column(o, summary_column[j].name, summary_column[j].unit,
                          summary_column[j].value);
}

void correlation_collect(struct correlation *c, const struct observable *o,
                         const struct observe_frame *f, correlation_item *item)
{
  int64_t *word = c->items.own;
  for (int k = 0; k < c->curves; k++)
    for (int64_t j = 0; j < c->curve[k].n; j++, word += 3)
      item(o, f, &c->curve[k], c->curve[k].index[j], word);
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
