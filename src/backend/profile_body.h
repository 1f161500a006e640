/* How one bead adds to the bins of profiles (backend/profile.h), on host and device. */
#ifndef PROFILE_BODY_H
#define PROFILE_BODY_H

#include "backend/profile.h"
#include "base/portable.h"
#include "base/rotation.h"
#include "base/torus.h"
#include "base/units.h"
#include "model/sums.h"

/* Atomic on the device. Shared memory has no 64-bit addition: the lower half is added first, then
   the upper one with the carry of this addition. */
HD void bins_add(int64_t *to, int64_t v)
{
#ifdef __CUDA_ARCH__
  if (!v) return;
  if (__isShared(to)) {
    unsigned *half = (unsigned *)to;
    const unsigned low = (unsigned)v, before = atomicAdd(half, low);
    const unsigned high = (unsigned)((unsigned long long)v >> 32) + (before + low < low);
    if (high) atomicAdd(half + 1, high);
  } else {
    atomicAdd((unsigned long long *)to, (unsigned long long)v);
  }
#else
  sum_add(to, v);
#endif
}

/* Where a bead lies in a profile: its bin, the bin above, and how far into its bin, in bins. */
struct profile_place {
  int bin, above;
  double fraction;
};

HD struct profile_place profile_place_of(int32_t z, uint32_t centre, int bins)
{
  const uint64_t at = (uint64_t)((uint32_t)z - centre + UINT32_C(0x80000000)) * (uint64_t)bins;
  struct profile_place p;
  p.bin = (int)(at >> 32);
  p.above = p.bin + 1 < bins ? p.bin + 1 : 0;
  p.fraction = torus_fraction((int32_t)(uint32_t)at);
  return p;
}

/* The tables of struct profile, in host or device memory, and the types with a dipole. */
struct profile_tables {
  const int32_t *species_of_env, *species_of_type, *has_dipole;
  const double *weight;
};

HD int profile_species(const struct profile_tables *t, int32_t env, int32_t type)
{
  return env >= 0 ? t->species_of_env[env] : t->species_of_type[type];
}

/* What a bead adds to TALLY_CENTRE; scale: 2^sum_bits. */
HD void centre_values(int32_t z, double weight, double scale, int64_t value[2])
{
  const double angle = 2.0 * UNITS_PI * torus_fraction(z);
  int64_t overflow = 0;
  value[0] = sum_fixed(weight * portable_cos(angle), scale, &overflow);
  value[1] = sum_fixed(weight * portable_sin(angle), scale, &overflow);
}

/* The centre of profiles from the words of TALLY_CENTRE of all ranks: their angle, in units of
   2^-32 of a turn; the middle of the box if both are 0. In integers (CORDIC), so that host and
   devices find the same number. */
HD uint32_t centre_of_words(const int64_t word[2])
{
  /* atan(2^-k), in units of 2^-64 of a turn; the next ones are halves of the one before. */
  enum { ANGLES = 18, ROUNDS = 40 };
  const uint64_t angle[ANGLES] = {
      UINT64_C(0x2000000000000000), UINT64_C(0x12e4051d9df30866), UINT64_C(0x09fb385b5ee39e8e),
      UINT64_C(0x051111d41ddd9a1b), UINT64_C(0x028b0d430e589aed), UINT64_C(0x0145d7e159046278),
      UINT64_C(0x00a2f61e5c28262a), UINT64_C(0x00517c5511d442af), UINT64_C(0x0028be5346d0c337),
      UINT64_C(0x00145f2ebb30ab38), UINT64_C(0x000a2f980091ba7b), UINT64_C(0x000517cc14a80cb7),
      UINT64_C(0x00028be60cdfec62), UINT64_C(0x000145f306c172f2), UINT64_C(0x0000a2f9836ae911),
      UINT64_C(0x0000517cc1b6ba7c), UINT64_C(0x000028be60db85fc), UINT64_C(0x0000145f306dc816)};
  const int64_t small = INT64_C(1) << 58;
  int64_t x = word[0], y = word[1];
  if (x == 0 && y == 0) return UINT32_C(1) << 31;
  for (; x > 2 * small || x < -2 * small || y > 2 * small || y < -2 * small; y /= 2)
    x /= 2;
  for (; x < small && x > -small && y < small && y > -small; y *= 2)
    x *= 2;
  uint64_t turn = 0;
  if (x < 0) {
    turn = UINT64_C(1) << 63;
    x = -x;
    y = -y;
  }
  for (int k = 0; k < ROUNDS; k++) {
    const int64_t dx = y >> k, dy = x >> k;
    const uint64_t by = k < ANGLES ? angle[k] : angle[ANGLES - 1] >> (k - ANGLES + 1);
    x += y > 0 ? dx : -dx;
    turn = y > 0 ? turn + by : turn - by;
    y -= y > 0 ? dy : -dy;
  }
  return (uint32_t)((turn + (UINT64_C(1) << 31)) >> 32); /* rounded */
}

