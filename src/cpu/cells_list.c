/* Construction of neighbour lists, compiled once for each instruction set, like force_cpu.c. Pair
   tests use multiplications and additions without contraction, so every instruction set finds the
   same pairs in the same order. */
#include <stdlib.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/log.h"
#include "base/torus.h"
#include "cpu/cells_reach.h"
#include "cpu/force_cpu.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* runs_append appends the beads of runs that are within the radius of bead i, except i, to a list
 *of n. It returns how many beads are at the same point as i. */
#if defined(__AVX2__) && !defined(__AVX512F__)
/* The positions of the set bits of a mask, from the lowest, a byte each. */
#define BIT(m, b)                                                                                  \
  ((uint64_t)((m) >> (b)&1u) * (b) << 8 * __builtin_popcount((m) & ((1u << (b)) - 1)))
#define BITS(m)                                                                                    \
  (BIT(m, 0u) | BIT(m, 1u) | BIT(m, 2u) | BIT(m, 3u) | BIT(m, 4u) | BIT(m, 5u) | BIT(m, 6u) |      \
   BIT(m, 7u))
#define BITS4(m) BITS(m), BITS((m) + 1u), BITS((m) + 2u), BITS((m) + 3u)
#define BITS16(m) BITS4(m), BITS4((m) + 4u), BITS4((m) + 8u), BITS4((m) + 12u)
#define BITS64(m) BITS16(m), BITS16((m) + 16u), BITS16((m) + 32u), BITS16((m) + 48u)
static const uint64_t set_bits[256] = {BITS64(0u), BITS64(64u), BITS64(128u), BITS64(192u)};

/* (a - b) h of the lanes of a mask. */
static __m256 difference(const int32_t *a, __m256i here, __m256i b, __m256 h)
{
  return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_maskload_epi32(a, here), b)), h);
}

/* The blocks of all runs in one loop without a branch that depends on their lengths, which are
   short: a branch for each would be mispredicted. run[runs] can be written. */
static int runs_append(const struct cells *c, struct cell_run *run, int runs, const int32_t *p,
                       const float h[3], float r2max, int i, int *out, int *n)
{
  const __m256i px = _mm256_set1_epi32(p[0]), py = _mm256_set1_epi32(p[1]),
                pz = _mm256_set1_epi32(p[2]), me = _mm256_set1_epi32(i);
  const __m256 hx = _mm256_set1_ps(h[0]), hy = _mm256_set1_ps(h[1]), hz = _mm256_set1_ps(h[2]);
  const __m256 most = _mm256_set1_ps(r2max);
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int32_t *x = c->x, *y = c->y, *z = c->z;
  const int *order = c->order;
  int zero = 0, m = 0, blocks = 0;
  for (int r = 0; r < runs; r++)
    blocks += (run[r].end - run[r].begin + 7) / 8;
  run[runs] = run[0];
  for (int k = run[0].begin, end = run[0].end; blocks > 0; blocks--) {
    const __m256i here = _mm256_cmpgt_epi32(_mm256_set1_epi32(end - k), lane);
    const __m256i j = _mm256_maskload_epi32(order + k, here);
    const __m256 dx = difference(x + k, here, px, hx), dy = difference(y + k, here, py, hy),
                 dz = difference(z + k, here, pz, hz);
    const __m256 r2 = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                    _mm256_mul_ps(dz, dz));
    const __m256 near =
        _mm256_and_ps(_mm256_cmp_ps(r2, most, _CMP_LT_OQ), _mm256_castsi256_ps(here));
    const __m256 point = _mm256_and_ps(_mm256_cmp_ps(r2, _mm256_setzero_ps(), _CMP_EQ_OQ), near);
    const __m256i self = _mm256_cmpeq_epi32(j, me);
    const int hit = _mm256_movemask_ps(_mm256_andnot_ps(_mm256_castsi256_ps(self), near));
    const __m256i first = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)set_bits[hit]));
    _mm256_storeu_si256((__m256i *)(void *)(out + m), _mm256_permutevar8x32_epi32(j, first));
    m += __builtin_popcount((unsigned)hit);
    zero += __builtin_popcount((unsigned)_mm256_movemask_ps(point));
    const int last = k + 8 >= end;
    run += last;
    k = last ? run->begin : k + 8;
    end = run->end;
  }
  *n = m;
  return zero;
}
#else
/* The same for one run. */
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

static int runs_append(const struct cells *c, const struct cell_run *run, int runs,
                       const int32_t *p, const float h[3], float r2max, int i, int *out, int *n)
{
  int zero = 0;
  for (int k = 0; k < runs; k++)
    zero += run_append(c, run[k].begin, run[k].end, p, h, r2max, i, out, n);
  return zero;
}
#endif

struct window {
  double radius;
  float h[3], r2max;
  struct reach_room room;
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
  const int32_t *p = position + 3 * (int64_t)i;
  const int runs = runs_near(c, p, w->radius, w->r2max, &w->room);
  int n = 0;
  const int zero = runs_append(c, w->room.run, runs, p, w->h, w->r2max, i, out, &n);
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
  w.room = reach_room_make(g, w.radius);
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
  reach_room_free(&w.room);
}
