/* The transforms of MAP_FULL on CPUs, by FFTW (Frigo and Johnson, Proc. IEEE 93, 216, 2005). Each
   plane and each line is transformed alone, with the same plan and in the same buffer, so that the
   number of ranks does not change how it is rounded. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "maps/full_body.h"

/* Lines that are copied at a time, and bytes to which their buffers are aligned. */
enum { LINES = 8, ALIGNED = 64 };

struct work {
  const struct full_plan *p;
  int64_t *amount;    /* [count][n[1]][n[0]]: at the points of the planes; NULL after forward */
  double *points;     /* [n[1]][n[0]]: a plane */
  fftw_complex *half; /* [n[1]][columns]: its spectrum */
  fftw_complex *line[LINES];
  fftw_complex *spectrum; /* of all planes, or of all rows */
  fftw_plan plane_forward, plane_backward, line_forward, line_backward;
};

/* Zeroed, aligned memory; status 2 if memory runs out. */
static void *aligned(int64_t count, size_t size)
{
  const int64_t bytes = (count * (int64_t)size + ALIGNED - 1) / ALIGNED * ALIGNED;
  void *p = fftw_malloc((size_t)bytes);
  if (!p)
    die(STATUS_INPUT, "no memory for %lld MB of a map; use more ranks or a larger spacing",
        (long long)(bytes >> 20));
  memset(p, 0, (size_t)bytes);
  return p;
}

static void *begin(const struct full_plan *p)
{
  struct work *f = alloc_array(1, sizeof *f);
  f->p = p;
  f->amount = alloc_array((int64_t)p->count * p->n[1] * p->n[0], sizeof *f->amount);
  f->points = aligned((int64_t)p->n[0] * p->n[1], sizeof *f->points);
  f->half = aligned((int64_t)p->columns * p->n[1], sizeof *f->half);
  for (int k = 0; k < LINES; k++)
    f->line[k] = aligned(p->n[2], sizeof *f->line[k]);
  f->plane_forward = fftw_plan_dft_r2c_2d(p->n[1], p->n[0], f->points, f->half, FFTW_ESTIMATE);
  f->plane_backward = fftw_plan_dft_c2r_2d(p->n[1], p->n[0], f->half, f->points, FFTW_ESTIMATE);
  f->line_forward = fftw_plan_dft_1d(p->n[2], f->line[0], f->line[0], FFTW_FORWARD, FFTW_ESTIMATE);
  f->line_backward =
      fftw_plan_dft_1d(p->n[2], f->line[0], f->line[0], FFTW_BACKWARD, FFTW_ESTIMATE);
  return f;
}

static void add_source(const struct full_plan *p, const struct map_source *source, int64_t *amount)
{
  struct full_spread s;
  full_spread_set(&s, source, p->origin, p->n, p->spacing);
  for (int c = 0; c < FULL_ORDER; c++) {
    const int z = full_wrap(s.first[2] + c, p->n[2]) - p->first;
    if (z < 0 || z >= p->count) continue;
    for (int b = 0; b < FULL_ORDER; b++) {
      int64_t *row = amount + ((int64_t)z * p->n[1] + full_wrap(s.first[1] + b, p->n[1])) * p->n[0];
      for (int a = 0; a < FULL_ORDER; a++)
        row[full_wrap(s.first[0] + a, p->n[0])] +=
            full_integer(p->scale, full_amount(source, &s, a, b, c));
    }
  }
}

static void add(void *own, const struct map_source *source, int64_t n)
{
  struct work *f = own;
  for (int64_t i = 0; i < n; i++)
    add_source(f->p, &source[i], f->amount);
}

/* The row y of plane z in the layout `planes`. */
static fftw_complex *packed_row(const struct work *f, int z, int y, int *rank)
{
  const struct full_plan *p = f->p;
  while (y >= p->row_first[*rank + 1])
    ++*rank;
  const int first = p->row_first[*rank], rows = p->row_first[*rank + 1] - first;
  return f->spectrum + full_packed(p->count, p->columns, first, rows, z, y);
}