/* What a bead with a dipole adds to PROFILE_DIPOLE. */
HD int64_t dipole_value(const double orientation[4])
{
  double axis[3];
  int64_t overflow = 0;
  rotation_axis(orientation, axis);
  return sum_fixed(axis[2], (double)(INT64_C(1) << PROFILE_DIPOLE_BITS), &overflow);
}

/* The bins of TALLY_STRESS: arrays of words, and the single words, which every thread of a device
   has of its own. scale: 2^sum_bits. */
struct stress_bins {
  int64_t *array;
  int bins;
  double scale;
};

/* Adds the ends at a bead to those of a contribution. */
HD void stress_bin_contribution(const struct stress_bins *b, struct profile_place at,
                                int contribution, const struct stress_ends *from, int64_t *single)
{
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    const int k = contribution * STRESS_COMPONENTS + c;
    int64_t *overflow = single + STRESS_OVERFLOW, *magnitude = single + STRESS_MAGNITUDE;
    int64_t *end = b->array + (int64_t)(STRESS_END + k) * b->bins;
    const double above = at.fraction * from->end[c];
    const int64_t value = sum_addend(from->end[c], b->scale, overflow, magnitude);
    const int64_t share = value ? sum_fixed(above, b->scale, overflow) : 0;
    bins_add(end + at.bin, value - share);
    bins_add(end + at.above, share);
    bins_add(b->array + (int64_t)(STRESS_PLACE + k) * b->bins + at.bin,
             sum_addend(from->place[c], b->scale, overflow, magnitude));
    sum_add(&single[STRESS_TOTAL + k], sum_addend(from->all[c], b->scale, overflow, magnitude));
  }
}

/* The momentum of a bead, the force on it, and half a time step, for its kinetic part. */
struct stress_motion {
  const double *p, *f;
  double inverse_mass, half_step;
};

/* Adds the kinetic part of a bead. */
HD void stress_bin_motion(const struct stress_bins *b, struct profile_place at,
                          const struct stress_motion *move, int64_t *single)
{
  double flow[3];
  for (int k = 0; k < 3; k++) {
    const double kick = move->half_step > 0 ? move->f[k] * move->half_step : 0.0;
    flow[k] = (move->p[k] * move->p[k] + kick * kick) * move->inverse_mass;
  }
  const double kinetic[STRESS_COMPONENTS] = {0.5 * (flow[0] + flow[1]), flow[2]};
  for (int c = 0; c < STRESS_COMPONENTS; c++)
    bins_add(b->array + (int64_t)(STRESS_KINETIC + c) * b->bins + at.bin,
             sum_addend(kinetic[c], b->scale, single + STRESS_OVERFLOW, single + STRESS_MAGNITUDE));
}

/* Adds to the lateral profile of Harasima. */
HD void stress_bin_harasima(const struct stress_bins *b, struct profile_place at, double lateral,
                            int64_t *single)
{
  bins_add(b->array + (int64_t)STRESS_HARASIMA * b->bins + at.bin,
           sum_addend(lateral, b->scale, single + STRESS_OVERFLOW, single + STRESS_MAGNITUDE));
}

/* 1 if a bead of an environment (-1: none) is in a lipid; lipid: struct backend_config. */
HD int stress_is_lipid(const unsigned char *lipid, int32_t env)
{
  return env >= 0 && (!lipid || lipid[env]);
}

/* Adds the pairs and bonded terms of a bead, and its kinetic part; move NULL: without that. lipid,
   bonded: 1 if it is in a lipid, and if it has bonded terms. */
HD void stress_bin_bead(const struct stress_bins *b, struct profile_place at, int lipid, int bonded,
                        const struct stress_bead *from, const struct stress_motion *move,
                        int64_t *single)
{
  double lateral = 0;
  for (int k = 0; k < 2; k++) {
    lateral += from->pair[k].all[STRESS_LATERAL];
    stress_bin_contribution(b, at, lipid + k, &from->pair[k], single);
  }
  for (int k = 0; bonded && k < BONDED_CHANNELS; k++) {
    lateral += from->bonded[k].all[STRESS_LATERAL];
    stress_bin_contribution(b, at, STRESS_BONDED + k, &from->bonded[k], single);
  }
  stress_bin_harasima(b, at, lateral, single);
  if (move) stress_bin_motion(b, at, move, single);
}

#endif
