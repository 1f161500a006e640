/* Contributions of pairs to pressure profiles, in a pass: a fixed number of lanes sums over the
   partners of each bead in list order, and a fixed tree adds up the lanes. In the precision of the
   unit that includes this. */
#ifndef STRESS_ROWS_CUDA_CUH
#define STRESS_ROWS_CUDA_CUH

#include "cuda/step/force_rows.cuh"
#include "pair/stress_body.h"

/* hz: nm; box / 2^32 along z. */
template <unsigned SET>
DEVICE void candidate_add(const struct force_pass &pass, const struct centre &c, real hz, int j,
                          const unsigned char *lipid, struct stress_few few[2])
{
  const int axes = pair_set_axes(SET);
  const struct bead_record other = record_load(pass.view, j);
  const struct pair_bead bead = bead_load(pass.view, j, pair_set_records(SET));
  const struct vec3 r = c.unit.oblique ? pair_vector<1>(c, other) : pair_vector<0>(c, other);
  int inside;
  const struct pair_value v =
      pair_with<SET, SET, FORCE_ENERGY>(pass.terms.constants, c, j, other, bead, r, &inside);
  const struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, bead, axes), c.bead, axes);
  const struct stress_value w = stress_value_of(r, f);
  const struct stress_factors at =
      stress_factors_of(R(torus_difference(c.me.x[2], other.x[2])) * hz);
  const real share = R(lipid[j]);
  stress_few_add(&few[0], w, at, R(1.0) - share);
  stress_few_add(&few[1], w, at, share);
}

DEVICE void ends_total(struct stress_ends *t, int lanes)
{
#pragma unroll
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    t->end[c] = lanes_total(t->end[c], lanes);
    t->place[c] = lanes_total(t->place[c], lanes);
    t->all[c] = lanes_total(t->all[c], lanes);
  }
}

DEVICE void ends_put(struct stress_ends *to, const struct stress_ends &t, int adds)
{
  const struct stress_ends before = adds ? *to : stress_none();
#pragma unroll
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    to->end[c] = before.end[c] + t.end[c];
    to->place[c] = before.place[c] + t.place[c];
    to->all[c] = before.all[c] + t.all[c];
  }
}

/* Part 0 is stored from the first row on, part 1 from the last backwards: struct cuda_list. */
template <unsigned SET>
static __global__
__launch_bounds__(FORCE_THREADS) void stress_rows(const __grid_constant__ struct force_pass pass,
                                                  const struct stress_beads beads)
{
  const int64_t t = thread_index(), i = t / pass.lanes;
  const int lane = (int)(t % pass.lanes), here = i < beads.n;
  struct stress_ends ends[2] = {stress_none(), stress_none()};
  struct centre c;
  c.i = here ? (int)i : 0;
  c.unit.oblique = pass.view.unit.oblique;
  centre_load<SET>(pass, c.i, &c);
  const real hz = R(pass.report->box.now.box[2] / TORUS_EDGE);
  struct list_head head = {{0, 0}};
  if (here) head = pass.head[i];
  const int4 *index = pass.index + (int64_t)c.i * pass.most_rows * pass.lanes + lane;
  const int plain = list_rows(head.halves[0]), rows = plain + list_rows(head.halves[1]);
  for (int row = 0; row < rows; row++) {
    const int at = row < plain ? row : pass.most_rows - 1 - (row - plain);
    const int4 j = __ldcs(index + at * pass.lanes);
    struct stress_few few[2] = {stress_few_none(), stress_few_none()};
    candidate_add<SET>(pass, c, hz, j.x, beads.lipid, few);
    candidate_add<SET>(pass, c, hz, j.y, beads.lipid, few);
    candidate_add<SET>(pass, c, hz, j.z, beads.lipid, few);
    candidate_add<SET>(pass, c, hz, j.w, beads.lipid, few);
    stress_add_few(&ends[0], &few[0]);
    stress_add_few(&ends[1], &few[1]);
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    ends_total(&ends[k], pass.lanes);
    if (here && lane == 0) ends_put(&beads.ends[2 * i + k], ends[k], pass.terms.number > 0);
  }
}

template <unsigned SET>
static void stress_launch(struct gpu *c, const struct force_pass &pass,
                          const struct stress_beads &beads)
{
  LAUNCH(stress_rows<SET>, (int64_t)beads.n * pass.lanes, FORCE_THREADS, c, pass, beads);
}

#endif
