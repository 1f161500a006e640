/* The list `fields` of a run file, of electric fields and walls of GROMACS: see gromacs_writer.h.
 */
#include <float.h>
#include <string.h>

#include "base/parse.h"
#include "import/gromacs_writer.h"
#include "import/gromacs_yaml.h"
#include "model/external.h"

/* Begins a row of the list, which has n. */
static void row_begin(const struct gromacs_writer *w, int *n, const char *form)
{
  fprintf(w->out, "%s  - {form: %s", (*n)++ == 0 ? "fields:\n" : "", form);
}

static void row_real(const struct gromacs_writer *w, const char *key, double value)
{
  char real[FORMAT_REAL_BYTES];
  fprintf(w->out, ", %s: %s", key, format_real(value, real));
}

/* Adds an error if a number is out of the range of a parameter of fields. */
static void check_parameter(const struct gromacs_writer *w, const char *key, int form,
                            const char *name, double value)
{
  const int k = external_parameter(form, name);
  const struct form_parameter *p = &external_form_info[form].parameter[k];
  if (!(value >= p->low && value <= p->high))
    GROMACS_REFUSE(w->mdp, key, "%s: %g %s: %s of fields is from %g to %g", key, value, p->unit,
                   name, p->low, p->high);
}

/* An electric field along one direction: E0 cos(omega (t - t0)) exp(-(t - t0)^2 / (2 sigma^2)), E0
   cos(omega t) without sigma. */
struct electric {
  const char *key;
  double e0, omega, t0, sigma;
};

/* Reads `E0 omega t0 sigma` or, before version 2018, `1 E0 phase`. */
static struct electric read_electric(const struct gromacs_writer *w, int d)
{
  static const char *const keys[2][3] = {
      {"electric-field-x", "electric-field-y", "electric-field-z"}, {"e-x", "e-y", "e-z"}};
  double v[4] = {0};
  const int old = !*gromacs_mdp_value(w->mdp, keys[0][d], "");
  struct electric e = {keys[old][d], 0, 0, 0, 0};
  if (!old && *gromacs_mdp_value(w->mdp, keys[1][d], ""))
    GROMACS_REFUSE(w->mdp, keys[1][d], "%s: %s, which is its name since version 2018, is given too",
                   keys[1][d], keys[0][d]);
  const int n = gromacs_mdp_reals(w->mdp, e.key, 4, v);
  if (n == 0 || v[0] == 0) return e;
  if (n != (old ? 3 : 4)) {
    GROMACS_REFUSE(w->mdp, e.key, "%s: expected %s", e.key,
                   old ? "1 E0 phase" : "E0 omega t0 sigma");
    return e;
  }
  if (old && v[0] != 1)
    GROMACS_REFUSE(w->mdp, e.key, "%s = %.60s: the first number must be 1, a cosine", e.key,
                   gromacs_mdp_value(w->mdp, e.key, ""));
  e.e0 = old ? v[1] : v[0];
  check_parameter(w, e.key, EXTERNAL_electric, "x", e.e0);
  if (old) return e;
  e.omega = v[1];
  e.sigma = v[3] > 0 ? v[3] : 0;
  e.t0 = e.sigma > 0 ? v[2] : 0;
  check_parameter(w, e.key, EXTERNAL_electric, "omega", e.omega);
  check_parameter(w, e.key, EXTERNAL_electric, "t0", e.t0);
  check_parameter(w, e.key, EXTERNAL_electric, "sigma", e.sigma);
  return e;
}

/* Ends a row, with the keys that it comes from. */
static void row_end(const struct gromacs_writer *w, const char *const *key, int keys)
{
  fputs("}  #", w->out);
  for (int k = 0; k < keys; k++) {
    fprintf(w->out, " %s = ", key[k]);
    gromacs_yaml_text(w->out, gromacs_mdp_value(w->mdp, key[k], ""));
  }
  fputs("\n", w->out);
}

/* A row for the constant components, and one for each that changes in time. */
static void write_electric(const struct gromacs_writer *w, int *n)
{
  struct electric e[3];
  const char *from[3];
  int constant = 0;
  for (int d = 0; d < 3; d++) {
    e[d] = read_electric(w, d);
    if (e[d].e0 == 0 || e[d].omega != 0 || e[d].sigma > 0) continue;
    if (constant == 0) row_begin(w, n, "electric");
    from[constant++] = e[d].key;
    row_real(w, (const char *const[]){"x", "y", "z"}[d], e[d].e0);
  }
  if (constant > 0) row_end(w, from, constant);
  for (int d = 0; d < 3; d++) {
    if (e[d].e0 == 0 || (e[d].omega == 0 && !(e[d].sigma > 0))) continue;
    row_begin(w, n, "electric");
    row_real(w, (const char *const[]){"x", "y", "z"}[d], e[d].e0);
    if (e[d].omega != 0) row_real(w, "omega", e[d].omega);
    if (e[d].t0 != 0) row_real(w, "t0", e[d].t0);
    if (e[d].sigma > 0) row_real(w, "sigma", e[d].sigma);
    row_end(w, &e[d].key, 1);
  }
}

