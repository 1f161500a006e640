/* What forces of both backends share beside the pair terms: how beads are read from their records,
   the shape of a bonded term, and the force of one pair. */
#ifndef FORCE_BODY_H
#define FORCE_BODY_H

#include "base/torus.h"
#include "model/topology.h"
#include "pair/bead_record.h"
#include "pair/model.h"

/* Of the first array: body z times its scale, charge times its. Of the second, which only models
   with terms of geometry body have: body x, of length 1 for a type with axes, and 0. */
struct axis_record {
  real u[3], q;
};

/* A box in units of positions, in working precision, for the vector between nearest images: the
   differences times h, then sheared. shear, without unit: bx / by, cx / cz, cy / cz. In a
   rectangular box a vector has the bits that it has without the shear. */
struct box_units {
  real h[3], shear[3];
  int oblique; /* 0: no shear */
};

HD void box_units_shear(struct box_units *u, const double box[BOX])
{
  u->shear[0] = R(box[3] / box[1]);
  u->shear[1] = R(box[4] / box[2]);
  u->shear[2] = R(box[5] / box[2]);
}

/* length: of the units of h, nm. In double precision a product, as devices have it. */
HD struct box_units box_units_of(const double box[BOX], double length)
{
  struct box_units u;
  for (int k = 0; k < 3; k++)
#ifdef REAL_DOUBLE
    u.h[k] = box[k] * (1 / length / TORUS_EDGE);
#else
    u.h[k] = R(box[k] / TORUS_EDGE / length);
#endif
  box_units_shear(&u, box);
  u.oblique = box_is_oblique(box);
  return u;
}

HD struct vec3 box_shear(const struct box_units *u, struct vec3 r)
{
  r.x = real_fma(u->shear[0], r.y, real_fma(u->shear[1], r.z, r.x));
  r.y = real_fma(u->shear[2], r.z, r.y);
  return r;
}

/* The vector from b to the nearest image of a. */
HD struct vec3 box_separation(const struct box_units *u, const int32_t a[3], const int32_t b[3])
{
  const struct vec3 r = vec3_make(R(torus_difference(a[0], b[0])) * u->h[0],
                                  R(torus_difference(a[1], b[1])) * u->h[1],
                                  R(torus_difference(a[2], b[2])) * u->h[2]);
  return u->oblique ? box_shear(u, r) : r;
}

/* Beads as kernels see them. */
struct force_view {
  const struct bead_record *record;
  const struct axis_record *axis[PAIR_AXES_MOST];
  struct box_units unit;      /* nm */
  const int32_t (*anchor)[3]; /* places of struct anchors */
};

/* Bits of the energy channels of a set of terms. */
HD unsigned set_channels(unsigned set)
{
  unsigned channels = 0;
#define TERM(geometry, name, channel, ...)                                                         \
  if (set & PAIR_BIT(name)) channels |= 1u << ENERGY_##channel;
#include "pair/pair_list.h"
#undef TERM
#define SLOPE(name, channel)                                                                       \
  if (set & PAIR_BIT(name)) channels |= 1u << ENERGY_##channel;
#include "pair/pair_list.h"
#undef SLOPE
  return channels;
}

/* r_i - r_j in nm. */
HD struct vec3 separation(const struct force_view *v, int i, int j)
{
  const struct bead_record a = v->record[i], b = v->record[j];
  return box_separation(&v->unit, a.x, b.x);
}

HD struct vec3 axis_of(const struct axis_record *a)
{
  return vec3_make(a->u[0], a->u[1], a->u[2]);
}

/* A bead from its records. arrays is a constant: pair_set_records, where 0 leaves axis and charge
   out. */
HD struct pair_bead bead_of(const struct axis_record *first, const struct axis_record *second,
                            int arrays)
{
  struct pair_bead b = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
  if (arrays) {
    b.u = axis_of(first);
    b.q = first->q;
  }
  if (arrays > 1) {
    b.x = axis_of(second);
    b.y = vec3_cross(b.u, b.x);
  }
  return b;
}

/* The local index of the bead at a position of a term of bead i. Written without an index that is
   not a constant, so that a GPU keeps the entry in registers. */
HD int bonded_bead(const struct bonded_entry *e, int i, int position)
{
  const int role = bonded_role(e);
  int bead = i;
  UNROLL
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++)
    if (k == position ? position < role : k == position - 1 && position > role)
      bead = e->partner[k];
  return bead;
}

/* The arm of a restraint of bead i, from its place. */
HD struct vec3 anchor_arm(const struct force_view *v, int i, const struct bonded_entry *e)
{
  const int32_t k = bonded_anchor(e->partner[0]);
  const struct bead_record a = v->record[i];
  if (k < 0) return vec3_make(0, 0, 0);
  return box_separation(&v->unit, a.x, v->anchor[k]);
}

/* beads, axes and reads are constants: those of the form. */
HD struct bonded_shape bonded_shape_of(const struct model *m, const struct force_view *v, int i,
                                       const struct bonded_entry *e, int beads, int axes, int reads)
{
  struct bonded_shape s;
  for (int arm = 0; arm < BONDED_ARMS_MOST; arm++)
    if (arm < beads - 1)
      s.arm[arm] = separation(v, bonded_bead(e, i, bonded_arm_end(arm)),
                              bonded_bead(e, i, bonded_arm_begin(arm)));
    else
      s.arm[arm] = vec3_make(0, 0, 0);
  for (int k = 0; k < BONDED_AXES_MOST; k++) {
    s.axis[k] = vec3_make(0, 0, 0);
    if (k >= axes) continue;
    const int bead = bonded_bead(e, i, k);
    s.axis[k] = vec3_scale(m->axis_inverse[v->record[bead].type], axis_of(&v->axis[0][bead]));
  }
  s.charges = 0;
  s.piece = reads == BONDED_READS_table ? m->piece : NULL;
  if (reads == BONDED_READS_anchor) s.arm[0] = anchor_arm(v, i, e);
  if (reads == BONDED_READS_charges)
    s.charges = m->charge[v->record[bonded_bead(e, i, 0)].type] *
                m->charge[v->record[bonded_bead(e, i, 1)].type];
  return s;
}

/* What a term gives bead i. forms: bits of those that it may have, a constant. */
HD struct bonded_sum bonded_term(const struct model *m, const struct force_view *v, int i,
                                 const struct bonded_entry *e, uint64_t forms)
{
  const struct bonded_coef c = m->bonded[bonded_type(e)];
#define BONDED(section, name, beads, axes, reads, ...)                                             \
  if ((forms >> FORM_##section##_##name & 1) && c.form == FORM_##section##_##name) {               \
    const struct bonded_shape s = bonded_shape_of(m, v, i, e, beads, axes, BONDED_READS_##reads);  \
    return bonded_share(bonded_points(beads, BONDED_READS_##reads), axes, bonded_role(e), s,       \
                        bonded_##section##_##name(c.c, s));                                        \
  }
#include "model/bonded_list.h"
#undef BONDED
  const struct bonded_sum none = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  return none;
}

#endif
