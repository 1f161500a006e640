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

/* The lipids of this rank's share, their heads and tails. */
struct bilayer {
  int64_t all, headed; /* lipids of the system; those with heads that thickness is measured between
                        */
  int64_t before;      /* those of the ranks below this one */
  int64_t lipids;      /* of this rank's share */
  int64_t *lipid;      /* [lipids]: index of the molecule in the share */
  char *
      *mark; /* [lipids]: of the beads (model/lipids.h), and then 1 if the lipid is one of headed */
  int most;  /* beads of the largest lipid of the share */
  char **own; /* [n_own]: marks of the molecule types, NULL: no lipid; then those of lipids of no
                 type */
  int64_t n_own;
};

/* Lists the lipids, and reads the options head and tail: bead types that are the heads, or tails,
   of all lipids in place of their own. Status 2 through the tree if the system has no lipids. Sets
   o->flat_grid, unless the lipids are not to be asked whether they are flat. Collective. */
void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options);
void bilayer_close(struct bilayer *b);
/* The marks of the beads of a molecule type; NULL: no lipid. */
const char *bilayer_marks(const struct bilayer *b, int molecule_type);

/* A lipid at a step. */
struct bilayer_lipid {
  int leaflet;      /* 1: upper, -1: lower */
  int headed;       /* 1: its heads are those that thickness is measured between */
  uint32_t head[3]; /* position of its head, fractions of the box edges in units of 2^-32 */
  double height;    /* of the head above the centre of the bilayer, minimum image, nm */
  double axis[3];   /* from the tails to the head, nm */
};

/* lipid: of this rank's. x: scratch for b->most beads. Needs positions and, for height, the centre.
   flat: NULL, or words of flatness (observe_flat_words), to which the lipid is added. */
struct bilayer_lipid bilayer_pose(const struct bilayer *b, const struct observable *o,
                                  const struct observe_frame *f, int64_t lipid, double (*x)[3],
                                  int64_t *flat);

#endif
