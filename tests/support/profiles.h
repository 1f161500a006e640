/* A small membrane and the tables of its profiles, for tests of the bins of backends. */
#ifndef PROFILES_H
#define PROFILES_H

#include "tests/support/built.h"

#include <math.h>
#include <stdio.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "cpu/force_cpu.h"
#include "input/param.h"

extern const struct backend_ops backend_cpu;

static const char specification[] = "forcefield: %s\n"
                                    "seed: 11\n"
                                    "temperature: 310\n"
                                    "bilayer:\n"
                                    "  upper: {DOPC: 22, DMPC: 18}\n"
                                    "  lower: {DOPE: 20, POPC: 20}\n"
                                    "  water_per_lipid: 15\n"
                                    "  area_per_lipid: 0.68\n";

/* Molecules with constraints and virtual sites. %s: the folder of the sources. */
static const char specification_clusters[] = "forcefield: %s/tests/support/clusters.yaml\n"
                                             "seed: 3\n"
                                             "temperature: 300\n"
                                             "bilayer:\n"
                                             "  upper: {STEROL: 12, ROD: 10, BENT: 10}\n"
                                             "  lower: {STEROL: 15, ROD: 7, BENT: 10}\n"
                                             "  area_per_lipid: 0.5\n"
                                             "  water_per_lipid: 6\n"
                                             "  water: W\n"
                                             "  water_density: 960\n";

enum { BINS = 37, SPECIES = 5 };

/* The block of a rank; it borrows the arrays. */
static inline struct system block_of(const struct system *whole, const struct ranks *r)
{
  struct system s = *whole;
  s.first = system_first(s.n_total, r->rank, r->size);
  s.n = system_first(s.n_total, r->rank + 1, r->size) - s.first;
  for (int f = 0; f < FIELDS; f++)
    *beads_field(&s.beads, f) =
        (char *)*beads_field(&s.beads, f) + (size_t)(s.first - 1) * field_bytes(f);
  return s;
}

/* `lipid` of the backends that are made from here on (struct backend_config). */
static const unsigned char *lipid_of_env;

/* A backend with lists of these beads. */
static inline struct backend *backend_of(const struct backend_ops *ops, const struct system *s,
                                         int precision)
{
  const struct coupling_state now = coupling_state_start(s->box);
  const double radius = s->ff->cutoff + 0.2;
  const struct build_params lists = {.radius = radius, .term_length = radius};
  static struct pair_plan plan;
  struct backend_config c;
  memset(&c, 0, sizeof c);
  plan = pair_plan_of(s->ff, NULL);
  c.plan = &plan;
  c.precision = precision;
  c.level = force_kernel_level();
  c.n_total = s->n_total;
  c.ranks = 1;
  c.ff = s->ff;
  c.topology = &s->topology;
  c.lipid = lipid_of_env;
  struct backend *b = ops->create(&c);
  int64_t *id = alloc_array(s->n, sizeof *id);
  for (int64_t k = 0; k < s->n; k++)
    id[k] = k + 1;
  ops->load(b, (int)s->n, id, &s->beads);
  free(id);
  ops->set_box(b, &now, s->box);
  ops->build_begin(b, 0);
  ops->sort(b, lists.radius);
  ops->build(b, &lists);
  return b;
}

/* Moves the beads of a system along their forces, so that none overlap. Without MPI. Lists hold for
   ten moves of at most 0.01 nm. */
static inline void relax(struct system *s)
{
  for (int k = 0; k < 4; k++) {
    struct backend *b = backend_of(&backend_cpu, s, PRECISION_DOUBLE);
    struct beads moved;
    int64_t *id = alloc_array(s->n, sizeof *id);
    memset(&moved, 0, sizeof moved);
    beads_reserve(&moved, MIGRATE, 0, s->n);
    for (int move = 0; move < 10; move++) {
      b->ops->force(b, FORCE_ALL, 0);
      b->ops->minimise->descend(b, 2e-5, 0.01);
    }
    b->ops->store(b, id, &moved);
    for (int f = 0; f < FIELDS; f++)
      for (int64_t i = 0; (field_info[f].flags & MIGRATE) && i < s->n; i++)
        memcpy((char *)*beads_field(&s->beads, f) + (size_t)(id[i] - 1) * field_bytes(f),
               (char *)*beads_field(&moved, f) + (size_t)i * field_bytes(f), field_bytes(f));
    b->ops->destroy(b);
    beads_free(&moved);
    free(id);
  }
}

/* forcefield: elba, or one with more neighbour lists, brahms; or clusters. */
static inline struct system *membrane_make(const char *forcefield)
{
  char text[1024];
  const char *top = getenv("top_srcdir");
  if (strcmp(forcefield, "clusters"))
    snprintf(text, sizeof text, specification, forcefield);
  else
    snprintf(text, sizeof text, specification_clusters, top ? top : ".");
  struct system *s = build_blocks(text, 1);
  relax(s);
  system_thermalise(s, 310);
  return s;
}

struct tables {
  struct profile profile;
  int32_t *of_env, *of_type;
  double weight[SPECIES];
};

/* Arbitrary species; the water has none of those of lipids. */
static inline void tables_make(struct tables *t, const struct system *s, int bins)
{
  memset(t, 0, sizeof *t);
  t->of_env = alloc_array(s->topology.n_envs, sizeof *t->of_env);
  t->of_type = alloc_array(s->ff->n_types, sizeof *t->of_type);
  for (int k = 0; k < s->topology.n_envs; k++)
    t->of_env[k] = 1 + k % (SPECIES - 1);
  for (int k = 1; k < SPECIES; k++)
    t->weight[k] = 10.5 * k;
  t->profile.bins = bins;
  t->profile.species = SPECIES;
  t->profile.centre = UINT32_C(0x6789abcd);
  t->profile.arrays = PROFILE_NUMBER | PROFILE_DIPOLE;
  t->profile.species_of_env = t->of_env;
  t->profile.species_of_type = t->of_type;
  t->profile.weight = t->weight;
  t->profile.generation = 1;
}

static inline void tables_free(struct tables *t)
{
  free(t->of_env);
  free(t->of_type);
}

/* The bins of a backend; *n: how many. */
static inline int64_t *bins_of(struct backend *b, const struct system *s,
                               enum tally_quantity quantity, const struct profile *p, int *n)
{
  struct tally what = {quantity, 2, p};
  if (quantity == TALLY_PROFILE) what.n = profile_words(p, s->ff->n_types);
  if (quantity == TALLY_STRESS) what.n = stress_words(p->bins);
  int64_t *bin = alloc_array(what.n, sizeof *bin);
  for (int k = 0; k < what.n; k++)
    bin[k] = 77;
  b->ops->accumulate(b, &what, bin);
  backend_bins_wait(b);
  *n = what.n;
  return bin;
}

#endif
