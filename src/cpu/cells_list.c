/* Construction of neighbour lists, compiled once for each instruction set, like force_cpu.c. Pair
   tests use multiplications and additions without contraction, so every instruction set finds the
   same pairs in the same order. */
#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "base/log.h"
#include "base/torus.h"
#include "cpu/cells_reach.h"
#include "cpu/force_cpu.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* Appends the beads of a run that are within the radius of bead i, except i. Returns how many of
   them are at the same point as i. */
#ifdef __AVX512F__
static int run_append(const struct cells *c, int begin, int end, const int32_t *p, const float h[3],
                      float r2max, int i, int *out, int *n)
{
  const __m512i px = _mm512_set1_epi32(p[0]), py = _mm512_set1_epi32(p[1]),
                pz = _mm512_set1_epi32(p[2]), me = _mm512_set1_epi32(i);
  const __m512 hx = _mm512_set1_ps(h[0]), hy = _mm512_set1_ps(h[1]), hz = _mm512_set1_ps(h[2]);
  const __m512 most = _mm512_set1_ps(r2max);
  int zero = 0;
  for (int k = begin; k < end; k += 16) {
    __mmask16 here = (__mmask16)(end - k < 16 ? (1u << (end - k)) - 1 : 0xffffu);
    __m512i j = _mm512_maskz_loadu_epi32(here, c->order + k);
    __m512 dx = _mm512_mul_ps(
        _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_maskz_loadu_epi32(here, c->x + k), px)), hx);
    __m512 dy = _mm512_mul_ps(
        _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_maskz_loadu_epi32(here, c->y + k), py)), hy);
    __m512 dz = _mm512_mul_ps(
        _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_maskz_loadu_epi32(here, c->z + k), pz)), hz);
    __m512 r2 = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy)),
                              _mm512_mul_ps(dz, dz));
    __mmask16 hit = _mm512_mask_cmp_ps_mask(here, r2, most, _CMP_LT_OQ);
    __mmask16 point = _mm512_mask_cmp_ps_mask(here, r2, _mm512_setzero_ps(), _CMP_EQ_OQ);
    hit = _mm512_mask_cmpneq_epi32_mask(hit, j, me);
    _mm512_storeu_si512(out + *n, _mm512_maskz_compress_epi32(hit, j));
    *n += __builtin_popcount(hit);
    zero += __builtin_popcount(point);
  }
  return zero;
}
#else
static int run_append(const struct cells *c, int begin, int end, const int32_t *p, const float h[3],
                      float r2max, int i, int *out, int *n)
{
  float r2[64];
  int zero = 0, m = *n;
  for (int k = begin; k < end; k += 64) {
    int w = end - k < 64 ? end - k : 64;
#pragma omp simd
    for (int l = 0; l < w; l++) {
      float dx = (float)(int32_t)((uint32_t)c->x[k + l] - (uint32_t)p[0]) * h[0];
      float dy = (float)(int32_t)((uint32_t)c->y[k + l] - (uint32_t)p[1]) * h[1];
      float dz = (float)(int32_t)((uint32_t)c->z[k + l] - (uint32_t)p[2]) * h[2];
      r2[l] = dx * dx + dy * dy + dz * dz;
    }
    for (int l = 0; l < w; l++) {
      int j = c->order[k + l];
      out[m] = j;
      m += (r2[l] < r2max) & (j != i);
      zero += r2[l] == 0;
    }
  }
  *n = m;
  return zero;
}
#endif

struct window {
  double radius;
  float h[3], r2max;
  struct reach *x, *y;
};

static int is_excluded(const struct exclusions *skip, int i, int j)
{
  for (int k = skip->row[i]; k < skip->row[i + 1]; k++)
    if (skip->partner[k] == j) return 1;
  return 0;
}

/* Dies if a bead of the row lies where bead i does. Those without pair forces may: some sites. */
static void refuse_point(const struct cells *c, int i, const int32_t *position, const int64_t *id,
                         const struct exclusions *skip, const int *row, int n)
{
  const int32_t *p = position + 3 * (int64_t)i;
  for (int k = 0; k < n; k++)
    if (!memcmp(p, position + 3 * (int64_t)row[k], 3 * sizeof *p) && !is_excluded(skip, i, row[k]))
      die(STATUS_NUMERIC,
          "beads %lld and %lld lie on one point (%.6f %.6f %.6f nm); move one of them",
          (long long)id[i], (long long)id[row[k]], torus_fraction(p[0]) * c->grid.box[0],
          torus_fraction(p[1]) * c->grid.box[1], torus_fraction(p[2]) * c->grid.box[2]);
}

