/* Mean-square displacement of the centres of mass of molecules, and diffusion constants from its
   slope (Einstein). Displacements are those of unwrapped positions in fractions of the box edges,
   times the mean of the edges at both ends: the barostat moves all molecules with the box, in
   proportion to their distance from an origin of no meaning, and that is not diffusion. From each
   displacement the mean over the molecules of the same type is subtracted that were in the same
   leaflet at the first sample (solvent: of all of the type).

   Kept: the leaflet of each molecule, then frames (lags.h) of three box edges and, of each
   molecule, its place less the mean of its group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "molecules/flatness.h"
#include "observe/bilayer.h"
#include "observe/items.h"
#include "observe/kinds.h"
#include "observe/lags.h"
#include "observe/subset.h"

/* A curve of the results: molecules of a type, items first ... end - 1 of all ranks. */
struct curve {
  int type, lipids_only; /* type: see struct observe_molecule */
  int64_t first, end;
};

struct msd {
  int curves;
  struct curve *curve;
  int64_t n;             /* items of all ranks */
  int64_t *item;         /* [places.n]: index of the molecule in the share */
  struct items places;   /* of each item three coordinates, in units of 2^-32 box edges */
  struct items leaflets; /* of each item, at the first sample: 1 upper, -1 lower, 0 for solvent */
  struct bilayer bilayer;
  int grid;                /* of flatness; 0: it is not asked */
  double fit_from, fit_to; /* ps; -1 and 0: by default */
};

/* Values: of each lag the number of pairs of samples, 0 or 1; then of each type the mean over its
   molecules of the squares, lateral and normal. */
enum { LATERAL = 1, NORMAL = 2 };

static int value_of(int curve, int which)
{
  return LAGS * (2 * curve + which);
}

/* Opening */

/* The number of molecules of a type, and of those on the ranks below this one unless before is
   NULL. Collective. */
static int64_t count_of(const struct observe_system *a, int type, int lipids_only, int64_t *before)
{
  const struct share *s = &a->share;
  int64_t n = 0;
  for (int64_t k = 0; k < s->molecules; k++)
    n += s->molecule[k].type == type && (!lipids_only || observe_is_lipid(a, &s->molecule[k]));
  return share_sum(a->ranks, n, before);
}

static void add_curve(struct msd *s, int type, int lipids_only)
{
  for (int k = 0; k < s->curves; k++)
    if (s->curve[k].type == type) return;
  s->curve = grow_array(s->curve, s->curves + 1, sizeof *s->curve);
  s->curve[s->curves++] = (struct curve){.type = type, .lipids_only = lipids_only};
}

static void choose_curves(struct msd *s, struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  const int node = yaml_get(t, options, "molecules"), all = a->ff->n_molecules;
  int *index = alloc_array(all, sizeof *index);
  const int n = observe_read_molecules(o, t, node, index, all);
  for (int k = 0; k < n; k++) {
    if (count_of(a, index[k], 0, NULL) == 0)
      yaml_add_error(t, node, "the system has no molecules %s", observe_molecule_name(a, index[k]));
    else
      add_curve(s, index[k], 0);
  }
  free(index);
  for (int lipids = 1; !node && s->curves == 0 && lipids >= 0; lipids--)
    for (int k = 0; k <= all; k++) /* molecules of no type last */
      if (count_of(a, k < all ? k : -1, lipids, NULL) > 0) add_curve(s, k < all ? k : -1, lipids);
}

/* Lists the molecules of a type: all lipids, at most SUBSET_MOST molecules of one bead. n: items
   listed so far on this rank. Returns those of this type. */
