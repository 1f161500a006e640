/* Parameters of the first half of a step, on host and device: time step, noise, and the scaling of
   momenta and box by thermostat and barostat. */
#ifndef INTEGRATE_PARAMS_H
#define INTEGRATE_PARAMS_H

#include <stdint.h>

#include "base/box.h"
#include "base/hd.h"
#include "model/team.h"

/* Factors that thermostat and barostat apply at the start of a step. */
struct scaling {
  double scale[TEAMS_MOST];    /* factors of momenta and angular momenta, by team */
  double shift[TEAMS_MOST][3]; /* velocity that is subtracted, nm/ps, by team */
  double stretch[3];           /* factors of the box edges */
};

HD struct scaling scaling_none(void)
{
  struct scaling f = {{1}, {{0, 0, 0}}, {1, 1, 1}};
  for (int k = 1; k < TEAMS_MOST; k++)
    f.scale[k] = 1;
  return f;
}

/* The variables that coupling changes; on devices they stay in device memory. */
struct coupling_state {
  struct scaling scaling; /* of the last coupling, to be applied in the step after it */
  double box[BOX];        /* nm; after that scaling */
  /* Squares of displacements since the list build, nm2. A pair that the list lacks can only be
     inside the cutoff if one of its beads has moved more than search_above2: such beads are
     searched for unlisted pairs. If a bead has moved more than rebuild_above2 the lists have
     expired. */
  double search_above2, rebuild_above2;
  double work;            /* kJ/mol; total energy added to the system */
  int64_t step, overflow; /* step of the last coupling; addends of its sums that did not fit */
};

/* The state before any coupling; thresholds are 0. */
static inline struct coupling_state coupling_state_start(const double box[BOX])
{
  struct coupling_state c = {scaling_none(), {0}, 0, 0, 0, 0, 0};
  memcpy(c.box, box, sizeof c.box);
  return c;
}

/* How expired lists are detected (md/listcheck.h). DISPLACEMENT: the host asks the backend for
   displacement2. SEARCH: the device searches for unlisted pairs, with the thresholds of struct
   coupling_state. */
enum list_expiry { EXPIRY_DISPLACEMENT, EXPIRY_SEARCH };

/* Langevin noise of the heat bath of a team in a step. */
struct bath_noise {
  double decay, kT; /* exp(-dt / tau), the part of momenta that stays; kJ/mol */
};

/* The first half of a step does, in this order: momenta times scaling.scale, minus mass times
   scaling.shift; half a kick; box edges times scaling.stretch, momenta divided by it; drift and
   free rotation, with noise in the middle. Of a cluster the box edges scale the place of the centre
   of mass and its momentum alone. Momenta along axes along which a bead is frozen stay 0. */
struct integrate_params {
  double dt;              /* ps */
  struct scaling scaling; /* not used if coupled */
  int coupled;            /* 1: the scaling is in device memory, written by couple_apply there */
  int noise;              /* 1: Langevin noise */
  struct bath_noise bath[TEAMS_MOST]; /* by team */
  uint64_t seed;
  int64_t step;            /* step number of the state before: counter of the noise */
  double max_displacement; /* nm; a bead that moves further in one step is a blow-up */
  enum list_expiry list_expiry;
  int reduce_expired;  /* 1: expired lists are reduced over ranks before any rank stops */
  int box_changes;     /* 1: a barostat may change the box until the next build */
  double search_reach; /* nm; of the search for unlisted pairs, which list_expiry may ask for */
};

#endif
