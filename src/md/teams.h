/* The heat baths of a run, and its teams (model/team.h): beads with the same bath and momentum
   group, frozen along the same axes; their degrees of freedom. */
#ifndef TEAMS_H
#define TEAMS_H

#include "md/sim.h"

/* Reads the lists of the run file, sets s->bath and s->teams, and counts degrees of freedom, less
   those that the removal of momenta takes. s->mass and the fields are set. Status 2 if a bead is in
   no heat bath or in two, in two momentum groups, if a cluster is not in one team as a whole, or a
   group has no bead. Collective. */
void teams_open(struct sim *s);
void teams_close(struct sim *s);
/* Sets the momenta of the system along frozen axes to 0. Local. */
void teams_freeze(struct sim *s);
/* All heat baths have this temperature from now on, K. Local. */
void teams_set_temperature(struct sim *s, double temperature);
/* The kinetic energy of the beads of a heat bath, kJ/mol. Local. */
double teams_kinetic(const struct sim *s, const struct thermo *o, int bath);

#endif
