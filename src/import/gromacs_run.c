/* What run parameters of GROMACS become: pairs of the force field, velocities, the run file. See
   gromacs_mdp.h. Defaults are those of GROMACS where the file says nothing. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "import/gromacs_mdp.h"
#include "model/heat_bath.h"

/* What the authors of Martini recommend (de Jong et al., Comput. Phys. Commun. 199, 1, 2016). */
static const struct gromacs_pairs martini = {
    .cutoff = 1.1, .shifted = 1, .epsilon_r = 15, .epsilon_rf = 0, .has_field = 1};

enum { GROUPS_MOST = 32 };

/* One section of the run file: lines "  key: value  # what it was". */
struct writer {
  FILE *out;
  const struct gromacs_mdp *mdp;
  const struct gromacs_index *index;
  struct error_list *m;
};

#define REFUSE(w, key, ...) GROMACS_ERROR((w)->m, gromacs_mdp_place((w)->mdp, key), __VA_ARGS__)

static void write_comment(FILE *out, const char *text)
{
  for (const char *c = text; *c; c++)
    fputc(isprint((unsigned char)*c) ? *c : '?', out);
  fputs("\n", out);
}

/* A row "  key: value  # from = what it was". */
static void write_text(const struct writer *w, const char *key, const char *value, const char *from)
{
  char row[128];
  const char *given = gromacs_mdp_value(w->mdp, from, "");
  snprintf(row, sizeof row, "  %s: %.60s", key, value);
  fprintf(w->out, "%-30s  # %s%s", row, from, *given ? " = " : ": as GROMACS has it by default");
  write_comment(w->out, given);
}

static void write_real(const struct writer *w, const char *key, double value, const char *from)
{
  char text[FORMAT_REAL_BYTES];
  write_text(w, key, format_real(value, text), from);
}

static void write_int(const struct writer *w, const char *key, long long value, const char *from)
{
  char text[32];
  snprintf(text, sizeof text, "%lld", value);
  write_text(w, key, text, from);
}

struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp, struct error_list *m)
{
  struct gromacs_pairs p = martini;
  if (!mdp) {
    info("no --mdp: pairs end as Martini recommends, cutoff 1.1 nm, Lennard-Jones shifted in "
         "energy, reaction field with epsilon_r 15 and epsilon_rf 0 (infinite)");
    return p;
  }
  p.cutoff = gromacs_mdp_real(mdp, "rvdw", 1, 0.01, 100, m);
  if (gromacs_mdp_real(mdp, "rcoulomb", 1, 0.01, 100, m) != p.cutoff)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "rcoulomb"),
                  "rcoulomb and rvdw (%g nm) are different: they must be equal here", p.cutoff);
  if (!gromacs_mdp_is(mdp, "vdwtype", "cut-off", "cut-off") &&
      !gromacs_mdp_is(mdp, "vdwtype", "cut-off", "cutoff"))
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "vdwtype"),
                  "vdwtype = %.40s is not implemented: cut-off (with vdw-modifier potential-shift "
                  "or none) is",
                  gromacs_mdp_value(mdp, "vdwtype", ""));
  const char *modifier = gromacs_mdp_value(mdp, "vdw-modifier", "potential-shift");
  p.shifted = strcasecmp(modifier, "none") != 0;
  if (p.shifted && strncasecmp(modifier, "potential-shift", 15) != 0)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "vdw-modifier"),
                  "vdw-modifier = %.40s is not implemented: potential-shift and none are",
                  modifier);
  p.epsilon_r = gromacs_mdp_real(mdp, "epsilon-r", 1, 1e-3, 1e9, m);
  p.epsilon_rf = gromacs_mdp_real(mdp, "epsilon-rf", 0, 0, 1e9, m);
  if (gromacs_mdp_is(mdp, "coulombtype", "cut-off", "cut-off") ||
      gromacs_mdp_is(mdp, "coulombtype", "cut-off", "cutoff")) {
    /* the field of a medium like that within the cutoff is none */
    p.epsilon_rf = p.epsilon_r;
  } else if (!gromacs_mdp_is(mdp, "coulombtype", "", "reaction-field")) {
    p.has_field = 0;
    p.no_field = "with charges, coulombtype must be reaction-field or cut-off";
  }
  return p;
}