int gromacs_run_walls(const struct gromacs_mdp *mdp)
{
  return gromacs_mdp_find(mdp, "nwall", "0|2") == 1;
}

/* The bead type of an atom type of wall-atomtype; NULL with an error: there is none. */
static const char *wall_type(const struct gromacs_writer *w, int k)
{
  const struct gromacs *g = w->index->g;
  const char *name = gromacs_mdp_word(w->mdp, "wall-atomtype", k);
  for (int v = 0; v < g->n_variants; v++)
    if (!strcmp(g->topology->type_names.name[g->variant[v].type], name)) return g->variant[v].name;
  GROMACS_REFUSE(w->mdp, "wall-atomtype", "wall-atomtype: the topology has no atom type '%.60s'",
                 name);
  return NULL;
}

/* A wall, or both where they are alike. */
static void write_wall(const struct gromacs_writer *w, int *n, int form, const char *planes,
                       const char *type, double density)
{
  static const char *const from[] = {"nwall", "wall-type", "wall-atomtype"};
  const double linear = gromacs_mdp_real(w->mdp, "wall-r-linpot", -1, -DBL_MAX, DBL_MAX);
  row_begin(w, n, external_form_info[form].name);
  row_real(w, "low", 0);
  row_real(w, "high", GROMACS_WALLS_PART);
  fprintf(w->out, ", planes: %s, type: ", planes);
  gromacs_yaml_text(w->out, type ? type : "");
  if (form != EXTERNAL_wall_12_6) {
    row_real(w, "density", density);
    check_parameter(w, "wall-density", form, "density", density);
  }
  if (linear > 0) {
    row_real(w, "linear", linear);
    check_parameter(w, "wall-r-linpot", form, "linear", linear);
  }
  row_end(w, from, 3);
}

/* What walls of GROMACS need. */
static void check_walls(const struct gromacs_writer *w)
{
  if (gromacs_mdp_choice(w->mdp, "pbc") != 1)
    GROMACS_REFUSE(w->mdp, "pbc", "nwall = 2 needs pbc = xy: the walls are the ends of the box");
  if (gromacs_mdp_words(w->mdp, "wall-atomtype") != 2)
    GROMACS_REFUSE(w->mdp, "wall-atomtype", "wall-atomtype: expected 2 atom types");
  if (!gromacs_run_minimises(w->mdp) && gromacs_mdp_find(w->mdp, "pcoupl", "no") != 0)
    GROMACS_REFUSE(
        w->mdp, "pcoupl",
        "pcoupl: pressures between walls are those of the volume between them; boxes here "
        "are periodic, and twice as high, and so are their volumes: leave it out, and "
        "set the height before");
}

static void write_walls(const struct gromacs_writer *w, int *n)
{
  const int walls = gromacs_mdp_choice(w->mdp, "nwall");
  const int kind = gromacs_mdp_find(w->mdp, "wall-type", "9-3|10-4|12-6");
  double density[2] = {0};
  if (walls == 0 && gromacs_mdp_choice(w->mdp, "pbc") == 1)
    GROMACS_REFUSE(
        w->mdp, "pbc",
        "pbc = xy: without walls (nwall = 2) the system is open along z, where boxes here "
        "are periodic");
  if (walls != 1) return;
  if (kind < 0) {
    GROMACS_REFUSE(w->mdp, "wall-type", "wall-type = %.60s: 9-3, 10-4 and 12-6 are implemented",
                   gromacs_mdp_value(w->mdp, "wall-type", ""));
    return;
  }
  const int errors = gromacs_mdp_errors(w->mdp)->count, form = EXTERNAL_wall_9_3 + kind;
  check_walls(w);
  if (form != EXTERNAL_wall_12_6 && gromacs_mdp_reals(w->mdp, "wall-density", 2, density) != 2)
    GROMACS_REFUSE(w->mdp, "wall-density", "wall-density: expected 2 numbers");
  if (gromacs_mdp_errors(w->mdp)->count > errors) return;
  const char *type[2] = {wall_type(w, 0), wall_type(w, 1)};
  if (!type[0] || !type[1]) return;
  if (!strcmp(type[0], type[1]) && density[0] == density[1]) {
    write_wall(w, n, form, "both", type[0], density[0]);
    return;
  }
  write_wall(w, n, form, "low", type[0], density[0]);
  write_wall(w, n, form, "high", type[1], density[1]);
}

void gromacs_write_fields(const struct gromacs_writer *w)
{
  int n = 0;
  write_electric(w, &n);
  write_walls(w, &n);
}
