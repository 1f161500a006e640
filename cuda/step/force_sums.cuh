/* Energies and virial in force kernels: the sums of a thread, over the lanes of a bead, and over
   the threads of a block; in the precision of the unit that includes this. */
#ifndef FORCE_SUMS_CUDA_CUH
#define FORCE_SUMS_CUDA_CUH

#include "cuda/runtime/lanes.h"
#include "cuda/step/force_pass.cuh"

/* Energies and virial of pairs, kJ/mol; the partner counts each pair too. */
template <typename Real> struct pair_totals {
  Real u[ENERGIES], w[9];
};

/* The sums of a thread. pairs: over its share of the pairs of the present bead, as many as it has
   sums of forces. row: in mixed precision, of the four pairs of a row. fixed: in fixed point, over
   all its beads and bonded terms; in shared memory, since registers for it would leave room for
   fewer warps. */
struct thread_sums {
  struct pair_totals<double> pairs[PAIR_PARTIAL_SUMS];
  struct pair_totals<real> row;
  int64_t *fixed; /* of this thread: word k at fixed[k * FORCE_THREADS] */
};

/* Words of thread_sums.fixed: overflow, magnitude, the virial (9 elements with energies, else the
   diagonal), and two for each energy that the kernel sums (channels: their bits, a compile-time
   constant). */
enum { FIXED_OVERFLOW, FIXED_MAGNITUDE, FIXED_VIRIAL, FIXED_ENERGY = FIXED_VIRIAL + 9 };

/* 1 if a kernel with these sums has element k of the virial. */
HD int virial_is_summed(int sums, int k)
{
  return sums == FORCE_ENERGY || k % 4 == 0;
}

HD int fixed_virial(int sums, int k)
{
  return FIXED_VIRIAL + (sums == FORCE_ENERGY ? k : k / 4);
}

HD int channels_below(unsigned channels, int channel)
{
  int n = 0;
  for (int k = 0; k < channel; k++)
    n += (int)(channels >> k & 1u);
  return n;
}

HD int fixed_energy(unsigned channels, int channel)
{
  return FIXED_ENERGY + 2 * channels_below(channels, channel);
}

HD int fixed_words(int sums, unsigned channels)
{
  return sums == FORCE_ENERGY ? fixed_energy(channels, ENERGIES) : FIXED_VIRIAL + 3;
}

/* Shared memory of thread_sums.fixed, bytes per block. */
HD int fixed_bytes(int sums, unsigned channels)
{
  return fixed_words(sums, channels) * FORCE_THREADS * (int)sizeof(int64_t);
}

DEVICE void fixed_add(struct thread_sums *sums, int word, int64_t v)
{
  sums->fixed[word * FORCE_THREADS] += v;
}

/* 1 if element k of the virial of pairs is computed. Forces between points are central, so that
   their virial is symmetric: elements below the diagonal are copied. */
DEVICE int virial_is_own(unsigned set, int sums, int k)
{
  return virial_is_summed(sums, k) && (pair_set_axes(set) > 0 || k / 3 <= k % 3);
}

template <typename Real> DEVICE void totals_clear(struct pair_totals<Real> *t)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    t->w[k] = 0;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    t->u[k] = 0;
}

/* What the k-th pair of a row adds to: in double precision a partial sum of the bead, in mixed
   precision the sum of the row, which row_begin clears and row_end adds to that of the bead. */
#ifdef REAL_DOUBLE
template <int PARTIALS> DEVICE auto row_totals(struct thread_sums *sums, int k)
{
  return &sums->pairs[k % PARTIALS];
}
#else
template <int PARTIALS> DEVICE auto row_totals(struct thread_sums *sums, int)
{
  return &sums->row;
}
#endif

DEVICE void row_begin(struct thread_sums *sums)
{
  if (sizeof(real) == 4) totals_clear(&sums->row);
}

template <unsigned SET, unsigned TERMS, int SUMS> DEVICE void row_end(struct thread_sums *sums)
{
  if (sizeof(real) == 8) return;
  struct pair_totals<double> *to = &sums->pairs[0];
#pragma unroll
  for (int k = 0; k < 9; k++)
    if (virial_is_own(SET, SUMS, k)) to->w[k] += (double)sums->row.w[k];
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (SUMS == FORCE_ENERGY && (set_channels(TERMS) >> k & 1)) to->u[k] += (double)sums->row.u[k];
}

/* The sum over the lanes of a bead, in each of them; without branches if `lanes` is a compile-time
   constant. */
