#include "io/info_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/text_escape.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "input/membrane_file.h"
#include "input/param.h"
#include "io/state_check.h"
#include "io/state_layout.h"
#include "io/state_topology.h"
#include "io/state_values.h"

enum {
  PIECE = 1 << 16, /* rows read at a time */
  BLOCKS_MOST = 40
};

void info_row(const char *name, const char *value)
{
  /* a value is one line, whatever a file has in it */
  char *safe = alloc_array((long long)text_escape(NULL, value, "") + 1, 1);
  text_escape(safe, value, "");
  printf("  %-14s%s\n", name, safe);
  free(safe);
}

void info_box(const double box[3])
{
  char text[96];
  snprintf(text, sizeof text, "%.10g x %.10g x %.10g nm", box[0], box[1], box[2]);
  info_row("box", text);
}

void info_count(const char *name, int64_t count)
{
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)count);
  info_row(name, text);
}

/* Sums over the beads of a file, which is read in pieces. */
struct totals {
  double kinetic, rotational;      /* kJ/mol */
  int64_t translations, rotations; /* degrees of freedom */
  int64_t *of_type; /* beads by molecule type; the last entry: of no known molecule */
  /* Blocks of molecules of one type, in the order of ids; more than BLOCKS_MOST are not kept. */
  int n_blocks;
  struct {
    int molecule_type;
    int64_t beads;
  } block[BLOCKS_MOST];
};

static int is_looked_at(int f)
{
  return f == FIELD_type || f == FIELD_molecule_type || f == FIELD_molecule ||
         f == FIELD_bonded_env || f == FIELD_orientation || f == FIELD_momentum ||
         f == FIELD_angular_momentum;
}

static void block_add(struct totals *sum, int molecule_type)
{
  const int n = sum->n_blocks;
  if (n == 0 || n > BLOCKS_MOST || sum->block[n - 1].molecule_type != molecule_type) {
    if (n < BLOCKS_MOST) sum->block[n].molecule_type = molecule_type;
    if (n <= BLOCKS_MOST) sum->n_blocks++;
  }
  if (sum->n_blocks <= BLOCKS_MOST) sum->block[sum->n_blocks - 1].beads++;
}

static void bead_add(const struct system *s, int64_t k, struct totals *sum)
{
  const struct beads *b = &s->beads;
  const struct ff_type *type = &s->ff->type[b->type[k]];
  sum->of_type[b->molecule_type[k] < 0 ? s->ff->n_molecules : b->molecule_type[k]]++;
  block_add(sum, b->molecule_type[k]);
  if (type->mass > 0) sum->translations += 3;
  sum->translations -= system_constraints_at(s, k);
  for (int d = 0; d < 3; d++) {
    double m = b->momentum[3 * k + d], j = b->angular_momentum[3 * k + d];
    if (type->mass > 0) sum->kinetic += 0.5 * m * m / type->mass;
    if (type->inertia[d] <= 0) continue;
    sum->rotational += 0.5 * j * j / type->inertia[d];
    sum->rotations++;
  }
}

/* Reads all beads in pieces, checks their values and adds them up. */
static void totals_add_beads(struct h5_reader *in, struct system *s, struct totals *sum)
{
  for (int64_t at = 0; at < s->n_total && !in->error[0]; at += PIECE) {
    int64_t rows = s->n_total - at < PIECE ? s->n_total - at : PIECE;
    system_shift_block(s, at + 1, rows);
    for (int f = 0; f < FIELDS; f++) {
      char name[64];
      if (!is_looked_at(f)) continue;
      state_field_name(f, name);
      h5_get(in, name, field_info[f].datatype, at, rows, beads_array(&s->beads, f));
    }
    for (int64_t k = 0; k < rows && !in->error[0]; k++) {
      state_values_bead(in, s, k);
      if (!in->error[0]) bead_add(s, k, sum);
    }
  }
}

/* The lipids of a state: those of the run that wrote it, or by default. */
static struct lipids *lipids_of(struct h5_reader *in, const struct forcefield *ff)
{
  char *run = h5_exists(in, STATE_RUN) ? h5_get_text(in, STATE_RUN) : NULL;
  struct params *p = run ? params_from_text(run) : NULL;
  struct lipids *l = membrane_lipids_read(p, ff);
  if (p) params_destroy(p);
  free(run);
  return l;
}

static void print_molecules(const struct forcefield *ff, const struct totals *sum, struct lipids *l,
                            const double box[3])
{
  int64_t lipids = 0;
  char text[64], *membrane;
  l->molecules = alloc_array(ff->n_molecules, sizeof *l->molecules);
  printf("  %-14s", "molecules");
  const char *comma = "";
  for (int k = 0; k < ff->n_molecules; k++) {
    if (sum->of_type[k] == 0) continue;
    int64_t molecules = sum->of_type[k] / ff->molecule[k].n_beads;
    text_print("%s%s %lld", comma, ff->molecule[k].name, (long long)molecules);
    comma = ", ";
    l->molecules[k] = molecules;
    if (l->type[k].is_lipid) lipids += molecules;
  }
  if (sum->of_type[ff->n_molecules] > 0)
    printf("%s%lld beads in none", comma, (long long)sum->of_type[ff->n_molecules]);
  printf("\n");
  if (lipids == 0) return;
  snprintf(text, sizeof text, "%.6g nm2 per lipid, if they are one flat bilayer",
           2 * box[0] * box[1] / (double)lipids);
  info_row("area", text);
  info_row("membrane", membrane = lipids_text(l));
  free(membrane);
}

