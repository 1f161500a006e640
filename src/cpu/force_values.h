/* What the files of a force kernel share: names that end in KERNEL_NAME, the force and energies of
   each pair of a block, and sums over lanes. */
#ifndef FORCE_VALUES_H
#define FORCE_VALUES_H

#include "cpu/force_block.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* Sums over lanes, by halves: lane l takes lane l + 8, then l + 4, l + 2 and l + 1. The contents of
   a may be lost. */
#ifdef __AVX2__
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
    struct pair_arg p = pair_arguments(r, me, other, b->self[l], axes);
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
  for (int k = 0; k < 3; k++)
    v.h[k] = R(job->box[k] / TORUS_EDGE);
  v.id = job->id;
  v.anchors = job->anchors;
  return v;
}

#endif
