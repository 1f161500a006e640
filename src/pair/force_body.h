/* What forces of both backends share beside the pair terms: which bead plays which role in a bonded
   term, the channel it is reported under, and the force of one pair. */
#ifndef FORCE_BODY_H
#define FORCE_BODY_H

#include "model/topology.h"
#include "pair/bead_record.h"
#include "pair/bonded_entry.h"
#include "pair/model.h"

struct axis_record {
  real u[3], q; /* axis times its scale, charge times its */
};

/* Beads as kernels see them. */
struct force_view {
  const struct bead_record *record;
  const struct axis_record *axis;
  real h[3]; /* box / 2^32, nm */
};

HD int32_t torus_difference(int32_t a, int32_t b)
{
  return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* Bits of the energy channels of a set of terms. */
HD unsigned set_channels(unsigned set)
{
  unsigned channels = 0;
#define TERM(kind, name, channel, ...)                                                             \
  if (set & PAIR_BIT(name)) channels |= 1u << ENERGY_##channel;
#include "pair/pair_list.h"
#undef TERM
  return channels;
}

/* r_i - r_j in nm. */
HD struct vec3 separation(const struct force_view *v, int i, int j)
{
  const struct bead_record a = v->record[i], b = v->record[j];
  return vec3_make(R(torus_difference(a.x[0], b.x[0])) * v->h[0],
                   R(torus_difference(a.x[1], b.x[1])) * v->h[1],
                   R(torus_difference(a.x[2], b.x[2])) * v->h[2]);
}

HD struct vec3 axis_of(const struct axis_record *a)
{
  return vec3_make(a->u[0], a->u[1], a->u[2]);
}

HD struct bonded_sum bonded_term(const struct model *m, const struct force_view *v, int i,
                                 const struct bonded_entry *e)
{
  int p = e->partner[0], q = e->partner[1];
  if (e->kind == TOPOLOGY_BOND) return bonded_bond(m->bond[e->type], e->role, separation(v, i, p));
  struct angle_coef c = m->angle[e->type];
  if (c.dipole) {
    int carrier = e->role == 0 ? i : p, target = e->role == 0 ? p : i;
    struct vec3 u =
        vec3_scale(m->axis_inverse[v->record[carrier].type], axis_of(&v->axis[carrier]));
    return bonded_dipole(c, e->role, separation(v, target, carrier), u);
  }
  int end = e->role == 0 ? i : p, middle = e->role == 1 ? i : e->role == 0 ? p : q;
  int far = e->role == 2 ? i : q;
  return bonded_angle(c, e->role, separation(v, end, middle), separation(v, far, middle));
}

HD int bonded_channel(const struct model *m, const struct bonded_entry *e)
{
  if (e->kind == TOPOLOGY_BOND) return ENERGY_bond;
  return m->angle[e->type].dipole ? ENERGY_dipole_angle : ENERGY_angle;
}

/* Size of the force of one pair, kJ/mol/nm. set is the model's, or a constant. */
HD double pair_size(const struct model *m, unsigned set, const struct force_view *v, int i, int j)
{
  struct vec3 r = vec3_scale(R(1 / m->cutoff), separation(v, i, j));
  struct vec3 ui = axis_of(&v->axis[i]), uj = axis_of(&v->axis[j]);
  struct pair_coef c = m->pair[v->record[i].type * m->n_types + v->record[j].type];
  struct pair_arg p = pair_arguments(r, ui, uj, v->axis[i].q, v->axis[j].q, 0, 1);
  struct pair_value value = pair_evaluate(set, c, p);
  struct vec3 f = pair_force(pair_gather(pair_none(), value.slope, r, uj, 1), ui);
  return sqrt((double)vec3_dot(f, f)) / m->cutoff;
}

#endif
