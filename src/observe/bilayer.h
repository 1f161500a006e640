/* Geometry of molecules and leaflets of a bilayer with normal z, for observables. Host memory. */
#ifndef BILAYER_H
#define BILAYER_H

#include "base/torus.h"
#include "molecules/flatness.h"
#include "observe/observable.h"

/* Signed difference a - b of the z of two points of a frame, minimum image, nm. */
static inline double observe_rise(const struct observe_frame *f, uint32_t a, uint32_t b)
{
  return (double)(int32_t)(a - b) * (f->box[2] / TORUS_EDGE);
}

/* torus_lateral of a point, by the image that is nearest to the centre of the bilayer. */
static inline void observe_lateral(const struct observe_frame *f, const uint32_t x[3],
                                   uint32_t lateral[2])
{
  const double rise = (double)(int32_t)(x[2] - f->centre);
  torus_lateral(f->box, x, ((double)f->centre + rise) / TORUS_EDGE, lateral);
}

/* For open: lateral places are asked for, which need the centre of one bilayer where the box vector
   c is not along z. Errors go to the tree. */
void observe_needs_lateral(struct observable *o, struct yaml_tree *t, int options);

/* The lipids of this rank's share, their heads and tails. */
struct bilayer {
  int64_t all, headed; /* lipids of the system; those with heads that thickness is measured between
                        */
  int64_t before;      /* those of the ranks below this one */
  int64_t lipids;      /* of this rank's share */
  int64_t *lipid;      /* [lipids]: index of the molecule in the share */
  /* [lipids]: of the beads (model/lipids.h), and then 1 if the lipid is one of headed */
  const char **mark;
  char **of_type;                 /* [molecule types]: the same for each; NULL: no lipid */
  int most;                       /* beads of the largest lipid of the share */
  struct bilayer_lipid *lipid_at; /* [lipids]: of bilayer_poses */
  int *leaflet;                   /* [molecules of the share]: the same; 0: no lipid */
  double (*x)[3];                 /* [most]: scratch */
};

/* A lipid at a step. */
struct bilayer_lipid {
  struct lipid_pose pose;
  int headed;          /* 1: its heads are those that thickness is measured between */
  double height;       /* of the head above the centre of the bilayer, minimum image, nm */
  uint32_t lateral[2]; /* of the head: observe_lateral */
};

/* Lists the lipids, and reads the options head and tail: bead types that are the heads, or tails,
   of all lipids in place of their own. Status 2 through the tree if the system has no lipids. Sets
   o->flat_grid, unless the lipids are not to be asked whether they are flat. Collective. */
void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options);
/* The lipids of this rank, [lipids]. Needs positions and, for heights and lateral
   places (observe_needs_lateral), the centre. flat: NULL, or
   words of flatness (observe_flat_words), to which the lipids are added. */
const struct bilayer_lipid *bilayer_poses(const struct bilayer *b, const struct observable *o,
                                          const struct observe_frame *f, int64_t *flat);

#endif
