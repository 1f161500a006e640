/* When thermostats and barostats act, and with which parameters: factors that are a function of a
   finished state and act on the next step. Langevin noise is in the integrator. */
#ifndef COUPLE_H
#define COUPLE_H

#include "dynamics/couple_body.h"
#include "input/param.h"

/* Does coupling need the sums of the state after this step? */
int couple_due(const struct params *p, int64_t step);
/* And its virial? */
int couple_needs_virial(const struct params *p, int64_t step);
/* What is due after this step, and its parameters; the rest is 0. */
struct coupling_params couple_rules(const struct params *p, int64_t step);

#endif
