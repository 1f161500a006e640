/* The list of functions: see gromacs_forms.h. Here U = k (...)^2, in GROMACS k/2 (...)^2. */
#include "import/gromacs_forms.h"

#include <math.h>
#include <string.h>

enum { FOURIER = 5 };

static const struct gromacs_form forms[] = {
    {GROMACS_bonds, 1, 2, 2, SECTION_bond, "harmonic", {1, 0}, {0.5, 1}},
    {GROMACS_bonds, 2, 2, 2, SECTION_bond, "quartic", {1, 0}, {0.25, 1}},
    {GROMACS_bonds, 6, 2, 2, SECTION_bond, "elastic", {1, 0}, {0.5, 1}},
    {GROMACS_bonds, 7, 2, 2, SECTION_bond, "fene", {1, 0}, {0.5, 1}},
    {GROMACS_angles, 1, 3, 2, SECTION_angle, "harmonic", {1, 0}, {0.5, 1}},
    {GROMACS_angles, 2, 3, 2, SECTION_angle, "cosine_squared", {1, 0}, {0.5, 1}},
    {GROMACS_angles, 6, 3, 6, SECTION_angle, "quartic", {0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}},
    {GROMACS_angles, 10, 3, 2, SECTION_angle, "restricted", {1, 0}, {0.5, 1}},
    {GROMACS_dihedrals, 1, 4, 3, SECTION_dihedral, "periodic", {1, 2, 0}, {1, 1, 1}},
    {GROMACS_dihedrals, 4, 4, 3, SECTION_dihedral, "periodic", {1, 2, 0}, {1, 1, 1}},
    {GROMACS_dihedrals, 9, 4, 3, SECTION_dihedral, "periodic", {1, 2, 0}, {1, 1, 1}},
    {GROMACS_dihedrals, 2, 4, 2, SECTION_dihedral, "harmonic", {1, 0}, {0.5, 1}},
    {GROMACS_dihedrals,
     3,
     4,
     6,
     SECTION_dihedral,
     "ryckaert_bellemans",
     {0, 1, 2, 3, 4, 5},
     {1, 1, 1, 1, 1, 1}},
    /* F1 to F4 of a Fourier series: see fourier_columns. */
    {GROMACS_dihedrals,
     FOURIER,
     4,
     4,
     SECTION_dihedral,
     "ryckaert_bellemans",
     {0, 1, 2, 3, 4, 5},
     {1, 1, 1, 1, 1, 1}},
    {GROMACS_dihedrals, 10, 4, 2, SECTION_dihedral, "restricted", {1, 0}, {0.5, 1}},
    /* k, a0, a1, a2, a3, a4: U = k times the sum; see gromacs_form_set. */
    {GROMACS_dihedrals,
     11,
     4,
     6,
     SECTION_dihedral,
     "bending_torsion",
     {1, 2, 3, 4, 5},
     {1, 1, 1, 1, 1}},
};

const struct gromacs_form *gromacs_form_find(enum gromacs_directive directive, int function)
{
  for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++)
    if (forms[k].directive == directive && forms[k].function == function) return &forms[k];
  return NULL;
}

/* The columns of function 3 from those of 5: sum of F_n (1 -+ cos n phi) / 2 as powers of
   cos(phi - 180 degrees). */
static void fourier_columns(const double f[4], double c[6])
{
  c[0] = f[1] + 0.5 * (f[0] + f[2]);
  c[1] = 0.5 * (3 * f[2] - f[0]);
  c[2] = 4 * f[3] - f[1];
  c[3] = -2 * f[2];
  c[4] = -4 * f[3];
  c[5] = 0;
}

/* The same cosine within 0 to 180 degrees. */
static double folded(double degrees)
{
  const double angle = fmod(fabs(degrees), 360);
  return angle > 180 ? 360 - angle : angle;
}

void gromacs_form_set(const struct gromacs_form *f, const double *column, double *value,
                      struct gromacs_place place, struct error_list *m)
{
  const int torsion = !strcmp(f->form, "bending_torsion");
  const struct bonded_form_info *info = &bonded_form_info[bonded_form_of(f->section, f->form)];
  const int of_cosine = !strcmp(f->form, "cosine_squared") ||
                        (f->section == SECTION_angle && !strcmp(f->form, "restricted"));
  double power[6];
  if (f->directive == GROMACS_dihedrals && f->function == FOURIER) {
    fourier_columns(column, power);
    column = power;
  }
  for (int k = 0; info->parameter[k].name; k++) {
    const struct bonded_parameter *p = &info->parameter[k];
    const double column_value = column[f->from[k]];
    value[k] = f->factor[k] * column_value;
    if (of_cosine && !strcmp(p->name, "theta0")) value[k] = folded(column_value);
    if (torsion) value[k] *= column[0];
    if (!(value[k] >= p->low && value[k] <= p->high))
      GROMACS_ERROR(m, place, "%g is out of range: it gives %s of a %s %s, %g to %g %s",
                    column_value, p->name, f->form, bonded_section_name[f->section], p->low,
                    p->high, p->unit);
    else if (!strcmp(p->unit, "integer") && value[k] != (double)(int)value[k])
      GROMACS_ERROR(m, place, "the multiplicity %g is not an integer", column_value);
  }
}
