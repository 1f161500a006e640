/* A block of FORCE_LANES candidates of one bead, gathered into arrays for vector loops, the force
   and energies of each of its pairs, and sums over lanes. Plain loops for any processor; with
   AVX-512 or AVX2, records are loaded whole and transposed, which halves the time of a pass. Same
   bits. */
#ifndef FORCE_BLOCK_H
#define FORCE_BLOCK_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "cpu/force_cpu.h"
#include "pair/force_body.h"

/* The records of one axis as columns. */
struct block_axis {
  real ux[FORCE_LANES], uy[FORCE_LANES], uz[FORCE_LANES], q[FORCE_LANES];
};

struct block {
  _Alignas(64) real x[FORCE_LANES];
  real y[FORCE_LANES], z[FORCE_LANES]; /* r_i - r_j in cutoffs */
  struct block_axis axis[PAIR_AXES_MOST];
#define COEF(family, member, use) real family##_##member[FORCE_LANES];
#include "pair/pair_list.h"
#undef COEF
  int self[FORCE_LANES];
};

HD void block_load_coef(const struct bead_record *record, const int *index,
                        const struct pair_coef *coef, unsigned set, struct block *b)
{
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    int type = record[index[l]].type;
#define COEF(family, member, use)                                                                  \
  if (set & pair_family_terms(PAIR_FAMILY_##family))                                               \
    b->family##_##member[l] = coef[type].family.member;
#include "pair/pair_list.h"
#undef COEF
  }
}

#if defined(__AVX512F__) && !defined(REAL_DOUBLE)
enum { BLOCK_WIDTH = 16 };
typedef __m512i block_int;

HD block_int block_four(const void *base, const int *index, int k)
{
  const __m128i *r = (const __m128i *)base;
  block_int v = _mm512_castsi128_si512(_mm_loadu_si128(r + index[k]));
  v = _mm512_inserti32x4(v, _mm_loadu_si128(r + index[k + 4]), 1);
  v = _mm512_inserti32x4(v, _mm_loadu_si128(r + index[k + 8]), 2);
  return _mm512_inserti32x4(v, _mm_loadu_si128(r + index[k + 12]), 3);
}

#define BLOCK_OP(name) _mm512_##name

HD void block_store(real *out, block_int v)
{
  _mm512_storeu_ps(out, _mm512_castsi512_ps(v));
}

HD void block_difference(int32_t me, block_int other, real h, real *out)
{
  __m512 d = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_set1_epi32(me), other));
  _mm512_storeu_ps(out, _mm512_mul_ps(d, _mm512_set1_ps(h)));
}

HD void block_self(int i, const int *index, int *out)
{
  __mmask16 self = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(index), _mm512_set1_epi32(i));
  _mm512_storeu_si512(out, _mm512_maskz_set1_epi32(self, 1));
}

HD void block_look_up(block_int type, const real *table, int types, real *out)
{
  (void)types;
  const __m512 low = _mm512_loadu_ps(table), high = _mm512_loadu_ps(table + 16);
  _mm512_storeu_ps(out, _mm512_permutex2var_ps(low, type, high));
}
#elif defined(__AVX2__)
enum { BLOCK_WIDTH = 8 };
typedef __m256i block_int;

HD block_int block_four(const void *base, const int *index, int k)
{
  const __m128i *r = (const __m128i *)base;
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(r + index[k])),
                                 _mm_loadu_si128(r + index[k + 4]), 1);
}

#define BLOCK_OP(name) _mm256_##name

HD void block_self(int i, const int *index, int *out)
{
  __m256i self = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)index),
                                    _mm256_set1_epi32(i));
  _mm256_storeu_si256((__m256i *)(void *)out, self);
}

#ifdef REAL_DOUBLE
HD void block_difference(int32_t me, block_int other, real h, real *out)
{
  __m256i d = _mm256_sub_epi32(_mm256_set1_epi32(me), other);
  __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(d));
  __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(d, 1));
  _mm256_storeu_pd(out, _mm256_mul_pd(low, _mm256_set1_pd(h)));
  _mm256_storeu_pd(out + 4, _mm256_mul_pd(high, _mm256_set1_pd(h)));
}

