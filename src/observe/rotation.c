/* Rotational relaxation: autocorrelation of body z of beads, which is the direction of a dipole and
   the long axis of an ellipsoid; of all types that have one of these or moments of inertia, or of
   such beads of groups. First
   and second Legendre polynomials of u(0).u(t), and the times that are the integrals of both. At
   most SUBSET_MOST beads of a type.

   Kept: frames (correlation.h) of the axes. */
#include <math.h>

#include "base/rotation.h"
#include "base/vec3d.h"
#include "observe/correlation.h"

#define SCALE 1152921504606846976.0 /* 2^60 */

static int has_axis(const struct ff_type *type)
{
  const double *i = type->inertia;
  return type->dipole != 0 || type->kappa != 0 || i[0] > 0 || i[1] > 0 || i[2] > 0;
}

static enum subset_member member(const struct observable *o, int type, int64_t k)
{
  const char *in = correlation_in(o->own, type);
  const int own = o->about->share.type[k];
  const int is_listed = in ? in[k] && has_axis(&o->about->ff->type[own]) : own == type;
  return is_listed ? LISTED_IN_SUBSET : LISTED_NOT;
}

static int add_curve(struct correlation *s, struct observable *o, int type)
{
  return correlation_add(s, o, o->about->share.n, member, type, o->about->ff->type[type].name);
}

static void choose_curves(struct correlation *s, struct observable *o, struct yaml_tree *t,
                          int options)
{
  const struct ff_type *type = o->about->ff->type;
  const int node = yaml_get(t, options, "types"), types = o->about->ff->n_types;
  const int given = node || yaml_get(t, options, "groups");
  int *index = observe_memory(o, types, sizeof *index);
  const int n = observe_read_names(o, t, node, NAMED_BEAD_TYPES, index, types);
  for (int k = 0; k < n; k++)
    if (!has_axis(&type[index[k]]))
      yaml_add_error(t, node,
                     "beads of type %s have neither a dipole nor an axis: they do not rotate",
                     type[index[k]].name);
    else if (!add_curve(s, o, index[k]))
      yaml_add_error(t, node, "the system has no beads of type %s", type[index[k]].name);
  for (int k = 0; !given && k < types; k++)
    if (has_axis(&type[k])) add_curve(s, o, k);
  if (!given && s->curves == 0)
    yaml_add_error(t, options,
                   "'rotation' needs beads with a dipole or an axis, and the system has none");
  correlation_add_groups(s, o, t, options, o->about->share.n, member,
                         "no bead of the group has a dipole or an axis: they do not rotate");
}

void observe_rotation_open(struct observable *o, struct yaml_tree *t, int options)
{
  static const struct observe_column curve[] = {{"first", "1", OBSERVE_DERIVED},
                                                {"second", "1", OBSERVE_DERIVED}};
  static const struct observe_column relaxation[] = {{"time_first", "ps", OBSERVE_DERIVED},
                                                     {"time_second", "ps", OBSERVE_DERIVED}};
  struct correlation *s = o->own = observe_memory(o, 1, sizeof *s);
  choose_curves(s, o, t, options);
  correlation_open(s, o, o->about->share.n, member, 0, 0);
  correlation_tables(s, o, curve, 2, "relaxation", relaxation, 2);
}

static void axis(const struct observable *o, const struct observe_frame *f, const struct curve *c,
                 int64_t k, int64_t word[3])
{
  double u[3];
  (void)o;
  (void)c;
  rotation_axis(f->orientation + 4 * k, u);
  for (int d = 0; d < 3; d++)
    word[d] = llrint(u[d] * SCALE);
}

void observe_rotation_collect(const struct observable *o, const struct observe_frame *f,
                              int64_t *word)
{
  (void)word;
  correlation_collect(o->own, o, f, axis);
}

/* The means of the polynomials over the axes of two frames. */
static void polynomials(const struct curve *c, const double *from, const double *to, double mean[2])
{
  const double n = (double)(c->end - c->first);
  double one = 0, two = 0;
  for (int64_t k = c->first; k < c->end; k++) {
    const double *u = from + 3 * k, *v = to + 3 * k;
    const double cosine = vec3d_dot(u, v);
    one += cosine;
    two += cosine * cosine;
  }
  mean[0] = one / n;
  mean[1] = 1.5 * (two / n) - 0.5;
}

void observe_rotation_sample(struct observable *o, const struct observe_frame *f,
                             const int64_t *word, double *value)
{
  (void)f;
  (void)word;
  const double *to = correlation_frame(o->own, o, SCALE);
  correlation_sample(o->own, o, to, polynomials, value);
}

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

void observe_rotation_derive(const struct observable *o, const double *mean, double *result)
{
  const struct correlation *s = o->own;
  const int known = lags_known(mean);
  correlation_derive(s, o, mean, result);
  for (int k = 0; k < s->curves; k++)
    for (int order = 0; order < 2; order++)
      observe_column_of(o, result, s->curves, order)[k] =
          integral(o, observe_column_of(o, result, k, order), known);
}
