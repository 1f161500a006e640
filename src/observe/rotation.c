/* Rotational relaxation: autocorrelation of body z of beads, which is the direction of a dipole and
   the long axis of an ellipsoid; of all types that have one of these or moments of inertia. First
   and second Legendre polynomials of u(0).u(t), and the times that are the integrals of both. At
   most SUBSET_MOST beads of a type.

   Kept: frames (lags.h) of the axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "base/vec3d.h"
#include "observe/items.h"
#include "observe/kinds.h"
#include "observe/lags.h"
#include "observe/subset.h"

/* A curve of the results: beads of a type, items first ... end - 1 of all ranks. */
struct curve {
  int type;
  int64_t first, end;
};

struct rotation {
  int curves;
  struct curve *curve;
  int64_t *bead;     /* [axes.n]: index in the share */
  struct items axes; /* of each bead its axis, in units of 1/SCALE */
};

#define SCALE 1152921504606846976.0 /* 2^60 */

/* Order of the values: for each lag the number of pairs of samples, 0 or 1; then for each type and
   each of the two polynomials the means over its beads. */
static int value_of(int curve, int order)
{
  return LAGS * (2 * curve + order);
}

/* Opening */

static int has_axis(const struct ff_type *type)
{
  const double *i = type->inertia;
  return type->dipole != 0 || type->kappa != 0 || i[0] > 0 || i[1] > 0 || i[2] > 0;
}

/* The number of beads of a type, and of those on the ranks below this one unless before is NULL.
   Collective. */
static int64_t count_of(const struct observe_system *a, int type, int64_t *before)
{
  int64_t n = 0;
  for (int64_t k = 0; k < a->share.n; k++)
    n += a->share.type[k] == type;
  return share_sum(a->ranks, n, before);
}

static void add_curve(struct rotation *s, int type)
{
  for (int k = 0; k < s->curves; k++)
    if (s->curve[k].type == type) return;
  s->curve = grow_array(s->curve, s->curves + 1, sizeof *s->curve);
  s->curve[s->curves++] = (struct curve){.type = type};
}

static void list_beads(struct rotation *s, const struct observe_system *a)
{
  int64_t *listed = alloc_array(s->curves, sizeof *listed), n = 0;
  for (int curve = 0; curve < s->curves; curve++) {
    int64_t at;
    const int64_t all = count_of(a, s->curve[curve].type, &at);
    s->bead = grow_array(s->bead, n + subset_size(all), sizeof *s->bead);
    for (int64_t k = 0; k < a->share.n; k++)
      if (a->share.type[k] == s->curve[curve].type && subset_has(all, at++))
        s->bead[n + listed[curve]++] = k;
    n += listed[curve];
  }
  items_open(&s->axes, a->ranks, s->curves, listed, 3);
  for (int curve = 0; curve < s->curves; curve++) {
    s->curve[curve].first = s->axes.first[curve];
    s->curve[curve].end = s->axes.first[curve + 1];
  }
  free(listed);
}

static void choose_curves(struct rotation *s, struct observable *o, struct yaml_tree *t,
                          int options)
{
  const struct observe_system *a = o->about;
  const int node = yaml_get(t, options, "types"), types = a->ff->n_types;
  int *index = alloc_array(types, sizeof *index);
  const int n = observe_read_types(o, t, node, index, types);
  for (int k = 0; k < n; k++) {
    const char *name = a->ff->type[index[k]].name;
    if (!has_axis(&a->ff->type[index[k]]))
      yaml_add_error(
          t, node, "beads of type %s have neither a dipole nor an axis: they do not rotate", name);
    else if (count_of(a, index[k], NULL) == 0)
      yaml_add_error(t, node, "the system has no beads of type %s", name);
    else
      add_curve(s, index[k]);
  }
  free(index);
  for (int k = 0; !node && k < types; k++)
    if (has_axis(&a->ff->type[k]) && count_of(a, k, NULL) > 0) add_curve(s, k);
  if (!node && s->curves == 0)
    yaml_add_error(t, options,
                   "'rotation' needs beads with a dipole or an axis, and the system has none");
  list_beads(s, a);
}

