#include "md/energies.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "md/biases.h"
#include "md/csv.h"
#include "md/fields.h"
#include "md/schedule.h"
#include "md/teams.h"

struct energies {
  struct sim *sim;
  FILE *file; /* NULL: this job writes none */
  char *name;
  const char *checkpoint;
};

/* The columns before those of energies. */
static const char head[] =
    "step,time_ps,potential,kinetic,rotational,total,conserved,temperature_K,"
    "temperature_translation_K,temperature_rotation_K,pressure_bar,pxx_bar,pxy_bar,pxz_bar,pyx_bar,"
    "pyy_bar,pyz_bar,pzx_bar,pzy_bar,pzz_bar,lx_nm,ly_nm,lz_nm,volume_nm3,area_per_lipid_nm2";
/* Only of runs with an oblique box: components of the vectors b, c, c. */
static const char tilt[] = ",xy_nm,xz_nm,yz_nm";
static const char tail[] = ",builds\n";
static const char *const energy_name[ENERGIES] = {
#define ENERGY(name, ...) #name,
#include "model/energy_list.h"
#undef ENERGY
};

/* 1 if an energy has a column: those of dihedrals, external fields and slopes by lambda only where
   there are some. */
static int is_column(const struct sim *s, int energy)
{
  if (energy >= ENERGIES_OF_POTENTIAL) return s->plan.soft.on;
  if (energy == ENERGY_dihedral) return s->system->ff->bonded[SECTION_dihedral].n > 0;
  if (energy == ENERGY_bias)
    return (s->biases && s->biases->set.n_biases > 0) || s->params->plumed[0];
  return energy != ENERGY_external || s->n_fields > 0 || s->system->topology.anchors.n > 0;
}

/* The line of column names. Caller frees. */
static char *head_text(const struct sim *s)
{
  const long long room = (long long)(sizeof head + sizeof tilt + sizeof tail) + 32LL * ENERGIES;
  const struct bias_set *set = s->biases ? &s->biases->set : NULL;
  char *text = alloc_array(room + 64LL * s->n_baths + 64LL * (COORDINATES_MOST + 1), 1);
  strcpy(text, head);
  if (box_is_oblique(s->system->box)) strcat(text, tilt);
  for (int k = 0; k < ENERGIES; k++)
    if (is_column(s, k)) sprintf(text + strlen(text), ",%s", energy_name[k]);
  for (int k = 0; k < s->n_baths && s->bath[k].name; k++)
    sprintf(text + strlen(text), ",temperature_%s_K", s->bath[k].name);
  for (int k = 0; set && k < set->n_coordinates; k++)
    sprintf(text + strlen(text), ",%s_%s", set->coordinate[k].name,
            coordinate_kind_info[set->coordinate[k].kind].unit);
  if (is_column(s, ENERGY_bias)) strcat(text, ",bias_work");
  if (fields_move(s)) strcat(text, ",external_work");
  strcat(text, tail);
  return text;
}

void energies_refuse_twins(const struct sim *s)
{
  char *text = head_text(s);
  if (s->params->output_energies_every > 0) csv_refuse_twins(s, text, ".csv");
  free(text);
}

double energies_line_bytes(const struct sim *s)
{
  enum { NUMBER = 11 }; /* bytes of a number and its comma */
  char *text = head_text(s);
  int columns = 1;
  for (const char *c = text; *c; c++)
    columns += *c == ',';
  free(text);
  return NUMBER * columns;
}

static void failed(const struct energies *e)
{
  csv_failed(e->name, e->checkpoint);
}

/* Comparison with the checkpoint */

/* Looks for a line of the run among the whole lines of a file up to a step. Returns 1 if it is
   there and no other line lies between its step and that step; last: the step of the last line, -1:
   none.
 */
