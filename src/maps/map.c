#include "maps/map.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "config.h"
#include "model/forcefield.h"
#include "mpi/comm/ranks.h"

static const struct map_ops *const ops[] = {
#ifdef HAVE_CUDA
    &map_cuda,
#endif
    &map_cpu,
};
enum { OPS = sizeof ops / sizeof ops[0] };

/* Why some rank cannot run it; NULL: all can. */
static const char *why_not(const struct ranks *r, const struct map_ops *o, char text[256])
{
  const char *why = o->why_not();
  text[0] = 0;
  if (why) strncat(text, why, 255);
  return ranks_agree(r, !why, text, 256) ? NULL : text;
}

double map_permittivity(const struct forcefield *ff)
{
  const double epsilon = forcefield_epsilon_r(ff);
  if (epsilon > 0) return epsilon;
  warn("potentials are those in vacuum: classes of pairs of the force field have different "
       "epsilon_r, by which they would be divided");
  return 1;
}

const struct map_ops *map_ops_get(const struct ranks *r, const char *name)
{
  char why[256];
  for (int k = 0; k < OPS; k++) {
    if (strcmp(name, "auto") != 0 && strcmp(name, ops[k]->name) != 0) continue;
    if (!why_not(r, ops[k], why)) return ops[k];
    if (strcmp(name, "auto") != 0) die_all(STATUS_INPUT, "--backend=%s: %s", name, why);
  }
  die_all(STATUS_INPUT, "--backend=%s: this program was built without it", name);
}

/* The cutoff of the force field's default treatment: that of pairs of no class. */
static double forcefield_cutoff(const struct forcefield *ff)
{
  const struct ff_treatment *t = &ff->treatment[0];
  if (t->electrostatics != ELECTROSTATICS_SHIFTED_FORCE)
    die_all(STATUS_INPUT,
            "--method=force_field: the force field %s has no electrostatics of charges "
            "(shifted_force); method cutoff needs none",
            ff->name);
  return t->cutoff;
}

double map_cutoff(enum map_method method, double given, const struct forcefield *ff)
{
  if (method == MAP_CUTOFF) return given > 0 ? given : 1.2;
  if (method != MAP_FORCE_FIELD) return 0;
  const double cutoff = forcefield_cutoff(ff);
  if (given > 0 && fabs(given - cutoff) > 1e-9)
    die_all(STATUS_INPUT,
            "--cutoff=%g: method force_field has the cutoff of the force field, %g nm", given,
            cutoff);
  return cutoff;
}

void map_cutoff_require(enum map_method method, double cutoff, const double box[3], int may_open)
{
  const double half = 0.5 * fmin(fmin(box[0], box[1]), box[2]);
  const int smaller = method == MAP_CUTOFF;
  if (cutoff > half)
    die_all(
        STATUS_INPUT,
        "the cutoff of %g nm is above half the smallest edge of the periodic box, %g nm%s%s%s%s",
        cutoff, half, smaller || may_open ? ": choose " : "", smaller ? "a smaller --cutoff" : "",
        smaller && may_open ? ", or " : "", may_open ? "--boundary=open" : "");
}
