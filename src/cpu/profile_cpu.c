/* The bins of the CPU backend: every operation is a loop over the owned beads. */
#include <stdlib.h>
#include <string.h>

#include "backend/cluster_stress.h"
#include "backend/profile_body.h"
#include "base/log.h"
#include "base/memory.h"
#include "cpu/backend_cpu.h"

static struct profile_tables tables_of(const struct profile *p)
{
  const struct profile_tables t = {p->species_of_env, p->species_of_type, NULL, p->weight};
  return t;
}

static uint32_t centre_of(const struct profile *p)
{
  return p->centre_word ? centre_of_words(p->centre_word) : p->centre;
}

/* A loop over the owned beads that adds to the bins of threads. */
struct tallying {
  struct cpu *c;
  const struct profile *p;
  struct force_job job;
  struct cluster_stress *to; /* [threads] */
};

static int centre_chunk(void *of, int begin, int end, int thread)
{
  const struct tallying *o = of;
  const struct cpu *c = o->c;
  const struct profile_tables tables = tables_of(o->p);
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  int64_t *bin = c->part[thread].bin;
  for (int i = begin; i < end; i++) {
    const double w =
        o->p->weight[profile_species(&tables, c->beads.bonded_env[i], c->beads.type[i])];
    int64_t value[2];
    if (!(w > 0)) continue;
    centre_values(c->beads.position[3 * (int64_t)i + 2], w, scale, value);
    bin[0] += value[0];
    bin[1] += value[1];
  }
  return end;
}

static int profile_chunk(void *of, int begin, int end, int thread)
{
  const struct tallying *o = of;
  const struct cpu *c = o->c;
  const struct profile *p = o->p;
  const struct profile_tables tables = tables_of(p);
  const uint32_t centre = centre_of(p);
  int64_t *bin = c->part[thread].bin;
  int64_t *dipole = bin + (p->arrays & PROFILE_NUMBER ? (int64_t)p->species * p->bins : 0);
  for (int64_t i = begin; i < end; i++) {
    const int type = c->beads.type[i];
    const struct profile_place at = profile_place_of(c->beads.position[3 * i + 2], centre, p->bins);
    if (p->arrays & PROFILE_NUMBER)
      bin[(int64_t)profile_species(&tables, c->beads.bonded_env[i], type) * p->bins + at.bin]++;
    if ((p->arrays & PROFILE_DIPOLE) && c->config.ff->type[type].dipole != 0)
      dipole[(int64_t)type * p->bins + at.bin] += dipole_value(c->beads.orientation + 4 * i);
  }
  return end;
}

static int lipids_chunk(void *of, int begin, int end, int thread)
{
  const struct tallying *o = of;
  (void)thread;
  for (int i = begin; i < end; i++)
    o->c->lipid[i] = (unsigned char)stress_is_lipid(o->c->config.lipid, o->c->beads.bonded_env[i]);
  return end;
}

static int stress_chunk(void *of, int begin, int end, int thread)
{
  enum { AT_A_TIME = 64 }; /* beads */
  const struct tallying *o = of;
  const struct cpu *c = o->c;
  const struct profile *p = o->p;
  const struct cluster_stress *to = &o->to[thread];
  int64_t *single = to->bins.array + (int64_t)STRESS_ARRAYS * p->bins;
  struct stress_bead bead[AT_A_TIME];
  for (int first = begin; first < end; first += AT_A_TIME) {
    const int last = end - first < AT_A_TIME ? end : first + AT_A_TIME;
    c->kernel->stress(&o->job, c->lipid, first, last, bead);
    for (int64_t i = first; i < last; i++) {
      const struct stress_motion move = {c->beads.momentum + 3 * i, c->force + 3 * i,
                                         c->inertia[c->beads.type[i]].inverse_mass, p->half_step};
      stress_bin_bead(&to->bins,
                      profile_place_of(c->beads.position[3 * i + 2], to->centre, p->bins),
                      c->lipid[i], c->bonded_row[i + 1] > c->bonded_row[i], &bead[i - first],
                      cpu_in_cluster(c, (int)i) ? NULL : &move, single);
    }
  }
  return end;
}

static void stress_add(struct tallying *o)
{
  struct cpu *c = o->c;
  o->job = cpu_force_job(c);
  o->to = alloc_array(c->base.threads, sizeof *o->to);
  for (int k = 0; k < c->base.threads; k++)
    o->to[k] = (struct cluster_stress){
        {c->part[k].bin, o->p->bins, (double)(INT64_C(1) << sum_bits(c->config.n_total))},
        centre_of(o->p),
        o->p->half_step};
  cpu_loop(c, c->base.n, LEAST_MOVES, lipids_chunk, o);
  cpu_loop(c, c->base.n, LEAST_FORCES, stress_chunk, o);
  cpu_clusters_stress(c, o->to);
  free(o->to);
}

/* Sets the words of all threads to 0. */
static void bins_begin(struct cpu *c, int n)
{
  for (int k = 0; k < c->base.threads; k++) {
    struct cpu_part *part = &c->part[k];
    if (n > part->bins) part->bin = grow_array(part->bin, n, sizeof *part->bin);
    if (n > part->bins) part->bins = n;
    memset(part->bin, 0, (size_t)n * sizeof *part->bin);
  }
}

void cpu_accumulate(struct backend *b, const struct tally *what, int64_t *bin)
{
  struct cpu *c = cpu_of(b);
  struct tallying o = {.c = c, .p = what->profile};
  if (what->quantity == TALLY_SUMS) {
    cpu_sums(b, (struct sums *)bin);
    return;
  }
  bins_begin(c, what->n);
  memset(bin, 0, (size_t)what->n * sizeof *bin);
  switch (what->quantity) {
  case TALLY_CENTRE:
    cpu_loop(c, b->n, LEAST_MOVES, centre_chunk, &o);
    break;
  case TALLY_PROFILE:
    cpu_loop(c, b->n, LEAST_MOVES, profile_chunk, &o);
    break;
  case TALLY_STRESS:
    stress_add(&o);
    break;
  default:
    die(STATUS_INPUT, "the cpu backend has no such bins");
  }
  for (int k = 0; k < c->base.threads; k++)
    for (int w = 0; w < what->n; w++)
      sum_add(&bin[w], c->part[k].bin[w]);
}
