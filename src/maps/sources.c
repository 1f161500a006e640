#include "maps/sources.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/rotation.h"

int sources_amounts(const struct forcefield *ff, const char *chosen)
{
  int amounts = 0;
  for (int t = 0; t < ff->n_types; t++)
    if (!chosen || chosen[t]) amounts |= (ff->type[t].charge != 0) | (ff->type[t].dipole != 0) << 1;
  return amounts;
}

static struct map_charge charge_of(const struct system *y, int64_t k)
{
  const struct ff_type *t = &y->ff->type[y->beads.type[k]];
  struct map_charge c = {.q = t->charge};
  double axis[3];
  system_get_position(y, k, 0, c.x);
  if (t->dipole == 0) return c;
  rotation_axis(y->beads.orientation + 4 * k, axis);
  for (int d = 0; d < 3; d++)
    c.p[d] = t->dipole * axis[d];
  return c;
}

struct map_charges sources_of_system(const struct system *y, const struct bead_group *from)
{
  const struct bead_set set = from ? bead_group_set(from) : (struct bead_set){NULL, NULL, 0};
  struct map_charges c = {0};
  int64_t n = 0;
  for (int fill = 0; fill < 2; fill++) { /* first counts */
    if (fill) c.charge = alloc_array(n, sizeof *c.charge);
    for (int64_t k = 0; k < y->n; k++) {
      const int type = y->beads.type[k];
      const struct ff_type *t = &y->ff->type[type];
      if (t->charge == 0 && t->dipole == 0) continue;
      if (from && !bead_set_has(&set, type, y->first + k)) continue;
      if (fill)
        c.charge[c.n++] = charge_of(y, k);
      else
        n++;
    }
  }
  return c;
}

double sources_bin(const struct map_torus *t, int64_t n, double cutoff)
{
  enum { OCCUPANCY = 6 };
  const double volume = t->edge[0] * t->edge[1] * t->edge[2];
  const double even = portable_cbrt(OCCUPANCY * volume / (double)(n > 0 ? n : 1));
  return fmin(fmax(even, cutoff / 8), cutoff);
}

void sources_bins(const struct map_torus *t, int64_t n, double bin, int bins[3])
{
  enum { MOST = 2048 };
  const double most = fmin(64 * ((double)n + 64), INT_MAX / 2);
  for (int k = 0; k < 3; k++)
    bins[k] = bin > 0 ? (int)fmax(1, fmin(MOST, floor(t->edge[k] / bin))) : 1;
  while ((double)bins[0] * bins[1] * bins[2] > most) {
    int *largest = bins[1] > bins[0] ? &bins[1] : &bins[0];
    if (bins[2] > *largest) largest = &bins[2];
    *largest = (*largest + 1) / 2;
  }
}

struct map_source sources_on_torus(const struct map_charge *c, const struct map_torus *t)
{
  struct map_source s = {.q = c->q, .p = {c->p[0], c->p[1], c->p[2]}};
  for (int k = 0; k < 3; k++)
    s.x[k] = lattice_on_torus(t, k, c->x[k]);
  return s;
}

/* Index in `start` of the bin of a source. */
static int64_t bin_of(const struct map_sources *s, const struct map_source *one)
{
  int at[3];
  for (int k = 0; k < 3; k++)
    at[k] = sources_bin_at(one->x[k], s->bins[k]);
  return map_sources_row(s, at[1], at[2]) + map_sources_at(s, 0, at[0]);
}

struct map_sources *sources_sort(const struct map_source *source, int64_t n, const int bins[3],
                                 const int low[3], const int held[3])
{
  struct map_sources *s = alloc_array(1, sizeof *s);
  if (n > INT_MAX - 1)
    die(STATUS_INPUT,
        "a rank can have %d sources of a map at most, and its points need %lld: use more ranks",
        INT_MAX - 1, (long long)n);
  s->n = n;
  for (int k = 0; k < 3; k++) {
    s->bins[k] = bins[k];
    s->low[k] = low[k];
    s->held[k] = held[k];
  }
  const int64_t n_bins = (int64_t)held[2] * held[1] * held[0];
  s->source = alloc_array(n, sizeof *s->source);
  s->start = alloc_array(n_bins + 1, sizeof *s->start);
  for (int64_t k = 0; k < n; k++) {
    const struct map_source *one = &source[k];
    s->start[bin_of(s, one)]++;
    s->has_dipoles |= one->p[0] != 0 || one->p[1] != 0 || one->p[2] != 0;
  }
  for (int64_t b = 1; b <= n_bins; b++) /* first the end of each bin */
    s->start[b] += s->start[b - 1];
  for (int64_t k = n - 1; k >= 0; k--) /* then, one source after the other, its start */
    s->source[--s->start[bin_of(s, &source[k])]] = source[k];
  return s;
}

void sources_destroy(struct map_sources *s)
{
  if (!s) return;
  free(s->source);
  free(s->start);
  free(s);
}
