/* Construction of neighbour lists, compiled once for each instruction set, like force_cpu.c. Pair
   tests use multiplications and additions without contraction, so every instruction set finds the
   same pairs in the same order. */
#include <stdlib.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "backend/list_test.h"
#include "cpu/cells_reach.h"
#include "cpu/force_cpu.h"

/* Beads that may be neighbours of those of a group: their positions and local indices, n of them,
   in the order of lists. The arrays are longer by a vector. */
struct candidates {
  int n, room;
  int32_t *x, *y, *z;
  int *bead;
};

static void candidates_reserve(struct candidates *c, int n)
{
  if (n <= c->room) return;
  c->room = n + n / 2 + 256;
  c->x = grow_array(c->x, c->room + CELLS_OVER, sizeof *c->x);
  c->y = grow_array(c->y, c->room + CELLS_OVER, sizeof *c->y);
  c->z = grow_array(c->z, c->room + CELLS_OVER, sizeof *c->z);
  c->bead = grow_array(c->bead, c->room + CELLS_OVER, sizeof *c->bead);
}

static void candidates_free(struct candidates *c)
{
  free(c->x);
  free(c->y);
  free(c->z);
  free(c->bead);
}

/* Whole vectors are copied, without a branch that depends on the lengths of runs, which are short.
 */
static void candidates_copy(struct candidates *to, const struct cells *c,
                            const struct cell_run *run, int runs)
{
  int n = 0;
  for (int k = 0; k < runs; k++)
    n += run[k].end - run[k].begin;
  candidates_reserve(to, n);
  n = 0;
  for (int k = 0; k < runs; k++) {
    const int length = run[k].end - run[k].begin;
    for (int i = 0; i < length; i += CELLS_OVER) {
      const int from = run[k].begin + i, at = n + i;
      memcpy(to->x + at, c->x + from, CELLS_OVER * sizeof *to->x);
      memcpy(to->y + at, c->y + from, CELLS_OVER * sizeof *to->y);
      memcpy(to->z + at, c->z + from, CELLS_OVER * sizeof *to->z);
      memcpy(to->bead + at, c->order + from, CELLS_OVER * sizeof *to->bead);
    }
    n += length;
  }
  to->n = n;
}

/* How candidates are found and tested. In double precision as backend/list_test.h says: LISTS_TEST
   1, lengths are in units of h[0], and a bead is a candidate of its own list. */
#ifdef REAL_DOUBLE
enum { LISTS_TEST = 1 };
#else
enum { LISTS_TEST = 0 };
#endif
struct window {
  double radius;     /* within which beads are found */
  float r2max, most; /* its square, nm2; the square with which tests compare */
  float h[3];
  int oblique;
  struct list_metric metric; /* its shear: without LISTS_TEST bx / by, cx / cz, cy / cz */
  struct reach_room room;
  struct candidates near;
  int end; /* of the group whose candidates these are */
};

/* candidates_append writes those within the radius of bead i at p, except i unless LISTS_TEST, to
   out, which has room for all and a vector more. It returns their number, and sets *zero to how
   many are at p, or with LISTS_TEST seem so. square_at gives squares of distances from p. */
#ifdef __AVX512F__
struct square_at {
  __m512i x, y, z;
  __m512 h[3], ratio[2], shear[3];
  int oblique;
};

static inline __m512i square_kept(__m512i x)
{
  return LISTS_TEST ? _mm512_and_si512(x, _mm512_set1_epi32(-(1 << COARSE))) : x;
}

static inline struct square_at square_at_of(const int32_t *p, const struct window *w)
{
  struct square_at at = {.x = square_kept(_mm512_set1_epi32(p[0])),
                         .y = square_kept(_mm512_set1_epi32(p[1])),
                         .z = square_kept(_mm512_set1_epi32(p[2])),
                         .oblique = w->oblique};
  for (int k = 0; k < 3; k++) {
    at.h[k] = _mm512_set1_ps(w->h[k]);
    at.shear[k] = _mm512_set1_ps(w->metric.shear[k]);
  }
  for (int k = 0; k < 2; k++)
    at.ratio[k] = _mm512_set1_ps(w->metric.ratio[k]);
  return at;
}

