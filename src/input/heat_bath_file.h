/* The list `thermostat.groups` of a run file: heat baths, with the groups of beads that they act
   on. */
#ifndef HEAT_BATH_FILE_H
#define HEAT_BATH_FILE_H

#include "input/param.h"
#include "model/forcefield.h"
#include "model/heat_bath.h"

/* The baths of a run, at least one; sets *n. Their ranges of ids and degrees of freedom are not
   found yet. Mistakes are reported together, with lines and the nearest known word; then all ranks
   end with status 2. Local: every rank reads the list. n_total: beads of the system. */
struct heat_bath *heat_baths_read(const struct params *p, const struct forcefield *ff,
                                  int64_t n_total, int *n);

#endif
