#include "observe/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Errors below this part of a result are those of rounding: the result never changed. */
#define ROUNDING 1e-12

void blocks_open(struct blocks *b, int values)
{
  memset(b, 0, sizeof *b);
  b->values = values;
  b->length = 1;
  b->sum = alloc_array((long long)BLOCKS * values, sizeof *b->sum);
  b->square = alloc_array(values, sizeof *b->square);
}

void blocks_close(struct blocks *b)
{
  free(b->sum);
  free(b->square);
  memset(b, 0, sizeof *b);
}

/* Adds the blocks in pairs. */
static void halve(struct blocks *b)
{
  const int values = b->values;
  for (int k = 0; k < BLOCKS / 2; k++)
    for (int v = 0; v < values; v++)
      b->sum[(int64_t)k * values + v] =
          b->sum[(int64_t)2 * k * values + v] + b->sum[(int64_t)(2 * k + 1) * values + v];
  memset(b->sum + (int64_t)BLOCKS / 2 * values, 0,
         (size_t)BLOCKS / 2 * (size_t)values * sizeof *b->sum);
  b->n = BLOCKS / 2;
  b->length *= 2;
}

void blocks_add(struct blocks *b, const double *value)
{
  if (b->samples == b->n * b->length) {
    if (b->n == BLOCKS) halve(b);
    b->n++;
  }
  double *sum = b->sum + (int64_t)(b->n - 1) * b->values;
  for (int v = 0; v < b->values; v++) {
    sum[v] += value[v];
    b->square[v] += value[v] * value[v];
  }
  b->samples++;
}

void blocks_mean(const struct blocks *b, double *mean)
{
  for (int v = 0; v < b->values; v++) {
    double sum = 0;
    for (int k = 0; k < b->n; k++)
      sum += b->sum[(int64_t)k * b->values + v];
    mean[v] = b->samples > 0 ? sum / (double)b->samples : (double)NAN;
  }
}

double blocks_variance(const struct blocks *b, int value)
{
  const double n = (double)b->samples;
  double sum = 0;
  if (b->samples < 2) return (double)NAN;
  for (int k = 0; k < b->n; k++)
    sum += b->sum[(int64_t)k * b->values + value];
  return fmax(b->square[value] - sum * sum / n, 0) / (n - 1);
}

static int complete_blocks(const struct blocks *b)
{
  return b->samples < b->n * b->length ? b->n - 1 : b->n;
}

/* Errors by the jackknife over groups of `size` complete blocks each. mean: scratch [values]. */
static void jackknife(const struct blocks *b, int size, blocks_function *function,
                      const void *argument, int n, double *mean, double *error)
{
  const int groups = complete_blocks(b) / size, values = b->values;
  const double others = (double)(groups - 1) * size * (double)b->length;
  double *result = alloc_array((long long)n * groups, sizeof *result);
  double *all = alloc_array(values, sizeof *all);
  for (int k = 0; k < groups * size; k++)
    for (int v = 0; v < values; v++)
      all[v] += b->sum[(int64_t)k * values + v];
  for (int g = 0; g < groups; g++) {
    memcpy(mean, all, (size_t)values * sizeof *mean);
    for (int k = g * size; k < (g + 1) * size; k++)
      for (int v = 0; v < values; v++)
        mean[v] -= b->sum[(int64_t)k * values + v];
    for (int v = 0; v < values; v++)
      mean[v] /= others;
    function(argument, mean, result + (int64_t)g * n);
  }
  for (int r = 0; r < n; r++) {
    double centre = 0, square = 0;
    for (int g = 0; g < groups; g++)
      centre += result[(int64_t)g * n + r] / groups;
    for (int g = 0; g < groups; g++) {
      const double d = result[(int64_t)g * n + r] - centre;
      square += d * d;
    }
    error[r] = sqrt(square * (groups - 1) / groups);
    if (error[r] < ROUNDING * fabs(centre)) error[r] = 0;
  }
  free(result);
  free(all);
}

void blocks_errors(const struct blocks *b, blocks_function *function, const void *argument, int n,
                   double *error)
{
  double *mean = alloc_array(b->values, sizeof *mean), *next = alloc_array(n, sizeof *next);
  char *settled = alloc_array(n, 1);
  const int blocks = complete_blocks(b);
  for (int r = 0; r < n; r++)
    error[r] = (double)NAN;
  if (blocks >= BLOCKS_LEAST) jackknife(b, 1, function, argument, n, mean, error);
  for (int size = 2; blocks / size >= BLOCKS_LEAST; size *= 2) {
    const int before = 2 * (blocks / size);
    jackknife(b, size, function, argument, n, mean, next);
    for (int r = 0; r < n; r++) {
      const double uncertainty = 1 / sqrt(2.0 * (before - 1));
      if (!settled[r] && next[r] <= error[r] * (1 + uncertainty)) settled[r] = 1;
      if (!settled[r]) error[r] = next[r];
    }
  }
  free(settled);
  free(next);
  free(mean);
}

enum { HEAD = 4 };

int64_t blocks_saved(const struct blocks *b)
{
  return HEAD + (int64_t)(b->n + 1) * b->values;
}

void blocks_save(const struct blocks *b, double *to)
{
  const size_t row = (size_t)b->values * sizeof *to;
  to[0] = b->values;
  to[1] = b->n;
  to[2] = (double)b->length;
  to[3] = (double)b->samples;
  memcpy(to + HEAD, b->square, row);
  memcpy(to + HEAD + b->values, b->sum, (size_t)b->n * row);
}

int blocks_load(struct blocks *b, const double *from, int64_t n)
{
  const int64_t most = INT64_C(1) << 52;
  if (n < HEAD || from[0] != b->values) return 0;
  if (!(from[1] >= 0 && from[1] <= BLOCKS && from[1] == floor(from[1]))) return 0;
  if (!(from[2] >= 1 && from[2] < (double)most && from[3] >= 0 && from[3] < (double)most)) return 0;
  b->n = (int)from[1];
  b->length = (int64_t)from[2];
  b->samples = (int64_t)from[3];
  if (n != blocks_saved(b) || b->samples > b->n * b->length ||
      b->samples < (b->n - (b->n > 0)) * b->length)
    return 0;
  const size_t row = (size_t)b->values * sizeof *from;
  memcpy(b->square, from + HEAD, row);
  memcpy(b->sum, from + HEAD + b->values, (size_t)b->n * row);
  return 1;
}
