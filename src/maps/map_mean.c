#include "maps/map_mean.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct map_mean map_mean_create(int64_t points)
{
  struct map_mean m = {.points = points};
  m.mean = alloc_array(points, sizeof *m.mean);
  m.squares = alloc_array(points, sizeof *m.squares);
  return m;
}

void map_mean_add(struct map_mean *m, int double_precision, const void *value)
{
  const float *single = value;
  const double *full = value;
  const double n = (double)++m->frames;
  for (int64_t k = 0; k < m->points; k++) {
    const double v = double_precision ? full[k] : (double)single[k];
    const double before = v - m->mean[k];
    m->mean[k] += before / n;
    m->squares[k] += before * (v - m->mean[k]);
  }
}

void *map_mean_finish(struct map_mean *m, int double_precision, void *value)
{
  void *deviation = m->squares;
  float *single = value, *single_deviation = deviation;
  double *full = value, *full_deviation = deviation;
  for (int64_t k = 0; k < m->points; k++) {
    const double d = sqrt(m->squares[k] / (double)m->frames);
    if (double_precision) {
      full[k] = m->mean[k];
      full_deviation[k] = d;
    } else {
      single[k] = (float)m->mean[k];
      single_deviation[k] = (float)d; /* where a double was that has been read */
    }
  }
  free(m->mean);
  m->mean = m->squares = NULL;
  return deviation;
}
