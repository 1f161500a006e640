/* What threads of a force kernel sum beside forces, energies and virial, and how the lanes of a
   bead and the threads of a block add up; in the precision of the unit that includes this. */
#ifndef FORCE_SUMS_CUDA_CUH
#define FORCE_SUMS_CUDA_CUH

#include "cuda/runtime/lanes.h"
#include "cuda/step/force_pass.cuh"

/* The sums of a thread: over its share of the pairs of its bead, and over the bonded terms that it
   computes. */
struct thread_sums {
  double u[ENERGIES], w[9]; /* pairs, each from both sides */
  int64_t virial[9], energy[ENERGIES][2], overflow, magnitude;
};

/* The same of a few pairs, in working precision. */
struct row_sums {
  real u[ENERGIES], w[9];
};

/* 1 if element k of the virial of pairs is summed for itself: forces between points lie along their
   distance, so that the virial is symmetric. */
static __device__ __forceinline__ int virial_is_own(unsigned set, int k)
{
  return pair_set_axes(set) > 0 || k / 3 <= k % 3;
}

static __device__ __forceinline__ void row_sums_clear(struct row_sums *row_sums)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    row_sums->w[k] = 0;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    row_sums->u[k] = 0;
}

template <unsigned SET, unsigned TERMS>
static __device__ __forceinline__ void row_sums_add(const struct row_sums &row_sums,
                                                    struct thread_sums *sums)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    if (virial_is_own(SET, k)) sums->w[k] += (double)row_sums.w[k];
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(TERMS) >> k & 1) sums->u[k] += (double)row_sums.u[k];
}

/* The sum over the lanes of a bead, in each of them. A number of lanes that is constant leaves no
   branch. */
template <class T> static __device__ __forceinline__ T lanes_total(T v, int lanes)
{
#pragma unroll
  for (int w = LANES_MOST / 2; w > 0; w /= 2)
    if (w < lanes) v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

static __device__ __forceinline__ struct vec3 lanes_vector(struct vec3 v, int lanes)
{
  return vec3_make(lanes_total(v.x, lanes), lanes_total(v.y, lanes), lanes_total(v.z, lanes));
}

static __device__ __forceinline__ struct pair_field lanes_field(const struct pair_field &a,
                                                                int lanes)
{
  struct pair_field out = {lanes_vector(a.g, lanes), lanes_total(a.along, lanes)};
  return out;
}

static __device__ __forceinline__ void energy_add(struct thread_sums *sums, int channel, double v)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), &sums->overflow);
  sums->energy[channel][0] += x & INT64_C(0xffffffff);
  sums->energy[channel][1] += x >> 32;
  sum_carry(sums->energy[channel]);
}

/* Adds an element of the virial, and the equal one where that is not summed for itself. */
template <unsigned SET>
static __device__ __forceinline__ void virial_count(const struct force_pass &pass, int k, double w,
                                                    struct thread_sums *sums)
{
  const int mirrored = 3 * (k % 3) + k / 3;
  const int64_t addend = sum_addend(w, pass.sum_scale, &sums->overflow, &sums->magnitude);
  sums->virial[k] += addend;
  if (virial_is_own(SET, mirrored)) return;
  sums->virial[mirrored] += addend;
  sums->magnitude += (addend < 0 ? -addend : addend) >> 20;
}

/* Half of the energies and virial of a bead's pairs, counted by its first lane: the partner counts
   the other half. self: the energy of the bead with itself. Clears the sums of pairs. */
template <unsigned SET>
static __device__ __forceinline__ void pairs_count(const struct force_pass &pass, int count,
                                                   real self, struct thread_sums *sums)
{
  if (count && self != 0) energy_add(sums, ENERGY_qq, (double)self);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) {
      double u = 0.5 * lanes_total(sums->u[k], pass.lanes);
      if (count) energy_add(sums, k, u);
      sums->u[k] = 0;
    }
#pragma unroll
  for (int k = 0; k < 9; k++) {
    if (!virial_is_own(SET, k)) continue;
    const double w = 0.5 * lanes_total(sums->w[k], pass.lanes);
    if (count) virial_count<SET>(pass, k, w, sums);
    sums->w[k] = 0;
  }
}

static __device__ __forceinline__ void virial_add(const struct force_pass &pass, const double r[3],
                                                  const double f[3], struct thread_sums *sums)
{
#pragma unroll
  for (int a = 0; a < 9; a++)
    sums->virial[a] +=
        sum_addend(r[a / 3] * f[a % 3], pass.sum_scale, &sums->overflow, &sums->magnitude);
}

/* Bits of the energies that bonded terms of these forms add to. */
HD unsigned bonded_channels(unsigned forms)
{
  const unsigned of_files = ((1u << BONDED_CHANNELS) - 1) << BONDED_CHANNEL_FIRST;
  return of_files | (forms >> FORM_excluded_reaction_field & 1u ? 1u << ENERGY_qq : 0u) |
         (forms >> FORM_restraint_place & 1u ? 1u << ENERGY_external : 0u);
}

/* forms: bits of those that the term may have, a constant. */
static __device__ __forceinline__ void bonded_count(const struct force_pass &pass,
                                                    const struct bonded_entry *e, unsigned forms,
                                                    const struct bonded_sum &s,
                                                    struct thread_sums *sums)
{
  const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
  const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
  const int channel = bonded_channel(pass.model.bonded[bonded_type(e)].form);
  virial_add(pass, arm, pull, sums);
  if (bonded_role(e) != 0) return;
  /* No index into sums that is not a constant: it would leave registers. */
  const double u = (double)s.u;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if ((bonded_channels(forms) >> k & 1u) && channel == k) energy_add(sums, k, u);
}

/* Every thread of a block calls it. */
static __device__ __forceinline__ void thread_sums_add(const struct thread_sums &sums,
                                                       unsigned channels, struct sums *out)
{
  __shared__ struct block_sums<9 + 2 * ENERGIES + 2, FORCE_THREADS / 32> all;
  int n = 0;
#pragma unroll
  for (int k = 0; k < 9; k++)
    block_sum(&all, n++, sums.virial[k], &out->word[SUM_VIRIAL + k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (channels >> k & 1) {
      block_sum(&all, n++, sums.energy[k][0], &out->energy[k][0]);
      block_sum(&all, n++, sums.energy[k][1], &out->energy[k][1]);
    }
  block_sum(&all, n++, sums.overflow, &out->overflow);
  block_sum(&all, n++, sums.magnitude, &out->magnitude);
  block_sums_add(&all, n);
}

static __device__ __forceinline__ void thread_sums_clear(struct thread_sums *e)
{
#pragma unroll
  for (int k = 0; k < 9; k++) {
    e->w[k] = 0;
    e->virial[k] = 0;
  }
#pragma unroll
  for (int k = 0; k < ENERGIES; k++) {
    e->u[k] = 0;
    e->energy[k][0] = e->energy[k][1] = 0;
  }
  e->overflow = e->magnitude = 0;
}

/* Sums of all lanes of a bead. */
template <unsigned SET>
static __device__ __forceinline__ struct pair_sum sum_lanes(struct pair_sum sum, int lanes)
{
  const int axes = pair_set_axes(SET);
  sum.f = lanes_vector(sum.f, lanes);
  if (axes) sum.u = lanes_field(sum.u, lanes);
  if (axes > 1) {
    sum.x = lanes_field(sum.x, lanes);
    sum.y = lanes_field(sum.y, lanes);
  }
  return sum;
}

#endif
