/* Mean and standard deviation of the values of points over frames, in double precision by the
   method of Welford (Technometrics 4, 419, 1962). Local; host memory. */
#ifndef MAP_MEAN_H
#define MAP_MEAN_H

#include <stdint.h>

struct map_mean {
  int64_t points, frames;
  double *mean, *squares; /* squares: sum of squares of the deviations from the mean */
};

/* Bytes of a point. */
enum { MAP_MEAN_BYTES = 2 * sizeof(double) };

struct map_mean map_mean_create(int64_t points);
/* Adds the values of a frame, float or double. */
void map_mean_add(struct map_mean *m, int double_precision, const void *value);
/* Sets value to the mean, and returns the standard deviation, the root of the mean square, in
   memory that the caller frees; both float or double. Frees m. */
void *map_mean_finish(struct map_mean *m, int double_precision, void *value);

#endif