HD void block_look_up(block_int type, const real *table, int types, real *out)
{
  (void)types;
  _mm256_storeu_pd(out, _mm256_i32gather_pd(table, _mm256_castsi256_si128(type), 8));
  _mm256_storeu_pd(out + 4, _mm256_i32gather_pd(table, _mm256_extracti128_si256(type, 1), 8));
}

/* Four axis records as columns. */
HD void block_axes_four(const struct axis_record *axis, const int *index, int l,
                        struct block_axis *b)
{
  __m256d r0 = _mm256_loadu_pd(axis[index[0]].u), r1 = _mm256_loadu_pd(axis[index[1]].u);
  __m256d r2 = _mm256_loadu_pd(axis[index[2]].u), r3 = _mm256_loadu_pd(axis[index[3]].u);
  __m256d t0 = _mm256_unpacklo_pd(r0, r1), t1 = _mm256_unpackhi_pd(r0, r1);
  __m256d t2 = _mm256_unpacklo_pd(r2, r3), t3 = _mm256_unpackhi_pd(r2, r3);
  _mm256_storeu_pd(b->ux + l, _mm256_permute2f128_pd(t0, t2, 0x20));
  _mm256_storeu_pd(b->uy + l, _mm256_permute2f128_pd(t1, t3, 0x20));
  _mm256_storeu_pd(b->uz + l, _mm256_permute2f128_pd(t0, t2, 0x31));
  _mm256_storeu_pd(b->q + l, _mm256_permute2f128_pd(t1, t3, 0x31));
}
#else
HD void block_store(real *out, block_int v)
{
  _mm256_storeu_ps(out, _mm256_castsi256_ps(v));
}

HD void block_difference(int32_t me, block_int other, real h, real *out)
{
  __m256 d = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(me), other));
  _mm256_storeu_ps(out, _mm256_mul_ps(d, _mm256_set1_ps(h)));
}

/* Of 16 types from table on: the halves of a table, chosen by bit 3 of the type. */
HD __m256 block_sixteen(block_int type, const real *table)
{
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), type),
               high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), type);
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(type, 28)));
}

/* Of up to 32. Not inline, so that it takes no registers from loops over fewer types. */
static __attribute__((noinline)) void block_look_up_wide(block_int type, const real *table,
                                                         int types, real *out)
{
  __m256 c = block_sixteen(type, table);
  if (types > 16)
    c = _mm256_blendv_ps(c, block_sixteen(type, table + 16),
                         _mm256_castsi256_ps(_mm256_slli_epi32(type, 27)));
  _mm256_storeu_ps(out, c);
}

HD void block_look_up(block_int type, const real *table, int types, real *out)
{
  if (types > 8)
    block_look_up_wide(type, table, types, out);
  else
    _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), type));
}
#endif
#endif

#ifdef BLOCK_OP
enum { BLOCK_TABLES = 1 }; /* coefficients are looked up in tables */

struct block_columns {
  block_int c[4];
};

/* BLOCK_WIDTH 16-byte records as four columns. */
HD struct block_columns block_transpose(const void *base, const int *index)
{
  struct block_columns t;
  block_int a = block_four(base, index, 0), b = block_four(base, index, 1);
  block_int c = block_four(base, index, 2), d = block_four(base, index, 3);
  block_int ab0 = BLOCK_OP(unpacklo_epi32)(a, b), ab1 = BLOCK_OP(unpackhi_epi32)(a, b);
  block_int cd0 = BLOCK_OP(unpacklo_epi32)(c, d), cd1 = BLOCK_OP(unpackhi_epi32)(c, d);
  t.c[0] = BLOCK_OP(unpacklo_epi64)(ab0, cd0);
  t.c[1] = BLOCK_OP(unpackhi_epi64)(ab0, cd0);
  t.c[2] = BLOCK_OP(unpacklo_epi64)(ab1, cd1);
  t.c[3] = BLOCK_OP(unpackhi_epi64)(ab1, cd1);
  return t;
}

