/* lamella energy: what a state file evaluates to, and the forces on its beads. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "sim.h"
#include "state.h"

static const char help[] = "Usage: lamella energy STATE.h5 [--precision=mixed|double] "
                           "[--backend=auto|cpu|cuda]\n"
                           "       [--forces=FILE] [--format=text|json]\n";

struct energy_options {
  const char *file, *forces;
  char precision[64], backend[64];
  int json;
};

static int options_read(const struct ranks *r, int argc, char **argv, struct energy_options *o)
{
  static const struct option known[] = {{"precision", required_argument, 0, 'p'},
                                        {"backend", required_argument, 0, 'b'},
                                        {"forces", required_argument, 0, 'f'},
                                        {"format", required_argument, 0, 'F'},
                                        {"help", no_argument, 0, 'h'},
                                        {0, 0, 0, 0}};
  int c;
  memset(o, 0, sizeof *o);
  strcpy(o->precision, "run.precision=double");
  strcpy(o->backend, "parallel.backend=auto");
  opterr = 0;
  while ((c = getopt_long(argc, argv, "h", known, NULL)) != -1)
    switch (c) {
    case 'p':
      snprintf(o->precision, sizeof o->precision, "run.precision=%s", optarg);
      break;
    case 'b':
      snprintf(o->backend, sizeof o->backend, "parallel.backend=%s", optarg);
      break;
    case 'f':
      o->forces = optarg;
      break;
    case 'F':
      o->json = !strcmp(optarg, "json");
      if (o->json || !strcmp(optarg, "text")) break;
      die_all(STATUS_INPUT, "energy: --format=%s: text or json", optarg);
    case 'h':
      if (r->rank == 0) fputs(help, stdout);
      return 0;
    default:
      die_all(STATUS_INPUT,
              "energy: option %s is not known or lacks its value; see lamella energy --help",
              argv[optind - 1]);
    }
  if (optind + 1 != argc)
    die_all(STATUS_INPUT, "energy takes one state file; see lamella energy --help");
  o->file = argv[optind];
  return 1;
}

static const char *const term[] = {
#define ENERGY(name, ...) #name,
#include "energy_list.h"
#undef ENERGY
};

static void print_json(const struct sim *s, double f2, double t2)
{
  const struct observables *n = &s->now;
  printf("{\"n_beads\": %lld, \"volume\": %.17g, \"terms\": {", (long long)s->system->n_total,
         n->volume);
  for (int k = 0; k < ENERGIES; k++)
    printf("%s\"%s\": %.17g", k ? ", " : "", term[k], n->energy[k]);
  printf("}, \"potential\": %.17g, \"virial_pressure\": %.17g, \"virial_tensor\": [", n->potential,
         observe_trace(n->virial));
  for (int k = 0; k < 9; k++)
    printf("%s%.17g", k ? ", " : "", n->virial[k]);
  printf("], \"sum_force2\": %.17g, \"sum_torque2\": %.17g}\n", f2, t2);
}

static void print_text(const struct sim *s, double f2, double t2)
{
  const struct observables *n = &s->now;
  printf("beads            %lld\nvolume           %.10g nm3\n", (long long)s->system->n_total,
         n->volume);
  for (int k = 0; k < ENERGIES; k++)
    printf("%-16s %.10g kJ/mol\n", term[k], n->energy[k]);
  printf("potential        %.10g kJ/mol\nvirial pressure  %.10g bar\nvirial tensor", n->potential,
         observe_trace(n->virial));
  for (int k = 0; k < 9; k++)
    printf("%s%.8g", k % 3 ? " " : k ? "\n                 " : "    ", n->virial[k]);
  printf(" bar\nsum of force^2   %.10g (kJ/mol/nm)^2\nsum of torque^2  %.10g (kJ/mol)^2\n", f2, t2);
}

static void forces_write(const char *path, int64_t n, const double *f, const double *t)
{
  FILE *out = fopen(path, "w");
  if (!out) die(STATUS_IO, "%s: cannot be created", path);
  for (int64_t k = 0; k < n; k++)
    fprintf(out, "%lld %.10g %.10g %.10g %.10g %.10g %.10g\n", (long long)k + 1, f[3 * k],
            f[3 * k + 1], f[3 * k + 2], t[3 * k], t[3 * k + 1], t[3 * k + 2]);
  if (ferror(out) || fclose(out)) die(STATUS_IO, "%s: writing failed; is the disk full?", path);
}

static double square(const double *a, int64_t n)
{
  double sum = 0;
  for (int64_t k = 0; k < n; k++)
    sum += a[k] * a[k];
  return sum;
}

static void report(struct sim *s, const struct energy_options *o)
{
  double *force, *torque;
  int64_t bytes;
  sim_forces(s, &force, &torque);
  double *f = ranks_gather(s->ranks, force, 3 * s->system->n * (int64_t)sizeof *force, &bytes);
  double *t = ranks_gather(s->ranks, torque, 3 * s->system->n * (int64_t)sizeof *torque, &bytes);
  free(force);
  free(torque);
  if (s->ranks->rank == 0) {
    int64_t n = s->system->n_total;
    double f2 = square(f, 3 * n), t2 = square(t, 3 * n);
    if (o->json)
      print_json(s, f2, t2);
    else
      print_text(s, f2, t2);
    if (o->forces) forces_write(o->forces, n, f, t);
  }
  free(f);
  free(t);
}

int cmd_energy(struct ranks *r, int argc, char **argv)
{
  struct energy_options o;
  if (!options_read(r, argc, argv, &o)) return STATUS_DONE;
  char *settings[] = {o.precision, o.backend};
  struct params *p = params_load(NULL, 2, settings);
  struct system *y = state_read(r, o.file);
  y->build_step = -1;
  /* The skin changes nothing here; a thin one lets boxes of hardly more than two cutoffs in. */
  p->neighbor_skin = 0.01 * y->ff->cutoff;
  struct sim *s = sim_create(r, p, y);
  sim_observe_finite(s);
  report(s, &o);
  sim_destroy(s);
  system_destroy(y);
  params_destroy(p);
  return STATUS_DONE;
}