static void forward(void *own)
{
  struct work *f = own;
  const struct full_plan *p = f->p;
  const int64_t plane = (int64_t)p->n[0] * p->n[1];
  f->spectrum = alloc_array((int64_t)p->count * p->n[1] * p->columns, sizeof *f->spectrum);
  for (int z = 0; z < p->count; z++) {
    for (int64_t i = 0; i < plane; i++)
      f->points[i] = (double)f->amount[z * plane + i];
    fftw_execute(f->plane_forward);
    for (int y = 0, rank = 0; y < p->n[1]; y++)
      memcpy(packed_row(f, z, y, &rank), f->half + (int64_t)y * p->columns,
             (size_t)p->columns * sizeof *f->half);
  }
  free(f->amount);
  f->amount = NULL;
}

static double *take(void *own, int64_t n)
{
  struct work *f = own;
  double *spectrum = (double *)f->spectrum;
  (void)n;
  f->spectrum = NULL;
  return spectrum;
}

static void give(void *own, double *spectrum, int64_t n)
{
  struct work *f = own;
  (void)n;
  f->spectrum = (fftw_complex *)spectrum;
}

/* Transforms the line at column x of row y, multiplies it and transforms it back. */
static void line_solve(const struct work *f, fftw_complex *line, int y, int x)
{
  const struct full_plan *p = f->p;
  const double k2 = p->k2[0][x] + p->k2[1][y], damp = p->damp[0][x] * p->damp[1][y];
  fftw_execute_dft(f->line_forward, line, line);
  for (int z = 0; z < p->n[2]; z++) {
    const double factor = full_factor(p->factor, k2 + p->k2[2][z], damp * p->damp[2][z]);
    line[z][0] *= factor;
    line[z][1] *= factor;
  }
  fftw_execute_dft(f->line_backward, line, line);
}

static void lines(void *own)
{
  struct work *f = own;
  const struct full_plan *p = f->p;
  const int64_t all = (int64_t)p->rows * p->columns;
  for (int64_t first = 0; first < all; first += LINES) {
    const int n = (int)(all - first < LINES ? all - first : LINES);
    for (int z = 0; z < p->n[2]; z++)
      for (int k = 0; k < n; k++)
        memcpy(&f->line[k][z], &f->spectrum[z * all + first + k], sizeof(fftw_complex));
    for (int k = 0; k < n; k++)
      line_solve(f, f->line[k], p->row + (int)((first + k) / p->columns),
                 (int)((first + k) % p->columns));
    for (int z = 0; z < p->n[2]; z++)
      for (int k = 0; k < n; k++)
        memcpy(&f->spectrum[z * all + first + k], &f->line[k][z], sizeof(fftw_complex));
  }
}

static void backward(void *own, int double_precision, void *value)
{
  struct work *f = own;
  const struct full_plan *p = f->p;
  const int64_t plane = (int64_t)p->n[0] * p->n[1];
  for (int z = 0; z < p->count; z++) {
    for (int y = 0, rank = 0; y < p->n[1]; y++)
      memcpy(f->half + (int64_t)y * p->columns, packed_row(f, z, y, &rank),
             (size_t)p->columns * sizeof *f->half);
    fftw_execute(f->plane_backward);
    for (int64_t i = 0; i < plane; i++) {
      if (double_precision)
        ((double *)value)[z * plane + i] = f->points[i];
      else
        ((float *)value)[z * plane + i] = (float)f->points[i];
    }
  }
}

static void end(void *own)
{
  struct work *f = own;
  fftw_destroy_plan(f->plane_forward);
  fftw_destroy_plan(f->plane_backward);
  fftw_destroy_plan(f->line_forward);
  fftw_destroy_plan(f->line_backward);
  fftw_free(f->points);
  fftw_free(f->half);
  for (int k = 0; k < LINES; k++)
    fftw_free(f->line[k]);
  free(f->amount);
  free(f->spectrum);
  free(f);
}

/* The amounts, the spectrum, and the spectrum received: 8 bytes each. */
const struct full_transform full_fftw = {.why_not = NULL,
                                         .bytes_point = 24,
                                         .begin = begin,
                                         .add = add,
                                         .forward = forward,
                                         .take = take,
                                         .give = give,
                                         .lines = lines,
                                         .backward = backward,
                                         .end = end};