HD void block_axes(const struct axis_record *axis, const int *index, int l, struct block_axis *b)
{
#ifdef REAL_DOUBLE
  for (int k = 0; k < BLOCK_WIDTH; k += 4)
    block_axes_four(axis, index + k, l + k, b);
#else
  struct block_columns a = block_transpose(axis, index);
  block_store(b->ux + l, a.c[0]);
  block_store(b->uy + l, a.c[1]);
  block_store(b->uz + l, a.c[2]);
  block_store(b->q + l, a.c[3]);
#endif
}

/* Lanes [l, l + BLOCK_WIDTH); the coefficients of forces too where the table holds them. */
HD void block_load_lanes(const struct force_job *job, int i, const int *index, const real *table,
                         int types, const struct box_units *unit, unsigned set, int l,
                         struct block *b)
{
  const struct bead_record me = job->record[i];
  const int arrays = pair_set_records(set);
  struct block_columns r = block_transpose(job->record, index + l);
  block_difference(me.x[0], r.c[0], unit->h[0], b->x + l);
  block_difference(me.x[1], r.c[1], unit->h[1], b->y + l);
  block_difference(me.x[2], r.c[2], unit->h[2], b->z + l);
  block_self(i, index + l, b->self + l);
  if (arrays) block_axes(job->axis[0], index + l, l, &b->axis[0]);
  if (arrays > 1) block_axes(job->axis[1], index + l, l, &b->axis[1]);
  if (!table) return;
#define COEF(family, member, use)                                                                  \
  if (PAIR_USE_##use == PAIR_USE_force && (set & pair_family_terms(PAIR_FAMILY_##family)))         \
    block_look_up(r.c[3], table + PAIR_COEF_##family##_##member * MODEL_TABLE, types,              \
                  b->family##_##member + l);
#include "pair/pair_list.h"
#undef COEF
}
#else
enum { BLOCK_TABLES = 0 };
#endif

HD void block_shear(const struct box_units *unit, struct block *b)
{
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    const struct vec3 r = box_shear(unit, vec3_make(b->x[l], b->y[l], b->z[l]));
    b->x[l] = r.x;
    b->y[l] = r.y;
  }
}

/* coef, table: coefficients of this bead's type with each other, of the pass; table NULL where
   there are too many types for it. types: their number. energies: whether the coefficients of
   energies are needed. */
HD void block_load(const struct force_job *job, int i, const int *index,
                   const struct pair_coef *coef, const real *table, int types,
                   const struct box_units *unit, unsigned set, int energies, struct block *b)
{
  const struct bead_record *record = job->record;
#ifdef BLOCK_OP
  for (int l = 0; l < FORCE_LANES; l += BLOCK_WIDTH)
    block_load_lanes(job, i, index, energies ? (const real *)0 : table, types, unit, set, l, b);
  if (unit->oblique) block_shear(unit, b);
  if (table && !energies) return;
#else
  const struct axis_record *axis = job->axis[0], *second = job->axis[1];
  const struct bead_record me = record[i];
  const int arrays = pair_set_records(set);
  (void)table;
  (void)types;
  (void)energies;
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    int j = index[l];
    b->x[l] = R(torus_difference(me.x[0], record[j].x[0])) * unit->h[0];
    b->y[l] = R(torus_difference(me.x[1], record[j].x[1])) * unit->h[1];
    b->z[l] = R(torus_difference(me.x[2], record[j].x[2])) * unit->h[2];
    b->self[l] = j == i;
    if (arrays) {
      b->axis[0].ux[l] = axis[j].u[0];
      b->axis[0].uy[l] = axis[j].u[1];
      b->axis[0].uz[l] = axis[j].u[2];
      b->axis[0].q[l] = axis[j].q;
    }
    if (arrays > 1) {
      b->axis[1].ux[l] = second[j].u[0];
      b->axis[1].uy[l] = second[j].u[1];
      b->axis[1].uz[l] = second[j].u[2];
    }
  }
  if (unit->oblique) block_shear(unit, b);
#endif
  block_load_coef(record, index, coef, set, b);
}

