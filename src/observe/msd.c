/* Mean-square displacement of the centres of mass of molecules, or of their beads in a group, and
   diffusion constants from its slope (Einstein). Displacements are those of unwrapped positions in
   fractions of the box vectors, times the mean of the vectors at both ends: the barostat moves all
   molecules with the box, in proportion to their distance from an origin of no meaning, and that is
   not diffusion. From each displacement the mean over the molecules of the same type or group is
   subtracted that were in the same leaflet at the first sample (solvent: of all of them).

   Kept: the leaflet of each molecule, then frames (correlation.h) of three box edges, in oblique
   boxes of the box, and, of each molecule, its place less the mean of its group. */
#include <math.h>
#include <string.h>

#include "base/torus.h"
#include "molecules/flatness.h"
#include "observe/bilayer.h"
#include "observe/correlation.h"

struct msd {
  struct correlation places; /* of each molecule its centre, in units of 2^-32 box vectors */
  int lipids_only;
  int64_t
      *leaflet; /* rank 0: of each item, at the first sample: 1 upper, -1 lower, 0 for solvent */
  struct bilayer bilayer;
  int grid;                /* of flatness; 0: it is not asked */
  double fit_from, fit_to; /* ps; -1 and 0: by default */
};

/* All lipids of a type or with beads in a group, and at most SUBSET_MOST other molecules, which are
   solvent. type: see struct curve and struct observe_molecule. */
static enum subset_member member(const struct observable *o, int type, int64_t k)
{
  const struct msd *s = o->own;
  const struct observe_molecule *m = &o->about->share.molecule[k];
  const char *in = correlation_in(&s->places, type);
  if (in ? !memchr(in + m->first, 1, (size_t)m->n) : m->type != type) return LISTED_NOT;
  if (observe_is_lipid(o->about, m)) return LISTED;
  return s->lipids_only ? LISTED_NOT : LISTED_IN_SUBSET;
}

/* Adds a curve if there are molecules of its type; returns 0 if not. Collective. */
static int add_curve(struct msd *s, struct observable *o, int type)
{
  return correlation_add(&s->places, o, o->about->share.molecules, member, type,
                         observe_molecule_name(o->about, type));
}

static void choose_curves(struct msd *s, struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  const int node = yaml_get(t, options, "molecules"), all = a->ff->n_molecules;
  const int given = node || yaml_get(t, options, "groups");
  int *index = observe_memory(o, all, sizeof *index);
  const int n = observe_read_names(o, t, node, NAMED_MOLECULES, index, all);
  for (int k = 0; k < n; k++)
    if (!add_curve(s, o, index[k]))
      yaml_add_error(t, node, "the system has no molecules %s", observe_molecule_name(a, index[k]));
  /* Without the option lipids, or if there are none, all. Molecules of no type come last. */
  for (int lipids = 1; !given && s->places.curves == 0 && lipids >= 0; lipids--) {
    s->lipids_only = lipids;
    for (int k = 0; k <= all; k++)
      add_curve(s, o, k < all ? k : -1);
  }
  correlation_add_groups(&s->places, o, t, options, a->share.molecules, member,
                         "the group has no molecule");
}

/* A molecule alone does not move relative to the mean of its group. */
static void refuse_alone(const struct msd *s, struct yaml_tree *t, int options)
{
  for (int k = 0; k < s->places.curves; k++) {
    const struct curve *c = &s->places.curve[k];
    if (c->in && c->end - c->first == 1)
      yaml_add_error(t, yaml_get(t, options, "groups"),
                     "all beads of %s are of one molecule, and displacements are relative to the "
                     "mean of the molecules of a group: give a group with more of them",
                     c->name);
  }
}

void observe_msd_open(struct observable *o, struct yaml_tree *t, int options)
{
  static const struct observe_column curve[] = {{"lateral", "nm2", OBSERVE_DERIVED},
                                                {"normal", "nm2", OBSERVE_DERIVED},
                                                {"space", "nm2", OBSERVE_DERIVED}};
  static const struct observe_column diffusion[] = {{"lateral", "nm2 us-1", OBSERVE_DERIVED},
                                                    {"space", "nm2 us-1", OBSERVE_DERIVED}};
  struct msd *s = o->own = observe_memory(o, 1, sizeof *s);
  const struct share *share = &o->about->share;
  const int to = yaml_get(t, options, "fit_to");
  int64_t lipids = 0;
  choose_curves(s, o, t, options);
  correlation_open(&s->places, o, share->molecules, member, box_is_oblique(o->about->box) ? BOX : 3,
                   1);
  refuse_alone(s, t, options);
  s->leaflet = observe_memory(o, s->places.items.all, sizeof *s->leaflet);
  for (int c = 0; c < s->places.curves; c++)
    for (int64_t k = 0; k < s->places.curve[c].n; k++)
      lipids += observe_is_lipid(o->about, &share->molecule[s->places.curve[c].index[k]]);
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
  correlation_tables(&s->places, o, curve, 3, "diffusion", diffusion, 2);
}

/* The centre of mass of a molecule, or of its beads in the group of a curve, unwrapped, in units of
   2^-32 box vectors; of virtual sites alone that of the last. Each bead has its own image, so its
   path is continuous; bonds across the boundary only shift the whole path. */