static void open(struct observable *o, struct yaml_tree *t, int options)
{
  char name[OBSERVE_NAME];
  struct rotation *s = alloc_array(1, sizeof *s);
  const struct ff_type *type = o->about->ff->type;
  o->own = s;
  choose_curves(s, o, t, options);
  o->values = LAGS * (1 + 2 * s->curves);
  for (int k = 0; k < s->curves; k++) {
    snprintf(name, sizeof name, "rotation_%s", type[s->curve[k].type].name);
    observable_add_table(o, name, "lag", "ps", LAGS);
    observable_add_column(o, "first", "1", -1);
    observable_add_column(o, "second", "1", -1);
  }
  struct observe_table *table = observable_add_table(o, "relaxation", NULL, NULL, s->curves);
  for (int k = 0; k < s->curves; k++)
    snprintf(table->label[k], OBSERVE_NAME, "%s", type[s->curve[k].type].name);
  observable_add_column(o, "time_first", "ps", -1);
  observable_add_column(o, "time_second", "ps", -1);
}

/* Samples */

static void collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  struct rotation *s = o->own;
  (void)word;
  for (int64_t k = 0; k < s->axes.n; k++) {
    double u[3];
    rotation_axis(f->orientation + 4 * s->bead[k], u);
    for (int d = 0; d < 3; d++)
      s->axes.own[3 * k + d] = llrint(u[d] * SCALE);
  }
  items_gather(&s->axes);
}

/* Adds the means of the polynomials over the pairs of two frames for a lag. */
static void add_pair(const struct rotation *s, const double *from, const double *to, int lag,
                     double *value)
{
  value[lag] = 1;
  for (int curve = 0; curve < s->curves; curve++) {
    const int64_t first = s->curve[curve].first, end = s->curve[curve].end;
    double one = 0, two = 0;
    for (int64_t k = first; k < end; k++) {
      const double *u = from + 3 * k, *v = to + 3 * k;
      const double c = vec3d_dot(u, v);
      one += c;
      two += c * c;
    }
    const double n = (double)(end - first);
    value[value_of(curve, 1) + lag] = one / n;
    value[value_of(curve, 2) + lag] = 1.5 * (two / n) - 0.5;
  }
}

static void sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                   double *value)
{
  const struct rotation *s = o->own;
  const int64_t row = 3 * s->axes.all;
  double *to = lags_add(o, 0, row);
  (void)f;
  (void)word;
  for (int64_t k = 0; k < row; k++)
    to[k] = (double)s->axes.whole[k] / SCALE;
  for (int lag = 0; lag < LAGS; lag++) {
    const double *from = lags_origin(o, 0, row, lag);
    if (from) add_pair(s, from, to, lag, value);
  }
}

/* Results */

/* The integral of a correlation function that is 1 at lag 0, by trapezoids, up to the first lag
   where it is below 0.05, or to the last lag that is known; ps. */
static double integral(const struct observable *o, const double *column, int known)
{
  double sum = 0, before = 1, time = 0;
  for (int k = 0; k < known && before >= 0.05; k++) {
    sum += 0.5 * (before + column[k]) * (lags_time(o, k) - time);
    before = column[k];
    time = lags_time(o, k);
  }
  return known > 0 ? sum : (double)NAN;
}

static void derive(const struct observable *o, const double *mean, double *result)
{
  const struct rotation *s = o->own;
  const int known = lags_known(mean);
  for (int k = 0; k < s->curves; k++) {
    lags_axis(o, observe_axis_of(o, result, k));
    for (int order = 1; order <= 2; order++) {
      double *column = observe_column_of(o, result, k, order - 1);
      lags_ratio(mean, mean + value_of(k, order), column);
      observe_column_of(o, result, s->curves, order - 1)[k] = integral(o, column, known);
    }
  }
}

static void close(struct observable *o)
{
  struct rotation *s = o->own;
  free(s->curve);
  free(s->bead);
  items_close(&s->axes);
  free(s);
}

const struct observable_kind kind_rotation = {
    .name = "rotation",
    .summary = "rotational relaxation of dipoles and axes",
    .options = "types",
    .every = 1000,
    .needs = NEEDS_ORIENTATIONS,
    .even = 1,
    .open = open,
    .collect = collect,
    .sample = sample,
    .derive = derive,
    .close = close,
};
