/* Placement of ions one after the other, each at the place of least energy in a map of the
   potential (as cionize of VMD): the potential of an ion is added to the map before the next is
   placed. Places are the points of the lattice, or beads that the ions replace. Ions of one charge
   repel each other and places are only taken away, so the energies of ions of one charge that
   follow each other never fall. The same on any number of ranks. */
#ifndef IONS_H
#define IONS_H

#include "maps/map.h"
#include "mpi/comm/ranks.h"

/* Beads that ions may replace. The energy of an ion in the place of a bead is that at the nearest
   point of the lattice. */
struct ion_sites {
  int64_t n;
  int32_t (*x)[3]; /* on the torus */
  int64_t *id;
};

struct ion_place {
  int32_t x[3];
  int64_t id;    /* of the bead that is replaced; 0: none */
  double energy; /* kJ/mol: charge of the ion times the potential */
};

struct ions;

/* job: in double precision; MAP_CUTOFF or MAP_FORCE_FIELD, on a lattice over the whole periodic
   box. value: the map, [count][n[1]][n[0]] of this rank's planes. Both are borrowed, and value is
   updated. sites: the same on all ranks, in ascending order of ids; NULL: ions are placed at points
   of the lattice. Local. */
struct ions *ions_create(const struct ranks *r, const struct map_job *job, double *value,
                         const struct ion_sites *sites);
void ions_destroy(struct ions *p);
/* Takes away the places nearer than `distance` (nm) to a position. Every rank calls it with the
   same. Local. */
void ions_close(struct ions *p, const int32_t x[3], double distance);
/* The number of places left, on all ranks. Collective. */
int64_t ions_left(const struct ions *p);
/* Finds the place of least energy of an ion of a charge (e); of equal ones the lowest id, or the
   lowest index of a point. Adds the potential of the ion to the map and takes its place away.
   Returns 0 if there is no place left. Collective. */
int ions_place(struct ions *p, double charge, struct ion_place *out);

#endif
