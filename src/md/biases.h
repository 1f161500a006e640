/* Coordinates and biases of a run (model/bias.h): their groups of beads, and their state from step
   to step. Where the run file has no coordinates every function does nothing. */
#ifndef BIASES_H
#define BIASES_H

#include <stdio.h>

#include "md/sim.h"

/* Reads the lists of the run file, finds the groups and their weights. is_run 0: there are no rows
   for files, and no hills are deposited. minimises 1: constraints are stiff springs. Status 2 if a
   group has no bead, no mass, or is wider than half the box along an axis that a coordinate reads.
   Collective. */
void biases_open(struct sim *s, int is_run, int minimises);
/* Status 2 if at the start of a run a bias has a place that its coordinate cannot have, or a
   cylinder is wider than half the box. A warning if no barostat changes what a bias is of. */
void biases_check(const struct sim *s);
/* The least and the largest value that a coordinate can have in the present box, unit of the
   program. */
void biases_range(const struct sim *s, int coordinate, double range[2]);
void biases_close(struct sim *s);
/* Takes the state from the record of the system, or finds that of a start. biases_start gives it
   to the backend. Collective. */
void biases_find_state(struct sim *s);
void biases_start(struct sim *s);
/* Computes coordinates and the forces on their groups at the present positions, before the force
   calls. On a backend with async_ops it enqueues that. Collective. */
void biases_apply(struct sim *s);
/* Takes the state of the present step, which is complete, from the backend. Status 3 if a group has
   become wider than half the box. */
void biases_fetch(struct sim *s);
/* Copies it into the record of the system, for checkpoints and copies. */
void biases_save(struct sim *s);
/* Replicas that exchange biases: gives a bias other numbers for those of its parameters that have
   one of each replica, in units of files; its energy with such numbers in the state that was
   fetched last, kJ/mol. Local. */
void biases_set_parameters(struct sim *s, int bias, const double value[BIAS_PARAMETERS_MOST]);
double biases_energy_with(const struct sim *s, int bias, const double value[BIAS_PARAMETERS_MOST]);
/* Computes the forces of the present state, which is complete, anew, with energies, as at the start
   of a run that goes on from it. Collective. */
void biases_renew_forces(struct sim *s);
/* The state that was fetched last; NULL: there are no coordinates. */
const struct bias_state *biases_state(const struct sim *s);
/* The values of the coordinates in the units of files. */
void biases_values(const struct sim *s, double value[COORDINATES_MOST]);
/* Sets the state from the positions of the system, for frames that are far apart: each finds its
   references anew. The backend does not take part. Collective. */
void biases_measure(struct sim *s);
/* 1 if a bias acts on a coordinate of a point: then momentum is not conserved. */
int biases_have_points(const struct sim *s);
/* The work of all biases since the start of the run, kJ/mol. */
double biases_work(const struct sim *s);
/* The rows of steps for files that have been fetched and not been taken yet: calls write(context,
   step, row), then forgets them. */
void biases_take_rows(struct sim *s, void (*write)(void *context, int64_t step, const double *row),
                      void *context);

#endif
