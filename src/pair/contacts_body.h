/* Contacts: a sum over pairs of a bead of one group and a bead of another, by the rational
   switching function of PLUMED, stretched so that it ends at d_max. Every rank has the places of
   all beads of the smaller group, the slots, which are words of the step, and adds the pairs of its
   own beads of the other group. The terms of a pair are integers, added to both beads, so that
   nothing depends on the order of pairs, and forces add up to 0. */
#ifndef CONTACTS_BODY_H
#define CONTACTS_BODY_H

#include <math.h>
#include <stddef.h>

#include "base/torus.h"
#include "model/bias.h"
#include "model/sums.h"

/* s(r), not stretched, and its slope. (1 - x^n) / (1 - x^m) as the ratio of 1 + x + x^2 + ...,
   which has no pole at x = 1. */
HD double contact_rational(const struct contacts *c, double r, double *slope)
{
  const double x = (r - c->d0) / c->r0;
  double sum = 1, change = 0, top = 1, top_change = 0; /* of k powers, and their slopes */
  *slope = 0;
  if (x <= 0) return 1;
  for (int k = 1; k < c->m; k++) {
    change = change * x + sum;
    sum = sum * x + 1;
    if (k + 1 != c->n) continue;
    top = sum;
    top_change = change;
  }
  const double s = top / sum;
  *slope = (top_change - s * change) / (sum * c->r0);
  return s;
}

HD double contact_value(const struct contacts *c, double r, double *slope)
{
  const double stretch = 1 / (1 - c->end), s = contact_rational(c, r, slope);
  *slope *= stretch;
  return (s - c->end) * stretch;
}

/* 1 if pairs within d_max may be of other images than the nearest. */
HD int contacts_too_far(const struct coordinate *c, const double box[BOX])
{
  return c->kind == COORDINATE_contacts && 2 * c->contacts.d_max > box_least_height(box);
}

/* What the pairs of a coordinate in a step have in common. */
struct contact_space {
  double unit[BOX];  /* torus_units */
  uint32_t reach[3]; /* pairs further apart along a box vector are beyond d_max; box/2^32 */
};

HD struct contact_space contact_space_of(const struct contacts *c, const double box[BOX])
{
  struct contact_space p;
  torus_units(box, p.unit);
  for (int k = 0; k < 3; k++)
    p.reach[k] = (uint32_t)fmin(ceil(c->d_max / box_height(box, k) * TORUS_EDGE), 0x1p31 - 1);
  return p;
}

/* A place, box/2^32, in the words of a slot. Those of other ranks are 0. */
HD void slot_place_set(const int32_t x[3], int64_t word[SLOT_PLACE_WORDS])
{
  word[0] = (int64_t)((uint64_t)(uint32_t)x[0] << 32 | (uint32_t)x[1]);
  word[1] = (int64_t)(uint32_t)x[2];
}

/* The place again. */
#define SLOT_PLACE(word)                                                                           \
  {                                                                                                \
    (int32_t)(uint32_t)((uint64_t)(word)[0] >> 32), (int32_t)(uint32_t)(word)[0],                  \
        (int32_t)(uint32_t)(word)[1]                                                               \
  }

/* 1 if a bead is further than reach, below 2^31, from a place along some box vector; never if that
   is all of the box. In one branch. */
HD int slot_is_far(const int32_t x[3], const int32_t at[3], const uint32_t reach[3])
{
  int far = 0;
  for (int k = 0; k < 3; k++)
    far |= (uint32_t)torus_difference(x[k], at[k]) + reach[k] > 2 * reach[k] + 1;
  return far;
}

/* The slot of a bead in a coordinate; -1: it has none. id: those of all slots. */
HD int slot_find(const struct contacts *c, const int64_t *id, int64_t bead)
{
  int low = c->first_slot, high = low + c->n_slots;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (id[middle] < bead)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->first_slot + c->n_slots && id[low] == bead ? low : -1;
}

/* Of the pair of a bead at x and a slot: adds to the moments, and sets the slope of the value by x;
   that by the place of the slot is minus it. Returns 0 if they are no contact. */
