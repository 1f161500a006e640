/* What threads of a force kernel sum beside forces, energies and virial, and how the lanes of a
   bead and the threads of a block add up; in the precision of the unit that includes this. */
#ifndef FORCE_SUMS_CUDA_CUH
#define FORCE_SUMS_CUDA_CUH

#include "cuda/step/force_pass.cuh"

/* What a thread has summed: of its bead's pairs its share, of its bonded terms its own. */
struct extra {
  double u[ENERGIES], w[9]; /* pairs, each from both sides */
  int64_t virial[9], energy[ENERGIES][2], overflow, magnitude;
};

/* The same of a few pairs, in working precision. */
struct few {
  real u[ENERGIES], w[9];
};

static __device__ __forceinline__ void few_clear(struct few *few)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    few->w[k] = 0;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    few->u[k] = 0;
}

template <unsigned TERMS>
static __device__ __forceinline__ void few_add(const struct few &few, struct extra *extra)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    extra->w[k] += (double)few.w[k];
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(TERMS) >> k & 1) extra->u[k] += (double)few.u[k];
}

template <int LANES> static __device__ __forceinline__ real lanes_total(real v)
{
#pragma unroll
  for (int w = LANES / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

template <int LANES> static __device__ __forceinline__ double lanes_total_double(double v)
{
#pragma unroll
  for (int w = LANES / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

template <int LANES> static __device__ __forceinline__ struct vec3 lanes_vector(struct vec3 v)
{
  return vec3_make(lanes_total<LANES>(v.x), lanes_total<LANES>(v.y), lanes_total<LANES>(v.z));
}

template <int LANES>
static __device__ __forceinline__ struct pair_field lanes_field(const struct pair_field &a)
{
  struct pair_field out = {lanes_vector<LANES>(a.g), lanes_total<LANES>(a.along)};
  return out;
}

static __device__ __forceinline__ void energy_add(struct extra *extra, int channel, double v)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), &extra->overflow);
  extra->energy[channel][0] += x & INT64_C(0xffffffff);
  extra->energy[channel][1] += x >> 32;
  sum_carry(extra->energy[channel]);
}

/* Half of the energies and virial of a bead's pairs, counted by its first lane: the partner counts
   the other half. */
template <unsigned SET, int LANES>
static __device__ __forceinline__ void pairs_count(const struct force_pass &pass, int count,
                                                   struct extra *extra)
{
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) {
      double u = 0.5 * lanes_total_double<LANES>(extra->u[k]);
      if (count) energy_add(extra, k, u);
    }
#pragma unroll
  for (int k = 0; k < 9; k++) {
    double w = 0.5 * lanes_total_double<LANES>(extra->w[k]);
    if (count) extra->virial[k] += sum_part(w, pass.sum_scale, &extra->overflow, &extra->magnitude);
  }
}

static __device__ __forceinline__ void virial_add(const struct force_pass &pass, const double r[3],
                                                  const double f[3], struct extra *extra)
{
#pragma unroll
  for (int a = 0; a < 9; a++)
    extra->virial[a] +=
        sum_part(r[a / 3] * f[a % 3], pass.sum_scale, &extra->overflow, &extra->magnitude);
}

static __device__ __forceinline__ void bonded_count(const struct force_pass &pass,
                                                    const struct bonded_entry *e,
                                                    const struct bonded_sum &s, struct extra *extra)
{
  const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
  const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
  const int channel = bonded_channel(&pass.model, e);
  virial_add(pass, arm, pull, extra);
  if (e->role != 0) return;
  /* No index into extra that is not a constant: it would leave registers. */
  const double u = (double)s.u;
  if (channel == ENERGY_bond) energy_add(extra, ENERGY_bond, u);
  if (channel == ENERGY_angle) energy_add(extra, ENERGY_angle, u);
  if (channel == ENERGY_dipole_angle) energy_add(extra, ENERGY_dipole_angle, u);
}

/* Every thread of a block calls it. */
static __device__ __forceinline__ void extra_add(const struct extra &extra, unsigned channels,
                                                 struct sums *out)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    block_add(extra.virial[k], &out->word[SUM_VIRIAL + k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (channels >> k & 1) {
      block_add(extra.energy[k][0], &out->energy[k][0]);
      block_add(extra.energy[k][1], &out->energy[k][1]);
    }
  block_add(extra.overflow, &out->overflow);
  block_add(extra.magnitude, &out->magnitude);
}

static __device__ __forceinline__ void extra_clear(struct extra *e)
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
template <unsigned SET, int LANES>
static __device__ __forceinline__ struct pair_sum sum_lanes(struct pair_sum sum)
{
  const int axes = pair_set_axes(SET);
  sum.f = lanes_vector<LANES>(sum.f);
  if (axes) sum.u = lanes_field<LANES>(sum.u);
  if (axes > 1) {
    sum.x = lanes_field<LANES>(sum.x);
    sum.y = lanes_field<LANES>(sum.y);
  }
  return sum;
}

#endif
