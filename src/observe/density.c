/* Densities across the membrane: number of each species, mass, charge, electrons. */
#include <stdio.h>
#include <string.h>

#include "backend/profile_body.h"
#include "observe/observe_group.h"
#include "observe/planes.h"

/* Columns after the numbers of the species: weighted sums over them. */
enum { MASS, CHARGE, ELECTRONS, SUMS };

struct density {
  int bins, columns, groups; /* columns: before those of groups */
  char **in;                 /* [groups][share]: 1 for beads of a group */
  double *weight;            /* [columns][species] */
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

/* Option `groups`: number densities of other beads than those of species. They are counted on the
   host. */
static void add_groups(struct observable *o, struct yaml_tree *t, int options)
{
  struct density *d = o->own;
  const int list = yaml_get(t, options, "groups");
  const int n = list ? yaml_expect_list(t, list, 1, 100) : 0;
  d->in = observe_memory(o, n, sizeof *d->in);
  for (int k = 0; k < n; k++) {
    char name[OBSERVE_NAME], column[OBSERVE_NAME];
    int64_t all;
    snprintf(name, sizeof name, "group%d", k + 1);
    d->in[k] = observe_group_read(o, t, yaml_item(t, list, k), name, &all);
    snprintf(column, sizeof column, "number_%.31s", name);
    for (int c = 0; c < o->table[0].columns; c++)
      if (!strcmp(o->table[0].column[c].name, column))
        yaml_add_error(t, yaml_item(t, list, k), "there is a column %s already", column);
    observable_add_column(o, column, "nm-3", OBSERVE_NEXT);
    d->groups += d->in[k] != NULL;
  }
  if (n > 0) o->needs |= NEEDS_POSITIONS;
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
  d->columns = o->table[0].columns;
  add_groups(o, t, options);
  planes_add_edge(o);
  o->words = (int64_t)(a->n_species + d->groups) * d->bins;
}

void observe_density_collect(const struct observable *o, const struct observe_frame *f,
                             int64_t *word)
{
  const struct density *d = o->own;
  const struct share *share = &o->about->share;
  planes_collect(o, f, TALLY_PROFILE, PROFILE_NUMBER, word);
  word += (int64_t)o->about->n_species * d->bins;
  for (int g = 0; g < d->groups; g++, word += d->bins)
    for (int64_t k = 0; k < share->n; k++)
      if (d->in[g][k]) word[profile_place_of(f->position[3 * k + 2], f->centre, d->bins).bin]++;
}

void observe_density_sample(struct observable *o, const struct observe_frame *f,
                            const int64_t *word, double *value)
{
  const struct density *d = o->own;
  const double volume = box_volume(f->box) / d->bins;
  const int columns = o->table[0].columns;
  for (int c = 0; c < d->columns; c++)
    for (int s = 0; s < o->about->n_species; s++) {
      const double weight = weight_of(o, c)[s] / volume;
      for (int k = 0; weight != 0 && k < d->bins; k++)
        value[c * d->bins + k] += weight * (double)word[s * d->bins + k];
    }
  word += o->about->n_species * d->bins;
  for (int k = 0; k < d->groups * d->bins; k++)
    value[d->columns * d->bins + k] = (double)word[k] / volume;
  value[columns * d->bins] = f->box[2];
}
