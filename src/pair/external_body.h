/* External fields as both backends evaluate them, in double. */
#ifndef EXTERNAL_BODY_H
#define EXTERNAL_BODY_H

#include <math.h>

#include "base/portable.h"
#include "base/torus.h"
#include "base/units.h"
#include "model/clock.h"
#include "model/external.h"
#include "model/sums.h"
#include "pair/bead_record.h"
#include "pair/external_map_body.h"

/* What a formula reads and returns. */
struct external_bead {
  double box[BOX];  /* nm */
  double place[3];  /* position in the box, fractions of its vectors */
  double r[3];      /* unwrapped position, nm */
  double charge;    /* e */
  double dipole[3]; /* e nm, laboratory frame */
  double c6, c12; /* Lennard-Jones with the bead type of a wall: kJ/mol nm6, kJ/mol nm12; 0: none */
  const struct external_map *map; /* of a form with a file; else not read */
};

struct external_value {
  double u;    /* kJ/mol */
  double f[3]; /* force, kJ/mol/nm */
  double t[3]; /* torque, kJ/mol, laboratory frame */
  /* nm: arm_a f_b counts in the virial. The vector that scales with the box while the energy
     follows; 0 for the force of something that is fixed in space, which is no part of the pressure
     of the system. */
  double arm[3];
  double stretch[3]; /* kJ/mol: counts on the diagonal of the virial in addition */
};

HD struct external_value external_nothing(void)
{
  const struct external_value v = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  return v;
}

/* Element a, b of its virial. */
HD double external_virial(const struct external_value *v, int a, int b)
{
  const double product = v->arm[a] * v->f[b];
  return a == b ? product + v->stretch[a] : product;
}

/* A constant force: U = -f . r of the unwrapped position. value: f, kJ/mol/nm. */
HD struct external_value external_force(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  for (int k = 0; k < 3; k++) {
    v.f[k] = value[k];
    v.u -= value[k] * b->r[k];
  }
  return v;
}

/* A uniform electric field E on charges and dipoles: U = -E . (q r + m), r the unwrapped position.
   The force is q E and the torque m x E. value: E, V/nm. */
HD struct external_value external_electric(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double e[3]; /* kJ/mol/nm/e */
  for (int k = 0; k < 3; k++) {
    e[k] = UNITS_VOLT * value[k];
    v.f[k] = b->charge * e[k];
    v.u -= e[k] * (b->charge * b->r[k] + b->dipole[k]);
  }
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    v.t[k] = b->dipole[l] * e[m] - b->dipole[m] * e[l];
  }
  return v;
}

/* The field whose potential falls by so much along each box vector. A charge at a fraction of the
   box keeps its energy where the box scales, and so counts in no virial; a dipole has m . E. */
HD struct external_value external_voltage(const double *value, const struct external_bead *b)
{
  const double *box = b->box;
  double e[3];
  e[0] = value[0] / box[0];
  e[1] = (value[1] - box[3] * e[0]) / box[1];
  e[2] = (value[2] - (box[4] * e[0] + box[5] * e[1])) / box[2];
  struct external_value v = external_electric(e, b);
  for (int k = 0; k < 3; k++)
    v.stretch[k] = -(UNITS_VOLT * e[k] * b->dipole[k]);
  return v;
}

/* A harmonic restraint to a point, a line or a plane: U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d the
   vector from a place in the box to the nearest image of the bead. One constant alone restrains to
   a plane, two to a line. The place is given in fractions of the box and scales with it, and so
   does d, which is the arm of the virial. value: k, kJ/mol/nm2; place, fraction of the box
   edges. */
HD struct external_value external_restraint(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double away[3];
  for (int k = 0; k < 3; k++) {
    const double d = b->place[k] - value[3 + k];
    away[k] = d - floor(d + 0.5);
  }
  box_vector(b->box, away, v.arm);
  for (int k = 0; k < 3; k++) {
    v.f[k] = -value[k] * v.arm[k];
    v.u += 0.5 * value[k] * v.arm[k] * v.arm[k];
  }
  return v;
}

/* v[axis]; chosen, since an array that is indexed by a variable is not in registers. */
HD double external_along(const double *v, int axis)
{
  return axis == 2 ? v[2] : axis == 1 ? v[1] : v[0];
}

/* Where a bead is between two planes across an axis. */
struct external_planes {
  int axis;
  double above, below; /* distances from the lower and the upper plane, nm; < 0: behind it */
  int low, high;       /* 1: there is that plane */
};

