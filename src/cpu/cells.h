/* Neighbour lists on the host. A grid over the whole box, columns a fraction of the list radius
   wide along x and y, thin cells along z; beads sorted by cell, then id. The list of a bead goes by
   relative column, then cell from the bottom of the z window that the bead can reach, then id, and
   so is the same on any number of ranks. Grid and tests depend on build positions only.

   Memory follows the beads that are sorted, not the box: the table of cells holds only planes of
   cells with beads in them, and where even these make far more cells than there are beads, columns
   are found by a hash table and cells by bisection. Both ways give the same lists. */
#ifndef CELLS_H
#define CELLS_H

#include <stdint.h>

#include "backend/grid.h"
#include "base/id_map.h"

struct cells {
  struct grid grid;
  int n;         /* beads */
  int *below[3]; /* [grid.n + 1] of an axis: planes of cells with beads in them before the k-th */
  int room[3];
  /* Into the sorted arrays. With a table: the first bead of each cell in these planes; else, of
     each column with beads in it, whose numbers are in columns. */
  int *start;
  int64_t start_size;
  int has_table;
  struct id_map columns;
  int size;           /* beads that the arrays below hold */
  int *order;         /* local index of the k-th bead in the order of (cell, id) */
  int *cell;          /* with a table: of each local bead; else along z, of the k-th bead */
  int32_t *x, *y, *z; /* sorted build positions */
};

/* A column of cells, for cells_first. */
struct cell_column {
  const int *start; /* with a table */
  int begin, end;   /* its beads, in the sorted arrays */
};

/* Neighbours of a bead: index[row[i] .. row[i] + count[i]), count a multiple of FORCE_LANES, padded
   with the bead itself. */
enum { FORCE_LANES = 16 };

struct neighbor_list {
  int64_t *row; /* [owned + 1] into index */
  int *count;   /* [owned], a multiple of FORCE_LANES */
  int *index;   /* local indices, padded with the bead itself */
  int64_t room; /* of index */
  int rows;     /* of row and count */
};

/* Partners that are left out of a bead's list, as local indices: partner[row[i] .. row[i + 1]). */
struct exclusions {
  const int *row, *partner;
};

/* For grid_set. Columns half a list radius wide give vector units long runs of candidates, few of
   them in vain. */
enum { COLUMNS_PER_RADIUS = 2 };

/* Sorts n beads (positions [n][3]) into the cells. */
void cells_sort(struct cells *c, const struct grid *g, int n, const int32_t *position,
                const int64_t *id);
/* The column at place x, y of the grid. */
struct cell_column cells_column(const struct cells *c, int x, int y);
/* The first of the sorted beads of a column in its cell z or above. */
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

/* Lists of beads 0..owned-1 out of all sorted ones. Two beads on one point are refused, with
   status 3, unless id is NULL.
   One for each instruction set: struct force_kernel. */
typedef void cells_list_function(const struct cells *c, int owned, const int32_t *position,
                                 const int64_t *id, struct exclusions skip,
                                 struct neighbor_list *list);
void cells_free(struct cells *c);
int64_t cells_bytes(const struct cells *c); /* of what does not go by beads alone */
void neighbor_list_free(struct neighbor_list *l);

#endif
