/* The bonded terms of a bead as force kernels read them; host or device memory. */
#ifndef BONDED_ENTRY_H
#define BONDED_ENTRY_H

#include <stdint.h>

#include "model/bonded_form.h"

/* A bonded term of a bead. type: among all bonded types (forcefield_bonded). Partners are local
   indices in the order of the term, without the bead itself; those that the form has not are the
   bead itself. */
struct bonded_entry {
  int32_t type, role;
  int32_t partner[BONDED_BEADS_MOST - 1];
};

#endif
