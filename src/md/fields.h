/* External fields of a run: read, with their groups of beads and maps. */
#ifndef FIELDS_H
#define FIELDS_H

#include "md/sim.h"

/* Reads the external fields of the run file, finds their groups and reads their maps. Status 2 if a
   group has no bead, or a form does not fit the box. Collective. */
void fields_open(struct sim *s);
/* Logs what electric fields mean for the box, and what maps are. */
void fields_say(const struct sim *s);
void fields_close(struct sim *s);
/* 1 if a field changes in time, and so does work. */
int fields_move(const struct sim *s);

/* The work, if fields change in time; else these do nothing. start: after the first forces, goes on
   from that of the record. fetch: takes it from the backend where a line of energies is due; the
   state of the present step is complete. save: takes it, and copies it into the record of the
   system. Collective. */
void fields_start(struct sim *s);
void fields_fetch(struct sim *s);
void fields_save(struct sim *s);
/* As taken last, since the start of the run, kJ/mol; nan if some was not finite or too large. */
double fields_work(const struct sim *s);

#endif
