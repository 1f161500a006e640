/* Forms of angles t at the middle of three beads or between two vectors, and of angles g of the
   axis of a body. */
#ifndef ANGLES_H
#define ANGLES_H

#include "base/angle.h"
#include "base/portable.h"
#include "pair/bonded_shape.h"

/* In place of a smaller sin^2 of restricted forms, so that energy and force stay finite: 0.018
   degrees from a straight line. */
#define RESTRICTED_SINE2 R(1e-7)

/* Arms a and b with an angle t between them. */
struct bonded_angle {
  real cosine, sine;  /* sine: |a x b| / (|a| |b|), not negative */
  struct vec3 da, db; /* dt/da, dt/db; 0 where the arms lie on a line, which has no such slope */
};

HD struct bonded_angle bonded_angle_of(struct vec3 a, struct vec3 b)
{
  struct bonded_angle t;
  const struct vec3 across = vec3_cross(a, b);
  const real ia = bonded_inverse(a), ib = bonded_inverse(b), dot = vec3_dot(a, b);
  const real area = real_sqrt(vec3_dot(across, across)), inverse = area > 0 ? R(1) / area : 0;
  t.cosine = dot * ia * ib;
  t.sine = area * ia * ib;
  t.da = vec3_scale(inverse, vec3_axpy(vec3_scale(dot * ia * ia, a), R(-1), b));
  t.db = vec3_scale(inverse, vec3_axpy(vec3_scale(dot * ib * ib, b), R(-1), a));
  return t;
}

/* The force on the end of arm a of an angle between arms a and b. slope: dU/d(cos t); ia, ib: the
   inverse lengths. */
HD struct vec3 bonded_angle_end(real slope, real cosine, struct vec3 a, struct vec3 b, real ia,
                                real ib)
{
  struct vec3 f = vec3_scale(-slope * ia * ib, b);
  return vec3_axpy(f, slope * cosine * ia * ia, a);
}

/* U = k (cos t - cos t0)^2 */
HD struct bonded_value bonded_angle_cosine_squared(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 a = s.arm[0], b = s.arm[1];
  const real ia = bonded_inverse(a), ib = bonded_inverse(b);
  const real cosine = vec3_dot(a, b) * ia * ib, d = cosine - c[1], slope = R(2) * c[0] * d;
  v.pull[0] = bonded_angle_end(slope, cosine, a, b, ia, ib);
  v.pull[1] = bonded_angle_end(slope, cosine, b, a, ib, ia);
  v.u = c[0] * d * d;
  return v;
}

/* At the site of the second of three bodies, between the sites of the others. c: k, cos t0, d0, d1,
   d2. */
HD struct bonded_value bonded_angle_site_cosine_squared(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 3, s, bonded_angle_cosine_squared(c, bonded_sites(c + 2, 3, s)));
}

/* Restricted bending (Bulacu et al., J. Chem. Theory Comput. 9, 3282, 2013): an angle that never
   becomes straight, where a dihedral would be undefined. U = k (cos t - cos t0)^2 / sin^2 t. */
HD struct bonded_value bonded_angle_restricted(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 a = s.arm[0], b = s.arm[1], across = vec3_cross(a, b);
  const real ia = bonded_inverse(a), ib = bonded_inverse(b);
  const real cosine = vec3_dot(a, b) * ia * ib, d = cosine - c[1];
  const real sine2 = real_max(vec3_dot(across, across) * ia * ia * ib * ib, RESTRICTED_SINE2);
  const real slope = R(2) * c[0] * d * (R(1) - cosine * c[1]) / (sine2 * sine2);
  v.pull[0] = bonded_angle_end(slope, cosine, a, b, ia, ib);
  v.pull[1] = bonded_angle_end(slope, cosine, b, a, ib, ia);
  v.u = c[0] * d * d / sine2;
  return v;
}

