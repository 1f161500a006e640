#include "io/info_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/box_shape.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "input/param.h"
#include "input/run_lists.h"
#include "io/state_check.h"
#include "io/state_layout.h"
#include "io/state_topology.h"
#include "model/restraints.h"
#include "molecules/leaflet.h"

enum {
  PIECE = 1 << 16, /* rows read at a time */
  BLOCKS_MOST = 40
};

void info_row(const char *name, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *value = text_vformat_safe(format, args, ""); /* one line, whatever a file has in it */
  va_end(args);
  if (!value) die(STATUS_INPUT, "out of memory");
  printf("  %-14s%s\n", name, value);
  free(value);
}

void info_box(const double box[BOX])
{
  char text[BOX_TEXT];
  info_row("box", "%s", box_text(box, 'g', 10, text));
}

void info_count(const char *name, int64_t count)
{
  info_row(name, "%lld", (long long)count);
}

void info_run(struct h5_reader *in, const char *object)
{
  char id[RUN_ID] = "";
  if (h5_get_attribute_text(in, object, "run_id", id, sizeof id) && id[0])
    info_row("run", "%s", id);
}

/* Sums over the beads of a file, which is read in pieces. */
struct totals {
  double kinetic, rotational;      /* kJ/mol */
  int64_t translations, rotations; /* degrees of freedom */
  int64_t *of_type; /* beads by molecule type; the last entry: of no known molecule */
  int64_t restraints;
  struct leaflet_beads lipid_beads;
  /* Blocks of molecules of one type, in the order of ids; more than BLOCKS_MOST are not kept. */
  int n_blocks;
  struct {
    int molecule_type;
    int64_t beads;
  } block[BLOCKS_MOST];
};

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
  sum->restraints += topology_restrains(&s->topology, b->bonded_env[k]);
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

static void totals_add_beads(struct h5_reader *in, struct system *s, const struct lipids *l,
                             struct totals *sum)
{
  for (int64_t at = 0; at < s->n_total && !in->error[0]; at += PIECE) {
    int64_t rows = s->n_total - at < PIECE ? s->n_total - at : PIECE;
    system_shift_block(s, at + 1, rows);
    for (int f = 0; f < FIELDS; f++) {
      char name[64];
      if (!(field_info[f].flags & (STATE | STATIC))) continue;
      state_field_name(f, name);
      h5_get(in, name, field_info[f].datatype, at, rows, beads_array(&s->beads, f));
    }
    for (int64_t k = 0; k < rows && !in->error[0]; k++) {
      state_values_bead(in, s, k);
      if (!in->error[0]) bead_add(s, k, sum);
    }
    if (!in->error[0]) leaflet_beads_add(&sum->lipid_beads, s, l);
  }
}

/* The lipids of a state, and how many bilayers they are: those of the run that wrote it, or by
   default. */
static struct lipids *lipids_of(struct h5_reader *in, const struct forcefield *ff, int *bilayers)
{
  char *run = h5_exists(in, STATE_RUN) ? h5_get_text(in, STATE_RUN) : NULL;
  struct params *p = run ? params_from_text(run) : NULL;
  struct lipids *l = membrane_lipids_read(p, ff);
  *bilayers = p ? (int)p->output_bilayers : 1;
  if (p) params_destroy(p);
  free(run);
  return l;
}

static void print_molecules(const struct forcefield *ff, const struct totals *sum, struct lipids *l)
{
  l->molecules = alloc_array(ff->n_molecules, sizeof *l->molecules);
  printf("  %-14s", "molecules");
  const char *comma = "";
  for (int k = 0; k < ff->n_molecules; k++) {
    if (sum->of_type[k] == 0) continue;
    l->molecules[k] = sum->of_type[k] / ff->molecule[k].n_beads;
    text_print("%s%s %lld", comma, ff->molecule[k].name, (long long)l->molecules[k]);
    comma = ", ";
  }
  if (sum->of_type[ff->n_molecules] > 0)
    printf("%s%lld beads in none", comma, (long long)sum->of_type[ff->n_molecules]);
  printf("\n");
}

static void print_membrane(const struct system *s, struct totals *sum, const struct lipids *l,
                           int bilayers)
{
  char text[FLATNESS_AREA], *membrane;
  enum flatness flat;
  const int64_t lipids = leaflet_beads_judge(&sum->lipid_beads, s, l, &flat);
  if (lipids == 0) return;
  info_row("area", "%s", flatness_area(flat, lipids, bilayers, s->box, text));
  info_row("membrane", "%s", membrane = lipids_text(l));
  free(membrane);
}

static void print_restraints(const struct forcefield *ff, int64_t beads)
{
  struct text_stream text;
  FILE *f = text_begin(&text);
  fprintf(f, "%lld beads", (long long)beads);
  restraints_print_sets(ff, f);
  char *row = text_end(&text);
  if (beads > 0) info_row("restraints", "%s", row);
  free(row);
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
  const double half = 0.5 * UNITS_BOLTZMANN;
  const double all = (sum->kinetic + sum->rotational) / (half * (translations + rotations));
  if (rotations > 0)
    info_row("temperature", "%.5g K (translation %.5g, rotation %.5g)", all,
             sum->kinetic / (half * translations), sum->rotational / (half * rotations));
  else
    info_row("temperature", "%.5g K", all);
}

