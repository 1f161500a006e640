/* Bonded terms and exclusions, per bonded environment. A bonded environment is the set of terms a
   bead takes part in, its role in each, and its partners as differences of ids. Beads carry only
   the index of their environment (bonded_env). So a million equal lipids share a table of a few
   rows, and only this index is sent when a bead changes rank. In host memory, the same on every
   rank. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdint.h>

#include "model/forcefield.h"

enum topology_kind { TOPOLOGY_BOND, TOPOLOGY_ANGLE };

struct topology_term {
  int32_t kind; /* enum topology_kind */
  int32_t type; /* row of forcefield.bond or .angle */
  int32_t role; /* position of this bead in the term: 0, 1, 2 */
  int32_t pad;
  int64_t partner[2]; /* ids of the other beads minus this one's, in the order of the term; bonds
                         and ANGLE_DIPOLE (carrier 0, target 1) have one, the second is 0 */
};

struct topology {
  int n_envs;
  int *term_start; /* [n_envs + 1] index into term */
  struct topology_term *term;
  int *exclude_start; /* [n_envs + 1] index into exclude */
  int64_t *exclude;   /* excluded partners: their ids minus this bead's, ascending */
};

/* Bonds and angles with ids, as files have them. */
struct bond_entry {
  int32_t type;
  int64_t id[2];
};
struct angle_entry {
  int32_t type;
  int64_t id[3]; /* ANGLE_DIPOLE: carrier, target, target */
};

/* Appends the environments of one molecule type and returns the index of the first; bead k of the
   molecule has first + k. Call once for each molecule type, so that equal molecules share them. */
int topology_add_molecule(struct topology *t, const struct forcefield *ff, int molecule);
/* Appends the environments of lists of bonds and angles over beads 1..n and stores the index of
   each bead in env[n] (-1 without terms). Equal environments are stored once. Terms are ordered
   (bonds, then angles) independent of the order of the lists. Dies with STATUS_INPUT on wrong types
   or ids. */
void topology_add_lists(struct topology *t, const struct forcefield *ff, int64_t n, int64_t n_bonds,
                        const struct bond_entry *bond, int64_t n_angles,
                        const struct angle_entry *angle, int32_t *env);
/* 1 if some bead has a bond or an angle. */
static inline int topology_has_terms(const struct topology *t)
{
  return t->n_envs > 0 && t->term_start[t->n_envs] > 0;
}
void topology_copy(struct topology *to, const struct topology *from);
void topology_free(struct topology *t);

#endif