/* value: axis; fractions of the box edge of the lower and the upper plane; which of them act. Half
   of the box edge behind the middle of both, a bead changes from behind one to behind the other. */
HD struct external_planes external_planes_of(const double *value, const struct external_bead *b)
{
  struct external_planes p;
  const double half = 0.5 * (value[2] - value[1]);
  p.axis = value[0] > 1 ? 2 : value[0] > 0 ? 1 : 0;
  double from = external_along(b->place, p.axis) - (value[1] + half);
  const double edge = external_along(b->box, p.axis);
  from -= floor(from + 0.5);
  p.above = (half + from) * edge;
  p.below = (half - from) * edge;
  p.low = value[3] != 2;
  p.high = value[3] != 1;
  return p;
}

/* Adds the energy and the force, away from the plane, of one plane. The distance is a fraction of
   the box, and so the arm. sign: 1 of the lower plane, -1 of the upper one. */
HD void external_plane_add(struct external_value *v, int axis, double h, int sign, double u,
                           double f)
{
  v->u += u;
  UNROLL
  for (int k = 0; k < 3; k++) {
    if (k != axis) continue;
    v->f[k] += sign * f;
    v->stretch[k] += h * f;
  }
}

/* value: of external_planes_of; k, kJ/mol/nm2. */
HD struct external_value external_wall_harmonic(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  const struct external_planes p = external_planes_of(value, b);
  const double k = value[4], low = fmin(p.above, 0.0), high = fmin(p.below, 0.0);
  if (p.low) external_plane_add(&v, p.axis, low, 1, 0.5 * k * low * low, -k * low);
  if (p.high) external_plane_add(&v, p.axis, high, -1, 0.5 * k * high * high, -k * high);
  return v;
}

/* Adds U = a / h^n - b / h^m of one plane. Nearer than `linear` (nm) the force stays and the energy
   is that of a straight line; with linear 0, energy and force at and behind the plane are
   infinite. */
HD void external_well_add(struct external_value *v, int axis, double h, int sign,
                          const double ab[2], const int power[2], double linear)
{
  const double at = fmax(h, linear), r = at > 0 ? 1 / at : HUGE_VAL;
  double part[2] = {ab[0], ab[1]};
  if (part[0] == 0 && part[1] == 0) return;
  UNROLL
  for (int t = 0; t < 2; t++)
    UNROLL
  for (int k = 0; k < power[t]; k++)
    part[t] *= r;
  const double f = at > 0 ? (power[0] * part[0] - power[1] * part[1]) * r : HUGE_VAL;
  double u = at > 0 ? part[0] - part[1] : HUGE_VAL;
  if (h < at) u += (at - h) * f;
  external_plane_add(v, axis, h, sign, u, f);
}

/* Lennard-Jones of planes. value: of external_planes_of; epsilon, sigma, type, linear. factor: of
   C12 and C6. */
HD struct external_value external_wells(const double *value, const struct external_bead *b,
                                        const double factor[2], const int power[2])
{
  struct external_value v = external_nothing();
  const struct external_planes p = external_planes_of(value, b);
  const double s2 = value[5] * value[5], s6 = s2 * s2 * s2, c6 = 4 * value[4] * s6 + b->c6;
  const double ab[2] = {factor[0] * (4 * value[4] * s6 * s6 + b->c12), factor[1] * c6};
  if (p.low) external_well_add(&v, p.axis, p.above, 1, ab, power, value[7]);
  if (p.high) external_well_add(&v, p.axis, p.below, -1, ab, power, value[7]);
  return v;
}

/* Half a space of Lennard-Jones particles of a density, value[8], per nm3; a plane of them, per
   nm2; a single one. */
HD struct external_value external_wall_9_3(const double *value, const struct external_bead *b)
{
  const double factor[2] = {UNITS_PI * value[8] / 45, UNITS_PI * value[8] / 6};
  const int power[2] = {9, 3};
  return external_wells(value, b, factor, power);
}

HD struct external_value external_wall_10_4(const double *value, const struct external_bead *b)
{
  const double factor[2] = {UNITS_PI * value[8] / 5, UNITS_PI * value[8] / 2};
  const int power[2] = {10, 4};
  return external_wells(value, b, factor, power);
}

HD struct external_value external_wall_12_6(const double *value, const struct external_bead *b)
{
  const double factor[2] = {1, 1};
  const int power[2] = {12, 6};
  return external_wells(value, b, factor, power);
}