double gromacs_run_velocities(const struct gromacs_mdp *mdp, uint64_t *seed, struct error_list *m)
{
  *seed = 1;
  if (!mdp || !gromacs_mdp_is(mdp, "gen-vel", "no", "yes")) return -1;
  const long long given = gromacs_mdp_int(mdp, "gen-seed", -1, -1, INT64_MAX, m);
  if (given >= 0) *seed = (uint64_t)given;
  return gromacs_mdp_real(mdp, "gen-temp", 300, 0, 1e6, m);
}

enum gromacs_scaling gromacs_run_scaling(const struct gromacs_mdp *mdp, struct error_list *m)
{
  if (!mdp || gromacs_mdp_is(mdp, "refcoord-scaling", "no", "no")) return GROMACS_SCALE_NO;
  if (gromacs_mdp_is(mdp, "refcoord-scaling", "no", "com")) return GROMACS_SCALE_COM;
  if (!gromacs_mdp_is(mdp, "refcoord-scaling", "no", "all"))
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "refcoord-scaling"),
                  "refcoord-scaling = %.40s: no, com and all are possible",
                  gromacs_mdp_value(mdp, "refcoord-scaling", ""));
  return GROMACS_SCALE_ALL;
}

/* 1 for stochastic dynamics. */
static int write_run(const struct writer *w)
{
  const char *integrator = gromacs_mdp_value(w->mdp, "integrator", "md");
  const int stochastic = !strcasecmp(integrator, "sd");
  if (!stochastic && strcasecmp(integrator, "md") && strncasecmp(integrator, "md-vv", 5))
    REFUSE(
        w, "integrator",
        "integrator = %.40s: md, md-vv and sd can be imported; `lamella build` with `state:` and "
        "`minimise:` minimises energies",
        integrator);
  fputs("run:\n", w->out);
  write_int(w, "steps", gromacs_mdp_int(w->mdp, "nsteps", 0, 0, INT64_MAX, w->m), "nsteps");
  write_real(w, "dt", gromacs_mdp_real(w->mdp, "dt", 0.001, 1e-9, 1, w->m), "dt");
  const long long seed = gromacs_mdp_int(w->mdp, "ld-seed", -1, INT64_MIN, INT64_MAX, w->m);
  if (seed >= 0)
    write_int(w, "seed", seed, "ld-seed");
  else
    write_text(w, "seed", "auto", "ld-seed");
  long long every = gromacs_mdp_int(w->mdp, "nstcomm", 100, 0, INT64_MAX, w->m);
  if (gromacs_mdp_is(w->mdp, "comm-mode", "linear", "none"))
    every = 0;
  else if (!gromacs_mdp_is(w->mdp, "comm-mode", "linear", "linear"))
    REFUSE(w, "comm-mode", "comm-mode = %.40s: linear and none are possible",
           gromacs_mdp_value(w->mdp, "comm-mode", ""));
  write_int(w, "momentum_every", every, "nstcomm");
  char word[256];
  if (every && *gromacs_mdp_word(w->mdp, "comm-grps", 1, word)) {
    fputs("  # comm-grps = ", w->out);
    write_comment(w->out, gromacs_mdp_value(w->mdp, "comm-grps", ""));
    fputs("  # the motion of all beads together is removed, not that of each group\n", w->out);
  }
  return stochastic;
}

