#include "maps/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/torus.h"
#include "config.h"
#include "cpu/force_cpu.h"
#include "model/forcefield.h"
#include "mpi/comm/ranks.h"

int32_t lattice_on_torus(const struct map_torus *t, int k, double x)
{
  const double turns = (x - t->low[k]) / t->edge[k];
  return (int32_t)(uint32_t)(uint64_t)llround((turns - floor(turns)) * TORUS_EDGE);
}

struct map_torus lattice_torus_box(const double box[BOX])
{
  return (struct map_torus){.edge = {box[0], box[1], box[2]}};
}

struct map_torus lattice_torus_open(const double low[3], const double high[3], double cutoff)
{
  const double margin = 1e-3; /* of the extent; and nm, for an extent of 0 */
  struct map_torus t;
  for (int k = 0; k < 3; k++) {
    const double extent = (high[k] - low[k]) * (1 + margin) + margin;
    t.low[k] = low[k] - 0.5 * margin;
    t.edge[k] = cutoff > 0 ? extent + cutoff * (1 + margin) : 2 * extent;
  }
  return t;
}

int lattice_first(int n, int rank, int size)
{
  const int64_t blocks = (n + MAP_BLOCK - 1) / MAP_BLOCK;
  if (blocks < size) return (int)((int64_t)n * rank / size);
  const int64_t first = blocks * rank / size * MAP_BLOCK;
  return (int)(first < n ? first : n);
}

int lattice_rank(int n, int plane, int size)
{
  int rank = (int)((int64_t)plane * size / n);
  while (rank > 0 && lattice_first(n, rank, size) > plane)
    rank--;
  while (lattice_first(n, rank + 1, size) <= plane)
    rank++;
  return rank;
}

struct map_lattice *lattice_create(const struct map_torus *t, const int n[3],
                                   const double origin[3], const double spacing[3], int rank,
                                   int size)
{
  struct map_lattice *l = alloc_array(1, sizeof *l);
  for (int k = 0; k < 3; k++) {
    l->n[k] = n[k];
    l->origin[k] = origin[k];
    l->spacing[k] = spacing[k];
    l->at[k] = alloc_array(n[k], sizeof *l->at[k]);
    for (int i = 0; i < n[k]; i++)
      l->at[k][i] = lattice_on_torus(t, k, origin[k] + i * spacing[k]);
  }
  for (int k = 0; k < 2; k++)
    l->whole[k] = n[k];
  l->first = lattice_first(n[2], rank, size);
  l->count = lattice_first(n[2], rank + 1, size) - l->first;
  return l;
}

void lattice_destroy(struct map_lattice *l)
{
  if (!l) return;
  for (int k = 0; k < 3; k++)
    free(l->at[k]);
  free(l);
}

#define ISA(name, level)                                                                           \
  extern map_kernel_function map_kernel_mixed_##name, map_kernel_double_##name;
#include "cpu/isa_list.h"
#undef ISA

enum { LEVELS = 3 };

/* By level: of mixed precision, and of double. */
static map_kernel_function *const kernel[LEVELS][2] = {
#define ISA(name, level) [level] = {map_kernel_mixed_##name, map_kernel_double_##name},
#include "cpu/isa_list.h"
#undef ISA
};

map_kernel_function *map_kernel_get(int double_precision, int level)
{
  return level < 0 || level >= LEVELS ? 0 : kernel[level][double_precision != 0];
}

static void cpu_compute(const struct map_job *job, void *value)
{
  map_kernel_get(job->double_precision, force_kernel_level())(job, value);
}

static const char *cpu_why_not(void)
{
  return force_kernel_level() < 0 ? FORCE_KERNEL_NONE : 0;
}

const struct map_ops map_cpu = {.name = "cpu", .compute = cpu_compute, .why_not = cpu_why_not};

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
  snprintf(text, 256, "%s", why ? why : "");
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

double map_cutoff(enum map_method method, double given, const struct forcefield *ff)
{
  if (method == MAP_CUTOFF) return given > 0 ? given : 1.2;
  if (method != MAP_FORCE_FIELD) return 0;
  const struct ff_treatment *t = &ff->treatment[0];
  if (t->electrostatics != ELECTROSTATICS_SHIFTED_FORCE)
    die_all(STATUS_INPUT,
            "--method=force_field: the force field %s has no electrostatics of charges "
            "(shifted_force); method cutoff needs none",
            ff->name);
  if (given > 0 && fabs(given - t->cutoff) > 1e-9)
    die_all(STATUS_INPUT,
            "--cutoff=%g: method force_field has the cutoff of the force field, %g nm", given,
            t->cutoff);
  return t->cutoff;
}

void map_box_require(const char *what, const double box[BOX], int may_open)
{
  if (box_is_oblique(box))
    die_all(STATUS_INPUT, "%s needs a rectangular box, and this one is oblique%s", what,
            may_open ? ": choose --boundary=open with method direct, cutoff or force_field" : "");
}

void map_cutoff_require(enum map_method method, double cutoff, const double box[BOX], int may_open)
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
