/* External fields of a run: read, with their groups of beads and maps. */
#ifndef FIELDS_H
#define FIELDS_H

#include "md/sim.h"

/* Reads the external fields of the run file, finds their groups and reads their maps. Status 2 if a
   group has no bead, or a form does not fit the box. Collective. */
void fields_open(struct sim *s);
/* Logs what electric fields mean for the box, and what maps are. */
void fields_say(const struct sim *s);
/* 1 if a field changes in time: the energy is not conserved. */
int fields_move(const struct sim *s);

#endif
