/* Motion of the beads of the CPU backend that are in no cluster, in blocks for vector units; the
   same bits as body_move and body_kick of each bead. Compiled once for each precision and
   instruction set. Host memory. */
#ifndef MOVE_CPU_H
#define MOVE_CPU_H

#include "dynamics/body_beads.h"

struct move_job {
  int n;                              /* owned beads */
  struct beads beads;                 /* borrowed */
  const struct body_type *inertia;    /* by type */
  const double *force, *torque;       /* [n][3], kJ/mol/nm and kJ/mol */
  const unsigned char *bath, *member; /* [n] heat bath, 1 in a cluster; NULL: 0 for all */
  const int64_t *id;
  double box[3]; /* nm, after the scaling */
};

/* Beads of a block. */
enum { MOVE_BLOCK = 32 };

/* The first half of a step of the beads from `from` on. Stops before a block in which a bead may
   have moved further than m->max_displacement, and returns its first bead; n if there is none. */
typedef int move_function(const struct move_job *job, const struct integrate_params *m, int from);
/* Half a kick: momenta and angular momenta change by the forces and torques during h, ps. */
typedef void kick_function(const struct move_job *job, double h);

#endif
