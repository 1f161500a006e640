/* The bins of the CPU backend: every operation is a loop over the owned beads. */
#include <string.h>

#include "backend/cluster_stress.h"
#include "backend/profile_body.h"
#include "base/log.h"
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

static void centre_add(const struct cpu *c, const struct profile *p, int64_t *bin)
{
  const struct profile_tables tables = tables_of(p);
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  for (int i = 0; i < c->base.n; i++) {
    const double w = p->weight[profile_species(&tables, c->beads.bonded_env[i], c->beads.type[i])];
    int64_t value[2];
    if (!(w > 0)) continue;
    centre_values(c->beads.position[3 * (int64_t)i + 2], w, scale, value);
    bin[0] += value[0];
    bin[1] += value[1];
  }
}

static void profile_add(const struct cpu *c, const struct profile *p, int64_t *bin)
{
  const struct profile_tables tables = tables_of(p);
  const uint32_t centre = centre_of(p);
  int64_t *dipole = bin + (p->arrays & PROFILE_NUMBER ? (int64_t)p->species * p->bins : 0);
  for (int64_t i = 0; i < c->base.n; i++) {
    const int type = c->beads.type[i];
    const struct profile_place at = profile_place_of(c->beads.position[3 * i + 2], centre, p->bins);
    if (p->arrays & PROFILE_NUMBER)
      bin[(int64_t)profile_species(&tables, c->beads.bonded_env[i], type) * p->bins + at.bin]++;
    if ((p->arrays & PROFILE_DIPOLE) && c->config.ff->type[type].dipole != 0)
      dipole[(int64_t)type * p->bins + at.bin] += dipole_value(c->beads.orientation + 4 * i);
  }
}

static void stress_add_beads(struct cpu *c, const struct profile *p, int64_t *bin)
{
  enum { CHUNK = 64 }; /* beads at a time */
  const struct force_job job = cpu_force_job(c);
  const struct cluster_stress to = {
      {bin, p->bins, (double)(INT64_C(1) << sum_bits(c->config.n_total))},
      centre_of(p),
      p->half_step};
  int64_t *single = bin + (int64_t)STRESS_ARRAYS * p->bins;
  struct stress_bead bead[CHUNK];
  for (int i = 0; i < c->base.n; i++)
    c->lipid[i] = (unsigned char)stress_is_lipid(c->config.lipid, c->beads.bonded_env[i]);
  for (int first = 0; first < c->base.n; first += CHUNK) {
    const int end = first + CHUNK < c->base.n ? first + CHUNK : c->base.n;
    c->kernel->stress(&job, c->lipid, first, end, bead);
    for (int64_t i = first; i < end; i++) {
      const struct stress_motion move = {c->beads.momentum + 3 * i, c->force + 3 * i,
                                         c->inertia[c->beads.type[i]].inverse_mass, p->half_step};
      stress_bin_bead(&to.bins, profile_place_of(c->beads.position[3 * i + 2], to.centre, p->bins),
                      c->lipid[i], job.bonded_row[i + 1] > job.bonded_row[i], &bead[i - first],
                      cpu_in_cluster(c, (int)i) ? NULL : &move, single);
    }
  }
  cpu_clusters_stress(c, &to, single);
}

void cpu_accumulate(struct backend *b, const struct tally *what, int64_t *bin)
{
  struct cpu *c = cpu_of(b);
  memset(bin, 0, (size_t)what->n * sizeof *bin);
  switch (what->quantity) {
  case TALLY_SUMS:
    cpu_sums(b, (struct sums *)bin);
    break;
  case TALLY_CENTRE:
    centre_add(c, what->profile, bin);
    break;
  case TALLY_PROFILE:
    profile_add(c, what->profile, bin);
    break;
  case TALLY_STRESS:
    stress_add_beads(c, what->profile, bin);
    break;
  default:
    die(STATUS_INPUT, "the cpu backend has no such bins");
  }
}
