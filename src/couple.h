/* Thermostats and barostats: factors that are a function of a finished state and act on the next
   step (equations: Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101, 2007; Bernetti and
   Bussi, J. Chem. Phys. 153, 114107, 2020; Berendsen et al., J. Chem. Phys. 81, 3684, 1984).
   Every rank computes the same factors from the same sums. Langevin noise is in the integrator. */
#ifndef COUPLE_H
#define COUPLE_H

#include "backend.h"
#include "observe.h"
#include "param.h"

/* Does coupling need the sums of the state after this step? */
int couple_due(const struct params *p, int64_t step);
/* And its virial? */
int couple_needs_virial(const struct params *p, int64_t step);
/* Fills scale, shift and stretch of the move that starts from this state, its step and seed being
   set; o may be NULL where couple_due says no. mass: of all beads. Returns the energy put into the
   system by scale and shift, kJ/mol. */
double couple_factors(const struct params *p, const struct observables *o, const double box[3],
                      struct freedom freedom, double mass, struct move *m);

#endif
