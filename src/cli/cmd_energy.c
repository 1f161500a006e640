/* lamella energy: what a state file evaluates to, and the forces on its beads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/replace.h"
#include "cli/commands.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/enforce.h"
#include "md/observers.h"
#include "md/simulation.h"
#include "md/snapshot.h"

static const struct option_help options[] = {
    {"precision", "mixed|double", "double", .help = "of pair arithmetic", .key = "run.precision"},
    {"backend", "auto|cpu|cuda", "auto", .help = "where kernels run", .key = "parallel.backend"},
    {OPTION_SET},
    {"forces", "FILE", NULL,
     .help = "also writes a line a bead, in their order: id fx fy fz tx ty tz (kJ/mol/nm, kJ/mol)",
     .file = FILE_WRITTEN},
    {"format", "text|json", "text", .help = "of the result"},
    {0},
};

static const char *const term[] = {
#define ENERGY(name, ...) #name,
#include "model/energy_list.h"
#undef ENERGY
};

/* 1 if a state has one of them: external fields and biases belong to a run, and restraints share
   their place; slopes by lambda to soft cores. */
static int is_term(const struct sim *s, int energy)
{
  if (energy >= ENERGIES_OF_POTENTIAL) return s->plan.soft.on;
  if (energy == ENERGY_bias) return 0;
  return energy != ENERGY_external || s->n_fields > 0 || s->system->topology.anchors.n > 0;
}

static void print_json(const struct sim *s, double f2, double t2)
{
  const struct thermo *n = &s->thermo;
  printf("{\"n_beads\": %lld, \"volume\": %.17g, \"terms\": {", (long long)s->system->n_total,
         n->volume);
  for (int k = 0; k < ENERGIES; k++)
    if (is_term(s, k)) printf("%s\"%s\": %.17g", k ? ", " : "", term[k], n->energy[k]);
  printf("}, \"potential\": %.17g, \"virial_pressure\": %.17g, \"virial_tensor\": [", n->potential,
         tensor_trace(n->virial));
  for (int k = 0; k < 9; k++)
    printf("%s%.17g", k ? ", " : "", n->virial[k]);
  printf("], \"sum_force2\": %.17g, \"sum_torque2\": %.17g}\n", f2, t2);
}

static void print_text(const struct sim *s, double f2, double t2)
{
  const struct thermo *n = &s->thermo;
  printf("beads            %lld\nvolume           %.10g nm3\n", (long long)s->system->n_total,
         n->volume);
  for (int k = 0; k < ENERGIES; k++)
    if (is_term(s, k)) printf("%-16s %.10g kJ/mol\n", term[k], n->energy[k]);
  printf("potential        %.10g kJ/mol\nvirial pressure  %.10g bar\nvirial tensor", n->potential,
         tensor_trace(n->virial));
  for (int k = 0; k < 9; k++)
    printf("%s%.8g", k % 3 ? " " : k ? "\n                 " : "    ", n->virial[k]);
  printf(" bar\nsum of force^2   %.10g (kJ/mol/nm)^2\nsum of torque^2  %.10g (kJ/mol)^2\n", f2, t2);
}

/* Lines of n beads, ids from `id` on. */
static void forces_write(FILE *out, int64_t id, int64_t n, const double *f, const double *t)
{
  for (int64_t k = 0; k < n; k++)
    fprintf(out, "%lld %.10g %.10g %.10g %.10g %.10g %.10g\n", (long long)(id + k), f[3 * k],
            f[3 * k + 1], f[3 * k + 2], t[3 * k], t[3 * k + 1], t[3 * k + 2]);
}

/* Adds the squares of a to *sum, one after the other. */
static void squares_add(double *sum, const double *a, int64_t n)
{
  for (int64_t k = 0; k < n; k++)
    *sum += a[k] * a[k];
}

/* Rank 0 takes the forces of a limited number of beads at a time, in the order of ids. */
static void report(struct sim *s, int json, const char *path)
{
  enum { ROUND = 1 << 14 };
  const struct system *y = s->system;
  const int first_rank = s->ranks->rank == 0;
  const int writes = first_rank && path;
  struct replacement out = {0};
  double *force, *torque, f2 = 0, t2 = 0;
  snapshot_forces(s, &force, &torque);
  if (writes) out = replacement_open(path);
  for (int64_t start = 0; start < y->n_total; start += ROUND) {
    const int64_t from = clip(start - y->first + 1, 0, y->n),
                  to = clip(start + ROUND - y->first + 1, 0, y->n);
    const int64_t n = 3 * (to - from) * (int64_t)sizeof *force;
    int64_t bytes;
    double *f = ranks_gather(s->ranks, force + 3 * from, n, &bytes);
    double *t = ranks_gather(s->ranks, torque + 3 * from, n, &bytes);
    if (first_rank) {
      const int64_t beads = clip(y->n_total - start, 0, ROUND);
      squares_add(&f2, f, 3 * beads);
      squares_add(&t2, t, 3 * beads);
      if (writes) forces_write(out.out, start + 1, beads, f, t);
    }
    free(f);
    free(t);
  }
  if (writes) replacement_close(&out);
  free(force);
  free(torque);
  if (!first_rank) return;
  if (json)
    print_json(s, f2, t2);
  else
    print_text(s, f2, t2);
}

static int energy_run(struct ranks *r, const struct arguments *a)
{
  const char *forces = arguments_value(a, "forces");
  if (forces) path_check(r, forces);
  struct params *p = params_load(NULL, a->n_settings, a->setting);
  struct system *y = state_read(r, arguments_operand(a, 0));
  list_build_forget(&y->lists);
  /* The skin does not change the result; a thin one allows boxes of little more than two cutoffs.
   */
  params_set_real(p, "neighbor.skin", 0.01 * y->ff->cutoff);
  params_set_text(p, "output.prefix", ""); /* no files */
  enforce_system(r, y, ENFORCE_SITES);
  struct sim *s = sim_create(r, p, y, SIM_STATE);
  thermo_require_finite(s);
  report(s, !strcmp(arguments_value(a, "format"), "json"), forces);
  sim_destroy(s);
  system_destroy(y);
  params_destroy(p);
  return STATUS_DONE;
}

const struct command command_energy = {
    .name = "energy",
    .operands = "STATE.h5",
    .least = 1,
    .most = 1,
    .summary = "Prints energies and virial of a state, and writes its forces",
    .option = options,
    .run = energy_run,
};
