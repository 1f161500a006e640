/* Biases of kind constraint (md/biases.h): distances of centres of groups that are held. Where the
   run file has none every function does nothing. */
#ifndef CONSTRAINTS_H
#define CONSTRAINTS_H

#include "md/sim.h"

/* Finds how easily the groups move. Status 2 if two constraints have the same coordinate.
   Collective. */
void constraints_open(struct sim *s);
/* The degrees of freedom that constraints take from a bead, all beads together one each. Local. */
double constraints_freedom(const struct sim *s, int type, int64_t id);
/* Status 2 if a bead of their groups is frozen, or a cluster of constraints and virtual sites is
   not in a group as a whole. s->teams is set. Collective. */
void constraints_check(const struct sim *s);
/* Moves the beads of the system, and changes their momenta, so that constraints are fulfilled that
   nearly are; status 2 if one is not near, or constraints depend on each other. A state of a run
   fulfils them, and stays as it is. Collective. */
void constraints_start(struct sim *s);
/* After the drift of the step that m describes, and after its second half kick or at the start of a
   job (moves 0). On a backend with async_ops they enqueue that. Collective. */
void constraints_hold(struct sim *s, const struct integrate_params *m);
void constraints_balance(struct sim *s, int moves);

#endif
