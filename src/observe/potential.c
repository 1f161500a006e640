/* Electric field and potential across the membrane, from the charges and dipoles of the beads:
   E_z = (1/eps0) (integral of the charge density - P_z), psi = -(integral of E_z), both from the
   lower end of the profile, which lies in the water (Sokhan and Tildesley, Mol. Phys. 92, 625,
   1997). Charges and dipoles are spread evenly over their bin. eps0 is multiplied by the relative
   permittivity that the force field has within the cutoff, since its charges act so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "observe/kinds.h"
#include "observe/planes.h"

struct potential {
  int bins;
  double permittivity; /* relative */
  int types, *type;    /* types with a charge or a dipole that have beads */
};

/* Values: charge and polarisation, in all and then of each of the types, [bins] each; the edge. */
enum { CHARGE, POLARISATION, MOMENTS };
/* Columns before those of the types. */
enum {
  COLUMN_CHARGE,
  COLUMN_POLARISATION,
  COLUMN_FIELD,
  COLUMN_POTENTIAL,
  COLUMN_PERMITTIVITY,
  COLUMNS
};

static int edge_value(const struct potential *p)
{
  return MOMENTS * (p->types + 1) * p->bins;
}

static void find_types(struct potential *p, const struct observe_system *a)
{
  p->type = alloc_array(a->ff->n_types, sizeof *p->type);
  for (int t = 0; t < a->ff->n_types; t++) {
    int found = 0;
    for (int s = 0; s < a->n_species; s++)
      found |= a->species[s].type == t;
    if (found && (a->ff->type[t].charge != 0 || a->ff->type[t].dipole != 0))
      p->type[p->types++] = t;
  }
}

static void open(struct observable *o, struct yaml_tree *t, int options)
{
  struct potential *p = alloc_array(1, sizeof *p);
  const struct observe_system *a = o->about;
  char name[64];
  o->own = p;
  p->bins = planes_read_bins(o, t, options);
  find_types(p, a);
  p->permittivity = forcefield_epsilon_r(a->ff);
  if (p->permittivity == 0)
    yaml_add_error(
        t, options,
        "'potential' needs one epsilon_r, and classes of pairs of the force field differ");
  if (p->types == 0)
    yaml_add_error(t, options, "'potential' needs charges or dipoles, and the system has none");
  observable_add_table(o, "potential", "z", "nm", p->bins);
  observable_add_column(o, "charge", "e nm-3", CHARGE);
  observable_add_column(o, "polarisation", "e nm-2", POLARISATION * p->bins);
  observable_add_column(o, "field", "V nm-1", -1);
  observable_add_column(o, "potential", "V", -1);
  observable_add_column(o, "relative_permittivity", "1", -1);
  for (int k = 0; k < p->types; k++) {
    snprintf(name, sizeof name, "potential_%s", a->ff->type[p->type[k]].name);
    observable_add_column(o, name, "V", -1);
  }
  o->words = (int64_t)(a->n_species + a->ff->n_types) * p->bins;
  o->values = edge_value(p) + 1;
}

static void collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct potential *p = o->own;
  const struct profile how = planes_profile(o->about, f, p->bins, PROFILE_NUMBER | PROFILE_DIPOLE);
  planes_collect(f, TALLY_PROFILE, &how, (int)o->words, word);
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

static void sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                   double *value)
{
  const struct potential *p = o->own;
  const double volume = f->box[0] * f->box[1] * f->box[2] / p->bins;
  for (int k = 0; k < p->types; k++) {
    add_type(o, p->type[k], word, volume, value);
    add_type(o, p->type[k], word, volume, value + (k + 1) * MOMENTS * p->bins);
  }
  value[edge_value(p)] = f->box[2];
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

static void derive(const struct observable *o, const double *mean, double *result)
{
  const struct potential *p = o->own;
  const double edge = mean[edge_value(p)], h = edge / p->bins;
  planes_axis(p->bins, edge, observe_axis_of(o, result, 0));
  for (int k = 0; k < p->bins; k++)
    observe_column_of(o, result, 0, COLUMN_PERMITTIVITY)[k] = p->permittivity;
  memcpy(observe_column_of(o, result, 0, COLUMN_CHARGE), mean,
         (size_t)(MOMENTS * p->bins) * sizeof *mean);
  for (int k = 0; k <= p->types; k++) {
    const double *of = mean + k * MOMENTS * p->bins;
    const int column = k == 0 ? COLUMN_POTENTIAL : COLUMNS + k - 1;
    integrate(p, h, of, of + p->bins, k == 0 ? observe_column_of(o, result, 0, COLUMN_FIELD) : NULL,
              observe_column_of(o, result, 0, column));
  }
}

static void close(struct observable *o)
{
  struct potential *p = o->own;
  free(p->type);
  free(p);
}

const struct observable_kind kind_potential = {
    .name = "potential",
    .summary = "electric field and potential along z",
    .options = "bins",
    .every = 100,
    .needs = NEEDS_CENTRE | NEEDS_AXES,
    .open = open,
    .collect = collect,
    .sample = sample,
    .derive = derive,
    .close = close,
};