/* A number, or the first and the last of a ramp. */
static void print_target(FILE *f, const struct ramp *r, const char *unit)
{
  fprintf(f, "%g", r->value[0]);
  if (r->n > 1) fprintf(f, " to %g", ramp_last(r));
  fprintf(f, " %s", unit);
}

/* The temperatures of a thermostat: one, or those of its groups where they differ. Caller frees. */
static char *temperatures_text(const struct params *p, const struct system *s)
{
  char *text = NULL;
  size_t size;
  int n, differ = 0;
  struct heat_bath *bath = heat_baths_read(p, s->ff, s->n_total, &n);
  FILE *f = open_memstream(&text, &size);
  if (!f) die(STATUS_INPUT, "out of memory");
  for (int k = 1; k < n; k++)
    differ |= !ramp_same(&bath[k].temperature, &bath[0].temperature);
  for (int k = 0; k < (differ ? n : 1); k++) {
    fprintf(f, "%s%s at ", k ? ", " : "", differ ? bath[k].name : "");
    print_target(f, &bath[k].temperature, "K");
  }
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  heat_baths_destroy(bath, n);
  return text;
}

static void print_ensemble(const char *run_text, const struct system *s)
{
  static const char *const coupling[] = {"isotropic", "semi-isotropic", "anisotropic",
                                         "surface tension", "constant area"};
  static const char *const thermostat[] = {"", "berendsen", "langevin", "bussi"};
  static const char *const barostat[] = {"", "berendsen", "crescale"};
  struct params *p = params_from_text(run_text);
  char *text = NULL;
  size_t size;
  if (p->minimise_steps > 0) {
    info_row("minimised", "by at most %lld steps, until no force is larger than %g kJ/mol/nm",
             (long long)p->minimise_steps, p->minimise_force);
    params_destroy(p);
    return;
  }
  FILE *f = open_memstream(&text, &size);
  const int t = p->thermostat_type, b = p->barostat_type;
  if (!f) die(STATUS_INPUT, "out of memory");
  fprintf(f, "N%s%s", b ? "P" : "V", t ? "T" : b ? "H" : "E");
  if (t) {
    char *temperatures = temperatures_text(p, s);
    fprintf(f, ", %s%s%s", thermostat[t], temperatures[0] == ' ' ? "" : ": ", temperatures);
    free(temperatures);
  }
  if (b) {
    fprintf(f, ", %s at ", barostat[b]);
    print_target(f, &p->barostat_pressure, "bar");
    fprintf(f, ", %s", coupling[p->barostat_coupling]);
  }
  fprintf(f, ", dt %g ps, %s precision", p->run_dt,
          p->run_precision == PRECISION_DOUBLE ? "double" : "mixed");
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  info_row("ensemble", "%s", text);
  free(text);
  params_destroy(p);
}

static void print_history(char *history)
{
  char *rest;
  const char *name = "history";
  for (char *line = strtok_r(history, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    info_row(name, "%s", line);
    name = "";
  }
}

static void print_run(struct h5_reader *in, const struct system *s)
{
  char *run = h5_exists(in, STATE_RUN) ? h5_get_text(in, STATE_RUN) : NULL;
  char *input = h5_exists(in, STATE_INPUT) ? h5_get_text(in, STATE_INPUT) : NULL;
  char *history = h5_exists(in, STATE_HISTORY) ? h5_get_text(in, STATE_HISTORY) : NULL;
  if (run) print_ensemble(run, s);
  if (input) info_row("began from", "%s", input);
  if (run) info_row("seed", "%" PRIu64, s->clock.seed);
  info_run(in, "/");
  if (history) print_history(history);
  free(run);
  free(input);
  free(history);
}

static void print_whole(struct h5_reader *in, const struct system *s, struct lipids *lipids,
                        int bilayers, struct totals *sum)
{
  const struct forcefield *ff = s->ff;
  char program[64] = "?", git[64] = "?";
  h5_get_attribute_text(in, "/", "program", program, sizeof program);
  h5_get_attribute_text(in, "/", "git", git, sizeof git);
  text_print("%s: state file, whole\n", in->path);
  info_row("written by", "%s (%s)", program, git);
  info_count("beads", s->n_total);
  info_box(s->box);
  info_count("step", s->clock.step);
  info_row("time", "%.10g ps", s->clock.time);
  info_row("force field", "%s %s", ff->name, ff->version);
  print_molecules(ff, sum, lipids);
  print_membrane(s, sum, lipids, bilayers);
  print_blocks(ff, sum);
  print_restraints(ff, sum->restraints);
  print_temperature(sum);
  print_run(in, s);
}

void info_state(struct h5_reader *in)
{
  struct totals sum = {0};
  int bilayers = 1;
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
  struct lipids *lipids = in->error[0] ? NULL : lipids_of(in, s->ff, &bilayers);
  if (!in->error[0]) totals_add_beads(in, s, lipids, &sum);
  if (!in->error[0]) print_whole(in, s, lipids, bilayers, &sum);
  lipids_destroy(lipids);
  free(sum.lipid_beads.bead);
  free(sum.of_type);
  free(yaml);
  system_destroy(s);
}