/* The blocks, as [ molecules ] of a GROMACS topology has them, where they say more than the totals.
 */
static void print_blocks(const struct forcefield *ff, const struct totals *sum)
{
  int says_more = 0;
  for (int k = 1; k < sum->n_blocks && sum->n_blocks <= BLOCKS_MOST; k++)
    says_more |= sum->block[k].molecule_type < sum->block[k - 1].molecule_type;
  if (!says_more) return;
  printf("  %-14s", "in this order");
  for (int k = 0; k < sum->n_blocks; k++) {
    const int molecule_type = sum->block[k].molecule_type;
    if (molecule_type < 0)
      printf("%s%lld beads in none", k ? ", " : "", (long long)sum->block[k].beads);
    else
      text_print("%s%s %lld", k ? ", " : "", ff->molecule[molecule_type].name,
                 (long long)(sum->block[k].beads / ff->molecule[molecule_type].n_beads));
  }
  printf("\n");
}

static void print_temperature(const struct totals *sum)
{
  double translations = (double)sum->translations, rotations = (double)sum->rotations;
  double half = 0.5 * UNITS_BOLTZMANN;
  char text[128];
  int used = snprintf(text, sizeof text, "%.5g K",
                      (sum->kinetic + sum->rotational) / (half * (translations + rotations)));
  if (rotations > 0)
    snprintf(text + used, sizeof text - (size_t)used, " (translation %.5g, rotation %.5g)",
             sum->kinetic / (half * translations), sum->rotational / (half * rotations));
  info_row("temperature", text);
}

/* The ensemble of the job that wrote the file. */
static void print_ensemble(const char *run_text)
{
  static const char *const coupling[] = {"isotropic", "semi-isotropic", "anisotropic",
                                         "surface tension", "constant area"};
  static const char *const thermostat[] = {"", "berendsen", "langevin", "bussi"};
  static const char *const barostat[] = {"", "berendsen", "crescale"};
  struct params *p = params_from_text(run_text);
  char text[256];
  int t = p->thermostat_type, b = p->barostat_type;
  int used = snprintf(text, sizeof text, "N%s%s", b ? "P" : "V", t ? "T" : b ? "H" : "E");
  if (t)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %s at %g K%s", thermostat[t],
                     p->thermostat_temperature,
                     strcmp(p->thermostat_groups, "[]") ? " and by groups" : "");
  if (b)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %s at %g bar, %s", barostat[b],
                     p->barostat_pressure, coupling[p->barostat_coupling]);
  snprintf(text + used, sizeof text - (size_t)used, ", dt %g ps, %s precision", p->run_dt,
           p->run_precision == PRECISION_DOUBLE ? "double" : "mixed");
  info_row("ensemble", text);
  params_destroy(p);
}

/* The history, a row for each line. */
static void print_history(char *history)
{
  char *rest;
  const char *name = "history";
  for (char *line = strtok_r(history, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    info_row(name, line);
    name = "";
  }
}

static void print_run(struct h5_reader *in, const struct system *s)
{
  char *run = h5_exists(in, STATE_RUN) ? h5_get_text(in, STATE_RUN) : NULL;
  char *input = h5_exists(in, STATE_INPUT) ? h5_get_text(in, STATE_INPUT) : NULL;
  char *history = h5_exists(in, STATE_HISTORY) ? h5_get_text(in, STATE_HISTORY) : NULL;
  char text[32], id[RUN_ID] = "";
  if (run) print_ensemble(run);
  if (input) info_row("began from", input);
  if (run) {
    snprintf(text, sizeof text, "%" PRIu64, s->clock.seed);
    info_row("seed", text);
  }
  if (h5_get_attribute_text(in, "/", "run_id", id, sizeof id) && id[0]) info_row("run", id);
  if (history) print_history(history);
  free(run);
  free(input);
  free(history);
}

static void print_whole(struct h5_reader *in, const struct forcefield *ff, const struct system *s,
                        const struct totals *sum)
{
  char program[64] = "?", git[64] = "?", text[160];
  h5_get_attribute_text(in, "/", "program", program, sizeof program);
  h5_get_attribute_text(in, "/", "git", git, sizeof git);
  text_print("%s: state file, whole\n", in->path);
  snprintf(text, sizeof text, "%s (%s)", program, git);
  info_row("written by", text);
  info_count("beads", s->n_total);
  info_box(s->box);
  info_count("step", s->clock.step);
  snprintf(text, sizeof text, "%.10g ps", s->clock.time);
  info_row("time", text);
  snprintf(text, sizeof text, "%s %s", ff->name, ff->version);
  info_row("force field", text);
  struct lipids *lipids = lipids_of(in, ff);
  print_molecules(ff, sum, lipids, s->box);
  lipids_destroy(lipids);
  print_blocks(ff, sum);
  print_temperature(sum);
  print_run(in, s);
}

void info_state(struct h5_reader *in)
{
  struct totals sum = {0};
  state_check_format(in);
  int64_t n = state_check_sizes(in);
  state_check_data(in, n);
  char *yaml = h5_get_text(in, STATE_FORCEFIELD);
  if (in->error[0]) return;
  struct system *s =
      system_create_block(n, 1, n < PIECE ? n : PIECE, forcefield_parse(yaml, in->path));
  sum.of_type = alloc_array(s->ff->n_molecules + 1, sizeof *sum.of_type);
  state_values_items(in, s);
  state_topology_read(in, s);
  if (!in->error[0]) totals_add_beads(in, s, &sum);
  if (!in->error[0]) print_whole(in, s->ff, s, &sum);
  free(sum.of_type);
  free(yaml);
  system_destroy(s);
}
