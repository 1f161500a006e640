/* Records sorted by the cells of a periodic grid over the box, to find those that are near each
   other. A record begins with its place: uint32_t x[3], in units of 2^-32 of the box vectors. Host
   memory, local. */
#ifndef CELL_SORT_H
#define CELL_SORT_H

#include <stddef.h>
#include <stdint.h>

struct cell_sort {
  int n[3];       /* cells along each axis */
  int64_t *start; /* [cells + 1]: first record of a cell */
  void *record;   /* those of a cell in the order in which they were given */
};

/* The cells along a box vector that are at least as wide as a range, `most` at most (height: the
   distance of the faces that it connects, nm): one, or three and
   more, so that the cells at both sides of one differ. */
int cells_along(double height, double range, double most);
/* s->n is set. */
void cell_sort_create(struct cell_sort *s, const void *record, size_t bytes, int64_t n);
void cell_sort_destroy(struct cell_sort *s);
/* The cell of a place along axis d, and the index of a cell. */
int cell_along(const struct cell_sort *s, int d, uint32_t x);
int64_t cell_index(const struct cell_sort *s, int x, int y, int z);
/* The cell of a place and those beside it, each once; along axes with less than three cells only
   its own. Returns their number. */
enum { CELLS_NEAR = 27 };
int cells_near(const struct cell_sort *s, const uint32_t x[3], int64_t cell[CELLS_NEAR]);

#endif
