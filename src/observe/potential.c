/* Electric field and potential across the membrane, from the charges and dipoles of the beads:
   E_z = (1/eps0) (integral of the charge density - P_z), psi = -(integral of E_z), both from the
   lower end of the profile, which lies in the water (Sokhan and Tildesley, Mol. Phys. 92, 625,
   1997). Charges and dipoles are spread evenly over their bin. eps0 is multiplied by the relative
   permittivity that the force field has within the cutoff, since its charges act so. */
#include <stdio.h>

#include "base/units.h"
#include "observe/planes.h"

struct potential {
  int bins;
  double permittivity; /* relative */
  int types, *type;    /* types with a charge or a dipole that have beads */
};

/* Values: charge and polarisation, in all and then of each of the types, [bins] each; the edge. */
enum { CHARGE, POLARISATION, MOMENTS };
/* Columns that are no means, before those of the types. */
enum { COLUMN_FIELD = MOMENTS, COLUMN_POTENTIAL, COLUMN_PERMITTIVITY, COLUMNS };

static void find_types(struct potential *p, const struct observe_system *a)
{
  for (int t = 0; t < a->ff->n_types; t++) {
    int found = 0;
    for (int s = 0; s < a->n_species; s++)
      found |= a->species[s].type == t;
    if (found && (a->ff->type[t].charge != 0 || a->ff->type[t].dipole != 0))
      p->type[p->types++] = t;
  }
}

void observe_potential_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct potential *p = o->own = observe_memory(o, 1, sizeof *p);
  const struct observe_system *a = o->about;
  char name[64];
  p->bins = planes_open(o, t, options);
  p->type = observe_memory(o, a->ff->n_types, sizeof *p->type);
  find_types(p, a);
  p->permittivity = forcefield_epsilon_r(a->ff);
  if (p->permittivity == 0)
    yaml_add_error(
        t, options,
        "'potential' needs one epsilon_r, and classes of pairs of the force field differ");
  if (p->types == 0)
    yaml_add_error(t, options, "'potential' needs charges or dipoles, and the system has none");
  observable_add_column(o, "charge", "e nm-3", OBSERVE_NEXT);
  observable_add_column(o, "polarisation", "e nm-2", OBSERVE_NEXT);
  observable_add_column(o, "field", "V nm-1", OBSERVE_DERIVED);
  observable_add_column(o, "potential", "V", OBSERVE_DERIVED);
  observable_add_column(o, "relative_permittivity", "1", OBSERVE_DERIVED);
  for (int k = 0; k < p->types; k++) {
    snprintf(name, sizeof name, "potential_%s", a->ff->type[p->type[k]].name);
    observable_add_column(o, name, "V", OBSERVE_DERIVED);
  }
  o->words = (int64_t)(a->n_species + a->ff->n_types) * p->bins;
  o->values += MOMENTS * p->types * p->bins;
  planes_add_edge(o);
}

void observe_potential_collect(const struct observable *o, const struct observe_frame *f,
                               int64_t *word)
{
  planes_collect(o, f, TALLY_PROFILE, PROFILE_NUMBER | PROFILE_DIPOLE, word);
}

/* Adds the moments of a type to value[MOMENTS][bins]. volume: of a bin. */
static void add_type(const struct observable *o, int type, const int64_t *word, double volume,
                     double *value)
{
  const struct observe_system *a = o->about;
  const struct potential *p = o->own;
  const struct ff_type *t = &a->ff->type[type];
  const double quantum = 1 / (double)(INT64_C(1) << PROFILE_DIPOLE_BITS);
  const int64_t *axis = word + (int64_t)(a->n_species + type) * p->bins;
  for (int s = 0; s < a->n_species; s++)
    for (int k = 0; a->species[s].type == type && k < p->bins; k++)
      value[CHARGE * p->bins + k] += t->charge * (double)word[s * p->bins + k] / volume;
  for (int k = 0; k < p->bins; k++)
    value[POLARISATION * p->bins + k] += t->dipole * (double)axis[k] * quantum / volume;
}

void observe_potential_sample(struct observable *o, const struct observe_frame *f,
                              const int64_t *word, double *value)
{
  const struct potential *p = o->own;
  const double volume = box_volume(f->box) / p->bins;
  for (int k = 0; k < p->types; k++) {
    add_type(o, p->type[k], word, volume, value);
    add_type(o, p->type[k], word, volume, value + (k + 1) * MOMENTS * p->bins);
  }
  value[o->table[0].edge] = f->box[2];
}

/* Field (V/nm) and potential (V) at the middles of bins of width h (nm); field may be NULL. */
static void integrate(const struct potential *p, double h, const double *charge,
                      const double *polarisation, double *field, double *potential)
{
  const int bins = p->bins;
  const double factor = 4 * UNITS_PI * UNITS_COULOMB / (p->permittivity * UNITS_VOLT);
  double below = 0, psi = 0; /* integrals up to the lower edge of the bin */
  for (int k = 0; k < bins; k++) {
    const double middle = below + charge[k] * h / 2 - polarisation[k];
    if (field) field[k] = factor * middle;
    potential[k] = psi - factor * (below * h / 2 + charge[k] * h * h / 8 - polarisation[k] * h / 2);
    psi -= factor * middle * h;
    below += charge[k] * h;
  }
}

void observe_potential_derive(const struct observable *o, const double *mean, double *result)
{
  const struct potential *p = o->own;
  const double h = mean[o->table[0].edge] / p->bins;
  for (int k = 0; k < p->bins; k++)
    observe_column_of(o, result, 0, COLUMN_PERMITTIVITY)[k] = p->permittivity;
  for (int k = 0; k <= p->types; k++) {
    const double *of = mean + k * MOMENTS * p->bins;
    const int column = k == 0 ? COLUMN_POTENTIAL : COLUMNS + k - 1;
    integrate(p, h, of, of + p->bins, k == 0 ? observe_column_of(o, result, 0, COLUMN_FIELD) : NULL,
              observe_column_of(o, result, 0, column));
  }
}