template <class T> DEVICE T lanes_total(T v, int lanes)
{
#pragma unroll
  for (int w = LANES_MOST / 2; w > 0; w /= 2)
    if (w < lanes) v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

/* The sum of the partial sums of a thread, by halves. */
template <int PARTIALS> DEVICE double partials_total(double (&part)[PARTIALS])
{
#pragma unroll
  for (int half = PARTIALS / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; k++)
      part[k] += part[k + half];
  return part[0];
}

DEVICE struct vec3 lanes_vector(struct vec3 v, int lanes)
{
  return vec3_make(lanes_total(v.x, lanes), lanes_total(v.y, lanes), lanes_total(v.z, lanes));
}

DEVICE struct pair_field lanes_field(const struct pair_field &a, int lanes)
{
  struct pair_field out = {lanes_vector(a.g, lanes), lanes_total(a.along, lanes)};
  return out;
}

DEVICE void energy_add(struct thread_sums *sums, unsigned channels, int channel, double v,
                       int64_t *overflow)
{
  const int word = fixed_energy(channels, channel);
  const int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), overflow);
  int64_t *low = &sums->fixed[word * FORCE_THREADS], *high = low + FORCE_THREADS;
  int64_t energy[2] = {*low + (x & INT64_C(0xffffffff)), *high + (x >> 32)};
  sum_carry(energy);
  *low = energy[0];
  *high = energy[1];
}

/* Adds element k of the virial, w in kJ/mol, and the same to its mirrored element if that is
   copied. */
template <unsigned SET, int SUMS>
DEVICE void virial_count(const struct force_pass &pass, int k, double w, struct thread_sums *sums,
                         int64_t *overflow, int64_t *magnitude)
{
  const int mirrored = 3 * (k % 3) + k / 3;
  const int64_t addend = sum_addend(w, pass.sum_scale, overflow, magnitude);
  fixed_add(sums, fixed_virial(SUMS, k), addend);
  if (virial_is_own(SET, SUMS, mirrored) || !virial_is_summed(SUMS, mirrored)) return;
  fixed_add(sums, fixed_virial(SUMS, mirrored), addend);
  *magnitude += (addend < 0 ? -addend : addend) >> 20;
}

/* Adds the slope by lambda of an energy u of a bead type's charge with its own molecule, in kernels
   that sum slopes. */
DEVICE void charges_slope(const struct force_pass &pass, int type, double u, unsigned channels,
                          struct thread_sums *sums, int64_t *overflow)
{
  if (channels >> ENERGY_dudl_qq & 1u)
    energy_add(sums, channels, ENERGY_dudl_qq, u * (double)pass.model.charge_slope[type], overflow);
}

/* Moves half of the virial, and with FORCE_ENERGY of the energies, of a bead's pairs to fixed, and
   clears those of the thread; the partner counts the other half. count: 1 in the lane that counts.
   self: energy of the bead, of a type, with itself, kJ/mol. */
template <unsigned SET, int SUMS, int PARTIALS>
DEVICE void pairs_count(const struct force_pass &pass, int count, real self, int type,
                        unsigned channels, struct thread_sums *sums)
{
  int64_t overflow = 0, magnitude = 0;
  if (SUMS == FORCE_ENERGY && count && self != 0) {
    energy_add(sums, channels, ENERGY_qq, (double)self, &overflow);
    charges_slope(pass, type, (double)self, channels, sums, &overflow);
  }
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (SUMS == FORCE_ENERGY && (set_channels(SET) >> k & 1)) {
      double part[PARTIALS];
#pragma unroll
      for (int l = 0; l < PARTIALS; l++)
        part[l] = sums->pairs[l].u[k];
      const double u = 0.5 * lanes_total(partials_total(part), pass.lanes);
      if (count) energy_add(sums, channels, k, u, &overflow);
    }
#pragma unroll
  for (int k = 0; k < 9; k++) {
    if (!virial_is_own(SET, SUMS, k)) continue;
    double part[PARTIALS];
#pragma unroll
    for (int l = 0; l < PARTIALS; l++)
      part[l] = sums->pairs[l].w[k];
    const double w = 0.5 * lanes_total(partials_total(part), pass.lanes);
    if (count) virial_count<SET, SUMS>(pass, k, w, sums, &overflow, &magnitude);
  }
#pragma unroll
  for (int l = 0; l < PARTIALS; l++)
    totals_clear(&sums->pairs[l]);
  if (overflow) fixed_add(sums, FIXED_OVERFLOW, overflow);
  if (count) fixed_add(sums, FIXED_MAGNITUDE, magnitude);
}

template <int SUMS>
DEVICE void virial_add(const struct force_pass &pass, const double r[3], const double f[3],
                       struct thread_sums *sums, int64_t *overflow)
{
  int64_t magnitude = 0;
#pragma unroll
  for (int k = 0; k < 9; k++)
    if (virial_is_summed(SUMS, k))
      fixed_add(sums, fixed_virial(SUMS, k),
                sum_addend(r[k / 3] * f[k % 3], pass.sum_scale, overflow, &magnitude));
  fixed_add(sums, FIXED_MAGNITUDE, magnitude);
}

