/* What the first half of a step needs to know, on host and device: time step, noise, and the
   scaling that thermostat and barostat have asked for. */
#ifndef INTEGRATE_PARAMS_H
#define INTEGRATE_PARAMS_H

#include <stdint.h>

#include "base/hd.h"

/* What thermostat and barostat do to a state. */
struct scaling {
  double scale;      /* of momenta and angular momenta */
  double shift[3];   /* nm/ps */
  double stretch[3]; /* of the box edges */
};

HD struct scaling scaling_none(void)
{
  struct scaling f = {1, {0, 0, 0}, {1, 1, 1}};
  return f;
}

/* What thermostat and barostat change of a system. */
struct coupling_state {
  struct scaling scaling; /* of the last coupling, for the step after it */
  double box[3];          /* nm; after that */
  /* Squares of displacements since the list build, nm2. Two beads that have both come no further
     than search_above2 cannot be an unlisted pair inside the cutoff. Beads beyond it are searched
     for such pairs; beyond rebuild_above2 the lists have expired. */
  double search_above2, rebuild_above2;
  double work;            /* kJ/mol; the energy that they have put into the system */
  int64_t step, overflow; /* the last one; parts of its sums that did not fit */
};

/* Before any coupling, without thresholds. */
static inline struct coupling_state coupling_state_start(const double box[3])
{
  struct coupling_state c = {scaling_none(), {box[0], box[1], box[2]}, 0, 0, 0, 0, 0};
  return c;
}

/* How it is found that lists have expired (src/md/listcheck.h): the host asks for displacement2; it
   counts steps; or the device searches, by the thresholds of struct coupling_state. */
enum lists_end { LISTS_ASKED, LISTS_COUNTED, LISTS_SEARCHED };

/* The first half of a step, in this order: momenta times scale, less mass times shift; half a kick;
   lengths and box times stretch, momenta over it; drift and free rotation, with noise in between.
 */
struct integrate_params {
  double dt;              /* ps */
  struct scaling scaling; /* of the host; coupled: not used */
  int coupled;            /* 1: the device has coupled, and has the scaling in its memory */
  int noise;              /* Langevin */
  double tau, kT;         /* ps, kJ/mol */
  uint64_t seed;
  int64_t step; /* of the state before: counter of the noise */
  double limit; /* nm; a bead that moves further in one step has blown up */
  enum lists_end end;
  int reduce_expired; /* other ranks must learn it first when lists of this one have expired */
  int box_changes;    /* with barostats, from build to build */
};

#endif
