/* The ends of pairs and bonded terms at a bead, for host and device: observe/stress_profile.h says
   what they are for. Those of a few partners are formed in working precision, and added in double.
 */
#ifndef STRESS_BODY_H
#define STRESS_BODY_H

#include "pair/force_body.h"
#include "pair/stress_ends.h"

/* w of the components of r f, r a separation and f the force that acts along it. */
struct stress_value {
  real w[STRESS_COMPONENTS];
};

HD struct stress_value stress_value_of(struct vec3 r, struct vec3 f)
{
  struct stress_value v;
  v.w[STRESS_LATERAL] = R(0.5) * (r.x * f.x + r.y * f.y);
  v.w[STRESS_NORMAL] = r.z * f.z;
  return v;
}

/* Factors of w of a partner: 1 / (z of the partner - z of the bead) and 0, or 0 and 1/2 at almost
   the same height. dz: the height of the bead less that of the partner, nm. */
struct stress_factors {
  real end, place;
};

HD struct stress_factors stress_factors_of(real dz)
{
  const real flat = R(STRESS_FLAT);
  const int is_flat = dz < flat && dz > -flat;
  struct stress_factors f;
  f.end = -R(1.0) / (is_flat ? R(1.0) : dz);
  f.end = is_flat ? R(0.0) : f.end;
  f.place = is_flat ? R(0.5) : R(0.0);
  return f;
}

/* Ends of one or a few partners, in working precision: as struct stress_ends. */
struct stress_few {
  real end[STRESS_COMPONENTS], place[STRESS_COMPONENTS], all[STRESS_COMPONENTS];
};

HD struct stress_few stress_few_none(void)
{
  struct stress_few none;
  for (int c = 0; c < STRESS_COMPONENTS; c++)
    none.end[c] = none.place[c] = none.all[c] = R(0.0);
  return none;
}

/* share: 0 or 1. */
HD void stress_few_add(struct stress_few *to, struct stress_value v, struct stress_factors f,
                       real share)
{
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    const real w = share * v.w[c];
    to->end[c] += w * f.end;
    to->place[c] += w * f.place;
    to->all[c] += R(0.5) * w;
  }
}

HD void stress_add_few(struct stress_ends *to, const struct stress_few *few)
{
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    to->end[c] += (double)few->end[c];
    to->place[c] += (double)few->place[c];
    to->all[c] += (double)few->all[c];
  }
}

/* share: 0 or 1. */
HD void stress_add(struct stress_ends *to, struct stress_value v, struct stress_factors f,
                   real share)
{
  struct stress_few one = stress_few_none();
  stress_few_add(&one, v, f, share);
  stress_add_few(to, &one);
}

HD struct stress_ends stress_none(void)
{
  struct stress_ends none = {{0, 0}, {0, 0}, {0, 0}};
  return none;
}

/* The height of bead i less that of j, nm; hz: box / 2^32. */
HD real stress_height(const struct bead_record *record, int i, int j, real hz)
{
  return R(torus_difference(record[i].x[2], record[j].x[2])) * hz;
}

/* Adds the ends, at bead i, of the arms of one bonded term that begin or end there. */
HD void stress_bonded_shape(const struct force_view *v, int i, const struct bonded_entry *e,
                            int beads, struct bonded_shape s, struct bonded_value value, real hz,
                            struct stress_ends *to)
{
  const int role = bonded_role(e);
  for (int arm = 0; arm < beads - 1; arm++) {
    const int begin = bonded_arm_begin(arm), end = bonded_arm_end(arm);
    if (role != begin && role != end) continue;
    const int other = bonded_bead(e, i, role == begin ? end : begin);
    stress_add(to, stress_value_of(s.arm[arm], value.pull[arm]),
               stress_factors_of(stress_height(v->record, i, other, hz)), R(1.0));
  }
}

/* Restraints of single beads add nothing to profiles. */
HD void stress_bonded(const struct model *m, const struct force_view *v, int i,
                      const struct bonded_entry *e, real hz, struct stress_ends *to)
{
  const struct bonded_coef *c = &m->bonded[bonded_type(e)];
#define BONDED(section, name, beads, axes, reads, ...)                                             \
  if (beads > 1 && c->form == FORM_##section##_##name) {                                           \
    const struct bonded_shape s = bonded_shape_of(m, v, i, e, beads, axes, BONDED_READS_##reads);  \
    stress_bonded_shape(v, i, e, beads, s, bonded_##section##_##name(c->c, s), hz, to);            \
  }
#include "model/bonded_list.h"
#undef BONDED
}

/* Where a term belongs: the bonded contributions stand in the order of their channels, and excluded
   charges count with the pairs of the molecule, which lipid says is one or not. */
HD struct stress_ends *stress_bonded_ends(const struct model *m, const struct bonded_entry *e,
                                          int lipid, struct stress_bead *out)
{
  const int channel = bonded_channel(m->bonded[bonded_type(e)].form) - BONDED_CHANNEL_FIRST;
  return channel < 0 || channel >= BONDED_CHANNELS ? &out->pair[lipid] : &out->bonded[channel];
}

#endif
