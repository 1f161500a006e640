/* How the pairs of a bead are summed. Plain: as the force kernels of the program do, force and
   torque in working precision, energies of four pairs likewise, and their sums in double. With the
   macro INTEGER_SUMS: force, torque and energy of every pair become 64-bit integers in units of
   2^-32 kJ/mol (of forces: times the cutoff), so that sums do not depend on their order. */
#ifndef VARIANTS_SUMS_H
#define VARIANTS_SUMS_H

#include "variants.h"
#include "variants_real.h"

#include "pair/force_body.h"

/* What all pairs of a bead give it: force in kJ/mol a cutoff, torque and energy in kJ/mol. */
struct bead_total {
  double force[3], torque[3], energy;
};

#ifdef INTEGER_SUMS

struct bead_sums {
  long long force[3], torque[3], energy;
};

HD struct bead_sums sums_none(void)
{
  struct bead_sums s = {{0, 0, 0}, {0, 0, 0}, 0};
  return s;
}

HD long long sums_integer(real v)
{
  return llrintf(v * 4294967296.0f);
}

/* s with a pair at r of slopes v and energy u, me the bead. axes is a constant. */
HD void sums_add(struct bead_sums *s, struct pair_slope v, real u, struct vec3 r,
                 struct pair_bead me, struct pair_bead other, int axes)
{
  const struct pair_sum one = pair_gather(pair_none(), v, r, other, axes);
  const struct vec3 f = pair_force(one, me, axes), t = pair_torque(one, me, axes);
  s->force[0] += sums_integer(f.x);
  s->force[1] += sums_integer(f.y);
  s->force[2] += sums_integer(f.z);
  s->torque[0] += sums_integer(t.x);
  s->torque[1] += sums_integer(t.y);
  s->torque[2] += sums_integer(t.z);
  s->energy += sums_integer(u);
}

/* After four pairs. */
HD void sums_end_row(struct bead_sums *) {}

HD struct bead_total sums_total(const struct bead_sums &s, struct pair_bead, int)
{
  const double unit = 1 / 4294967296.0;
  struct bead_total total;
  for (int k = 0; k < 3; k++) {
    total.force[k] = (double)s.force[k] * unit;
    total.torque[k] = (double)s.torque[k] * unit;
  }
  total.energy = (double)s.energy * unit;
  return total;
}

/* The sum over the lanes of a bead, in every lane. */
static __device__ __forceinline__ void sums_reduce(struct bead_sums *s, int)
{
  for (int mask = LANES / 2; mask > 0; mask /= 2) {
    for (int k = 0; k < 3; k++) {
      s->force[k] += __shfl_xor_sync(~0u, s->force[k], mask);
      s->torque[k] += __shfl_xor_sync(~0u, s->torque[k], mask);
    }
    s->energy += __shfl_xor_sync(~0u, s->energy, mask);
  }
}

#else

struct bead_sums {
  struct pair_sum sum;
  real row; /* energy of the pairs since the end of a row */
  double energy;
};

HD struct bead_sums sums_none(void)
{
  struct bead_sums s;
  s.sum = pair_none();
  s.row = R(0);
  s.energy = 0;
  return s;
}

/* s with a pair at r of slopes v and energy u, me the bead. axes is a constant. */
HD void sums_add(struct bead_sums *s, struct pair_slope v, real u, struct vec3 r, struct pair_bead,
                 struct pair_bead other, int axes)
{
  s->sum = pair_gather(s->sum, v, r, other, axes);
  s->row += u;
}

/* After four pairs. */
HD void sums_end_row(struct bead_sums *s)
{
  s->energy += (double)s->row;
  s->row = R(0);
}

HD struct bead_total sums_total(const struct bead_sums &s, struct pair_bead me, int axes)
{
  const struct vec3 f = pair_force(s.sum, me, axes), t = pair_torque(s.sum, me, axes);
  struct bead_total total = {
      {(double)f.x, (double)f.y, (double)f.z}, {(double)t.x, (double)t.y, (double)t.z}, s.energy};
  return total;
}

static __device__ __forceinline__ void lanes_add(real *v, int mask)
{
  *v += real_exchange(*v, mask);
}

static __device__ __forceinline__ void lanes_add(struct vec3 *v, int mask)
{
  lanes_add(&v->x, mask);
  lanes_add(&v->y, mask);
  lanes_add(&v->z, mask);
}

static __device__ __forceinline__ void lanes_add(struct pair_field *v, int mask)
{
  lanes_add(&v->g, mask);
  lanes_add(&v->along, mask);
}

/* The sum over the lanes of a bead, in every lane. */
static __device__ __forceinline__ void sums_reduce(struct bead_sums *s, int axes)
{
  for (int mask = LANES / 2; mask > 0; mask /= 2) {
    lanes_add(&s->sum.f, mask);
    lanes_add(&s->sum.u, mask);
    if (axes > 1) {
      lanes_add(&s->sum.x, mask);
      lanes_add(&s->sum.y, mask);
    }
    s->energy += __shfl_xor_sync(~0u, s->energy, mask);
  }
}

#endif

#endif
