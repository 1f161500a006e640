/* Bonds and angles of this rank's beads as lists of bead numbers, for files that want them so.
 * Local. */
#ifndef BONDS_H
#define BONDS_H

#include "model/system.h"

/* The terms whose first bead is in rows from ... to - 1 of the block: ids of 2 beads (bonds) or of
   3 (angles; dipole restraints are none) each. Returns their number; the caller frees *id. */
int64_t bonds_list(const struct system *s, enum topology_kind kind, int64_t from, int64_t to,
                   int64_t **id);

#endif
