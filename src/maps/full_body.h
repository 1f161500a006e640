/* What the transforms of MAP_FULL share, and their table. For the host and for CUDA kernels. */
#ifndef MAP_FULL_BODY_H
#define MAP_FULL_BODY_H

#include <stdint.h>

#include "base/hd.h"
#include "base/torus.h"
#include "maps/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points along each direction over which a source is spread. */
enum { FULL_ORDER = 4 };

/* Which part of the lattice a rank transforms. A plane z of the lattice has n[1] rows of n[0]
   points; of its spectrum, `columns` = n[0] / 2 + 1 numbers a row are kept, since the density is
   real. After the transforms along x and y the numbers of a rank have the layout `planes`, [rank]
   [count][rows of that rank][columns]. Each part is sent to its rank, and what arrives has the
   layout `rows`, [n[2]][rows][columns]. Host memory. */
struct full_plan {
  int n[3], columns;
  int first, count; /* planes */
  int row, rows;    /* first row, and number of rows */
  int ranks;
  int device;        /* rank on this node: which GPU transforms */
  int *row_first;    /* [ranks + 1] */
  int32_t origin[3]; /* of the lattice on the torus */
  double spacing[3]; /* nm */
  double scale;      /* 2^k; amounts on the lattice are integers in units of 1/scale e */
  double *k2[3];     /* [n]; square of the wave vector, nm-2 */
  double *damp[3];   /* [n]; transform of the Gaussian over that of the spline */
  double factor;     /* of the sums over wave vectors, kJ nm/(mol e2) nm-3 / scale */
};

/* Index in `planes` of row y of plane z, first column. */
HD int64_t full_packed(int count, int columns, int row_first, int rows, int z, int y)
{
  return ((int64_t)count * row_first + (int64_t)z * rows + (y - row_first)) * columns;
}

/* What a column of the spectrum is multiplied by. k2, damp: products and sums of the three. */
HD double full_factor(double factor, double k2, double damp)
{
  return k2 > 0 ? factor * damp / k2 : 0;
}

/* Values and slopes (along the source's position, 1/nm) of the spline of a source at the four
   points around it. Returns the first of the points, which may be -1; the others follow, modulo n.
   The integer part of the position in spacings, and its fraction, are exact. */
HD int full_spline(int32_t x, int32_t origin, int n, double spacing, double w[FULL_ORDER],
                   double slope[FULL_ORDER])
{
  const uint64_t u = (uint64_t)((uint32_t)x - (uint32_t)origin) * (uint64_t)n;
  const double f = (double)(u & 0xffffffffu) / TORUS_EDGE, g = 1 - f;
  w[0] = g * g * g / 6;
  w[1] = (4 - f * f * (6 - 3 * f)) / 6;
  w[2] = (4 - g * g * (6 - 3 * g)) / 6;
  w[3] = f * f * f / 6;
  slope[0] = -g * g / 2 / spacing;
  slope[1] = -f * (4 - 3 * f) / 2 / spacing;
  slope[2] = g * (4 - 3 * g) / 2 / spacing;
  slope[3] = f * f / 2 / spacing;
  return (int)(u >> 32) - 1;
}

/* How a source is spread: along each direction its first point, weights and their slopes. */
struct full_spread {
  int first[3];
  double w[3][FULL_ORDER], slope[3][FULL_ORDER];
};

HD void full_spread_set(struct full_spread *s, const struct map_source *source,
                        const int32_t origin[3], const int n[3], const double spacing[3])
{
  for (int k = 0; k < 3; k++)
    s->first[k] = full_spline(source->x[k], origin[k], n[k], spacing[k], s->w[k], s->slope[k]);
}

/* The amount of a source, e, at one of its points: q W + p . gradient of W. */
HD double full_amount(const struct map_source *source, const struct full_spread *s, int x, int y,
                      int z)
{
  const double across = s->w[1][y] * s->w[2][z];
  return s->w[0][x] * (source->q * across + source->p[1] * (s->slope[1][y] * s->w[2][z]) +
                       source->p[2] * (s->w[1][y] * s->slope[2][z])) +
         source->p[0] * (s->slope[0][x] * across);
}

/* An amount in units of 1/scale. */
HD int64_t full_integer(double scale, double amount)
{
  const double x = scale * amount;
  return (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* A point's index within the lattice. */
HD int full_wrap(int point, int n)
{
  const int r = point % n;
  return r < 0 ? r + n : r;
}

/* What transforms: on CPUs or on a GPU. `begin` allocates, `end` frees; the memory of the spectrum
   is the transform's own. All functions are local to the rank. */
struct full_transform {
  /* Returns NULL if this computer can run it, else why not. NULL: all can. */
  const char *(*why_not)(void);
  double bytes_point; /* of a point of the lattice of this rank, beside its values */
  void *(*begin)(const struct full_plan *p);
  /* Adds n sources, host memory, to the amounts at the points of the planes, which begin at 0. */
  void (*add)(void *own, const struct map_source *source, int64_t n);
  /* The amounts as a density, and its transforms along x and y, in the layout `planes`. */
  void (*forward)(void *own);
  /* Returns the n complex numbers of the spectrum in host memory, which the caller frees; and
     puts others in their place, which it frees. */
  double *(*take)(void *own, int64_t n);
  void (*give)(void *own, double *spectrum, int64_t n);
  /* Transforms along z, factors and inverse transforms, in the layout `rows`. */
  void (*lines)(void *own);
  /* Inverse transforms along y and x, in the layout `planes`, to value[count][n[1]][n[0]], host
     memory, float or double. */
  void (*backward)(void *own, int double_precision, void *value);
  void (*end)(void *own);
};
extern const struct full_transform full_fftw; /* maps/full_fftw.c; only in builds with FFTW */
extern const struct full_transform full_cuda; /* cuda/maps/full.cu; only in builds with cuFFT */

#ifdef __cplusplus
}
#endif

#endif
