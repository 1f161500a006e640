/* The thermostat of a run file and its groups, of run parameters of GROMACS: see gromacs_writer.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_writer.h"
#include "model/heat_bath.h"

enum { GROUPS_MOST = 32 };

/* The values of a key, one of each group. Without names of groups all have one value. zero: what 0
   becomes. */
static void read_values(const struct gromacs_writer *w, const char *key, const char *becomes,
                        int groups, double zero, double value[GROUPS_MOST])
{
  const int n = gromacs_mdp_reals(w->mdp, key, GROUPS_MOST, value);
  if (n == 0)
    GROMACS_REFUSE(w->mdp, key, "%s is missing", key);
  else if (groups > 0 && n != groups)
    GROMACS_REFUSE(w->mdp, key, "%s has %d values, and tc-grps %d groups", key, n, groups);
  for (int k = 0; k < n; k++) {
    if (groups == 0 && value[k] != value[0])
      GROMACS_REFUSE(w->mdp, key, "%s: %g and %g, of which groups? tc-grps is missing", key,
                     value[0], value[k]);
    if (value[k] < 0)
      GROMACS_REFUSE(w->mdp, key, "%s: %g: groups without coupling are not implemented", key,
                     value[k]);
    if (value[k] == 0) value[k] = zero;
    if (value[k] >= 0) gromacs_check_range(w, becomes, value[k], key);
  }
}

/* Marks the atoms of a group of tc-grps, and counts in `times` that they are in it. */
static void mark_group(const struct gromacs_writer *w, const char *name, char *in, char *times)
{
  gromacs_mark_group(w, "tc-grps", name, in);
  for (int64_t k = 0; k < w->index->n; k++)
    times[k] = (char)(times[k] + in[k]);
}

/* Refuses an atom in none of the groups, or in several: the first of each molecule type. */
static void check_times(const struct gromacs_writer *w, const char *times)
{
  const struct gromacs *g = w->index->g;
  int64_t k = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    const int64_t end = k + gromacs_block_atoms(g, b), first = k;
    while (k < end && times[k] == 1)
      k++;
    if (k < end)
      GROMACS_REFUSE(
          w->mdp, "tc-grps",
          "tc-grps: atom %lld, of residue %s in molecule type %s, is in %s of the groups: it "
          "must be in one",
          (long long)k + 1, molecule->atom[(k - first) % molecule->n_atoms].residue_name,
          molecule->name, times[k] ? "several" : "none");
    k = end;
  }
}

/* What the run file has as value of a key for each of n groups; at least one. */
struct values {
  int n;
  char *text[GROUPS_MOST];
};

static struct values make_values(int n, const double *value)
{
  struct values v = {n ? n : 1, {NULL}};
  char real[FORMAT_REAL_BYTES];
  for (int k = 0; k < v.n; k++)
    v.text[k] = text_copy(format_real(value[k], real));
  return v;
}

static void free_values(struct values *v)
{
  for (int k = 0; k < v->n; k++)
    free(v->text[k]);
}

/* The value of group k, unless all have the same: that of the section `thermostat`. */
static void write_value(const struct gromacs_writer *w, const char *key, const struct values *v,
                        int k)
{
  int same = 1;
  for (int j = 1; j < v->n; j++)
    same &= !strcmp(v->text[j], v->text[0]);
  if (!same) fprintf(w->out, ", %s: %s", key, v->text[k]);
}

/* The begin of a row of the list `groups`. in: the marked atoms. */
static void write_group(const struct gromacs_writer *w, const char *name, const char *in)
{
  char clean[HEAT_BATH_NAME], *group = gromacs_index_selection(w->index, in);
  fprintf(w->out, "    - {name: %s, group: %s", heat_bath_name_clean(name, clean), group);
  free(group);
}

/* The groups of a thermostat. One of all atoms needs none in the run file. */
static void write_groups(const struct gromacs_writer *w, const struct values *temperature,
                         const struct values *tau, int n)
{
  char *in = alloc_array(w->index->n, 1), *times = alloc_array(w->index->n, 1);
  struct error_list *m = gromacs_mdp_errors(w->mdp);
  if (n > HEAT_BATHS_MOST)
    GROMACS_REFUSE(w->mdp, "tc-grps", "tc-grps: %d groups: at most %d", n, HEAT_BATHS_MOST);
  if (n > 1) gromacs_write_text(w, "thermostat.groups", "", "tc-grps");
  for (int k = 0; k < n && n <= HEAT_BATHS_MOST; k++) {
    const char *name = gromacs_mdp_word(w->mdp, "tc-grps", k);
    const int errors = m->count;
    mark_group(w, name, in, times);
    if (n < 2 || m->count > errors) continue;
    write_group(w, name, in);
    write_value(w, "temperature", temperature, k);
    write_value(w, "tau", tau, k);
    fputs("}\n", w->out);
  }
  if (m->count == 0 && n > 0) check_times(w, times);
  free(in);
  free(times);
}

/* The word of a thermostat, NULL: none. */
static const char *type_of(const struct gromacs_writer *w, int stochastic)
{
  static const char *const type[] = {NULL, "bussi", "berendsen", "berendsen"};
  if (stochastic) return "langevin";
  const int found = gromacs_mdp_choice(w->mdp, "tcoupl");
  return found < 0 ? NULL : type[found];
}

/* The temperatures of n groups, which annealing changes. *from: the key of the first. */
static struct values read_temperatures(const struct gromacs_writer *w, int n, const char **from)
{
  double temperature[GROUPS_MOST] = {0};
  read_values(w, "ref-t", "thermostat.temperature", n, 0, temperature);
  struct values v = make_values(n, temperature);
  *from = "ref-t";
  for (int k = 0; k < v.n; k++) {
    char *ramp = gromacs_annealing_text(w, k, v.n);
    if (!ramp) continue;
    if (k == 0) *from = "annealing-temp";
    free(v.text[k]);
    v.text[k] = ramp;
  }
  return v;
}

int gromacs_write_thermostat(const struct gromacs_writer *w, int stochastic)
{
  const char *type = type_of(w, stochastic), *from;
  double tau[GROUPS_MOST] = {0};
  const int words = gromacs_mdp_words(w->mdp, "tc-grps");
  const int n = words < GROUPS_MOST ? words : GROUPS_MOST;
  if (!type) return 0;
  fputs("thermostat:\n", w->out);
  gromacs_write_text(w, "thermostat.type", type, stochastic ? "integrator" : "tcoupl");
  /* v-rescale with 0 ps draws the kinetic energy anew at each coupling, as a time of 1e-6 ps does
   */
  const double least = strcmp(type, "bussi") ? 0 : 1e-6;
  struct values temperature = read_temperatures(w, n, &from);
  read_values(w, "tau-t", "thermostat.tau", n, least, tau);
  struct values times = make_values(n, tau);
  gromacs_write_text(w, "thermostat.temperature", temperature.text[0], from);
  gromacs_write_text(w, "thermostat.tau", times.text[0], "tau-t");
  const int64_t every = gromacs_mdp_int(w->mdp, "nsttcouple", -1, -1, INT64_MAX);
  if (!stochastic && every > 0) gromacs_write_int(w, "thermostat.every", every, "nsttcouple");
  write_groups(w, &temperature, &times, n);
  free_values(&temperature);
  free_values(&times);
  return 1;
}
