/* Lipids in the plane of the membrane, which is periodic, each with others of its leaflet. Every
   rank has the heads of all lipids. Host memory, local. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdint.h>

struct neighbour {
  /* The lateral place of its head, in units of 2^-32 of the box vectors a and b, and its leaflet: 0
     or LOWER_LEAFLET. */
  uint32_t x[3];
  int32_t type;  /* of molecule; 0 ... types - 1 */
  int64_t index; /* of the lipid in the system */
};

#define LOWER_LEAFLET (UINT32_C(1) << 31)

struct neighbours {
  int64_t all; /* lipids of the system */
  const struct neighbour *lipid;
  int64_t first, n; /* those of this rank: lipids first ... first + n - 1 */
  int types;
  double range;  /* nm */
  double box[3]; /* ax, by and bx, nm */
};

/* Adds to count[types][types], at [type of the lipid with the lower index][type of the other], the
   pairs at lateral distances of at most `range` (minimum image) whose first lipid is of this rank:
   the sums over ranks are of all pairs, each once. */
void neighbours_count(const struct neighbours *s, int64_t *count);
/* Adds the areas of the Voronoi cells of this rank's lipids, in units of 2^-VORONOI_BITS nm2, to
   area[types]: the points that are nearer to the head of a lipid than to that of any other lipid of
   its leaflet. Lipids at the same place share no area: each has that of the cell. */
enum { VORONOI_BITS = 30 };
void voronoi_areas(const struct neighbours *s, int64_t *area);

#endif
