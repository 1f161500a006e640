/* Which molecules a whole system consists of. */
#ifndef MOLECULE_H
#define MOLECULE_H

#include "model/system.h"

/* Numbers the pieces that bonds join, by their lowest ids, and gives each bead of one that equals a
   molecule of the force field its kind: the same types, bonds and angles, whatever the order of the
   ids. Single beads that are no molecule of the force field get number 0. The block must hold the
   whole system. order: room for s->n, or NULL; gets the beads, from 0, molecule by molecule, those
   of a known one in the order of the force field. Returns the number of molecules whose beads are
   not consecutive in that order. */
int64_t molecule_find_all(struct system *s, int64_t *order);

#endif
