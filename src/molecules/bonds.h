/* Bonded terms of this rank's beads as lists of ids, for files. In place of the terms of the
   section of bonds stands all that connects the beads of molecules, virtual sites too
   (model/connections.h), so that other programs can make molecules whole. */
#ifndef BONDS_H
#define BONDS_H

#include "molecules/selection.h"

/* Lists the terms of a section with so many beads that read no axis, whose beads are all selected,
   and whose first bead is in rows from ... to - 1 of the block: *id receives the ids of their
   beads, *row their rows in a file of the selection, from 1. Returns the number of terms; the
   caller frees both. Collective. */
int64_t bonds_selected(const struct selection *selection, const struct ranks *r,
                       const struct system *s, int section, int beads, int64_t from, int64_t to,
                       int64_t **id, int64_t **row);

#endif