static int64_t list_curve(struct msd *s, const struct observe_system *a, const struct curve *curve,
                          int64_t n)
{
  const struct share *share = &a->share;
  int64_t before, lipids_before, listed = 0;
  const int64_t all = count_of(a, curve->type, 0, &before);
  const int64_t single = all - count_of(a, curve->type, 1, &lipids_before);
  int64_t at = before - lipids_before;
  s->item = grow_array(s->item, n + share->molecules, sizeof *s->item);
  for (int64_t k = 0; k < share->molecules; k++) {
    const struct observe_molecule *m = &share->molecule[k];
    if (m->type != curve->type) continue;
    const int is_lipid = observe_is_lipid(a, m);
    if (is_lipid || (!curve->lipids_only && subset_has(single, at))) s->item[n + listed++] = k;
    at += !is_lipid;
  }
  return listed;
}

static void list_items(struct msd *s, const struct observe_system *a)
{
  int64_t *listed = alloc_array(s->curves, sizeof *listed), n = 0;
  for (int k = 0; k < s->curves; k++) {
    listed[k] = list_curve(s, a, &s->curve[k], n);
    n += listed[k];
  }
  items_open(&s->places, a->ranks, s->curves, listed, 3);
  items_open(&s->leaflets, a->ranks, s->curves, listed, 1);
  s->n = s->places.all;
  for (int k = 0; k < s->curves; k++) {
    s->curve[k].first = s->places.first[k];
    s->curve[k].end = s->places.first[k + 1];
  }
  free(listed);
}

static void add_tables(const struct msd *s, struct observable *o)
{
  char name[OBSERVE_NAME];
  for (int k = 0; k < s->curves; k++) {
    snprintf(name, sizeof name, "msd_%s", observe_molecule_name(o->about, s->curve[k].type));
    observable_add_table(o, name, "lag", "ps", LAGS);
    observable_add_column(o, "lateral", "nm2", -1);
    observable_add_column(o, "normal", "nm2", -1);
    observable_add_column(o, "space", "nm2", -1);
  }
  struct observe_table *table = observable_add_table(o, "diffusion", NULL, NULL, s->curves);
  for (int k = 0; k < s->curves; k++)
    snprintf(table->label[k], OBSERVE_NAME, "%s",
             observe_molecule_name(o->about, s->curve[k].type));
  observable_add_column(o, "lateral", "nm2 us-1", -1);
  observable_add_column(o, "space", "nm2 us-1", -1);
}

static void open(struct observable *o, struct yaml_tree *t, int options)
{
  struct msd *s = alloc_array(1, sizeof *s);
  const int to = yaml_get(t, options, "fit_to");
  int64_t lipids = 0;
  o->own = s;
  choose_curves(s, o, t, options);
  list_items(s, o->about);
  for (int64_t k = 0; k < s->places.n; k++)
    lipids += observe_is_lipid(o->about, &o->about->share.molecule[s->item[k]]);
  if (share_sum(o->about->ranks, lipids, NULL) > 0) bilayer_open(&s->bilayer, o, t, options);
  s->grid = o->flat_grid;
  o->flat_grid = 0; /* without a flat bilayer there are numbers, but no leaflets */
  if (s->grid) o->words = flatness_words(s->grid);
  s->fit_from = yaml_real(t, yaml_get(t, options, "fit_from"), -1, 0, 1e15);
  s->fit_to = yaml_real(t, to, 0, YAML_POSITIVE, 1e15);
  if (to && s->fit_to > 0 && s->fit_to <= s->fit_from)
    yaml_add_error(t, to, "the fit ends at %g ps, which is not after its beginning, fit_from %g",
                   s->fit_to, s->fit_from);
  if (s->fit_from >= 0) observable_chose(o, "fit_from: %g", s->fit_from);
  if (s->fit_to > 0) observable_chose(o, "fit_to: %g", s->fit_to);
  o->values = LAGS * (1 + 2 * s->curves);
  add_tables(s, o);
}

/* Samples */

/* The centre of mass along axis d, unwrapped, in units of 2^-32 box edges. Each bead has its own
   image, so its path is continuous; bonds across the boundary only shift the whole path. */
