/* Geometry of molecules and leaflets of a bilayer with normal z, for observables. Host memory. */
#ifndef BILAYER_H
#define BILAYER_H

#include "base/torus.h"
#include "observe/observable.h"

/* Signed difference a - b of two coordinates of a frame along one axis, minimum image, nm. */
static inline double observe_difference(uint32_t a, uint32_t b, double edge)
{
  return (double)(int32_t)(a - b) * (edge / TORUS_EDGE);
}

/* Sets x[n][3] to the beads of a molecule relative to its first bead, nm: sums of vectors from each
   bead to one that it is bonded to and that comes before it (else to the bead before), minimum
   image. Needs positions. */
void observe_unfold(const struct observe_system *a, const struct observe_frame *f,
                    const struct observe_molecule *m, double (*x)[3]);

/* Which beads are heads and tails. */
struct bilayer {
  char *is_head, *is_tail; /* [types] */
  int64_t all, headed;     /* lipids of the system; those that have beads of heads */
  int64_t before;          /* those of the ranks below this one */
  int64_t lipids;          /* of this rank's share */
  int64_t *lipid;          /* [lipids]: index of the molecule in the share */
  int most;                /* beads of the largest lipid of the share */
};

/* Reads the options head (default: type P, if lipids have it, else the types of beads with the name
   PO4) and tail (default: types without charge and dipole), and lists the lipids. Status 2 through
   the tree if the system has none. Collective. */
void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options);
void bilayer_close(struct bilayer *b);

/* A lipid at a step. */
struct lipid_pose {
  int leaflet;      /* 1: upper, -1: lower */
  int headed;       /* 1: has beads of heads; 0: its first bead stands for them */
  uint32_t head[3]; /* position of its head, fractions of the box edges in units of 2^-32 */
  double height;    /* of the head above the centre of the bilayer, minimum image, nm */
  double axis[3];   /* from the tails to the head, nm */
};

/* lipid: of this rank's. x: scratch for b->most beads. Needs positions and, for height, the centre.
 */
struct lipid_pose bilayer_pose(const struct bilayer *b, const struct observe_system *a,
                               const struct observe_frame *f, int64_t lipid, double (*x)[3]);

#endif
