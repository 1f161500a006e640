/* Densities across the membrane: number of each species, mass, charge, electrons. */
#include <stdio.h>

#include "observe/planes.h"

/* Columns after the numbers of the species: weighted sums over them. */
enum { MASS, CHARGE, ELECTRONS, SUMS };

struct density {
  int bins;
  double *weight; /* [columns][species] */
};

static double *weight_of(const struct observable *o, int column)
{
  const struct density *d = o->own;
  return d->weight + column * o->about->n_species;
}

static void add_species(struct observable *o)
{
  const struct observe_system *a = o->about;
  char name[80];
  for (int s = 0; s < a->n_species; s++) {
    snprintf(name, sizeof name, "number_%.63s", a->species[s].name);
    weight_of(o, s)[s] = 1;
    observable_add_column(o, name, "nm-3", OBSERVE_NEXT);
  }
}

/* 1 if the force field says how many electrons beads have. */
static int has_electrons(const struct observable *o)
{
  const struct observe_system *a = o->about;
  for (int s = 0; s < a->n_species; s++)
    if (a->ff->type[a->species[s].type].electrons != 0) return 1;
  return 0;
}

static void add_sums(struct observable *o)
{
  static const char *const name[SUMS][2] = {
      {"mass", "amu nm-3"}, {"charge", "e nm-3"}, {"electrons", "nm-3"}};
  const struct observe_system *a = o->about;
  for (int k = 0; k < (has_electrons(o) ? SUMS : ELECTRONS); k++) {
    double *weight = weight_of(o, o->table[0].columns);
    for (int s = 0; s < a->n_species; s++) {
      const struct ff_type *type = &a->ff->type[a->species[s].type];
      weight[s] = k == MASS ? type->mass : k == CHARGE ? type->charge : type->electrons;
    }
    observable_add_column(o, name[k][0], name[k][1], OBSERVE_NEXT);
  }
}

/* Electrons of each type of molecule that is there. */
static void add_molecules(struct observable *o)
{
  const struct observe_system *a = o->about;
  char name[64];
  for (int m = -1; m < a->ff->n_molecules; m++) {
    double *weight = weight_of(o, o->table[0].columns);
    int found = 0;
    for (int s = 0; s < a->n_species; s++) {
      if (a->species[s].molecule_type != m) continue;
      weight[s] = a->ff->type[a->species[s].type].electrons;
      found = 1;
    }
    snprintf(name, sizeof name, "electrons_%s", observe_molecule_name(a, m));
    if (found) observable_add_column(o, name, "nm-3", OBSERVE_NEXT);
  }
}

void observe_density_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct density *d = o->own = observe_memory(o, 1, sizeof *d);
  const struct observe_system *a = o->about;
  const int most = a->n_species + SUMS + a->ff->n_molecules + 1;
  d->bins = planes_open(o, t, options);
  d->weight = observe_memory(o, (int64_t)most * a->n_species, sizeof *d->weight);
  add_species(o);
  add_sums(o);
  if (has_electrons(o)) add_molecules(o);
  planes_add_edge(o);
  o->words = (int64_t)a->n_species * d->bins;
}

void observe_density_collect(const struct observable *o, const struct observe_frame *f,
                             int64_t *word)
{
  planes_collect(o, f, TALLY_PROFILE, PROFILE_NUMBER, word);
}

void observe_density_sample(struct observable *o, const struct observe_frame *f,
                            const int64_t *word, double *value)
{
  const struct density *d = o->own;
  const double volume = box_volume(f->box) / d->bins;
  const int columns = o->table[0].columns;
  for (int c = 0; c < columns; c++)
    for (int s = 0; s < o->about->n_species; s++) {
      const double weight = weight_of(o, c)[s] / volume;
      for (int k = 0; weight != 0 && k < d->bins; k++)
        value[c * d->bins + k] += weight * (double)word[s * d->bins + k];
    }
  value[columns * d->bins] = f->box[2];
}
