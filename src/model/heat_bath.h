/* Heat baths: the groups of beads that a thermostat keeps at temperatures of their own. Each bead
   is in contact with one bath. Without groups in the run file there is one bath, of all beads. Host
   memory. */
#ifndef HEAT_BATH_H
#define HEAT_BATH_H

#include "model/bead_group.h"

enum { HEAT_BATHS_MOST = 8 };

struct heat_bath {
  char *name;              /* of the group; NULL: the run file has no groups */
  double temperature, tau; /* K, ps */
  double dof;              /* degrees of freedom of its beads, rotation included */
  struct bead_group group; /* not set without a name */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Frees n baths and the array. */
void heat_baths_destroy(struct heat_bath *bath, int n);

#ifdef __cplusplus
}
#endif

#endif
