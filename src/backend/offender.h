/* Ending a run because of a bead: one that has moved too far, or a broken bonded term. The beads
   around it are written to PREFIX.offender.csv, and the message names that file. The functions run
   on one rank alone and on the host. */
#ifndef OFFENDER_H
#define OFFENDER_H

#include <math.h>
#include <stdint.h>

#include "base/box.h"
#include "base/hd.h"
#include "model/forcefield.h"
#include "pair/bead_record.h"

/* The state of the rank that ends the run; host memory. */
struct offender_state {
  const char *prefix; /* NULL or empty: no file */
  const struct forcefield *ff;
  int64_t step;
  double box[BOX];
  int n, n_all; /* owned beads, and with the halo */
  const int64_t *id;
  const struct bead_record *record;
  const double *momentum; /* [n][3] */
};

/* The length above which a bonded term is broken, nm: three times its length at rest, if it has
   one, and at most longest (build_params.term_length). */
HD double offender_term_length(double rest, double longest)
{
  return rest > 0 ? fmin(3 * rest, longest) : longest;
}

/* Ends the program with status 3: a bead has moved by distance nm in one step. force: kJ/mol/nm. */
__attribute__((noreturn)) void offender_moved(const struct offender_state *s, int64_t bead,
                                              double distance, const double force[3]);
/* Ends the program with status 3: two beads of a bonded term are length nm apart, more than
   longest. length 0: one of them is not on this rank, whose halo cannot be wider. */
__attribute__((noreturn)) void offender_broken(const struct offender_state *s, int64_t bead,
                                               int64_t partner, double length, double longest);
/* Ends the program with status 3: the constraint of two beads cannot be solved; they are length nm
   apart, and should be `right`. */
__attribute__((noreturn)) void offender_constraint(const struct offender_state *s, int64_t bead,
                                                   int64_t partner, double length, double right);

#endif