/* Sums over lanes, by halves: of 16, lane l takes lane l + 8, then l + 4, l + 2 and l + 1. The
   contents of a may be lost. */
#if defined(__AVX2__) && defined(REAL_DOUBLE)
HD double lanes_total_double(const double *a)
{
  const __m256d four = _mm256_add_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(a + 4));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
#elif defined(__AVX2__)
HD double lanes_total_double(const double *a)
{
  const __m256d low = _mm256_add_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(a + 8)),
                high = _mm256_add_pd(_mm256_loadu_pd(a + 4), _mm256_loadu_pd(a + 12)),
                four = _mm256_add_pd(low, high);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
#else
HD double lanes_total_double(double *a)
{
  for (int w = FORCE_LANES / 2; w > 0; w /= 2)
    for (int l = 0; l < w; l++)
      a[l] += a[l + w];
  return a[0];
}
#endif

#ifdef REAL_DOUBLE
HD real lanes_total(real *a)
{
  return lanes_total_double(a);
}
#elif defined(__AVX2__)
HD real lanes_total(const real *a)
{
  const __m256 eight = _mm256_add_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(a + 8));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
#else
HD real lanes_total(real *a)
{
  for (int w = FORCE_LANES / 2; w > 0; w /= 2)
    for (int l = 0; l < w; l++)
      a[l] += a[l + w];
  return a[0];
}
#endif

/* Coefficients that were not loaded are not read. */
HD struct pair_coef block_coef(const struct block *b, int l)
{
  struct pair_coef c;
#define COEF(family, member, use) c.family.member = b->family##_##member[l];
#include "pair/pair_list.h"
#undef COEF
  return c;
}

HD struct pair_bead block_bead(const struct block *b, int l, int arrays)
{
  struct pair_bead j = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
  const struct block_axis *u = &b->axis[0], *x = &b->axis[1];
  if (arrays) {
    j.u = vec3_make(u->ux[l], u->uy[l], u->uz[l]);
    j.q = u->q[l];
  }
  if (arrays > 1) {
    j.x = vec3_make(x->ux[l], x->uy[l], x->uz[l]);
    j.y = vec3_cross(j.u, j.x);
  }
  return j;
}

/* Force and energies of each pair of a block. */
struct block_value {
  real f[3][FORCE_LANES], u[ENERGIES][FORCE_LANES];
};

/* Sets those of lane l: the force f, and with sums FORCE_ENERGY the energies of v. */
HD void block_set_value(struct block_value *out, int l, unsigned set, int sums, struct pair_value v,
                        struct vec3 f)
{
  out->f[0][l] = f.x;
  out->f[1][l] = f.y;
  out->f[2][l] = f.z;
#define ENERGY(name, ...)                                                                          \
  if (sums == FORCE_ENERGY && (set_channels(set) >> ENERGY_##name & 1))                            \
    out->u[ENERGY_##name][l] = v.energy[ENERGY_##name];
#include "model/energy_list.h"
#undef ENERGY
}

/* The forces of the pairs of a block; energies are not set. */
HD void block_evaluate(const struct block *b, struct pair_bead me, unsigned set,
                       struct pair_constants constants, struct block_value *out)
{
  const int axes = pair_set_axes(set);
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    struct vec3 r = vec3_make(b->x[l], b->y[l], b->z[l]);
    struct pair_bead other = block_bead(b, l, pair_set_records(set));
    struct pair_arg p = pair_arguments(r, me, other, b->self[l], set);
    struct pair_value v = pair_evaluate(set, constants, block_coef(b, l), p);
    struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, other, axes), me, axes);
    block_set_value(out, l, set, FORCE_VIRIAL, v, f);
  }
}

HD struct force_view view_of(const struct force_job *job)
{
  struct force_view v;
  v.record = job->record;
  for (int k = 0; k < PAIR_AXES_MOST; k++)
    v.axis[k] = job->axis[k];
  v.unit = box_units_of(job->box, 1);
  v.anchor = job->anchor;
  return v;
}

#endif
