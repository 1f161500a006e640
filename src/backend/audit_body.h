/* The pairs that lists missed at the end of their interval (struct build_params), on host and
   device. */
#ifndef AUDIT_BODY_H
#define AUDIT_BODY_H

#include "backend/backend.h"
#include "base/torus.h"

/* For one list. */
struct audit_range {
  double now[BOX], old[BOX]; /* torus_units of the boxes of this build and of the one before */
  double reach2, old2;       /* nm2: pairs inside the first now, and not inside the second then */
};

static inline struct audit_range audit_range_of(const struct build_params *p,
                                                const struct backend_config *c, int list,
                                                const double box[BOX])
{
  struct audit_range a;
  const double range = pair_range(c->plan, c->ff, c->topology);
  const double reach = p->audit_reach * (c->plan->pass[list].cutoff / range);
  const double old_radius = p->old_radius - pair_margin(c->plan, c->ff, c->topology, list);
  torus_units(box, a.now);
  torus_units(p->old_box, a.old);
  a.reach2 = reach * reach;
  a.old2 = old_radius * old_radius;
  return a;
}

/* 1 if the pair of beads i and j was missed. position, old: [n][3], of both builds. */
HD int audit_missed(const struct audit_range *a, const int32_t *position, const int32_t *old,
                    int64_t i, int64_t j)
{
  return !(torus_distance2(old + 3 * i, old + 3 * j, a->old) < a->old2) &&
         torus_distance2(position + 3 * i, position + 3 * j, a->now) < a->reach2;
}

#endif
