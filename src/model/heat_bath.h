/* Heat baths: the groups of beads that a thermostat keeps at temperatures of their own. Each bead
   is in contact with one bath. Without groups in the run file there is one bath, of all beads. Host
   memory. */
#ifndef HEAT_BATH_H
#define HEAT_BATH_H

#include "model/bead_group.h"
#include "model/ramp.h"

enum {
  HEAT_BATHS_MOST = 8,
  HEAT_BATH_NAME = 32 /* bytes of a name, with the terminating 0 */
};

struct heat_bath {
  char *name;              /* of the group; NULL: the run file has no groups */
  struct ramp temperature; /* K */
  double tau;              /* ps */
  double dof;              /* degrees of freedom of its beads, rotation included */
  double mass;             /* of its beads, amu; not set without a name */
  struct bead_group group; /* not set without a name */
};

/* 1 for letters, digits and _-+. alone: the name is part of that of a column. */
int heat_bath_is_name(const char *name);
/* A text as a name: other characters become '_', and what is too long is cut off. Returns name. */
const char *heat_bath_name_clean(const char *text, char name[HEAT_BATH_NAME]);
/* Frees n baths and the array. */
void heat_baths_destroy(struct heat_bath *bath, int n);

#endif
