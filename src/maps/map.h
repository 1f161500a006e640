/* Maps of the electrostatic potential: point charges and point dipoles (the sources) on a lattice
   of points (Rodrigues, Hardy, Stone, Schulten and Hwu, Computing Frontiers 2008, and beyond).
   Lattice planes of constant z are divided over ranks; a rank has the sources within reach of its
   points (parts.h). Host memory throughout; a map kernel (struct map_ops) may compute on a device.
   Lengths nm, charges e, dipoles e nm, potentials kJ/mol/e.

   The potential at a point is the sum over the sources within the cutoff, with r the distance,
   d = point - source, x = r/cutoff, C = map_coulomb(job):
     MAP_DIRECT       C q / r              C (p.d) / r^3                       no cutoff
     MAP_CUTOFF       C q (1 - x^2)^2 / r  C (p.d) (1 - x^2)(1 + 3 x^2) / r^3
     MAP_FORCE_FIELD  the energy of a unit charge with charges and dipoles as the force field has it
     MAP_FULL         the periodic solution of Poisson's equation on the lattice (maps/full.h)
   Below MAP_NEAREST, r is MAP_NEAREST in the first three, so that a point on a charge has a finite
   value. */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

#include "base/box.h"
#include "base/units.h"

#ifdef __cplusplus
extern "C" {
#endif

enum map_method { MAP_DIRECT, MAP_CUTOFF, MAP_FORCE_FIELD, MAP_FULL };
#define MAP_NEAREST 1e-3 /* nm */

/* Positions are integers in units of 2^-32 of the edges of a torus, so that differences, which wrap
   around by integer overflow, are exact. With periodic boundaries the torus is the box; with open
   boundaries it is so much larger than sources and lattice together that no pair meets across its
   edges. */
struct map_torus {
  double edge[3]; /* nm */
  double low[3];  /* nm; the position of integer 0 */
};

struct map_source {
  int32_t x[3];
  int32_t unused; /* 0 */
  double q;       /* e */
  double p[3];    /* e nm */
};

/* Sources that a rank has, in the order of their bins; within a bin in the order of the input.
   Number and order of the bins and the order within them do not depend on the number of ranks. A
   rank has all sources of a bin or none: those of `held` bins along each direction, the first of
   them `low`, modulo the number of bins. */
struct map_sources {
  int64_t n;
  int has_dipoles;           /* of the sources of all ranks */
  struct map_source *source; /* [n] */
  int bins[3]; /* of the torus, of equal size in each direction; 1 in all for MAP_DIRECT */
  int low[3], held[3];
  /* [held[2] held[1] held[0] + 1], x fastest: the first source of each bin; the last is n. */
  int *start;
};

/* The number of a bin along direction k among those that the rank has. */
static inline int map_sources_at(const struct map_sources *s, int k, int bin)
{
  const int at = bin - s->low[k];
  return at < 0 ? at + s->bins[k] : at;
}

/* Index in `start` of the first bin that the rank has of the row y, z. */
static inline int64_t map_sources_row(const struct map_sources *s, int y, int z)
{
  const int64_t row = (int64_t)map_sources_at(s, 2, z) * s->held[1] + map_sources_at(s, 1, y);
  return row * s->held[0];
}

/* Points at origin + index spacing. Values have the order [z][y][x], z slowest. */
struct map_lattice {
  int n[3];
  int whole[2]; /* n[0] and n[1] of the whole lattice, of which this may be a part (parts.h) */
  double origin[3], spacing[3]; /* nm */
  int first, count;             /* planes z of this rank */
  int32_t *at[3];               /* [n[k]]: coordinates on the torus */
};

/* A coordinate in nm on a torus, rounded to its unit. */
int32_t lattice_on_torus(const struct map_torus *t, int k, double x);

/* The torus of a periodic box: its edges, from 0. */
struct map_torus lattice_torus_box(const double box[BOX]);
/* The torus for open boundaries: low ... high contains all sources and points. Differences within
   the cutoff (<= 0: all differences) do not meet across its edges. */
struct map_torus lattice_torus_open(const double low[3], const double high[3], double cutoff);

/* A lattice of n points from origin on, and the planes of a rank: whole blocks of MAP_BLOCK planes
   where there are as many blocks as ranks. The caller destroys it. Local. */
struct map_lattice *lattice_create(const struct map_torus *t, const int n[3],
                                   const double origin[3], const double spacing[3], int rank,
                                   int size);
void lattice_destroy(struct map_lattice *l);
/* The first plane of a rank; rank = size gives n. */
int lattice_first(int n, int rank, int size);
/* The rank that has a plane. */
int lattice_rank(int n, int plane, int size);

/* What maps on a device have taken, added up over calls; s. */
struct map_cost {
  double start;   /* until the device can be used */
  double kernels; /* in kernels: without tables and copies */
  int64_t pairs;  /* of a point and a source that kernels computed, within the cutoff or not */
};

/* One map. The same on all ranks, but for sources, planes of the lattice, device and cost. */
struct map_job {
  enum map_method method;
  int double_precision; /* 0: float arithmetic on the exact differences */
  int compensated;      /* 1: compensated sums (Kahan, Commun. ACM 8, 40, 1965) */
  double cutoff;        /* nm; MAP_CUTOFF and MAP_FORCE_FIELD */
  double permittivity;  /* relative, by which potentials are divided; 0: 1 */
  struct map_torus torus;
  const struct map_sources *sources; /* methods but MAP_FULL */
  const struct map_lattice *lattice;
  int device;            /* rank on this node: which GPU computes */
  struct map_cost *cost; /* added to by map_ops with a device; NULL: not wanted */
};

/* kJ nm/(mol e2) */
static inline double map_coulomb(const struct map_job *job)
{
  return UNITS_COULOMB / (job->permittivity > 0 ? job->permittivity : 1);
}

/* What computes maps. The value of a point is the same bits for any division of planes over ranks:
   it is summed in the order of the bins around its block of points, and blocks lie at multiples of
   MAP_BLOCK in the whole lattice, whose parts begin at multiples of it; along x at multiples of
   MAP_ROW. On a GPU the number of blocks of the whole lattice decides whether one thread or four
   add the sources of a point. */
enum { MAP_BLOCK = 8, MAP_ROW = 64 };
struct map_ops {
  const char *name;
  /* Sets value[count][n[1]][n[0]], host memory: float, or double with double_precision. Methods but
     MAP_FULL. Status 2 and a message if the device lacks memory. */
  void (*compute)(const struct map_job *job, void *value);
  /* NULL if this computer can run it, else why not. */
  const char *(*why_not)(void);
};
extern const struct map_ops map_cpu;
extern const struct map_ops map_cuda; /* cuda/maps/map.cu; only in builds with CUDA */

/* A kernel of CPUs, as map_ops.compute: one for each precision and instruction set, all compiled
   from map_kernel.c. */
typedef void map_kernel_function(const struct map_job *job, void *value);
/* That of a precision and level (force_kernel_get), or NULL where it was not built. */
map_kernel_function *map_kernel_get(int double_precision, int level);

struct ranks;
struct forcefield;

/* The cutoff of a method, nm, 0: none; given: by --cutoff, 0: not. ff: for MAP_FORCE_FIELD, whose
   cutoff is that of pairs of a charge that is of no class. Status 2 if the force field has no
   shifted-force electrostatics, or another cutoff is given. All ranks. */
double map_cutoff(enum map_method method, double given, const struct forcefield *ff);
/* Status 2 if the box of something that needs a rectangular one, `what`, is oblique; may_open: a
   map with open boundaries does not need one. All ranks. */
void map_box_require(const char *what, const double box[BOX], int may_open);
/* Status 2 if a cutoff is above half of an edge of a periodic box; may_open: it need not be
   periodic. All ranks. */
void map_cutoff_require(enum map_method method, double cutoff, const double box[BOX], int may_open);

/* The relative permittivity that charges feel: forcefield_epsilon_r; 1, and a warning, where it is
   not the same for all pairs. All ranks. */
double map_permittivity(const struct forcefield *ff);

/* The ops of a name: "cpu", "cuda", or "auto", which is cuda where all ranks can use a GPU. Dies
   with status 2 if a rank cannot run it. Collective. */
const struct map_ops *map_ops_get(const struct ranks *r, const char *name);

#ifdef __cplusplus
}
#endif

#endif
