/* Leaflets of the lipids of a bilayer whose normal is z. */
#ifndef LEAFLET_H
#define LEAFLET_H

#include "model/lipids.h"
#include "model/system.h"
#include "molecules/flatness.h"
#include "mpi/comm/ranks.h"

/* The leaflet of each bead's molecule at the present positions, [n] of the block, virtual sites
   among them: 1 upper, -1 lower, 0 no lipid. *lipids: how many lipids all ranks have; *flat:
   whether they are a flat bilayer, FLAT if l->is_flat. Collective; the caller frees it. */
int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct lipids *l,
                       int64_t *lipids, enum flatness *flat);

/* The beads of what may be lipids, of blocks of a system that are added one after the other.
   Zero-initialised. Local. */
struct leaflet_beads {
  int64_t n;
  struct leaflet_bead *bead; /* [n] */
};
void leaflet_beads_add(struct leaflet_beads *b, const struct system *block, const struct lipids *l);
/* As leaflets_find, of a system whose blocks have been added. Returns the number of lipids, and
   frees the beads. */
int64_t leaflet_beads_judge(struct leaflet_beads *b, const struct system *s, const struct lipids *l,
                            enum flatness *flat);

/* Where most molecules of a type are: there are none; there is no flat bilayer to see it; standing
   in the layer, with the head near the heights of heads of a leaflet and the tail towards the
   middle; else between the heads; elsewhere. */
enum place { PLACE_NONE, PLACE_UNKNOWN, PLACE_STANDING, PLACE_BETWEEN, PLACE_OUTSIDE };
/* The place of each molecule type that has marks, [n_molecules]. The layer is that of the upright
   molecules with head and tail. The same on any number of ranks. Collective; the caller frees it.
 */
char *leaflets_stand(const struct ranks *r, const struct system *s, const struct lipids *l);

#endif
