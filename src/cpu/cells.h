/* Cells and neighbour lists on the host. The grid covers the whole box: columns of half a list
   radius along x and y, and thin cells along z. Beads are sorted by cell, then id. A list is
   ordered by relative column, then by cell from the bottom of the z window that the bead can reach,
   then by id, and so is the same on any number of ranks. Grid and pair tests use build positions
   only. In double precision lists are those of devices: the same grid and tests
   (backend/list_test.h), with the bead itself in the place of itself and of excluded partners, and
   in two parts (pair_list_part), so that forces have the same bits.

   Memory is proportional to the number of sorted beads, not to the box: the table of cells has only
   planes of cells that contain beads. If even these are far more cells than beads, columns are
   found by a hash table and cells by bisection. Both give the same lists. */
#ifndef CELLS_H
#define CELLS_H

#include <stdint.h>

#include "backend/grid.h"
#include "base/id_map.h"
#include "pair/bead_record.h"
#include "pair/pair_pass.h"

enum { CELLS_OVER = 16 }; /* the elements of the widest vector */
#define CELLS_MARGIN                                                                               \
  1.000001 /* of radii that are tested in float, so that none is lost by rounding */

/* Written by cpu/cells.c. */
struct cells {
  struct grid grid;
  int n;         /* beads */
  int *below[3]; /* [grid.n + 1], by axis: number of planes of cells with beads before plane k */
  int room[3];
  /* Indices into the sorted arrays. With a table: the first bead of each cell in these planes.
     Without: the first bead of each column that contains beads; columns maps column numbers to
     entries. */
  int *start;
  int64_t start_size;
  int has_table;
  struct id_map columns;
  int size; /* capacity of the arrays below */
  /* The arrays of sorted beads have CELLS_OVER readable elements after the last bead. */
  int *order;         /* local index of the k-th bead in the order of (cell, id) */
  int *cell;          /* with a table: cell of each local bead; without: z cell of the k-th bead */
  int32_t *x, *y, *z; /* sorted build positions */
};

/* A column of cells: see cells_column. */
struct cell_column {
  const int *start; /* with a table: its entries; else NULL */
  int begin, end;   /* its beads, in the sorted arrays */
};

/* Partial sums of a bead: the k-th partner in a part of its list adds to sum k modulo FORCE_LANES.
 */
#ifdef REAL_DOUBLE
enum { FORCE_LANES = PAIR_PARTIAL_SUMS };
#else
enum { FORCE_LANES = 16 };
#endif

/* Memory that one thread fills with lists. Blocks stay where they are, and are used again by the
   next build. */
struct list_store {
  int **block;
  int *size;        /* of the blocks */
  int blocks, used; /* how many there are, and how many have lists */
  int *next;        /* the free end of the last one of these */
  int left;
};

/* Neighbours of a bead: row[i][0 .. n[i] - 1], local indices, each part padded with the bead itself
   to a multiple of FORCE_LANES. */
struct neighbor_list {
  int **row;                /* [owned], in the store of the thread that found them */
  int *n;                   /* [owned] */
  int rows;                 /* room of both */
  int threads;              /* how many stores there are */
  struct list_store *store; /* [threads] */
};

/* Partners that are left out of a bead's list, as local indices: partner[row[i] .. row[i + 1]); -1:
   one that no list can contain. */
struct exclusions {
  const int *row, *partner;
};

/* For grid_set: columns half a list radius wide give long runs of candidates for vector units, most
   of which are in the list. */
enum { COLUMNS_PER_RADIUS = 2 };

/* Sorts n beads (positions [n][3], units of 2^-32 of the box edges) into the cells. */
void cells_sort(struct cells *c, const struct grid *g, int n, const int32_t *position,
                const int64_t *id, int threads);
/* The same cells, of the same beads once they have been put into this order. */
void cells_renumber(struct cells *c);
/* The column with indices x, y of the grid. */
struct cell_column cells_column(const struct cells *c, int x, int y);
/* Index in the sorted arrays of the first bead of a column in cell z or above. */
static inline int cells_first(const struct cells *c, const struct cell_column *column, int z)
{
  if (column->start) return column->start[c->below[2][z]];
  int low = column->begin, high = column->end;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (c->cell[middle] < z)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Which pairs a list contains: those closer than the radius (nm, at most that of the grid) whose
   list classes are partners of each other. */
struct cells_pairs {
  double radius;
  const unsigned *partners; /* by class: bits of the classes of its partners; NULL: all pairs */
  const unsigned char *class_of;    /* of a type */
  const unsigned char *part_of;     /* of a type, in double precision: pair_list_part */
  const struct bead_record *record; /* types of the beads */
};

/* What lists are made of: owned beads, positions [beads][3]. */
struct cells_job {
  const struct cells *cells;
  const int32_t *position;
  struct exclusions skip;
  struct cells_pairs pairs;
  int points; /* 1: two beads may be at one point */
  struct neighbor_list *list;
};

/* Builds the lists of beads begin ... end - 1 from all sorted beads, in the store of a thread.
   Returns the first of them at the point of another one (cells_refuse_point), or end. There is one
   function for each instruction set: struct force_kernel. */
typedef int cells_list_function(const struct cells_job *job, int begin, int end, int thread);
/* Ends the program with status 3: bead i and another one are at one point. */
void cells_refuse_point(const struct cells_job *job, int i, const int64_t *id)
    __attribute__((noreturn));
/* 1 if j is left out of the list of i. */
static inline int exclusions_have(const struct exclusions *skip, int i, int j)
{
  for (int k = skip->row[i]; k < skip->row[i + 1]; k++)
    if (skip->partner[k] == j) return 1;
  return 0;
}
void cells_free(struct cells *c);
int64_t cells_bytes(const struct cells *c); /* of memory that depends on the box */
/* Makes room for the lists of owned beads, which threads then fill. */
void neighbor_list_begin(struct neighbor_list *l, int owned, int threads);
/* Room for n neighbours, at the free end of a store. */
int *list_store_room(struct list_store *s, int n);
int64_t neighbor_list_bytes(const struct neighbor_list *l);
void neighbor_list_free(struct neighbor_list *l);

#endif