static inline __m512 square_at(const struct square_at *at, __m512i x, __m512i y, __m512i z)
{
  __m512 dx = _mm512_cvtepi32_ps(_mm512_sub_epi32(square_kept(x), at->x)),
         dy = _mm512_cvtepi32_ps(_mm512_sub_epi32(square_kept(y), at->y)),
         dz = _mm512_cvtepi32_ps(_mm512_sub_epi32(square_kept(z), at->z));
  if (LISTS_TEST) {
    if (at->oblique) {
      dx = _mm512_fmadd_ps(dz, at->shear[1], _mm512_fmadd_ps(dy, at->shear[0], dx));
      dy = _mm512_fmadd_ps(dz, at->shear[2], dy);
    }
    return _mm512_fmadd_ps(
        _mm512_mul_ps(dz, dz), at->ratio[1],
        _mm512_fmadd_ps(_mm512_mul_ps(dy, dy), at->ratio[0], _mm512_mul_ps(dx, dx)));
  }
  dx = _mm512_mul_ps(dx, at->h[0]);
  dy = _mm512_mul_ps(dy, at->h[1]);
  dz = _mm512_mul_ps(dz, at->h[2]);
  if (at->oblique) {
    dx = _mm512_add_ps(_mm512_add_ps(dx, _mm512_mul_ps(at->shear[0], dy)),
                       _mm512_mul_ps(at->shear[1], dz));
    dy = _mm512_add_ps(dy, _mm512_mul_ps(at->shear[2], dz));
  }
  return _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy)),
                       _mm512_mul_ps(dz, dz));
}

static int candidates_append(const struct candidates *c, const int32_t *p, const struct window *w,
                             int i, int *out, int *zero)
{
  const __m512i me = _mm512_set1_epi32(i);
  const struct square_at at = square_at_of(p, w);
  const __m512 most = _mm512_set1_ps(w->most);
  int n = 0, points = 0;
  for (int k = 0; k < c->n; k += 16) {
    const __mmask16 here = (__mmask16)(c->n - k < 16 ? (1u << (c->n - k)) - 1 : 0xffffu);
    const __m512i j = _mm512_loadu_si512(c->bead + k);
    const __m512 r2 = square_at(&at, _mm512_loadu_si512(c->x + k), _mm512_loadu_si512(c->y + k),
                                _mm512_loadu_si512(c->z + k));
    const __mmask16 near = _mm512_mask_cmp_ps_mask(here, r2, most, _CMP_LT_OQ);
    const __mmask16 hit = LISTS_TEST ? near : _mm512_mask_cmpneq_epi32_mask(near, j, me);
    _mm512_storeu_si512(out + n, _mm512_maskz_compress_epi32(hit, j));
    n += __builtin_popcount(hit);
    points +=
        __builtin_popcount(_mm512_mask_cmp_ps_mask(here, r2, _mm512_setzero_ps(), _CMP_EQ_OQ));
  }
  *zero = points;
  return n;
}
#elif defined(__AVX2__)
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

static __m256i load(const int32_t *a)
{
  return _mm256_loadu_si256((const __m256i *)(const void *)a);
}

struct square_at {
  __m256i x, y, z;
  __m256 h[3], ratio[2], shear[3];
  int oblique;
};

static inline __m256i square_kept(__m256i x)
{
  return LISTS_TEST ? _mm256_and_si256(x, _mm256_set1_epi32(-(1 << COARSE))) : x;
}

