/* What the record of a system, and so its checkpoints, have of coordinates and biases: references,
   images that are followed, the scale of moments, work, values at the start, forces of constraints.
 */
#ifndef BIAS_RECORD_H
#define BIAS_RECORD_H

#include "md/sim.h"

/* 1 if the record has the references of these coordinates, which it then sets. */
int bias_record_references(const struct sim *s, struct bias_state *now);
/* The scale of moments of these coordinates, struct bias_set; 0: the record has none. */
double bias_record_scale(const struct sim *s);
/* The numbers of a bias that the record has by its name and that of its coordinate: its work, and
   the value at its start. NULL: it has none. */
const double *bias_record_numbers(const struct sim *s, int bias);
/* Sets the forces of constraints, and their sums since the last row, if the record has those of
   the same biases. */
void bias_record_forces(const struct sim *s, struct bias_state *now);
/* Copies the state into the record. */
void bias_record_save(struct sim *s, const struct bias_state *now);

#endif
