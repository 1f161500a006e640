/* The system of a topology and a configuration: see gromacs_system in gromacs.h. */
#include "import/gromacs.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/foreign/gro.h"
#include "model/place.h"

static void set_bead(struct system *s, const struct gromacs_gro *c, int64_t k)
{
  const double mass = s->ff->type[s->beads.type[k]].mass;
  system_set_position(s, k, c->atom[k].x);
  for (int d = 0; d < 3; d++)
    s->beads.momentum[3 * k + d] = mass * c->atom[k].v[d];
}

/* 1 if the beads of a molecule need environments. */
static int has_environment(const struct gromacs_molecule *molecule)
{
  return molecule->n_atoms > 1 || molecule->n_terms || molecule->n_restraints;
}

struct system *gromacs_system(const struct gromacs *g, const struct gromacs_gro *c,
                              struct forcefield *ff)
{
  const struct gromacs_topology *t = g->topology;
  struct system *s = system_create(c->n, 0, 1, ff);
  int *first_env = alloc_array(g->n_molecules, sizeof *first_env);
  int64_t at = 0, number = 0;
  system_set_box(s, c->box);
  for (int n = 0; n < g->n_molecules; n++)
    first_env[n] =
        has_environment(&g->molecule[n]) ? topology_add_molecule(&s->topology, ff, n) : -1;
  for (int b = 0; b < t->n_blocks; b++) {
    const int molecule_type = t->block[b].molecule;
    for (int64_t i = 0; i < t->block[b].count; i++) {
      const int32_t molecule = place_molecule_number(++number);
      for (int k = 0; k < g->molecule[molecule_type].n_atoms; k++, at++) {
        s->beads.type[at] = ff->molecule[molecule_type].bead[k];
        s->beads.molecule[at] = molecule;
        s->beads.molecule_type[at] = molecule_type;
        s->beads.bonded_env[at] = first_env[molecule_type] < 0 ? -1 : first_env[molecule_type] + k;
        set_bead(s, c, at);
      }
    }
  }
  free(first_env);
  return s;
}

enum { SHOWN = 10 };

void gromacs_gro_compare(const struct gromacs_gro *c, const struct gromacs *g, int allowed,
                         struct error_list *m)
{
  const struct gromacs_topology *t = g->topology;
  int64_t at = 0, differ = 0;
  for (int b = 0; b < t->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    for (int64_t n = 0; n < t->block[b].count; n++)
      for (int k = 0; k < molecule->n_atoms; k++, at++) {
        const char *name = molecule->atom[k].name;
        if (at >= c->n || !strncmp(c->atom[at].name, name, GRO_NAME - 1)) continue;
        if (differ++ < SHOWN && !allowed)
          error_list_add(m, c->path, (int)(at < INT32_MAX - 3 ? at + 3 : 0),
                         "atom %s, but %s in the topology (molecule type %s, %s:%d)",
                         c->atom[at].name, name, molecule->name, molecule->atom[k].where.file,
                         molecule->atom[k].where.line);
      }
  }
  if (differ && allowed)
    warn("%s: the names of %lld atoms are not those of the topology, which hold", c->path,
         (long long)differ);
  else if (differ)
    error_list_advise(m,
                      "%lld names differ. Is the order of [ molecules ] that of the file? "
                      "--names=topology takes the names of the topology",
                      (long long)differ);
}