/* The values of a key, one of each group. Without names of groups all have one value. */
static void read_values(const struct writer *w, const char *key, double least, int groups,
                        double value[GROUPS_MOST])
{
  const int n = gromacs_mdp_reals(w->mdp, key, GROUPS_MOST, value, w->m);
  if (n == 0)
    REFUSE(w, key, "%s is missing", key);
  else if (groups > 0 && n != groups)
    REFUSE(w, key, "%s has %d values, and tc-grps %d groups", key, n, groups);
  for (int k = 0; k < n; k++) {
    if (groups == 0 && value[k] != value[0])
      REFUSE(w, key, "%s: %g and %g, of which groups? tc-grps is missing", key, value[0], value[k]);
    if (!(value[k] >= least))
      REFUSE(w, key, "%s: %g: groups without coupling are not implemented", key, value[k]);
  }
}

/* Marks the atoms of a group of tc-grps, and counts in `times` that they are in it. */
static void mark_group(const struct writer *w, const char *name, char *in, char *times)
{
  if (!gromacs_index_mark(w->index, name, in, w->m))
    REFUSE(w, "tc-grps",
           "tc-grps: what is '%.60s'? %s, and `System` and the molecule types of the topology",
           name,
           w->index->path ? "Groups are those of the index file"
                          : "Groups are those of an index file, --ndx=FILE");
  for (int64_t k = 0; k < w->index->n; k++)
    times[k] = (char)(times[k] + in[k]);
}

/* Refuses an atom in none of the groups, or in several. */
static void check_times(const struct writer *w, const char *times)
{
  for (int64_t k = 0; k < w->index->n; k++)
    if (times[k] != 1) {
      REFUSE(w, "tc-grps", "tc-grps: atom %lld is in %s of the groups: it must be in one",
             (long long)k + 1, times[k] ? "several" : "none");
      return;
    }
}

/* A row of the list `groups`. in: the marked atoms. */
static void write_group(const struct writer *w, const char *name, const char *in,
                        double temperature, double tau)
{
  char clean[HEAT_BATH_NAME], real[2][FORMAT_REAL_BYTES];
  char *group = gromacs_index_group(w->index, in);
  if (!group) {
    REFUSE(w, "tc-grps",
           "tc-grps: the atoms of '%.60s' are neither whole molecule types nor do they follow each "
           "other, as groups here must",
           name);
    return;
  }
  fprintf(w->out, "    - {name: %s, group: %s, temperature: %s, tau: %s}\n",
          heat_bath_name_clean(name, clean), group, format_real(temperature, real[0]),
          format_real(tau, real[1]));
  free(group);
}

/* The groups of a thermostat. One of all atoms needs none in the run file. */
static void write_groups(const struct writer *w, const double *temperature, const double *tau,
                         int n)
{
  char word[256], *in = alloc_array(w->index->n, 1), *times = alloc_array(w->index->n, 1);
  if (n > HEAT_BATHS_MOST)
    REFUSE(w, "tc-grps", "tc-grps: %d groups: at most %d", n, HEAT_BATHS_MOST);
  if (n > 1) write_text(w, "groups", "", "tc-grps");
  for (int k = 0; k < n && n <= HEAT_BATHS_MOST; k++) {
    const int errors = w->m->count;
    mark_group(w, gromacs_mdp_word(w->mdp, "tc-grps", k, word), in, times);
    if (n > 1 && w->m->count == errors) write_group(w, word, in, temperature[k], tau[k]);
  }
  if (w->m->count == 0 && n > 0) check_times(w, times);
  free(in);
  free(times);
}