static inline struct square_at square_at_of(const int32_t *p, const struct window *w)
{
  struct square_at at = {.x = square_kept(_mm256_set1_epi32(p[0])),
                         .y = square_kept(_mm256_set1_epi32(p[1])),
                         .z = square_kept(_mm256_set1_epi32(p[2])),
                         .oblique = w->oblique};
  for (int k = 0; k < 3; k++) {
    at.h[k] = _mm256_set1_ps(w->h[k]);
    at.shear[k] = _mm256_set1_ps(w->metric.shear[k]);
  }
  for (int k = 0; k < 2; k++)
    at.ratio[k] = _mm256_set1_ps(w->metric.ratio[k]);
  return at;
}

static inline __m256 square_at(const struct square_at *at, __m256i x, __m256i y, __m256i z)
{
  __m256 dx = _mm256_cvtepi32_ps(_mm256_sub_epi32(square_kept(x), at->x)),
         dy = _mm256_cvtepi32_ps(_mm256_sub_epi32(square_kept(y), at->y)),
         dz = _mm256_cvtepi32_ps(_mm256_sub_epi32(square_kept(z), at->z));
  if (LISTS_TEST) {
    if (at->oblique) {
      dx = _mm256_fmadd_ps(dz, at->shear[1], _mm256_fmadd_ps(dy, at->shear[0], dx));
      dy = _mm256_fmadd_ps(dz, at->shear[2], dy);
    }
    return _mm256_fmadd_ps(
        _mm256_mul_ps(dz, dz), at->ratio[1],
        _mm256_fmadd_ps(_mm256_mul_ps(dy, dy), at->ratio[0], _mm256_mul_ps(dx, dx)));
  }
  dx = _mm256_mul_ps(dx, at->h[0]);
  dy = _mm256_mul_ps(dy, at->h[1]);
  dz = _mm256_mul_ps(dz, at->h[2]);
  if (at->oblique) {
    dx = _mm256_add_ps(_mm256_add_ps(dx, _mm256_mul_ps(at->shear[0], dy)),
                       _mm256_mul_ps(at->shear[1], dz));
    dy = _mm256_add_ps(dy, _mm256_mul_ps(at->shear[2], dz));
  }
  return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                       _mm256_mul_ps(dz, dz));
}

static int candidates_append(const struct candidates *c, const int32_t *p, const struct window *w,
                             int i, int *out, int *zero)
{
  const struct square_at at = square_at_of(p, w);
  const __m256i me = _mm256_set1_epi32(i);
  const __m256 most = _mm256_set1_ps(w->most);
  int n = 0, points = 0;
  for (int k = 0; k < c->n; k += 8) {
    const int here = c->n - k < 8 ? (1 << (c->n - k)) - 1 : 0xff;
    const __m256i j = load(c->bead + k);
    const __m256 r2 = square_at(&at, load(c->x + k), load(c->y + k), load(c->z + k));
    const __m256 near = _mm256_cmp_ps(r2, most, _CMP_LT_OQ);
    const __m256 self = _mm256_castsi256_ps(_mm256_cmpeq_epi32(j, me));
    const __m256 point = _mm256_cmp_ps(r2, _mm256_setzero_ps(), _CMP_EQ_OQ);
    const int hit = _mm256_movemask_ps(LISTS_TEST ? near : _mm256_andnot_ps(self, near)) & here;
    const __m256i first = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)set_bits[hit]));
    _mm256_storeu_si256((__m256i *)(void *)(out + n), _mm256_permutevar8x32_epi32(j, first));
    n += __builtin_popcount((unsigned)hit);
    points += __builtin_popcount((unsigned)(_mm256_movemask_ps(point) & here));
  }
  *zero = points;
  return n;
}
#else
static int candidates_append(const struct candidates *c, const int32_t *p, const struct window *w,
                             int i, int *out, int *zero)
{
  float r2[64];
  int n = 0, points = 0;
  for (int k = 0; k < c->n; k += 64) {
    const int here = c->n - k < 64 ? c->n - k : 64;
#pragma omp simd
    for (int l = 0; l < here; l++) {
      if (LISTS_TEST) {
        const int32_t x[3] = {c->x[k + l], c->y[k + l], c->z[k + l]};
        r2[l] = list_apart2(&w->metric, w->oblique, x, p);
        continue;
      }
      float dx = (float)torus_difference(c->x[k + l], p[0]) * w->h[0];
      float dy = (float)torus_difference(c->y[k + l], p[1]) * w->h[1];
      const float dz = (float)torus_difference(c->z[k + l], p[2]) * w->h[2];
      if (w->oblique) {
        dx = dx + w->metric.shear[0] * dy + w->metric.shear[1] * dz;
        dy = dy + w->metric.shear[2] * dz;
      }
      r2[l] = dx * dx + dy * dy + dz * dz;
    }
    for (int l = 0; l < here; l++) {
      const int j = c->bead[k + l];
      out[n] = j;
      n += (r2[l] < w->most) & (LISTS_TEST | (j != i));
      points += r2[l] == 0;
    }
  }
  *zero = points;
  return n;
}
#endif

