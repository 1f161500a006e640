/* Bonded terms by bead. A slot is a distinct bonded environment: which terms a bead takes part in,
   in which role, and with which partners, given as differences of ids. A bead carries its slot
   number only, so a million equal lipids cost one table of a few rows, and nothing but that number
   travels when a bead changes rank. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdint.h>

#include "model/forcefield.h"

enum topology_kind { TOPOLOGY_BOND, TOPOLOGY_ANGLE };

struct topology_term {
  int32_t kind; /* enum topology_kind */
  int32_t type; /* row of forcefield.bond or .angle */
  int32_t role; /* which bead of the term this one is: 0, 1, 2 */
  int32_t pad;
  int64_t partner[2]; /* ids of the others minus this one's, in the order of the term; bonds and
                         ANGLE_DIPOLE (carrier 0, target 1) have one, and 0 */
};

struct topology {
  int n_slots;
  int *term_start; /* [n_slots + 1] into term */
  struct topology_term *term;
  int *exclude_start; /* [n_slots + 1] into exclude */
  int64_t *exclude;   /* ids of excluded partners minus this bead's, ascending */
};

/* Global lists by id, as files have them. */
struct bond_entry {
  int32_t type;
  int64_t id[2];
};
struct angle_entry {
  int32_t type;
  int64_t id[3]; /* ANGLE_DIPOLE: carrier, target, target */
};

/* Appends the slots of one molecule of the force field; its bead k gets slot first + k. Equal
   molecules should share: call once a molecule type. Returns first. */
int topology_add_molecule(struct topology *t, const struct forcefield *ff, int molecule);
/* Appends the slots of any lists of bonds and angles over beads 1..n and writes each bead's slot
   (-1 where it has none). Equal environments share a slot, and the terms of a slot stand in an
   order (bonds, then angles) that does not depend on the order of the lists. */
void topology_add_lists(struct topology *t, const struct forcefield *ff, int64_t n, int64_t n_bonds,
                        const struct bond_entry *bond, int64_t n_angles,
                        const struct angle_entry *angle, int32_t *slot);
void topology_copy(struct topology *to, const struct topology *from);
void topology_free(struct topology *t);

#endif
