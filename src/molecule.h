/* Which molecules a whole system consists of. */
#ifndef MOLECULE_H
#define MOLECULE_H

#include "system.h"

/* Numbers the pieces that bonds join, by their lowest ids, and gives each bead of one that equals a
   molecule of the force field (types and bonds, in the order of ids) its kind. Single beads that
   are no molecule of the force field get number 0. The block must hold the whole system. */
void molecule_find_all(struct system *s);

#endif