/* Keeps beads inside and outside of a radius of a place, along all axes but one (3: all). The place
   is a fraction of the box, and so the arm; the radius is a length. value: radius, nm; k_inside,
   k_outside, kJ/mol/nm2; place. */
HD struct external_value external_radius(const double *value, int without,
                                         const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double away[3], r2 = 0;
  for (int k = 0; k < 3; k++) {
    const double d = b->place[k] - value[3 + k];
    away[k] = d - floor(d + 0.5);
  }
  box_vector(b->box, away, v.arm);
  UNROLL
  for (int k = 0; k < 3; k++) {
    if (k == without) v.arm[k] = 0;
    r2 += v.arm[k] * v.arm[k];
  }
  const double r = sqrt(r2), beyond = r - value[0], k = beyond > 0 ? value[1] : value[2];
  v.u = 0.5 * k * beyond * beyond;
  for (int d = 0; d < 3 && r > 0; d++)
    v.f[d] = -k * beyond / r * v.arm[d];
  return v;
}

HD struct external_value external_sphere(const double *value, const struct external_bead *b)
{
  return external_radius(value, 3, b);
}

HD struct external_value external_cylinder(const double *value, const struct external_bead *b)
{
  return external_radius(value + 1, value[0] > 1 ? 2 : value[0] > 0 ? 1 : 0, b);
}

/* A potential V of a map. Where it scales with the box beads keep their energy, and so nothing
   counts in the virial but m . grad V of a dipole m; where it is fixed in space nothing does.
   value: file, 0 charges or 1 beads, fills, factor. */
HD struct external_value external_map(const double *value, const struct external_bead *b)
{
  struct external_value v = external_nothing();
  double potential, g[3], h[6];
  if (!b->map->coefficient) return v;
  external_map_at(b->map, b->place, b->box, &potential, g, h);
  const double factor = value[3], q = value[1] > 0 ? 1 : b->charge, *m = b->dipole;
  v.u = factor * q * potential;
  for (int k = 0; k < 3; k++)
    v.f[k] = -factor * q * g[k];
  if (value[1] > 0) return v;
  const double slope[3] = {h[0] * m[0] + h[3] * m[1] + h[4] * m[2],
                           h[3] * m[0] + h[1] * m[1] + h[5] * m[2],
                           h[4] * m[0] + h[5] * m[1] + h[2] * m[2]};
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3, n = (k + 2) % 3;
    v.u += factor * m[k] * g[k];
    v.f[k] -= factor * slope[k];
    v.t[k] = -factor * (m[l] * g[n] - m[n] * g[l]);
    v.stretch[k] = b->map->fills[k] ? factor * m[k] * g[k] : 0;
  }
  return v;
}

/* 1 if a form has the parameters of a wave (EXTERNAL_WAVE of the list), from the fourth on. */
HD int external_has_wave(int form)
{
  return form == EXTERNAL_electric || form == EXTERNAL_voltage;
}

/* The values of a field at a time, ps. */
HD void external_values_at(int form, const struct ramp *ramp, double time, double *value)
{
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    value[k] = ramp_at(&ramp[k], time);
  if (!external_has_wave(form)) return;
  const double omega = value[3], phase = value[4], since = time - value[5], width = value[6];
  if (omega == 0 && phase == 0 && width == 0) return;
  double wave = portable_cos(omega * since + phase * (UNITS_PI / 180));
  if (width > 0) wave *= portable_exp(-since * since / (2 * width * width));
  for (int k = 0; k < 3; k++)
    value[k] *= wave;
}

/* A field as kernels read it. Memory of the backend. */
struct external_kernel {
  int form;
  double value[EXTERNAL_PARAMETERS_MOST]; /* of one that does not change in time */
  struct bead_set group;
  const struct external_well *well; /* [n_types]; NULL: none */
  struct external_map map;
};

/* The charge (e) and the length of the dipole (e nm) of a bead type. */
struct external_type {
  double charge, dipole;
};

/* Sets of forms, as bits: code for some of them is compiled without the others. A map takes most
   registers. */
#define EXTERNAL_FORM(name) (1u << EXTERNAL_##name)
#define EXTERNAL_ALL ((1u << EXTERNALS) - 1)
#define EXTERNAL_UNIFORM (EXTERNAL_FORM(force) | EXTERNAL_FORM(electric) | EXTERNAL_FORM(voltage))