/* Returns 1 if there is a thermostat. */
static int write_thermostat(const struct writer *w, int stochastic)
{
  const char *given = gromacs_mdp_value(w->mdp, "tcoupl", "no"), *type = NULL, *from = "tcoupl";
  double temperature[GROUPS_MOST] = {0}, tau[GROUPS_MOST] = {0};
  char word[256];
  int n = 0;
  if (stochastic) {
    type = "langevin";
    from = "integrator";
  } else if (!strcasecmp(given, "v-rescale")) {
    type = "bussi";
  } else if (!strcasecmp(given, "berendsen") || !strcasecmp(given, "yes")) {
    type = "berendsen";
  } else if (strcasecmp(given, "no")) {
    REFUSE(w, "tcoupl", "tcoupl = %.40s is not implemented: v-rescale and berendsen are", given);
  }
  if (!type) return 0;
  fputs("thermostat:\n", w->out);
  write_text(w, "type", type, from);
  while (*gromacs_mdp_word(w->mdp, "tc-grps", n, word))
    n++;
  read_values(w, "ref-t", 0, n, temperature);
  read_values(w, "tau-t", 1e-6, n, tau);
  write_real(w, "temperature", temperature[0], "ref-t");
  write_real(w, "tau", tau[0], "tau-t");
  if (!stochastic && gromacs_mdp_int(w->mdp, "nsttcouple", -1, -1, 1000000, w->m) > 0)
    write_int(w, "every", gromacs_mdp_int(w->mdp, "nsttcouple", -1, -1, 1000000, w->m),
              "nsttcouple");
  write_groups(w, temperature, tau, n);
  return 1;
}

/* Pressures and compressibilities of the directions as the coupling has them. */
static void write_pressure(const struct writer *w, const char *type)
{
  double p[6] = {0}, c[6] = {0};
  const int isotropic = !strcasecmp(type, "isotropic"),
            anisotropic = !strcasecmp(type, "anisotropic");
  const int tension = !strcasecmp(type, "surface-tension"), n = isotropic ? 1 : anisotropic ? 6 : 2;
  const char *coupling = isotropic     ? "isotropic"
                         : anisotropic ? "anisotropic"
                         : tension     ? "surface_tension"
                                       : "semi_isotropic";
  if (!isotropic && !anisotropic && !tension && strcasecmp(type, "semiisotropic"))
    REFUSE(w, "pcoupltype", "pcoupltype = %.40s is unknown", type);
  if (gromacs_mdp_reals(w->mdp, "ref-p", 6, p, w->m) != n)
    REFUSE(w, "ref-p", "ref-p: expected %d numbers", n);
  if (gromacs_mdp_reals(w->mdp, "compressibility", 6, c, w->m) != n)
    REFUSE(w, "compressibility", "compressibility: expected %d numbers", n);
  const int last = n == 6 ? 2 : n - 1;
  for (int k = 1; k <= last; k++)
    if (p[k] != p[0] && !tension)
      REFUSE(w, "ref-p", "ref-p: %g and %g bar: they must be equal here", p[0], p[k]);
  for (int k = 3; k < n; k++)
    if (c[k] != 0)
      REFUSE(w, "compressibility", "boxes stay rectangular: compressibility %d must be 0", k + 1);
  if (n == 2 && c[0] == 0 && c[1] > 0) {
    coupling = "constant_area";
    c[0] = c[1];
  }
  for (int k = 0; k <= last; k++)
    if (c[k] != c[0] || !(c[k] > 0 && c[k] <= 1))
      REFUSE(w, "compressibility",
             "compressibility %g and %g: equal ones above 0 are possible, and 0 in the plane with "
             "semiisotropic",
             c[0], c[k]);
  write_text(w, "coupling", coupling, "pcoupltype");
  write_real(w, "pressure", p[tension ? 1 : 0], "ref-p");
  if (!strcmp(coupling, "surface_tension")) write_real(w, "surface_tension", p[0], "ref-p");
  write_real(w, "compressibility", c[0], "compressibility");
}