static int find_line(FILE *f, const char *wanted, int64_t step, int64_t *last)
{
  const int64_t at = wanted[0] ? strtoll(wanted, NULL, 10) : -1;
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  int found = 0, other = 0;
  *last = -1;
  for (int k = 0; (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n'; k++) {
    const int64_t now = k > 0 ? strtoll(line, NULL, 10) : -1;
    if (now > step) break;
    if (k == 0) continue;
    *last = now;
    if (now == at && !strcmp(line, wanted)) found = 1;
    other |= now > at || (now == at && strcmp(line, wanted) != 0);
  }
  free(line);
  return (found || *last < 0) && !other;
}

/* Rank 0. */
static void check(const struct sim *s, const char *path)
{
  const struct system *y = s->system;
  char why[160];
  int64_t last = -1;
  if (!path_exists(path)) {
    if (y->run.energy_line[0] && y->clock.step > 0 && s->params->output_energies_every > 0)
      warn("'%s', the energies of the run, is not there: a new file begins at step %" PRId64
           ", without the lines before",
           path, y->clock.step);
    return;
  }
  FILE *f = text_open(path, SIZE_MAX, why);
  if (!f) die(STATUS_IO, "cannot read '%s': %s", path, why);
  char *wanted = head_text(s);
  csv_refuse_columns(
      f, path, wanted,
      "other `fields`, `coordinates` or `thermostat.groups`, a box of another kind, or "
      "a run of an earlier version");
  free(wanted);
  const int unknown = !strcmp(y->run.energy_line, "?");
  const int same = find_line(f, y->run.energy_line, y->clock.step, &last) || unknown;
  fclose(f);
  if (same && last < 0 && y->run.energy_line[0] && !unknown)
    warn("'%s' has no lines, and goes on from step %" PRId64, path, y->clock.step);
  if (same) return;
  die(STATUS_INPUT,
      "'%s' is not that of the run which goes on from step %" PRId64
      ": its lines end at step %" PRId64
      " before it, and %s that the checkpoint knows is not the last one. Nothing was changed. Put "
      "the file of this run in its place, or move it away: then a new one begins at this step",
      path, y->clock.step, last, y->run.energy_line[0] ? "the line" : "no line");
}

void energies_check(const struct sim *s)
{
  char *path = path_with(s->params->output_prefix, ".csv");
  if (s->ranks->rank == 0) check(s, path);
  ranks_barrier(s->ranks);
  free(path);
}

/* Opening */

/* Truncates the file after the present step. 1 if the line of this step must be written again: it
   may have been lost with a disk cache. Warns of earlier lines that are lost. */
static int continue_file(const struct energies *e)
{
  const struct system *y = e->sim->system;
  const int64_t every = e->sim->params->output_energies_every,
                last = csv_trim(e->name, y->clock.step);
  if (every == 0) return 0;
  if (last >= 0 && y->clock.step - last > every)
    warn("'%s' ends at step %" PRId64 ", and the run goes on from step %" PRId64
         ": lines between them are not there",
         e->name, last, y->clock.step);
  return last < y->clock.step && schedule_due(e->sim->params, y->clock.step).report;
}

struct energies *energies_open(struct sim *s, const char *checkpoint, int restarted)
{
  struct energies *e = alloc_array(1, sizeof *e);
  *e = (struct energies){s, NULL, path_with(s->params->output_prefix, ".csv"), checkpoint};
  if (s->ranks->rank != 0) return e;
  const int first = restarted ? continue_file(e) : 1;
  if (s->params->output_energies_every == 0) return e;
  e->file = fopen(e->name, restarted ? "a" : "w");
  if (!e->file) failed(e);
  char *text = head_text(s);
  if (ftello(e->file) == 0) {
    if (fputs(text, e->file) < 0 || fflush(e->file)) failed(e);
    run_record_set_energy_line(&s->system->run,
                               ""); /* the columns of the former job may have been others */
  }
  free(text);
  if (first) energies_write(e);
  return e;
}

/* Lines */

/* 1 if lines have an area per lipid: if the lipids were a flat bilayer at the first line of the
   run. Later lines keep it, so that they do not depend on where jobs end. */
static int has_area(const struct sim *s)
{
  const char *c = s->system->run.energy_line;
  int before = 0;
  for (const char *h = head; *h; h++)
    before += *h == ',';
  if (s->n_lipids == 0) return 0;
  if (s->lipids->is_flat || !strchr(c, ',')) return s->lipids_are_flat;
  for (; before > 0 && *c; c++)
    before -= *c == ',';
  return strncmp(c, "nan", 3) != 0;
}

static double conserved(const struct sim *s)
{
  if (s->params->thermostat_type == THERMOSTAT_LANGEVIN ||
      s->params->barostat_type != BAROSTAT_NONE)
    return (double)NAN;
  return s->thermo.potential + s->thermo.kinetic + s->thermo.rotational -
         s->system->run.conserved_work - biases_work(s) - fields_work(s);
}

/* Sets the last line of the system to that of the present step. */
static void line_set(const struct sim *s)
{
  struct system *y = s->system;
  const struct thermo *n = &s->thermo;
  const double *box = y->box, total = n->potential + n->kinetic + n->rotational;
  double leaflets = 2 * (double)s->params->output_bilayers;
  double area = has_area(s) ? leaflets * box[0] * box[1] / (double)s->n_lipids : (double)NAN;
  char line[ENERGY_LINE] = "";
  FILE *f = fmemopen(line, sizeof line, "w");
  if (!f) die(STATUS_INPUT, "out of memory");
  fprintf(f, "%" PRId64 ",%.10g,%.12g,%.12g,%.12g,%.12g,%.12g,%.8g,%.8g,%.8g,%.8g", y->clock.step,
          y->clock.time, n->potential, n->kinetic, n->rotational, total, conserved(s),
          n->temperature, n->temperature_translation, n->temperature_rotation,
          tensor_trace(n->pressure));
  for (int k = 0; k < 9; k++)
    fprintf(f, ",%.8g", n->pressure[k]);
  fprintf(f, ",%.10g,%.10g,%.10g,%.10g,%.8g", box[0], box[1], box[2], n->volume, area);
  if (box_is_oblique(box)) fprintf(f, ",%.10g,%.10g,%.10g", box[3], box[4], box[5]);
  for (int k = 0; k < ENERGIES; k++)
    if (is_column(s, k)) fprintf(f, ",%.12g", n->energy[k]);
  for (int k = 0; k < s->n_baths && s->bath[k].name; k++)
    fprintf(f, ",%.8g", temperature_of(teams_kinetic(s, n, k), s->bath[k].dof));
  for (int k = 0; s->biases && k < s->biases->set.n_coordinates; k++)
    fprintf(f, ",%.12g", biases_state(s)->value[k] / s->biases->set.coordinate[k].unit);
  if (is_column(s, ENERGY_bias)) fprintf(f, ",%.12g", biases_work(s));
  if (fields_move(s)) fprintf(f, ",%.12g", fields_work(s));
  fprintf(f, ",%" PRId64 "\n", y->run.builds);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  run_record_set_energy_line(&y->run, line);
}

void energies_write(struct energies *e)
{
  const struct system *y = e->sim->system;
  if (!e->file) return;
  /* After a restart at this step, the checkpoint has the line that the former job wrote. */
  if (!y->run.energy_line[0] || strtoll(y->run.energy_line, NULL, 10) != y->clock.step)
    line_set(e->sim);
  if (fputs(y->run.energy_line, e->file) < 0 || fflush(e->file) || ferror(e->file)) failed(e);
}

void energies_sync(const struct energies *e)
{
  if (e->file && fsync(fileno(e->file)) && errno != EINVAL) failed(e);
}

void energies_close(struct energies *e)
{
  if (e->file && fclose(e->file)) failed(e);
  free(e->name);
  free(e);
}