/* A bit beside those of forms: slopes by lambda are summed too. */
#define BONDED_SLOPES (UINT64_C(1) << 63)
static_assert(FORMS < 63, "forms and BONDED_SLOPES");

/* Bits of the energies that bonded terms of these forms add to. */
HD unsigned bonded_channels(uint64_t forms)
{
  unsigned channels = 0;
#define BONDED(section, name, beads, axes, reads, joins, channel, ...)                             \
  if (forms & BONDED_FORM(section##_##name)) channels |= 1u << ENERGY_##channel;
#include "model/bonded_list.h"
#undef BONDED
  return forms & BONDED_SLOPES ? channels | 1u << ENERGY_dudl_qq : channels;
}

/* Adds virial and energy of a bonded term of bead i. forms: bits of the forms that it may have, a
   compile-time constant. */
template <int SUMS>
DEVICE void bonded_count(const struct force_pass &pass, int i, const struct bonded_entry *e,
                         uint64_t forms, const struct bonded_sum &s, unsigned channels,
                         struct thread_sums *sums)
{
  const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
  const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
  const int form = pass.model.bonded[bonded_type(e)].form, channel = bonded_channel(form);
  int64_t overflow = 0;
  virial_add<SUMS>(pass, arm, pull, sums, &overflow);
  const double u = (double)s.u;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (SUMS == FORCE_ENERGY && (bonded_channels(forms) >> k & 1u) && channel == k &&
        bonded_role(e) == 0)
      energy_add(sums, channels, k, u, &overflow);
  if (SUMS == FORCE_ENERGY && (channels >> ENERGY_dudl_qq & 1u) && bonded_role(e) == 0 &&
      form == FORM_excluded_reaction_field)
    charges_slope(pass, record_load(pass.view, i).type, u, channels, sums, &overflow);
  if (overflow) fixed_add(sums, FIXED_OVERFLOW, overflow);
}

/* Adds fixed of all threads to *out, global memory. Block-collective. */
template <int SUMS>
DEVICE void thread_sums_add(const struct thread_sums &sums, unsigned channels, struct sums *out)
{
  __shared__ struct block_sums<9 + 2 * ENERGIES + 2, FORCE_THREADS / 32> all;
  static_assert(sizeof all <= 2048, "SHARED_BYTES leaves room for it");
  int n = 0;
#pragma unroll
  for (int k = 0; k < 9; k++)
    if (virial_is_summed(SUMS, k))
      block_sum(&all, n++, sums.fixed[fixed_virial(SUMS, k) * FORCE_THREADS],
                &out->word[SUM_VIRIAL + k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (channels >> k & 1) {
      const int64_t *low = &sums.fixed[fixed_energy(channels, k) * FORCE_THREADS];
      block_sum(&all, n++, low[0], &out->energy[k][0]);
      block_sum(&all, n++, low[FORCE_THREADS], &out->energy[k][1]);
    }
  block_sum(&all, n++, sums.fixed[FIXED_OVERFLOW * FORCE_THREADS], &out->overflow);
  block_sum(&all, n++, sums.fixed[FIXED_MAGNITUDE * FORCE_THREADS], &out->magnitude);
  block_sums_add(&all, n);
}

/* room: shared memory of the block, fixed_bytes long. */
template <int SUMS>
DEVICE void thread_sums_clear(struct thread_sums *sums, void *room, unsigned channels)
{
#pragma unroll
  for (int l = 0; l < PAIR_PARTIAL_SUMS; l++)
    totals_clear(&sums->pairs[l]);
  sums->fixed = (int64_t *)room + threadIdx.x;
  for (int k = 0; k < fixed_words(SUMS, channels); k++)
    sums->fixed[k * FORCE_THREADS] = 0;
}

DEVICE struct vec3 vector_joined(struct vec3 a, struct vec3 b)
{
  return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

DEVICE struct pair_field field_joined(const struct pair_field &a, const struct pair_field &b)
{
  struct pair_field out = {vector_joined(a.g, b.g), a.along + b.along};
  return out;
}

/* The sum of two partial sums. */
template <unsigned SET>
DEVICE struct pair_sum sums_joined(struct pair_sum a, const struct pair_sum &b)
{
  const int axes = pair_set_axes(SET);
  a.f = vector_joined(a.f, b.f);
  if (axes) a.u = field_joined(a.u, b.u);
  if (axes > 1) {
    a.x = field_joined(a.x, b.x);
    a.y = field_joined(a.y, b.y);
  }
  return a;
}

/* The sum over the lanes of a bead. */
template <unsigned SET> DEVICE struct pair_sum sum_lanes(struct pair_sum sum, int lanes)
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
