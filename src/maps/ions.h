/* Placement of ions one after the other, each at the place of least energy in a map of the
   potential (as cionize of VMD): the potential of an ion is added to the map before the next is
   placed. Places are the points of the lattice, or beads that the ions replace. Ions of one sign
   repel each other and places are only taken away, so the least energy of an ion of that sign never
   falls. The same on any number of ranks. */
#ifndef IONS_H
#define IONS_H

#include "maps/map.h"
#include "mpi/comm/ranks.h"

/* Beads that ions may replace: those that a rank gives, in ascending order of ids, in which ranks
   follow each other. The energy of an ion in the place of a bead is that at the nearest point of
   the lattice. */
struct ion_sites {
  int64_t n;
  int32_t (*x)[3]; /* on the torus */
  int64_t *id;
};

struct ion_place {
  int32_t x[3];
  int64_t id;    /* of the bead that is replaced; 0: none */
  double energy; /* kJ/mol: charge of the ion times the potential */
  int rank;      /* that has the place, and its number there */
  int64_t place;
};

struct ions;

/* job: in double precision; MAP_CUTOFF or MAP_FORCE_FIELD, on a lattice over the whole periodic
   box. value: the map, [count][n[1]][n[0]] of this rank's planes. Both are borrowed, and value is
   updated. sites: go to the ranks that have the planes next to them; NULL on all ranks: ions are
   placed at points of the lattice. Collective. */
struct ions *ions_create(const struct ranks *r, const struct map_job *job, double *value,
                         const struct ion_sites *sites);
void ions_destroy(struct ions *p);
/* Takes away the places of this rank nearer than `distance` (nm) to a position. Local. */
void ions_close(struct ions *p, const int32_t x[3], double distance);
/* The same for the n positions that each rank gives. Collective. */
void ions_close_all(struct ions *p, int64_t n, const int32_t (*x)[3], double distance);
/* The number of places left, on all ranks. Collective. */
int64_t ions_left(const struct ions *p);
/* Finds the place of least energy of an ion of a charge (e), which is that of all charges of its
   sign; of equal ones the lowest id, or the lowest index of a point. Returns 0 if there is no place
   left. It is fast as long as the charge is the same. Collective. */
int ions_find(struct ions *p, double charge, struct ion_place *out);
/* Adds the potential of an ion of a charge at a place that was found to the map, and takes the
   place away. Every rank calls it with the same. Local. */
void ions_put(struct ions *p, double charge, const struct ion_place *place);

#endif
