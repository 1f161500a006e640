/* How one bead adds to the bins of profiles (backend/profile.h), on host and device. */
#ifndef PROFILE_BODY_H
#define PROFILE_BODY_H

#include "backend/profile.h"
#include "base/units.h"
#include "dynamics/integrate_body.h"
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
  *to += v;
#endif
}

/* Where a bead lies in a profile: its bin, the bin above, and how far into its bin, in bins. */
struct profile_place {
  int bin, above;
  double part;
};

HD struct profile_place profile_place_of(int32_t z, uint32_t centre, int bins)
{
  const uint64_t at = (uint64_t)((uint32_t)z - centre + UINT32_C(0x80000000)) * (uint64_t)bins;
  struct profile_place p;
  p.bin = (int)(at >> 32);
  p.above = p.bin + 1 < bins ? p.bin + 1 : 0;
  p.part = (double)(uint32_t)at / 4294967296.0;
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

/* What a bead adds to BINS_CENTRE; scale: 2^sum_bits. */
HD void centre_values(int32_t z, double weight, double scale, int64_t value[2])
{
  const double angle = 2.0 * UNITS_PI * ((double)(uint32_t)z / 4294967296.0);
  int64_t overflow = 0;
  value[0] = sum_fixed(weight * cos(angle), scale, &overflow);
  value[1] = sum_fixed(weight * sin(angle), scale, &overflow);
}

/* What a bead with a dipole adds to PROFILE_DIPOLE. */
HD int64_t dipole_value(const double orientation[4])
{
  double axis[3];
  int64_t overflow = 0;
  rotation_axis(orientation, axis);
  return sum_fixed(axis[2], (double)(INT64_C(1) << PROFILE_DIPOLE_BITS), &overflow);
}

/* The bins of BINS_STRESS: arrays of words, and the single words, which every thread of a device
   has of its own. scale: 2^sum_bits. */
struct stress_bins {
  int64_t *array;
  int bins;
  double scale;
};

/* Adds the ends at a bead to those of a part. */
HD void stress_bin_part(const struct stress_bins *b, struct profile_place at, int part,
                        const struct stress_ends *from, int64_t *single)
{
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    const int k = part * STRESS_COMPONENTS + c;
    int64_t *overflow = single + STRESS_OVERFLOW, *magnitude = single + STRESS_MAGNITUDE;
    int64_t *end = b->array + (int64_t)(STRESS_END + k) * b->bins;
    const double above = at.part * from->end[c];
    const int64_t value = sum_part(from->end[c], b->scale, overflow, magnitude);
    const int64_t share = value ? sum_fixed(above, b->scale, overflow) : 0;
    bins_add(end + at.bin, value - share);
    bins_add(end + at.above, share);
    bins_add(b->array + (int64_t)(STRESS_PLACE + k) * b->bins + at.bin,
             sum_part(from->place[c], b->scale, overflow, magnitude));
    single[STRESS_TOTAL + k] += sum_part(from->all[c], b->scale, overflow, magnitude);
  }
}

/* The momentum of a bead, the force on it, and half a time step, for its kinetic part. */
struct stress_motion {
  const double *p, *f;
  double inverse_mass, half_step;
};

/* Adds a bead. lipid: 1 if it has bonded terms. */
HD void stress_bin_bead(const struct stress_bins *b, struct profile_place at, int lipid,
                        const struct stress_bead *from, const struct stress_motion *move,
                        int64_t *single)
{
  int64_t *overflow = single + STRESS_OVERFLOW, *magnitude = single + STRESS_MAGNITUDE;
  double flow[3], lateral = 0;
  for (int k = 0; k < 3; k++) {
    const double kick = move->half_step > 0 ? move->f[k] * move->half_step : 0.0;
    flow[k] = (move->p[k] * move->p[k] + kick * kick) * move->inverse_mass;
  }
  const double kinetic[STRESS_COMPONENTS] = {0.5 * (flow[0] + flow[1]), flow[2]};
  for (int k = 0; k < 2; k++) {
    lateral += from->pair[k].all[STRESS_LATERAL];
    stress_bin_part(b, at, lipid + k, &from->pair[k], single);
  }
  for (int k = 0; lipid && k < STRESS_BONDED_PARTS; k++) {
    lateral += from->bonded[k].all[STRESS_LATERAL];
    stress_bin_part(b, at, STRESS_BOND + k, &from->bonded[k], single);
  }
  bins_add(b->array + (int64_t)STRESS_HARASIMA * b->bins + at.bin,
           sum_part(lateral, b->scale, overflow, magnitude));
  for (int c = 0; c < STRESS_COMPONENTS; c++)
    bins_add(b->array + (int64_t)(STRESS_KINETIC + c) * b->bins + at.bin,
             sum_part(kinetic[c], b->scale, overflow, magnitude));
}

#endif