HD struct external_value external_evaluate_of(unsigned forms, int form, const double *value,
                                              const struct external_bead *b)
{
#define EXTERNAL(name, ...)                                                                        \
  if ((forms & EXTERNAL_FORM(name)) && form == EXTERNAL_##name) return external_##name(value, b);
#include "model/external_list.h"
#undef EXTERNAL
  return external_nothing();
}

HD struct external_value external_evaluate(int form, const double *value,
                                           const struct external_bead *b)
{
  return external_evaluate_of(EXTERNAL_ALL, form, value, b);
}

/* The values of a field at a step, at the step before and at the next one. */
enum external_time { EXTERNAL_BEFORE, EXTERNAL_NOW, EXTERNAL_NEXT, EXTERNAL_TIMES };
struct external_moment {
  double value[EXTERNAL_TIMES][EXTERNAL_PARAMETERS_MOST];
  int changes; /* 0: they are the same */
};

/* dt: ps. */
HD void external_moment_set(struct external_moment *m, int form, const struct ramp *ramp,
                            const struct clock *clock, int64_t step, double dt)
{
  m->changes = 0;
  for (int t = 0; t < EXTERNAL_TIMES; t++)
    external_values_at(form, ramp, clock_time(clock, step + t - EXTERNAL_NOW, dt), m->value[t]);
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    m->changes |= m->value[EXTERNAL_BEFORE][k] != m->value[EXTERNAL_NOW][k] ||
                  m->value[EXTERNAL_NEXT][k] != m->value[EXTERNAL_NOW][k];
}

/* The work of the fields on the beads of a rank up to a step. From one step to the next it is the
   change of the energy in time, at fixed positions: half of that at the positions before, which is
   known a step earlier, and half of that after. So its error is that of velocity Verlet. It follows
   from the work up to the step before: a step may be computed again. */
struct external_work {
  int64_t done[2]; /* low 32 bits, high part; units of 2^-WORK_BITS kJ/mol */
  int64_t next[2]; /* that half of the next step */
  int64_t overflow;
};

HD void external_work_begin(const struct external_work *before, struct external_work *now)
{
  for (int k = 0; k < 2; k++) {
    now->done[k] = before->done[k] + before->next[k];
    now->next[k] = 0;
  }
  sum_carry(now->done);
  now->overflow = before->overflow;
}

/* Adds what others have added to works of their own, which began at 0. */
static inline void external_work_join(struct external_work *to, const struct external_work *from)
{
  sum_join_wide(to->done, from->done);
  sum_join_wide(to->next, from->next);
  to->overflow += from->overflow;
}

/* Adds that of a field on a bead. u: its energy now, kJ/mol. */
HD void external_work_add(struct external_work *to, unsigned forms, int form,
                          const struct external_moment *m, const struct external_bead *b, double u)
{
  if (!m->changes) return;
  const double before = external_evaluate_of(forms, form, m->value[EXTERNAL_BEFORE], b).u,
               next = external_evaluate_of(forms, form, m->value[EXTERNAL_NEXT], b).u;
  sum_add_wide(to->done, 0.5 * (u - before), WORK_BITS, &to->overflow);
  sum_add_wide(to->next, 0.5 * (next - u), WORK_BITS, &to->overflow);
}

/* What a field reads of a bead. axis: the direction of its dipole, a unit vector of the laboratory
   frame. */
HD struct external_bead external_bead_at(const struct external_kernel *field,
                                         const struct bead_record *record, const int32_t image[3],
                                         const double box[BOX], struct external_type type,
                                         const double axis[3])
{
  struct external_bead b;
  double unwrapped[3];
  for (int k = 0; k < 3; k++) {
    b.place[k] = torus_fraction(record->x[k]);
    unwrapped[k] = b.place[k] + (double)image[k];
    b.dipole[k] = type.dipole * axis[k];
  }
  for (int k = 0; k < BOX; k++)
    b.box[k] = box[k];
  box_vector(box, unwrapped, b.r);
  b.charge = type.charge;
  b.c6 = field->well ? field->well[record->type].c6 : 0;
  b.c12 = field->well ? field->well[record->type].c12 : 0;
  b.map = &field->map;
  return b;
}

/* The field on a bead; its work is added to *work. m: NULL for a field that does not change in
   time. forms: those that its form is one of. */
HD struct external_value external_of_bead(unsigned forms, const struct external_kernel *field,
                                          const struct external_moment *m,
                                          const struct external_bead *b, struct external_work *work)
{
  const struct external_value v =
      external_evaluate_of(forms, field->form, m ? m->value[EXTERNAL_NOW] : field->value, b);
  if (m) external_work_add(work, forms, field->form, m, b, v.u);
  return v;
}

#endif
