/* What couple-moltype and couple-intramol change in a topology, as grompp does: see gromacs_couple
   in gromacs.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/gromacs.h"

/* A molecule whose atoms all have pairs with each other has so many at most, that a bead does not
   have too many terms. */
enum { KEEPS_MOST = 40 };

/* Adds a term of two atoms. */
static void add_pair(struct gromacs_molecule *molecule, int form, const int bead[2],
                     const double value[2])
{
  molecule->term = grow_array(molecule->term, molecule->n_terms + 1, sizeof *molecule->term);
  molecule->term[molecule->n_terms++] = (struct gromacs_term){.where = molecule->where,
                                                              .form = form,
                                                              .function = 1,
                                                              .bead = {bead[0], bead[1]},
                                                              .value = {value[0], value[1]}};
}

/* Adds what two atoms have at any distance. */
static void keep_pair(const struct gromacs_topology *t, struct gromacs_molecule *molecule,
                      const int bead[2])
{
  const struct gromacs_atom *a = &molecule->atom[bead[0]], *b = &molecule->atom[bead[1]];
  const double charges[2] = {a->charge * b->charge, 0};
  const struct gromacs_pair *last = NULL;
  double c[2];
  for (int64_t k = t->n_pairs - 1; k >= 0 && !last; k--)
    if (gromacs_joins_same(t->pair[k].type, (int[2]){a->type, b->type})) last = &t->pair[k];
  gromacs_combine(t, last, a->type, b->type, c);
  gromacs_powers(t, c);
  if (c[0] != 0 || c[1] != 0) add_pair(molecule, FORM_bond_lennard_jones, bead, c);
  if (charges[0] != 0) add_pair(molecule, FORM_bond_coulomb, bead, charges);
}

/* Gives a molecule type pairs, beside coupled interactions, for all that it has within itself. */
static void keep_pairs(struct gromacs *g, int k, struct error_list *m)
{
  struct gromacs_molecule *molecule = &g->molecule[k];
  const int n = molecule->n_atoms, rule = g->exclude;
  int64_t n_excluded, at = 0;
  if (n > KEEPS_MOST) {
    LINE_ERROR(m, molecule->where,
               "couple-intramol = no: molecule type %s has %d atoms, and at most %d can keep their "
               "interactions with each other: write couple-intramol = yes",
               molecule->name, n, KEEPS_MOST);
    return;
  }
  g->exclude = -1;
  int(*excluded)[2] = gromacs_excluded(g, k, m, &n_excluded);
  g->exclude = rule;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const int bead[2] = {i, j};
      if (at < n_excluded && excluded[at][0] == i && excluded[at][1] == j) {
        at++;
        continue;
      }
      keep_pair(g->topology, molecule, bead);
      molecule->excluded =
          grow_array(molecule->excluded, molecule->n_excluded + 1, sizeof *molecule->excluded);
      memcpy(molecule->excluded[molecule->n_excluded++], bead, sizeof bead);
    }
  free(excluded);
}

void gromacs_couple(struct gromacs *g, int n, const struct gromacs_coupling *coupling,
                    struct error_list *m)
{
  char *keeps = alloc_array(g->n_molecules, 1);
  for (int k = 0; k < n; k++) {
    const struct gromacs_coupling *c = &coupling[k];
    int found = c->all;
    for (int j = 0; j < g->n_molecules; j++) {
      const int coupled = c->all || !strcmp(c->molecule, g->molecule[j].name);
      found |= coupled;
      if (coupled && !c->all) g->molecule[j].coupled |= 1u << k % 32;
      const int apart = coupled && c->keeps && g->molecule[j].n_atoms > 1;
      if (k > 0 && apart != keeps[j])
        LINE_ERROR(m, coupling[apart ? k : 0].where,
                   "couple-intramol = no in one of the files and not in all: molecules of type %s "
                   "would have other interactions within themselves: write yes",
                   g->molecule[j].name);
      keeps[j] = (char)apart;
    }
    if (!found && *c->molecule)
      LINE_ERROR(m, c->where, "couple-moltype = %.60s: the system has no such molecules",
                 c->molecule);
  }
  for (int j = 0; j < g->n_molecules; j++)
    if (keeps[j]) keep_pairs(g, j, m);
  free(keeps);
}
