#include "observe/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "base/units.h"

/* |n|^2 of a mode. */
static int square_of(const struct spectrum *s, int nx, int ny)
{
  return nx * nx + ny * ny + s->skew * nx * ny;
}

/* The modes of the half plane ny >= 0, which stand for all: those of the other half are their
   complex conjugates. Returns how many modes (nx, ny) stands for; 0: it is not among the modes. */
static int weight_of(const struct spectrum *s, int nx, int ny)
{
  const int square = square_of(s, nx, ny), grid = s->grid;
  if (square == 0 || 4 * square > grid * grid) return 0;
  if (s->oblique && (2 * abs(nx) >= grid || 2 * ny >= grid)) return 0;
  if (2 * nx == -grid) return 0; /* the same as nx = grid/2 */
  return ny == 0 || 2 * ny == grid ? 1 : 2;
}

void spectrum_open(struct spectrum *s, struct observable *o, int grid, const double box[BOX])
{
  const int half = grid / 2, most = grid * grid / 4;
  s->grid = grid;
  s->oblique = box[3] != 0;
  s->skew = s->oblique ? -(int)round(2 * box[3] / box[0]) : 0;
  s->rows = 0;
  s->row_of = observe_memory(o, most + 1, sizeof *s->row_of);
  s->modes = observe_memory(o, most + 1, sizeof *s->modes);
  s->cosine = observe_memory(o, (int64_t)grid * (half + 1), sizeof *s->cosine);
  s->sine = observe_memory(o, (int64_t)grid * (half + 1), sizeof *s->sine);
  for (int nx = -half; nx <= half; nx++)
    for (int ny = 0; ny <= half; ny++)
      if (weight_of(s, nx, ny)) s->row_of[square_of(s, nx, ny)] += weight_of(s, nx, ny);
  for (int k = 0; k <= most; k++) {
    const int modes = s->row_of[k];
    s->row_of[k] = modes ? s->rows : -1;
    if (modes) s->modes[s->rows++] = modes;
  }
  for (int j = 0; j < grid; j++)
    for (int k = 0; k <= half; k++) {
      const double angle = 2 * UNITS_PI * (j * k % grid) / grid;
      s->cosine[j * (half + 1) + k] = portable_cos(angle);
      s->sine[j * (half + 1) + k] = portable_sin(angle);
    }
}

void spectrum_q(const struct spectrum *s, const double box[BOX], double *q)
{
  const int half = s->grid / 2;
  memset(q, 0, (size_t)s->rows * sizeof *q);
  for (int nx = -half; nx <= half; nx++)
    for (int ny = 0; ny <= half; ny++) {
      const int weight = weight_of(s, nx, ny);
      const double x = nx / box[0], y = s->oblique ? (ny - x * box[3]) / box[1] : ny / box[1];
      if (weight)
        q[s->row_of[square_of(s, nx, ny)]] += weight * (2 * UNITS_PI) * sqrt(x * x + y * y);
    }
  for (int k = 0; k < s->rows; k++)
    q[k] /= s->modes[k];
}

/* Transforms along y: to[2][grid][half + 1], real and imaginary parts. */
static void transform_y(const struct spectrum *s, const double *h, double *to)
{
  const int grid = s->grid, n = grid / 2 + 1;
  for (int x = 0; x < grid; x++) {
    double *re = to + x * n, *im = re + grid * n;
    memset(re, 0, (size_t)n * sizeof *re);
    memset(im, 0, (size_t)n * sizeof *im);
    for (int y = 0; y < grid; y++)
      for (int k = 0; k < n; k++) {
        re[k] += h[x * grid + y] * s->cosine[y * n + k];
        im[k] -= h[x * grid + y] * s->sine[y * n + k];
      }
  }
}

/* Transforms along x for the wave numbers nx and -nx: sum[0] and sum[1] are the real and imaginary
   parts of sum t cos(2 pi nx x/grid), sum[2] and sum[3] those with the sine. */
static void transform_x(const struct spectrum *s, const double *t, int nx, double *sum)
{
  const int grid = s->grid, n = grid / 2 + 1;
  double *a = sum, *b = sum + n, *c = sum + 2 * n, *d = sum + 3 * n;
  memset(sum, 0, 4 * (size_t)n * sizeof *sum);
  for (int x = 0; x < grid; x++) {
    const double cosine = s->cosine[x * n + nx], sine = s->sine[x * n + nx];
    const double *re = t + x * n, *im = re + grid * n;
    for (int k = 0; k < n; k++) {
      a[k] += cosine * re[k];
      b[k] += cosine * im[k];
      c[k] += sine * re[k];
      d[k] += sine * im[k];
    }
  }
}

void spectrum_power(const struct spectrum *s, const double *h, double area, double *power)
{
  const int grid = s->grid, n = grid / 2 + 1;
  const double cells = (double)grid * grid;
  double *t = alloc_array(2LL * grid * n, sizeof *t), *sum = alloc_array(4LL * n, sizeof *sum);
  const double *a = sum, *b = sum + n, *c = sum + 2 * n, *d = sum + 3 * n;
  memset(power, 0, (size_t)s->rows * sizeof *power);
  transform_y(s, h, t);
  for (int nx = 0; nx < n; nx++) {
    transform_x(s, t, nx, sum);
    for (int ny = 0; ny < n; ny++) {
      /* exp(-i x) t = (cos x - i sin x)(re + i im), and with -nx the other sign of the sine */
      const double plus_re = a[ny] + d[ny], plus_im = b[ny] - c[ny];
      const double minus_re = a[ny] - d[ny], minus_im = b[ny] + c[ny];
      const int plus = weight_of(s, nx, ny), minus = nx > 0 ? weight_of(s, -nx, ny) : 0;
      if (plus)
        power[s->row_of[square_of(s, nx, ny)]] += plus * (plus_re * plus_re + plus_im * plus_im);
      if (minus)
        power[s->row_of[square_of(s, -nx, ny)]] +=
            minus * (minus_re * minus_re + minus_im * minus_im);
    }
  }
  for (int k = 0; k < s->rows; k++)
    power[k] *= area / (cells * cells) / s->modes[k];
  free(t);
  free(sum);
}

int spectrum_fill(int grid, double *h, char *is_set)
{
  const size_t cells = (size_t)grid * (size_t)grid;
  double *next = alloc_array((long long)cells, sizeof *next);
  char *will_be = alloc_array((long long)cells, 1);
  size_t filled = cells;
  while (memchr(is_set, 0, cells) && filled > 0) {
    memcpy(will_be, is_set, cells);
    filled = 0;
    for (int k = 0; k < grid * grid; k++) {
      const int x = k / grid, y = k % grid;
      const int beside[4] = {(x + 1) % grid * grid + y, (x + grid - 1) % grid * grid + y,
                             x * grid + (y + 1) % grid, x * grid + (y + grid - 1) % grid};
      double sum = 0;
      int found = 0;
      for (int j = 0; j < 4 && !is_set[k]; j++)
        if (is_set[beside[j]]) {
          sum += h[beside[j]];
          found++;
        }
      if (!found) continue;
      next[k] = sum / found;
      will_be[k] = 1;
      filled++;
    }
    for (size_t k = 0; k < cells; k++)
      if (will_be[k] && !is_set[k]) h[k] = next[k];
    memcpy(is_set, will_be, cells);
  }
  free(next);
  free(will_be);
  return filled > 0;
}