/* Writes the list of bead i to out, which has room for all beads. Returns its length, without
   padding. */
static int row_fill(const struct cells *c, const struct window *w, int i, const int32_t *position,
                    const int64_t *id, const struct exclusions *skip, int *out)
{
  const struct grid *g = &c->grid;
  const int32_t *p = position + 3 * (int64_t)i;
  int nz = g->n[2], n = 0, zero = 0;
  double at = torus_fraction(p[2]) * nz, per = nz / g->box[2];
  int nx = columns_near(p[0], g->n[0], g->box[0], w->radius, w->x);
  int ny = columns_near(p[1], g->n[1], g->box[1], w->radius, w->y);
  for (int a = 0; a < nx; a++)
    for (int b = 0; b < ny; b++) {
      float d2 = w->x[a].d2 + w->y[b].d2;
      if (d2 >= w->r2max) continue;
      double reach = sqrt((double)(w->r2max - d2)) * per * 1.000001;
      int low = (int)floor(at - reach), high = (int)floor(at + reach);
      const struct cell_column in = cells_column(c, w->x[a].column, w->y[b].column);
      struct cell_run run[2];
      const int runs = column_runs(c, &in, low, high, run);
      for (int k = 0; k < runs; k++)
        zero += run_append(c, run[k].begin, run[k].end, p, w->h, w->r2max, i, out, &n);
    }
  if (zero > 1 && id) refuse_point(c, i, position, id, skip, out, n);
  return n;
}

static int row_exclude(int *row, int n, const int *partner, int n_partners)
{
  int m = 0;
  for (int k = 0; k < n; k++) {
    int keep = 1;
    for (int e = 0; e < n_partners; e++)
      keep &= row[k] != partner[e];
    row[m] = row[k];
    m += keep;
  }
  return m;
}

/* The bits of the classes of the partners of a bead. */
static unsigned partners_of(const struct cells_pairs *p, int i)
{
  return p->partners ? p->partners[p->class_of[p->record[i].type]] : ~0u;
}

/* Leaves the beads of some classes. */
static int row_select(const struct cells_pairs *p, unsigned classes, int *row, int n)
{
  int m = 0;
  for (int k = 0; k < n; k++) {
    const int j = row[k];
    row[m] = j;
    m += (int)(classes >> p->class_of[p->record[j].type] & 1u);
  }
  return m;
}

extern cells_list_function NAME(cells_list_, KERNEL_NAME);
void NAME(cells_list_, KERNEL_NAME)(const struct cells *c, int owned, const int32_t *position,
                                    const int64_t *id, struct exclusions skip,
                                    const struct cells_pairs *pairs, struct neighbor_list *list)
{
  const struct grid *g = &c->grid;
  /* Pairs are tested in float; with the margin no pair is lost by rounding. */
  double radius = pairs->radius * 1.000001;
  struct window w;
  int all = c->n;
  for (int k = 0; k < 3; k++)
    w.h[k] = (float)(g->box[k] / TORUS_EDGE);
  w.radius = pairs->radius;
  w.r2max = (float)(radius * radius);
  w.x = alloc_array(columns_most(g, 0, w.radius), sizeof *w.x);
  w.y = alloc_array(columns_most(g, 1, w.radius), sizeof *w.y);
  if (owned + 1 > list->rows) {
    list->rows = owned + owned / 8 + 64;
    list->row = grow_array(list->row, list->rows, sizeof *list->row);
    list->count = grow_array(list->count, list->rows, sizeof *list->count);
  }
  int64_t used = 0;
  for (int i = 0; i < owned; i++) {
    if (used + all + FORCE_LANES > list->room) {
      list->room = used + used / 2 + all + (int64_t)owned * FORCE_LANES + 64;
      list->index = grow_array(list->index, list->room, sizeof *list->index);
    }
    int *row = list->index + used;
    const unsigned classes = partners_of(pairs, i);
    int n = classes ? row_fill(c, &w, i, position, id, &skip, row) : 0;
    if (pairs->partners && n) n = row_select(pairs, classes, row, n);
    int first = skip.row[i], last = skip.row[i + 1];
    if (last > first) n = row_exclude(row, n, skip.partner + first, last - first);
    while (n % FORCE_LANES)
      row[n++] = i;
    list->row[i] = used;
    list->count[i] = n;
    used += n;
  }
  list->row[owned] = used;
  free(w.x);
  free(w.y);
}
