/* What a backend needs to accumulate profiles along z (TALLY_CENTRE, TALLY_PROFILE, TALLY_STRESS of
   enum tally_quantity), and the order of the words of their bins. Profiles have equal bins of the
   box edge: a bead lies in bin ((z - centre + 2^31) mod 2^32) bins / 2^32, z its position in units
   of 2^-32 of the edge, so that the middle of the profile is at the centre. Host memory.

   A species is what beads are counted by: any function of the bonded environment of a bead, or, for
   beads without one, of its type. */
#ifndef PROFILE_H
#define PROFILE_H

#include "pair/stress_ends.h"

#include <stdint.h>

/* The arrays that TALLY_PROFILE adds up, in this order. */
enum profile_arrays {
  PROFILE_NUMBER = 1, /* [species][bins]: number of beads */
  /* [types][bins]: sum of the z component of body z, a unit vector, in units of
     2^-PROFILE_DIPOLE_BITS; 0 for types without a dipole */
  PROFILE_DIPOLE = 2
};
enum { PROFILE_DIPOLE_BITS = 32 };

/* The same on all ranks. Arrays are borrowed during the call. */
struct profile {
  int bins, species;
  uint32_t centre; /* the middle of the profile, in units of 2^-32 of the box edge */
  /* The words that a call with TALLY_CENTRE has been given. If set, the centre comes from these
     words, and `centre` is not read. The host need not have waited for them. Only on one rank,
     whose words are the sums over all. NULL: `centre`. A device knows the centre of one array of
     words: those of the last call with TALLY_CENTRE. */
  const int64_t *centre_word;
  unsigned arrays; /* bits of enum profile_arrays; TALLY_PROFILE only */
  /* ps; TALLY_STRESS only. Half a time step: the kinetic part is the mean of those of the momenta
     that carry beads to and from their positions, p - F half_step and p + F half_step, F the force
     of the last force call and of the constraints, whose forces are those that keep lengths with
     these momenta. 0: that of p, and forces are not read, but for those of clusters. */
  double half_step;
  /* Tables; not read by TALLY_STRESS. */
  const int32_t *species_of_env;  /* [topology.n_envs]; may be NULL if there are none */
  const int32_t *species_of_type; /* [types], for beads without a bonded environment */
  const double *weight; /* [species], 0 <= weight < 2^20; TALLY_CENTRE only: 0 leaves beads out */
  /* Not 0. A device copies the three tables when this differs from the last call with
     TALLY_CENTRE or TALLY_PROFILE: give all of them, and another value whenever one of them
     changes.
   */
  int64_t generation;
};

static inline int profile_words(const struct profile *p, int types)
{
  return p->bins *
         ((p->arrays & PROFILE_NUMBER ? p->species : 0) + (p->arrays & PROFILE_DIPOLE ? types : 0));
}

/* The words of TALLY_STRESS; observe/stress_profile.h says what they mean. Arrays of words, each
   [bins]. STRESS_END and STRESS_PLACE: of [contribution][component]. */
enum stress_array {
  STRESS_END = 0, /* by edge: the lower edge of each bin */
  STRESS_PLACE = STRESS_END + STRESS_CONTRIBUTIONS * STRESS_COMPONENTS,
  STRESS_HARASIMA = STRESS_PLACE + STRESS_CONTRIBUTIONS * STRESS_COMPONENTS,
  STRESS_KINETIC, /* of [component] */
  STRESS_ARRAYS = STRESS_KINETIC + STRESS_COMPONENTS
};
/* Single words after the arrays. */
enum stress_single {
  STRESS_TOTAL = 0, /* of [contribution][component] */
  /* of [component]: the virial of these constraint forces less that of TALLY_SUMS, whose forces are
     those of the momenta of the state */
  STRESS_EXCESS = STRESS_TOTAL + STRESS_CONTRIBUTIONS * STRESS_COMPONENTS,
  STRESS_OVERFLOW = STRESS_EXCESS + STRESS_COMPONENTS, /* as in struct sums */
  STRESS_MAGNITUDE,
  STRESS_SINGLES
};

static inline int stress_words(int bins)
{
  return STRESS_ARRAYS * bins + STRESS_SINGLES;
}

#endif
