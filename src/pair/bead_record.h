/* What force kernels read of beads, in 16 bytes: records of position and type, which pair kernels
   gather beside records of axes in working precision (struct axis_record, 16 or 32 bytes), and
   bonded terms. Host or device memory. */
#ifndef BEAD_RECORD_H
#define BEAD_RECORD_H

#include <stdint.h>

#include "base/hd.h"
#include "model/bonded_form.h"

/* Aligned, so that a GPU loads it at once. */
struct bead_record {
  int32_t x[3];
  int32_t type;
} __attribute__((aligned(16)));

/* A bonded term of a bead: its type among all bonded types (forcefield_bonded), the role of the
   bead, and its partners, which are local indices in the order of the term, without the bead
   itself; those that the form has not are the bead itself. Of a restraint the first is
   bonded_anchor. 16 bytes, so that a GPU loads it at once. */
struct bonded_entry {
  int32_t type_and_role;
  int32_t partner[BONDED_BEADS_MOST - 1];
} __attribute__((aligned(16)));

enum { BONDED_ROLE_BITS = 3 };

HD int32_t bonded_type_and_role(int type, int role)
{
  return type << BONDED_ROLE_BITS | role;
}

HD int bonded_type(const struct bonded_entry *e)
{
  return e->type_and_role >> BONDED_ROLE_BITS;
}

/* The index in struct anchors (model/topology.h) of the place of a restrained bead, -1: none, as it
   stands among the partners, and back: below 0, where it is no index of a bead. */
HD int32_t bonded_anchor(int32_t k)
{
  return ~k;
}

HD int bonded_role(const struct bonded_entry *e)
{
  return e->type_and_role & ((1 << BONDED_ROLE_BITS) - 1);
}

#endif