static void write_barostat(const struct writer *w, int has_thermostat)
{
  const char *given = gromacs_mdp_value(w->mdp, "pcoupl", "no"), *type = "crescale";
  if (!strcasecmp(given, "no")) return;
  if (!strcasecmp(given, "berendsen") || !strcasecmp(given, "yes"))
    type = "berendsen";
  else if (strcasecmp(given, "c-rescale") && strcasecmp(given, "parrinello-rahman"))
    REFUSE(w, "pcoupl",
           "pcoupl = %.40s is not implemented: c-rescale, parrinello-rahman (as c-rescale) and "
           "berendsen are",
           given);
  if (!has_thermostat && gromacs_mdp_is(w->mdp, "tcoupl", "no", "no") && !strcmp(type, "crescale"))
    REFUSE(w, "pcoupl", "pcoupl = %.40s needs a thermostat, whose temperature it has", given);
  fputs("barostat:\n", w->out);
  write_text(w, "type", type, "pcoupl");
  if (!strcasecmp(given, "parrinello-rahman"))
    fputs("  # the same ensemble, by stochastic cell rescaling\n", w->out);
  write_pressure(w, gromacs_mdp_value(w->mdp, "pcoupltype", "isotropic"));
  write_real(w, "tau", gromacs_mdp_real(w->mdp, "tau-p", 5, 1e-6, 1e9, w->m), "tau-p");
  if (gromacs_mdp_int(w->mdp, "nstpcouple", -1, -1, 1000000, w->m) > 0)
    write_int(w, "every", gromacs_mdp_int(w->mdp, "nstpcouple", -1, -1, 1000000, w->m),
              "nstpcouple");
}

static void write_output(const struct writer *w)
{
  static const char *const every[] = {"nstxout-compressed", "nstxout", "nstvout", "nstfout"};
  long long value[4];
  const char *frames = every[0];
  for (int k = 0; k < 4; k++)
    value[k] = gromacs_mdp_int(w->mdp, every[k], 0, 0, INT64_MAX, w->m);
  for (int k = 3; k >= 0; k--)
    if (value[k] > 0) frames = every[k];
  fputs("output:\n", w->out);
  write_int(w, "frames_every", gromacs_mdp_int(w->mdp, frames, 0, 0, INT64_MAX, w->m), frames);
  for (int k = 0; k < 2; k++)
    if (value[k] > 0 && frames != every[k])
      fprintf(w->out, "  # %s = %lld: frames have positions as often as all else\n", every[k],
              value[k]);
  if (value[2] > 0) write_text(w, "velocities", "1", every[2]);
  if (value[3] > 0) write_text(w, "forces", "1", every[3]);
  write_int(w, "energies_every", gromacs_mdp_int(w->mdp, "nstenergy", 1000, 0, INT64_MAX, w->m),
            "nstenergy");
}

/* Keys that were used without a row of their own. */
static void write_rest(const struct writer *w)
{
  static const char *const key[] = {
      "rvdw",    "rcoulomb", "vdwtype",  "vdw-modifier", "epsilon-r",   "epsilon-rf",      "define",
      "include", "gen-vel",  "gen-temp", "gen-seed",     "coulombtype", "refcoord-scaling"};
  fputs("# In the force field and the velocities of the state file:\n", w->out);
  for (size_t k = 0; k < sizeof key / sizeof key[0]; k++) {
    const char *value = gromacs_mdp_value(w->mdp, key[k], "");
    if (!*value) continue;
    fprintf(w->out, "# %s = ", key[k]);
    write_comment(w->out, value);
  }
  fputs("# Without effect here:\n", w->out);
  gromacs_mdp_print_unused(w->mdp, w->out);
}

char *gromacs_run_text(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                       const char *input, struct error_list *m)
{
  char *text = NULL, *quoted = format_yaml_string(input);
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) die(STATUS_INPUT, "out of memory");
  const struct writer w = {out, mdp, index, m};
  fputs("# Made of ", out);
  write_comment(out, gromacs_mdp_place(mdp, "").file);
  fprintf(out, "input: %s\n", quoted);
  const int stochastic = write_run(&w), thermostat = write_thermostat(&w, stochastic);
  write_barostat(&w, thermostat);
  write_output(&w);
  write_rest(&w);
  free(quoted);
  const int failed = ferror(out);
  if (fclose(out) || failed || !text) die(STATUS_INPUT, "out of memory");
  return text;
}