static int64_t centre_of(const struct observe_system *a, const struct observe_frame *f,
                         const struct observe_molecule *m, int d)
{
  int64_t origin = 0;
  double sum = 0, mass = 0;
  for (int64_t i = m->first; i < m->first + m->n; i++) {
    const int64_t x =
        (int64_t)f->image[3 * i + d] * (INT64_C(1) << 32) + (uint32_t)f->position[3 * i + d];
    const double weight = a->ff->type[a->share.type[i]].mass;
    if (mass == 0) origin = x;
    sum += weight * (double)(x - origin);
    mass += weight;
  }
  return origin + llrint(sum / mass);
}

/* The leaflets of the molecules; on rank 0 of all. Collective. */
static void leaflets_gather(const struct observable *o, const struct observe_frame *f,
                            int64_t *word)
{
  struct msd *s = o->own;
  const struct observe_system *a = o->about;
  const struct bilayer *b = &s->bilayer;
  double(*x)[3] = alloc_array(b->most, sizeof *x);
  int *leaflet = alloc_array(a->share.molecules, sizeof *leaflet);
  for (int64_t k = 0; k < b->lipids; k++)
    leaflet[b->lipid[k]] = bilayer_pose(b, o, f, k, x, s->grid ? word : NULL).leaflet;
  for (int64_t k = 0; k < s->leaflets.n; k++)
    s->leaflets.own[k] = leaflet[s->item[k]];
  items_gather(&s->leaflets);
  free(leaflet);
  free(x);
}

static void collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  struct msd *s = o->own;
  const struct observe_system *a = o->about;
  int64_t is_first = o->blocks.samples == 0; /* which rank 0 knows */
  for (int64_t k = 0; k < s->places.n; k++)
    for (int d = 0; d < 3; d++)
      s->places.own[3 * k + d] = centre_of(a, f, &a->share.molecule[s->item[k]], d);
  items_gather(&s->places);
  ranks_broadcast(a->ranks, &is_first, sizeof is_first);
  if (is_first) leaflets_gather(o, f, word);
}

/* Sets kept[n] to the leaflets of the molecules: 1 upper, -1 lower, 0 for solvent and where lipids
   are no flat bilayer. */
static void keep_leaflets(struct observable *o, const struct observe_frame *f, const int64_t *word)
{
  const struct msd *s = o->own;
  const int flat = !s->grid || flatness_of(s->grid, word, f->box) == FLAT;
  observable_keep(o, s->n);
  for (int64_t k = 0; k < s->n; k++)
    o->kept[k] = flat ? (double)s->leaflets.whole[k] : 0;
}

/* Of a leaflet: 0, 1 or 2, whatever a damaged checkpoint holds. */
static int group_of(double leaflet)
{
  return leaflet > 0 ? 2 : leaflet < 0 ? 0 : 1;
}

/* Subtracts from the places x[n][3] of a type the mean of each leaflet. */
static void remove_means(const struct curve *curve, const double *leaflet, double *x)
{
  double sum[3][3] = {{0}}, n[3] = {0};
  for (int64_t k = curve->first; k < curve->end; k++) {
    const int group = group_of(leaflet[k]);
    n[group]++;
    for (int d = 0; d < 3; d++)
      sum[group][d] += x[3 * k + d];
  }
  for (int64_t k = curve->first; k < curve->end; k++) {
    const int group = group_of(leaflet[k]);
    for (int d = 0; d < 3; d++)
      x[3 * k + d] -= sum[group][d] / n[group];
  }
}

/* Adds the means of the squares of the displacements between two frames for a lag. */
static void add_pair(const struct msd *s, const double *from, const double *to, int lag,
                     double *value)
{
  double edge[3];
  for (int d = 0; d < 3; d++)
    edge[d] = 0.5 * (from[d] + to[d]);
  value[lag] = 1;
  for (int curve = 0; curve < s->curves; curve++) {
    const int64_t first = s->curve[curve].first, end = s->curve[curve].end;
    double square[3] = {0, 0, 0};
    for (int64_t k = first; k < end; k++)
      for (int d = 0; d < 3; d++) {
        const double move = to[3 + 3 * k + d] - from[3 + 3 * k + d];
        square[d] += move * move;
      }
    for (int d = 0; d < 3; d++)
      square[d] *= edge[d] * edge[d] / (double)(end - first);
    value[value_of(curve, LATERAL) + lag] = square[0] + square[1];
    value[value_of(curve, NORMAL) + lag] = square[2];
  }
}