HD int contact_add(const struct contacts *c, const struct contact_space *p, const int32_t x[3],
                   const int64_t place[SLOT_PLACE_WORDS], int64_t moment[CONTACT_MOMENTS],
                   int64_t slope[3])
{
  const int32_t at[3] = SLOT_PLACE(place);
  double d[3], g[3], change;
  if (slot_is_far(x, at, p->reach)) return 0;
  torus_vector(x, at, p->unit, d);
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (!(r2 < c->d_max * c->d_max)) return 0;
  const double r = sqrt(r2), value = contact_value(c, r, &change);
  moment[0] += sum_integer(value * c->scale);
  for (int k = 0; k < 3; k++) {
    g[k] = r > 0 ? change * (d[k] / r) : 0;
    slope[k] = sum_integer(g[k] * c->scale);
    moment[1 + k] += sum_integer(d[k] * g[k] * c->scale);
  }
  moment[4] += sum_integer(d[0] * g[1] * c->scale);
  moment[5] += sum_integer(d[0] * g[2] * c->scale);
  moment[6] += sum_integer(d[1] * g[2] * c->scale);
  return 1;
}

/* Where the words of slots begin: of their places, [n_slots][SLOT_PLACE_WORDS], and of slopes,
   [n_slots][3]. */
HD int64_t *slot_places(const struct bias_set *s, int64_t *word)
{
  return word + CENTRE_WORDS * s->n_centres;
}

HD int64_t *slot_slopes(const struct bias_set *s, int64_t *word)
{
  return word + bias_place_words(s) + s->n_moments;
}

/* Of a step on hosts: beads that are further than reach from the first slot of a block have no
   contact in it. */
enum { SLOT_BLOCK = 16 };
struct contact_blocks {
  struct contact_space space;
  uint32_t reach[SLOTS_MOST / SLOT_BLOCK][3];
};

/* word: of the step, with the places of all slots. */
HD void contact_blocks_set(const struct bias_set *s, const struct contacts *c,
                           const double box[BOX], int64_t *word, struct contact_blocks *b)
{
  const int64_t *place = slot_places(s, word) + (ptrdiff_t)SLOT_PLACE_WORDS * c->first_slot;
  b->space = contact_space_of(c, box);
  for (int j = 0; j < c->n_slots; j++) {
    const int64_t *first = place + (ptrdiff_t)SLOT_PLACE_WORDS * (j - j % SLOT_BLOCK);
    const int32_t at[3] = SLOT_PLACE(place + (ptrdiff_t)SLOT_PLACE_WORDS * j);
    const int32_t from[3] = SLOT_PLACE(first);
    for (int k = 0; k < 3; k++) {
      uint32_t *reach = &b->reach[j / SLOT_BLOCK][k];
      const double away = fabs((double)torus_difference(at[k], from[k])) + b->space.reach[k];
      const uint32_t needed = (uint32_t)fmin(away, 0x1p31 - 1);
      *reach = j % SLOT_BLOCK == 0 || needed > *reach ? needed : *reach;
    }
  }
}

/* Adds the pairs of a bead at x of the larger group, whose own slot is `own` or -1, to the words of
   a step. Sets the slope by x. For hosts. */
HD void contacts_add(const struct bias_set *s, const struct coordinate *c,
                     const struct contact_blocks *b, const int32_t x[3], int own, int64_t *word,
                     int64_t slope[3])
{
  const struct contacts *of = &c->contacts;
  const int64_t *place = slot_places(s, word);
  int64_t *moment = word + bias_place_words(s) + c->first_moment, *slopes = slot_slopes(s, word);
  slope[0] = slope[1] = slope[2] = 0;
  for (int j = 0; j < of->n_slots; j++) {
    const int slot = of->first_slot + j;
    const int64_t *here = place + (ptrdiff_t)SLOT_PLACE_WORDS * slot;
    int64_t g[3];
    if (j % SLOT_BLOCK == 0) {
      const int32_t at[3] = SLOT_PLACE(here);
      if (slot_is_far(x, at, b->reach[j / SLOT_BLOCK])) {
        j += SLOT_BLOCK - 1;
        continue;
      }
    }
    if (slot == own || !contact_add(of, &b->space, x, here, moment, g)) continue;
    for (int k = 0; k < 3; k++) {
      slope[k] += g[k];
      slopes[3 * slot + k] -= g[k];
    }
  }
}

/* Adds the forces of contacts on a bead. slot, slope: of the bead, by order of the coordinates;
   slopes: of all slots. */
HD void contact_forces_add(const struct bias_set *s, const struct bias_state *now, const int *slot,
                           const int64_t *slope, const int64_t *slopes, double f[3])
{
  for (int k = 0; k < s->n_coordinates; k++) {
    const struct coordinate *c = &s->coordinate[k];
    const int q = c->contacts.order;
    if (c->kind != COORDINATE_contacts || now->pull[k] == 0) continue;
    for (int d = 0; d < 3; d++) {
      const int64_t all = slope[3 * q + d] + (slot[q] < 0 ? 0 : slopes[3 * slot[q] + d]);
      f[d] += now->pull[k] * ((double)all / c->contacts.scale);
    }
  }
}

#endif