/* The dipole of the first bead is held at an angle g to the line to the second: U = k (cos g -
   cos g0)^2. The energy depends on that line too, so that there is a couple of forces besides the
   torque. */
HD struct bonded_value bonded_angle_dipole(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 u = s.axis[0], r = vec3_scale(R(-1), s.arm[0]); /* r: to the second bead */
  const real ir = bonded_inverse(r), cosine = vec3_dot(u, r) * ir;
  const real d = cosine - c[1], slope = R(2) * c[0] * d;
  v.pull[0] = vec3_scale(slope * ir, vec3_axpy(u, -cosine * ir, r));
  v.torque[0] = vec3_scale(slope * ir, vec3_cross(r, u));
  v.u = c[0] * d * d;
  return v;
}

/* The same with the line from a site of the body to that of another. c: k, cos g0, d0, d1. */
HD struct bonded_value bonded_angle_site_axis(const real *c, struct bonded_shape s)
{
  return bonded_at_sites(c + 2, 2, s, bonded_angle_dipole(c, bonded_sites(c + 2, 2, s)));
}

/* The second in radians. */
static inline void bonded_set_radians(const double *value, real *c)
{
  bonded_set_given(value, c);
  c[1] = R(value[1] * (UNITS_PI / 180));
}

/* U = k (t - t0)^2 */
HD struct bonded_value bonded_angle_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_angle t = bonded_angle_of(s.arm[0], s.arm[1]);
  const real d = angle_of(t.sine, t.cosine) - c[1];
  v.pull[0] = vec3_scale(R(-2) * c[0] * d, t.da);
  v.pull[1] = vec3_scale(R(-2) * c[0] * d, t.db);
  v.u = c[0] * d * d;
  return v;
}

/* U = k f(t) of a table. */
HD struct bonded_value bonded_angle_table(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_angle t = bonded_angle_of(s.arm[0], s.arm[1]);
  const struct bonded_of_table at = bonded_table_at(c, s.piece, angle_of(t.sine, t.cosine), 0);
  v.pull[0] = vec3_scale(-at.slope, t.da);
  v.pull[1] = vec3_scale(-at.slope, t.db);
  v.u = at.u;
  return v;
}

/* value: t0 in degrees, c0 to c4. */
static inline void bonded_set_polynomial(const double *value, real *c)
{
  bonded_set_given(value, c);
  c[0] = R(value[0] * (UNITS_PI / 180));
}

/* U = sum of c_n (t - t0)^n, n from 0 to 4. */
HD struct bonded_value bonded_angle_quartic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_angle t = bonded_angle_of(s.arm[0], s.arm[1]);
  const struct bonded_sum_of_powers p = bonded_powers(c + 1, 4, angle_of(t.sine, t.cosine) - c[0]);
  v.pull[0] = vec3_scale(-p.slope, t.da);
  v.pull[1] = vec3_scale(-p.slope, t.db);
  v.u = p.sum;
  return v;
}

/* Two bonds of the second bead (GROMACS manual, "Bond-Bond cross term"): U = k (r12 - a) (r23 - b).
 */
HD struct bonded_value bonded_angle_cross_bond_bond(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real first = bonded_length(s.arm[0]) - c[1], last = bonded_length(s.arm[1]) - c[2];
  v.pull[0] = vec3_scale(-c[0] * last * bonded_inverse(s.arm[0]), s.arm[0]);
  v.pull[1] = vec3_scale(-c[0] * first * bonded_inverse(s.arm[1]), s.arm[1]);
  v.u = c[0] * first * last;
  return v;
}

/* These bonds and the distance of their ends (GROMACS manual, "Bond-Angle cross term"): U = k (r13
   - d) (r12 - a + r23 - b). c: k, a, b, d. */