static void sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                   double *value)
{
  const struct msd *s = o->own;
  const int64_t row = 3 + 3 * s->n;
  if (o->blocks.samples == 0) keep_leaflets(o, f, word);
  double *to = lags_add(o, s->n, row);
  memcpy(to, f->box, sizeof f->box);
  for (int64_t k = 0; k < 3 * s->n; k++)
    to[3 + k] = (double)s->places.whole[k] / TORUS_EDGE;
  for (int k = 0; k < s->curves; k++)
    remove_means(&s->curve[k], o->kept, to + 3);
  for (int lag = 0; lag < LAGS; lag++) {
    const double *from = lags_origin(o, s->n, row, lag);
    if (from) add_pair(s, from, to, lag, value);
  }
}

/* Results */

/* The number of lags between samples so far: of all samples, so that the fit of each group of the
   jackknife is over the same lags. */
static int lags_reached(const struct observable *o)
{
  int n = 0;
  while (n < LAGS && lags_samples(n) < o->blocks.samples)
    n++;
  return n;
}

/* The slope of a straight line through column over the lags that are fitted, nm2/ps; NaN with less
   than two. */
static double slope(const struct observable *o, const double *column, int known)
{
  const struct msd *s = o->own;
  const double longest = known > 0 ? lags_time(o, known - 1) : 0, slack = 1e-9;
  const double from = (s->fit_from >= 0 ? s->fit_from : 0.1 * longest) * (1 - slack);
  const double to = (s->fit_to > 0 ? s->fit_to : 0.5 * longest) * (1 + slack);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int k = 0; k < known; k++) {
    const double lag = lags_time(o, k);
    if (lag < from || lag > to) continue;
    n++;
    x += lag;
    y += column[k];
    xx += lag * lag;
    xy += lag * column[k];
  }
  const double spread = n * xx - x * x;
  return n >= 2 && spread > 0 ? (n * xy - x * y) / spread : (double)NAN;
}

static void derive(const struct observable *o, const double *mean, double *result)
{
  const struct msd *s = o->own;
  const int known = lags_reached(o);
  double *diffusion = observe_column_of(o, result, s->curves, 0);
  for (int k = 0; k < s->curves; k++) {
    double *lateral = observe_column_of(o, result, k, 0);
    double *normal = lateral + LAGS, *space = normal + LAGS;
    lags_axis(o, observe_axis_of(o, result, k));
    lags_ratio(mean, mean + value_of(k, LATERAL), lateral);
    lags_ratio(mean, mean + value_of(k, NORMAL), normal);
    for (int lag = 0; lag < LAGS; lag++)
      space[lag] = lateral[lag] + normal[lag];
    diffusion[k] = slope(o, lateral, known) * (1e6 / 4);
    diffusion[s->curves + k] = slope(o, space, known) * (1e6 / 6);
  }
}

static void close(struct observable *o)
{
  struct msd *s = o->own;
  bilayer_close(&s->bilayer);
  free(s->curve);
  free(s->item);
  items_close(&s->places);
  items_close(&s->leaflets);
  free(s);
}

const struct observable_kind kind_msd = {
    .name = "msd",
    .summary = "mean-square displacement of molecules, and diffusion constants",
    .options = "molecules|fit_from|fit_to",
    .every = 1000,
    .needs = NEEDS_POSITIONS,
    .even = 1,
    .open = open,
    .collect = collect,
    .sample = sample,
    .derive = derive,
    .close = close,
};
