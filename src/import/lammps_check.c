/* Comparison of a file with a force field: see lammps_check.h. A property that all atoms of a type
   share is reported once per type, with the first line that differs. */
#include "import/lammps_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "import/lammps_reader.h"

#define NM_PER_A 0.1
/* Relative tolerance for numbers rounded in files. */
#define TOLERANCE 1e-4
/* Masses and inertias that follow from diameter and density are nominal: relative deviations above
   which there is a warning, and an error. */
#define NOMINAL_WARN 0.06
#define NOMINAL_REFUSE 0.25

/* Are two numbers equal to the rounding of files? */
static int equal(double a, double b)
{
  return fabs(a - b) <= TOLERANCE * fmax(fabs(a), fabs(b));
}

static int mass_is_near(double mass, double nominal)
{
  return fabs(mass - nominal) <= NOMINAL_REFUSE * nominal;
}

/* Dipole moment, e nm. */
static double moment_of(const struct lammps_atom *a)
{
  const double *mu = a->dipole;
  return NM_PER_A * sqrt(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
}

/* expected: NULL of a form that LAMMPS has not. */
static int is_style(const char *style, const char *expected)
{
  size_t n = expected ? strlen(expected) : 0;
  if (!expected) return 0;
  if (!*style) return 1;
  return lammps_style_length(style) == n && strncmp(style, expected, n) == 0;
}

static const char *style_of(const struct forcefield *ff, int what, int type)
{
  static const char *const style[FORMS] = {[FORM_bond_harmonic] = "harmonic",
                                           [FORM_angle_cosine_squared] = "cosine/squared",
                                           [FORM_angle_dipole] = "dipole"};
  if (what != LAMMPS_ATOMS) return style[ff->bonded[lammps_section(what)].type[type].form];
  if (ff->treatment[0].lj == LJ_STODDARD_FORD) return "lj/sf/dipole/sf";
  if (ff->treatment[0].lj == LJ_FORCE_SHIFT) return "lj/smooth/linear";
  return ff->treatment[0].lj == LJ_CUT ? "lj/cut" : "none";
}

/* Force constant and equilibrium value in LAMMPS units. */
static void bonded_values(const struct forcefield *ff, int what, int type, double value[2])
{
  const double *from = ff->bonded[lammps_section(what)].type[type].value;
  value[0] = from[0] / UNITS_KCAL * (what == LAMMPS_BONDS ? NM_PER_A * NM_PER_A : 1);
  value[1] = from[1] / (what == LAMMPS_BONDS ? NM_PER_A : 1);
}

/* Does a line of coefficients agree with a type of the force field, in style (if it names one) and
   value? */
static int is_coefficient(const struct forcefield *ff, int what, const struct lammps_coefficient *c,
                          int type)
{
  double value[2];
  bonded_values(ff, what, type, value);
  return is_style(c->style, style_of(ff, what, type)) && equal(c->value[0], value[0]) &&
         equal(c->value[1], value[1]);
}

/* The same for a pair of types. */
static int is_pair(const struct forcefield *ff, const struct lammps_coefficient *c, int i, int j)
{
  const struct ff_pair *p = &ff->pair[i * ff->n_types + j];
  int none = p->epsilon == 0 && c->value[0] == 0; /* then sigma has no meaning */
  int good = is_style(c->style, style_of(ff, LAMMPS_ATOMS, i));
  good &= none ||
          (equal(c->value[0] * UNITS_KCAL, p->epsilon) && equal(c->value[1] * NM_PER_A, p->sigma));
  for (int k = 2; k < c->n; k++)
    good &= equal(c->value[k] * NM_PER_A, ff->cutoff);
  return good;
}

static const char *values_text(const struct lammps_coefficient *c, char text[128])
{
  size_t used = 0;
  text[0] = 0;
  if (*c->style) used = (size_t)snprintf(text, 128, "%s ", c->style);
  for (int k = 0; k < c->n; k++)
    used += (size_t)snprintf(text + used, 128 - used, "%s%.7g", k ? " " : "", c->value[k]);
  return text;
}

static void check_pair(const struct lammps_file *f, const struct forcefield *ff,
                       const struct lammps_coefficient *c, int i, int j, struct error_list *m)
{
  char text[128];
  if (i < 0 || j < 0 || is_pair(ff, c, i, j)) return;
  const struct ff_pair *p = &ff->pair[i * ff->n_types + j];
  error_list_add(
      m, f->path, c->line,
      "the pair %s %s is %s here, but %s %.7g %.7g, cutoff %.7g (kcal/mol, A, A) in force "
      "field %s",
      ff->type[i].name, ff->type[j].name, values_text(c, text), style_of(ff, LAMMPS_ATOMS, i),
      p->epsilon / UNITS_KCAL, p->sigma / NM_PER_A, ff->cutoff / NM_PER_A, ff->name);
}

static void check_pairs(const struct lammps_file *f, const struct forcefield *ff,
                        const int *type_of, const int64_t *count, struct error_list *m)
{
  for (int64_t t = 0; t < f->n_types[LAMMPS_ATOMS]; t++) {
    const struct lammps_coefficient *c = &f->coefficient[LAMMPS_ATOMS][t];
    if (c->line && count[t]) check_pair(f, ff, c, type_of[t], type_of[t], m);
  }
  for (int64_t k = 0; k < f->n_pairs; k++) {
    const struct lammps_coefficient *c = &f->pair[k];
    if (!c->line || !count[c->type[0] - 1] || !count[c->type[1] - 1]) continue;
    check_pair(f, ff, c, type_of[c->type[0] - 1], type_of[c->type[1] - 1], m);
  }
}

enum property { CHARGE, DIPOLE, MASS, NEAR_MASS, INERTIA, PROPERTIES };

/* For a type and a property: the first atom that differs, and how many do. */
struct finding {
  int64_t first, count;
};

static void find_differences(const struct lammps_file *f, const struct forcefield *ff,
                             const int *type_of, struct finding *finding)
{
  for (int64_t k = 0; k < f->n[LAMMPS_ATOMS]; k++) {
    const struct lammps_atom *a = &f->atom[k];
    if (type_of[a->type - 1] < 0) continue;
    const struct ff_type *type = &ff->type[type_of[a->type - 1]];
    double moment = moment_of(a), off = fabs(a->mass - type->mass) / type->mass;
    double inertia = type->inertia[0] / (NM_PER_A * NM_PER_A);
    int differs[PROPERTIES] = {0};
    differs[CHARGE] = !(fabs(a->charge - type->charge) <= TOLERANCE);
    differs[DIPOLE] = type->dipole == 0 ? moment > TOLERANCE : !equal(moment, type->dipole);
    differs[MASS] = !mass_is_near(a->mass, type->mass);
    differs[NEAR_MASS] = !differs[MASS] && off > NOMINAL_WARN;
    differs[INERTIA] = inertia > 0 && fabs(a->inertia - inertia) > NOMINAL_WARN * inertia;
    for (int p = 0; p < PROPERTIES; p++) {
      struct finding *found = &finding[(a->type - 1) * PROPERTIES + p];
      if (differs[p] && found->count++ == 0) found->first = k;
    }
  }
}

static void report(const struct lammps_file *f, const struct forcefield *ff, int t, int type_of,
                   const struct finding *found, struct error_list *m)
{
  const struct ff_type *type = &ff->type[type_of];
  for (int p = 0; p < PROPERTIES; p++) {
    const struct lammps_atom *a = &f->atom[found[p].first];
    int line = a->line;
    char more[64] = "";
    if (found[p].count == 0) continue;
    if (found[p].count > 1)
      snprintf(more, sizeof more, " (and %lld more atoms of type %d)",
               (long long)found[p].count - 1, t + 1);
    if (p == CHARGE)
      error_list_add(m, f->path, line,
                     "atom %lld has a charge of %g e, but type %s of force field %s has %g%s",
                     (long long)a->id, a->charge, type->name, ff->name, type->charge, more);
    if (p == DIPOLE)
      error_list_add(
          m, f->path, line,
          "atom %lld has a dipole of %.7g e nm, but type %s of force field %s has %.7g%s",
          (long long)a->id, moment_of(a), type->name, ff->name, type->dipole, more);
    if (p == MASS)
      error_list_add(
          m, f->path, line,
          "atom %lld has a mass of %.6g amu by diameter and density, but type %s of force "
          "field %s has %.6g: more than %.0f %% off%s",
          (long long)a->id, a->mass, type->name, ff->name, type->mass, 100 * NOMINAL_REFUSE, more);
    if (p == NEAR_MASS)
      warn(
          "%s:%d: atom %lld has a mass of %.6g amu by diameter and density, type %s of force field "
          "%s %.6g, which is taken%s",
          f->path, line, (long long)a->id, a->mass, type->name, ff->name, type->mass, more);
    if (p == INERTIA && found[MASS].count == 0)
      warn("%s:%d: atom %lld has an inertia of %.4g amu nm2 by diameter and density, type %s of "
           "force field %s %.4g, which is taken%s",
           f->path, line, (long long)a->id, a->inertia * NM_PER_A * NM_PER_A, type->name, ff->name,
           type->inertia[0], more);
  }
}

void lammps_check_atoms(const struct lammps_file *f, const struct forcefield *ff,
                        const struct lammps_map *map, struct error_list *m)
{
  const int *type_of = map->type[LAMMPS_ATOMS];
  const int64_t *count = map->count[LAMMPS_ATOMS];
  int n = (int)f->n_types[LAMMPS_ATOMS];
  struct finding *finding = alloc_array(n * (int64_t)PROPERTIES, sizeof *finding);
  for (int t = 0; t < n; t++) {
    const struct lammps_coefficient *c = &f->mass[t];
    if (!c->line || !count[t] || type_of[t] < 0 || equal(c->value[0], ff->type[type_of[t]].mass))
      continue;
    error_list_add(m, f->path, c->line,
                   "type %d has a mass of %.7g amu, but type %s of force field %s has %.7g", t + 1,
                   c->value[0], ff->type[type_of[t]].name, ff->name, ff->type[type_of[t]].mass);
  }
  find_differences(f, ff, type_of, finding);
  for (int t = 0; t < n; t++)
    if (type_of[t] >= 0) report(f, ff, t, type_of[t], finding + (int64_t)t * PROPERTIES, m);
  check_pairs(f, ff, type_of, count, m);
  free(finding);
}

void lammps_check_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const struct lammps_map *map, struct error_list *m)
{
  const int *type_of = map->type[what];
  for (int64_t t = 0; t < f->n_types[what]; t++) {
    const struct lammps_coefficient *c = &f->coefficient[what][t];
    double value[2];
    char text[128];
    if (!c->line || !map->count[what][t] || type_of[t] < 0 ||
        is_coefficient(ff, what, c, type_of[t]))
      continue;
    bonded_values(ff, what, type_of[t], value);
    error_list_add(m, f->path, c->line,
                   "%s type is %s here, but %s %g %g (kcal/mol, %s) in force field %s (%s)",
                   what == LAMMPS_BONDS ? "bond" : "angle", values_text(c, text),
                   style_of(ff, what, type_of[t]), value[0], value[1],
                   what == LAMMPS_BONDS ? "A" : "degrees", ff->name,
                   ff->bonded[lammps_section(what)].type[type_of[t]].name);
  }
}
