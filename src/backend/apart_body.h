/* Listed pairs that have moved apart since the build (count_apart of struct backend_ops), on host
   and device. */
#ifndef APART_BODY_H
#define APART_BODY_H

#include "backend/backend.h"
#include "base/torus.h"
#include "pair/bead_record.h"

/* For one list. */
struct apart_range {
  double build_box[BOX], box[BOX]; /* torus_units of the boxes of the build and of now */
  double built2, now2; /* nm2: pairs inside the first then, and not inside the second now */
};

static inline struct apart_range apart_range_of(const struct backend_config *c, int list,
                                                double built, double now,
                                                const double build_box[BOX], const double box[BOX])
{
  struct apart_range a;
  const double inside =
      built * (c->plan->pass[list].cutoff / pair_range(c->plan, c->ff, c->topology));
  const double outside = now - pair_margin(c->plan, c->ff, c->topology, list);
  torus_units(build_box, a.build_box);
  torus_units(box, a.box);
  a.built2 = inside * inside;
  a.now2 = outside * outside;
  return a;
}

/* 1 if beads i and j are such a pair. position: [n][3], of the build. */
HD int apart_is(const struct apart_range *a, const int32_t *position,
                const struct bead_record *record, int64_t i, int64_t j)
{
  return !(torus_distance2(record[i].x, record[j].x, a->box) < a->now2) &&
         torus_distance2(position + 3 * i, position + 3 * j, a->build_box) < a->built2;
}

#endif