HD struct bonded_value bonded_angle_cross_bond_angle(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 a = s.arm[0], b = s.arm[1], ends = vec3_axpy(a, R(-1), b);
  const real bonds = bonded_length(a) + bonded_length(b) - (c[1] + c[2]);
  const real apart = bonded_length(ends) - c[3], pull = c[0] * bonds * bonded_inverse(ends);
  v.pull[0] = vec3_axpy(vec3_scale(-pull, ends), -c[0] * apart * bonded_inverse(a), a);
  v.pull[1] = vec3_axpy(vec3_scale(pull, ends), -c[0] * apart * bonded_inverse(b), b);
  v.u = c[0] * apart * bonds;
  return v;
}

/* Urey-Bradley (GROMACS manual): U = k (t - t0)^2 + k13 (r13 - d)^2. c: k, t0, k13, d. */
HD struct bonded_value bonded_angle_urey_bradley(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_angle_harmonic(c, s);
  const struct vec3 ends = vec3_axpy(s.arm[0], R(-1), s.arm[1]);
  const real d = bonded_length(ends) - c[3], pull = R(2) * c[2] * d * bonded_inverse(ends);
  v.pull[0] = vec3_axpy(v.pull[0], -pull, ends);
  v.pull[1] = vec3_axpy(v.pull[1], pull, ends);
  v.u += c[2] * d * d;
  return v;
}

/* The second bead is held at a point of the line between the others (GROMACS manual, "Linear angle
   potential"): U = k d^2, d = a r21 + (1 - a) r23. */
HD struct bonded_value bonded_angle_linear(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const real rest = R(1) - c[1];
  const struct vec3 d = vec3_axpy(vec3_scale(c[1], s.arm[0]), rest, s.arm[1]);
  v.pull[0] = vec3_scale(R(-2) * c[0] * c[1], d);
  v.pull[1] = vec3_scale(R(-2) * c[0] * rest, d);
  v.u = c[0] * vec3_dot(d, d);
  return v;
}

/* value: k, phi0 in degrees. */
static inline void bonded_set_phase(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(portable_cos(value[1] * (UNITS_PI / 180)));
  c[2] = R(portable_sin(value[1] * (UNITS_PI / 180)));
}

/* The cosine and the sine of n times an angle, n >= 0. */
HD void bonded_turns(int n, real *cosine, real *sine)
{
  real x = 1, y = 0;
  for (int k = 0; k < n; k++) {
    const real turned = x * *cosine - y * *sine;
    y = x * *sine + y * *cosine;
    x = turned;
  }
  *cosine = x;
  *sine = y;
}

/* value: k, n, t0 in degrees. c: k, cos(n t0), sin(n t0), n. */
static inline void bonded_set_multiple(const double *value, real *c)
{
  const double phase[2] = {value[0], value[1] * value[2]};
  bonded_set_phase(phase, c);
  c[3] = R(value[1]);
}

/* The angle t between the vector from the first bead to the second and another one (GROMACS manual,
   "Angle restraints"): U = k (1 - cos(n (t - t0))). pull[2]: -dU by the other vector. */
HD struct bonded_value bonded_angle_between(const real *c, struct vec3 first, struct vec3 other)
{
  struct bonded_value v = bonded_nothing();
  struct bonded_angle t = bonded_angle_of(vec3_scale(R(-1), first), other);
  bonded_turns((int)c[3], &t.cosine, &t.sine);
  const real slope = c[0] * c[3] * (t.sine * c[1] - t.cosine * c[2]);
  v.pull[0] = vec3_scale(slope, t.da);
  v.pull[2] = vec3_scale(-slope, t.db);
  v.u = c[0] * (R(1) - t.cosine * c[1] - t.sine * c[2]);
  return v;
}

/* That from the third bead to the fourth. */
HD struct bonded_value bonded_angle_vectors(const real *c, struct bonded_shape s)
{
  return bonded_angle_between(c, s.arm[0], s.arm[2]);
}

/* The z axis. */
HD struct bonded_value bonded_angle_vector_z(const real *c, struct bonded_shape s)
{
  return bonded_angle_between(c, s.arm[0], vec3_make(0, 0, 1));
}

#endif