/* A group: consecutive beads whose candidates are found together; at most this number, and this far
   apart along z, in list radii. */
enum { GROUP = 8 };
#define GROUP_HEIGHT 1.5

/* 1 if a bead of the row is at the position of bead i. Excluded ones may be, as some sites are. */
static int is_point(const struct cells_job *job, int i, const int *row, int n)
{
  const int32_t *p = job->position + 3 * (int64_t)i;
  for (int k = 0; k < n; k++)
    if (row[k] != i && !memcmp(p, job->position + 3 * (int64_t)row[k], 3 * sizeof *p) &&
        !exclusions_have(&job->skip, i, row[k]))
      return 1;
  return 0;
}

/* The first bead after `begin` that is not in its group, whose beads are in one column of cells. p:
   set to the range of their coordinates. */
static int group_end(const struct cells *c, const struct window *w, int begin, int owned,
                     const int32_t *position, struct points *p)
{
  const struct grid *g = &c->grid;
  const int32_t *first = position + 3 * (int64_t)begin;
  const int column[2] = {cells_place(first[0], g->n[0]), cells_place(first[1], g->n[1])};
  const double height = GROUP_HEIGHT * w->radius / g->box[2];
  int end = begin + 1;
  memcpy(p->low, first, sizeof p->low);
  memcpy(p->high, first, sizeof p->high);
  for (; end < owned && end < begin + GROUP; end++) {
    const int32_t *x = position + 3 * (int64_t)end;
    if (cells_place(x[0], g->n[0]) != column[0] || cells_place(x[1], g->n[1]) != column[1] ||
        fabs(torus_fraction(x[2]) - torus_fraction(first[2])) > height)
      break;
    for (int k = 0; k < 3; k++) {
      if ((uint32_t)x[k] < (uint32_t)p->low[k]) p->low[k] = x[k];
      if ((uint32_t)x[k] > (uint32_t)p->high[k]) p->high[k] = x[k];
    }
  }
  return end;
}

/* Finds the candidates of a group that begins with bead i. */
static void group_find(const struct cells *c, struct window *w, int i, int owned,
                       const int32_t *position)
{
  struct points p;
  int end = group_end(c, w, i, owned, position, &p);
  int runs = runs_near(c, &p, w->radius, w->r2max, &w->room);
  if (runs < 0) {
    end = group_end(c, w, i, i + 1, position, &p);
    runs = runs_near(c, &p, w->radius, w->r2max, &w->room);
  }
  candidates_copy(&w->near, c, w->room.run, runs);
  w->end = end;
}

/* Removes excluded partners from the row of bead i, or with LISTS_TEST replaces them by the bead.
   Returns its new length. */
static int row_exclude(int *row, int n, int i, const int *partner, int n_partners)
{
  for (int e = 0; e < n_partners; e++) {
    int at = -1;
    for (int k = 0; k < n; k++)
      at = row[k] == partner[e] ? k : at;
    if (at < 0) continue;
    if (LISTS_TEST) {
      row[at] = i;
      continue;
    }
    n--;
    memmove(row + at, row + at + 1, (size_t)(n - at) * sizeof *row);
  }
  return n;
}

