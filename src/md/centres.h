/* Centres of the groups of coordinates, on the host: the groups of the run file with their weights,
   the references of a start, and the state of the positions that the system holds. */
#ifndef CENTRES_H
#define CENTRES_H

#include "input/coordinate_lists.h"
#include "md/sim.h"

/* The first coordinate that has a centre, for messages. */
const struct coordinate *centres_owner(const struct bias_set *set, int centre);
/* Finds the groups of n rules. Those of the same beads and weights are one centre. point: receives
   the points, nm. Status 2 if a group has no bead or no mass. Collective. */
void centres_find(struct sim *s, struct biases *b, struct centre_rule *rule, int n,
                  double point[CENTRES_MOST][3]);
/* Numbers the beads of the smaller groups of contacts, the slots. Status 2 if these are too many,
   or d_max is more than half the box. Collective. */
void contacts_find(const struct sim *s, struct biases *b);
/* Along which box vectors the place of each centre counts. The component along y of a vector is by
   times the second fraction, and cy times the third, and so on. */
void centres_reads_set(struct bias_set *set, const double box[BOX]);
/* Numbers the moments, and sets their scale: the sum of all beads of a group, at the far ends of a
   box twice as large, fits a word. */
void centres_moments_set(struct bias_set *set, const double box[BOX]);
/* Sets the places of centres from the circular means of their beads on, or to the points. Status 2
   if a group is wider than half the box along an axis that a coordinate reads. Collective. */
void centres_references_find(const struct sim *s, double (*point)[3], struct bias_state *now);
/* Sets *now from the positions that the system holds and the places of *before. Collective. */
void centres_solve(const struct sim *s, const struct bias_state *before, struct bias_state *now);

#endif