static void centre(const struct observable *o, const struct observe_frame *f, const struct curve *c,
                   int64_t k, int64_t word[3])
{
  const struct observe_system *a = o->about;
  const struct observe_molecule *m = &a->share.molecule[k];
  for (int d = 0; d < 3; d++) {
    int64_t origin = 0;
    double sum = 0, mass = 0;
    for (int64_t i = m->first; i < m->first + m->n; i++) {
      if (c->in && !c->in[i]) continue;
      const int64_t x =
          (int64_t)f->image[3 * i + d] * (INT64_C(1) << 32) + (uint32_t)f->position[3 * i + d];
      const double weight = a->ff->type[a->share.type[i]].mass;
      if (mass == 0) origin = x;
      sum += weight * (double)(x - origin);
      mass += weight;
    }
    word[d] = origin + (mass > 0 ? llrint(sum / mass) : 0);
  }
}

static void leaflet(const struct observable *o, const struct observe_frame *f,
                    const struct curve *c, int64_t k, int64_t word[3])
{
  const struct msd *s = o->own;
  (void)f;
  (void)c;
  word[0] = s->bilayer.leaflet ? s->bilayer.leaflet[k] : 0;
}

/* The leaflets of the molecules; on rank 0 of all. Collective. */
static void leaflets_gather(const struct observable *o, const struct observe_frame *f,
                            int64_t *word)
{
  struct msd *s = o->own;
  bilayer_poses(&s->bilayer, o, f, s->grid ? word : NULL);
  correlation_collect(&s->places, o, f, leaflet);
  for (int64_t k = 0; o->about->ranks->rank == 0 && k < s->places.items.all; k++)
    s->leaflet[k] = s->places.items.whole[3 * k];
}

void observe_msd_collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  struct msd *s = o->own;
  int64_t is_first = o->blocks.samples == 0; /* which rank 0 knows */
  ranks_broadcast(o->about->ranks, &is_first, sizeof is_first);
  if (is_first) leaflets_gather(o, f, word);
  correlation_collect(&s->places, o, f, centre);
}

/* Sets kept[n] to the leaflets of the molecules: 1 upper, -1 lower, 0 for solvent and where lipids
   are no flat bilayer. */
static void keep_leaflets(struct observable *o, const struct observe_frame *f, const int64_t *word)
{
  const struct msd *s = o->own;
  const int flat = !s->grid || flatness_of(s->grid, word, f->box) == FLAT;
  observable_keep(o, s->places.items.all);
  for (int64_t k = 0; k < s->places.items.all; k++)
    o->kept[k] = flat ? (double)s->leaflet[k] : 0;
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

/* The means of the squares of the displacements between two frames, lateral and normal. */
static void displacement(const struct curve *c, const double *from, const double *to,
                         double mean[2])
{
  double square[3] = {0, 0, 0};
  for (int64_t k = c->first; k < c->end; k++)
    for (int d = 0; d < 3; d++) {
      const double move = to[3 + 3 * k + d] - from[3 + 3 * k + d];
      square[d] += move * move;
    }
  for (int d = 0; d < 3; d++) {
    const double edge = 0.5 * (from[d] + to[d]);
    square[d] *= edge * edge / (double)(c->end - c->first);
  }
  mean[0] = square[0] + square[1];
  mean[1] = square[2];
}

/* The same in an oblique box, whose frames begin with all of it. */
static void displacement_oblique(const struct curve *c, const double *from, const double *to,
                                 double mean[2])
{
  double box[BOX], move[3], x[3], lateral = 0, normal = 0;
  for (int k = 0; k < BOX; k++)
    box[k] = 0.5 * (from[k] + to[k]);
  for (int64_t k = c->first; k < c->end; k++) {
    for (int d = 0; d < 3; d++)
      move[d] = to[BOX + 3 * k + d] - from[BOX + 3 * k + d];
    box_vector(box, move, x);
    lateral += x[0] * x[0] + x[1] * x[1];
    normal += x[2] * x[2];
  }
  mean[0] = lateral / (double)(c->end - c->first);
  mean[1] = normal / (double)(c->end - c->first);
}

void observe_msd_sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                        double *value)
{
  const struct msd *s = o->own;
  if (o->blocks.samples == 0) keep_leaflets(o, f, word);
  double *to = correlation_frame(&s->places, o, TORUS_EDGE);
  const int head = s->places.head;
  memcpy(to, f->box, (size_t)head * sizeof *to);
  for (int k = 0; k < s->places.curves; k++)
    remove_means(&s->places.curve[k], o->kept, to + head);
  correlation_sample(&s->places, o, to, head == BOX ? displacement_oblique : displacement, value);
}

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

void observe_msd_derive(const struct observable *o, const double *mean, double *result)
{
  const struct msd *s = o->own;
  const int known = lags_reached(o), curves = s->places.curves;
  correlation_derive(&s->places, o, mean, result);
  for (int k = 0; k < curves; k++) {
    const double *lateral = observe_column_of(o, result, k, 0), *normal = lateral + LAGS;
    double *space = observe_column_of(o, result, k, 2);
    for (int lag = 0; lag < LAGS; lag++)
      space[lag] = lateral[lag] + normal[lag];
    observe_column_of(o, result, curves, 0)[k] = slope(o, lateral, known) * (1e6 / 4);
    observe_column_of(o, result, curves, 1)[k] = slope(o, space, known) * (1e6 / 6);
  }
}