/* The bits of the classes of the partners of a bead. */
static unsigned partners_of(const struct cells_pairs *p, int i)
{
  return p->partners ? p->partners[p->class_of[p->record[i].type]] : ~0u;
}

/* Keeps only the beads of some list classes. Returns the new length of the row. */
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

/* Fills up a row of bead i. */
static int row_fill(int *row, int n, int i)
{
  while (n % FORCE_LANES)
    row[n++] = i;
  return n;
}

/* Makes the parts of a row, each filled up. The row has room for its length and that of a part
   more. */
static int row_divide(const struct cells_pairs *p, int *row, int n, int i)
{
  int *apart = row + n + FORCE_LANES, parts[2] = {0, 0};
  for (int k = 0; k < n; k++) {
    const int j = row[k], part = p->part_of[p->record[j].type];
    if (part)
      apart[parts[1]++] = j;
    else
      row[parts[0]++] = j;
  }
  const int first = row_fill(row, parts[0], i);
  memmove(row + first, apart, (size_t)parts[1] * sizeof *row);
  return first + row_fill(row + first, parts[1], i);
}

static struct window window_of(const struct cells_job *job)
{
  const struct grid *g = &job->cells->grid;
  struct window w = {.end = 0, .radius = job->pairs.radius * CELLS_MARGIN};
  if (LISTS_TEST) w.radius = list_reach(g->box, job->pairs.radius);
  for (int k = 0; k < 3; k++)
    w.h[k] = (float)(g->box[k] / TORUS_EDGE);
  w.oblique = box_is_oblique(g->box);
  w.metric = list_metric_of(g->box);
  for (int k = 0; k < 3 && !LISTS_TEST; k++)
    w.metric.shear[k] = (float)(g->box[3 + k] / g->box[k ? 2 : 1]);
  w.r2max = (float)(w.radius * w.radius);
  w.most = LISTS_TEST ? list_radius2(g->box, job->pairs.radius) : w.r2max;
  w.room = reach_room_make(g, w.radius);
  w.room.whole = LISTS_TEST && list_span(g, w.radius) < 0;
  return w;
}

/* Writes the list of bead i, of partners of some classes, to the store. Returns 0 if another bead
   is at its point. */
static int row_make(const struct cells_job *job, const struct window *w, unsigned classes, int i,
                    struct list_store *store)
{
  const struct exclusions *skip = &job->skip;
  const int first = skip->row[i], last = skip->row[i + 1];
  int *row = list_store_room(store, 2 * (w->near.n + CELLS_OVER + FORCE_LANES));
  int zero = 0;
  int n = candidates_append(&w->near, job->position + 3 * (int64_t)i, w, i, row, &zero);
  if (zero > 1 && !job->points && is_point(job, i, row, n)) return 0;
  if (job->pairs.partners) n = row_select(&job->pairs, classes, row, n);
  if (LISTS_TEST && job->pairs.part_of) n = row_divide(&job->pairs, row, n, i);
  if (last > first) n = row_exclude(row, n, i, skip->partner + first, last - first);
  n = row_fill(row, n, i);
  job->list->row[i] = row;
  job->list->n[i] = n;
  store->next += n;
  store->left -= n;
  return 1;
}

extern cells_list_function NAME(cells_list_, KERNEL_NAME);
int NAME(cells_list_, KERNEL_NAME)(const struct cells_job *job, int begin, int end, int thread)
{
  struct window w = window_of(job);
  int i = begin;
  for (; i < end; i++) {
    const unsigned classes = partners_of(&job->pairs, i);
    job->list->n[i] = 0;
    if (!classes) continue;
    if (i >= w.end) group_find(job->cells, &w, i, end, job->position);
    if (!row_make(job, &w, classes, i, &job->list->store[thread])) break;
  }
  reach_room_free(&w.room);
  candidates_free(&w.near);
  return i;
}
