/* The keys of a run file that run parameters of GROMACS become: see gromacs_mdp.h. Defaults are
   those of GROMACS where the file says nothing. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_writer.h"
#include "import/gromacs_yaml.h"

/* 1 for stochastic dynamics. */
static int write_run(const struct gromacs_writer *w)
{
  const int integrator = gromacs_mdp_choice(w->mdp, "integrator");
  fputs("run:\n", w->out);
  const int64_t steps = gromacs_mdp_int(w->mdp, "nsteps", 0, -1, INT64_MAX);
  if (steps < 0)
    GROMACS_REFUSE(
        w->mdp, "nsteps",
        "nsteps = -1: there are no runs without end: say how many steps. A run "
        "can be continued with more, and `lamella run --max-hours=H` ends a job in time");
  gromacs_write_int(w, "run.steps", steps < 0 ? 0 : steps, "nsteps");
  gromacs_write_real(w, "run.dt", gromacs_mdp_real(w->mdp, "dt", 0.001, 0, DBL_MAX), "dt");
  const int64_t seed = gromacs_mdp_int(w->mdp, "ld-seed", -1, INT64_MIN, INT64_MAX);
  if (seed >= 0)
    gromacs_write_int(w, "run.seed", seed, "ld-seed");
  else
    gromacs_write_text(w, "run.seed", "auto", "ld-seed");
  gromacs_write_motion(w);
  return integrator >= 3;
}

static void write_output(const struct gromacs_writer *w)
{
  static const char *const every[] = {"nstxout-compressed", "nstxout", "nstvout", "nstfout"};
  int64_t value[4];
  const char *frames = every[0];
  for (int k = 0; k < 4; k++)
    value[k] = gromacs_mdp_int(w->mdp, every[k], 0, 0, INT64_MAX);
  for (int k = 3; k >= 0; k--)
    if (value[k] > 0) frames = every[k];
  const char *selected = gromacs_mdp_value(w->mdp, "compressed-x-grps", "");
  if (*selected && !gromacs_word_equal(selected, "System"))
    warn("compressed-x-grps = %.60s: frames have all beads; output.frames_select of the run file "
         "selects some",
         selected);
  fputs("output:\n", w->out);
  gromacs_write_int(w, "output.frames_every", gromacs_mdp_int(w->mdp, frames, 0, 0, INT64_MAX),
                    frames);
  for (int k = 0; k < 2; k++)
    if (value[k] > 0 && frames != every[k])
      fprintf(w->out, "  # %s = %lld: frames have positions as often as all else\n", every[k],
              (long long)value[k]);
  if (value[2] > 0) gromacs_write_text(w, "output.velocities", "1", every[2]);
  if (value[3] > 0) gromacs_write_text(w, "output.forces", "1", every[3]);
  gromacs_write_int(w, "output.energies_every",
                    gromacs_mdp_int(w->mdp, "nstenergy", 1000, 0, INT64_MAX), "nstenergy");
  gromacs_write_pull_every(w);
}

/* The restraints that act in a stage. */
static void write_restraints(const struct gromacs_writer *w, int stage)
{
  const struct gromacs *g = w->index->g;
  if (g->n_sets == 0) return;
  fputs("restraints: ", w->out);
  gromacs_sets_write(w->out, g, stage);
  fputs("  # ", w->out);
  if (*gromacs_mdp_value(w->mdp, "define", "")) {
    gromacs_mdp_print(w->mdp, "define", w->out);
  } else {
    fputs("no `define` in ", w->out);
    gromacs_yaml_text(w->out, gromacs_mdp_line(w->mdp, "").file);
  }
  fputs("\n", w->out);
}

/* Velocities that a stage begins with. */
static void write_velocities(const struct gromacs_writer *w)
{
  uint64_t seed;
  const double temperature = gromacs_run_velocities(w->mdp, &seed);
  if (temperature < 0) return;
  fputs("velocities:\n", w->out);
  gromacs_write_real(w, "velocities.temperature", temperature, "gen-temp");
  gromacs_write_int(w, "velocities.seed", (int64_t)seed, "gen-seed");
}

/* A hydrogen by the name of its atom, as GROMACS knows them, that has bonds; NULL: none. */
static const char *find_hydrogen(const struct gromacs *g)
{
  for (int k = 0; k < g->n_molecules; k++)
    for (int i = 0; i < g->molecule[k].n_atoms && g->molecule[k].n_atoms > 1; i++)
      if (g->molecule[k].atom[i].name[0] == 'H') return g->molecule[k].atom[i].name;
  return NULL;
}

/* Says of constraints of bonds to hydrogens that there are none. */
static void check_constraints(const struct gromacs_writer *w)
{
  if (gromacs_mdp_choice(w->mdp, "constraints") <= 0) return;
  const char *name = find_hydrogen(w->index->g);
  if (name)
    GROMACS_REFUSE(w->mdp, "constraints",
                   "constraints = h-bonds: atom %s is a hydrogen for GROMACS: write its bond as "
                   "[ constraints ]",
                   name);
  fputs("# constraints = h-bonds: no atom is a hydrogen\n", w->out);
}

/* Long-range corrections of the dispersion are none of forces; those of the pressure act on the
 * box.
 */
static void check_dispersion(const struct gromacs_writer *w)
{
  const int found = gromacs_mdp_choice(w->mdp, "dispcorr");
  const char *word = gromacs_mdp_value(w->mdp, "dispcorr", "");
  if (found <= 0) return;
  if (found >= 3 && !gromacs_run_minimises(w->mdp) && gromacs_mdp_find(w->mdp, "pcoupl", "no") != 0)
    GROMACS_REFUSE(
        w->mdp, "dispcorr",
        "dispcorr = %.20s: long-range corrections of the pressure, which act on the box, "
        "are not implemented; Martini is parametrised without them",
        word);
  fprintf(w->out, "# dispcorr = %.20s: energies and pressures are without it\n", word);
}

char *gromacs_run_keys(const struct gromacs_mdp *mdp, const struct gromacs_index *index, int stage)
{
  struct text_stream text;
  FILE *out = text_begin(&text);
  const struct gromacs_writer w = {out, mdp, index, stage};
  write_restraints(&w, stage < 0 ? 0 : stage);
  gromacs_write_fields(&w);
  gromacs_write_frozen(&w);
  gromacs_write_soft_core(&w);
  gromacs_write_pull(&w);
  if (!gromacs_run_minimises(mdp)) {
    const int stochastic = write_run(&w);
    if (stage >= 0) write_velocities(&w);
    gromacs_write_barostat(&w, gromacs_write_thermostat(&w, stochastic));
    write_output(&w);
  }
  check_constraints(&w);
  check_dispersion(&w);
  gromacs_mdp_print_rest(mdp, gromacs_run_minimises(mdp) ? "-DFLEXIBLE" : "", out);
  return text_end(&text);
}
