/* Parameters of bonded forms: see gromacs_molecule.h. */
#include "import/gromacs_molecule.h"

#include <math.h>
#include <string.h>

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

void gromacs_form_set(const struct top_function *f, const double *column, double *value,
                      const struct words *w)
{
  const struct bonded_form_info *info = &bonded_form_info[f->form];
  const int torsion = f->form == FORM_dihedral_bending_torsion;
  const int of_cosine = f->form == FORM_angle_cosine_squared || f->form == FORM_angle_restricted;
  const int periodic = f->form == FORM_dihedral_periodic;
  double power[6], turns = 1;
  if (f->form == FORM_dihedral_ryckaert_bellemans && f->function == TOP_FOURIER) {
    fourier_columns(column, power);
    column = power;
  }
  for (int k = 0; info->parameter[k].name; k++) {
    const struct form_parameter *p = &info->parameter[k];
    const double column_value = column[f->from[k]];
    value[k] = f->factor[k] * column_value;
    if (of_cosine && !strcmp(p->name, "theta0")) value[k] = folded(column_value);
    if (torsion) value[k] *= column[0];
    if (periodic && !strcmp(p->name, "n")) {
      turns = value[k] < 0 ? -1 : 1; /* cos(-n phi - phi0) = cos(n phi + phi0) */
      value[k] *= turns;
    }
    if (!strcmp(p->name, "phi0")) value[k] = fmod(turns * value[k], 360);
    if (!(value[k] >= p->low && value[k] <= p->high))
      WORDS_ERROR(w, "%g is out of range: it gives %s of a %s %s, %g to %g %s", column_value,
                  p->name, info->name, bonded_section_name[info->section], p->low, p->high,
                  p->unit);
    else if ((!strcmp(p->unit, "integer") || !strcmp(p->unit, "table")) &&
             value[k] != (double)(int)value[k])
      WORDS_ERROR(w, "the %s %g is not an integer", p->unit[0] == 't' ? "table" : "multiplicity",
                  column_value);
  }
}
