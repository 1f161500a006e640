/* The bonded terms of a bead as force kernels read them; host or device memory. */
#ifndef BONDED_ENTRY_H
#define BONDED_ENTRY_H

#include <stdint.h>

/* A bonded term of a bead; partners are local indices in the order of the term. */
struct bonded_entry {
  int32_t kind, type, role;
  int32_t partner[2];
};

#endif
