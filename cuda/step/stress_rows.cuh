/* Contributions of pairs to pressure profiles, in a pass: a fixed number of lanes sums over the
   partners of each bead in list order, and a fixed tree adds up the lanes. In the precision of the
   unit that includes this. */
#ifndef STRESS_ROWS_CUDA_CUH
#define STRESS_ROWS_CUDA_CUH

#include "cuda/step/bead_load.cuh"
#include "pair/stress_body.h"

enum { STRESS_THREADS = 128 };

/* A pass over the owned beads. */
struct stress_pass {
  struct model_pass terms;
  struct force_view view; /* without h */
  double in_cutoffs;      /* 1/nm; 1 / (2^32 cutoff) */
  int n, n_types, lanes, most_rows;
  int adds; /* 1: adds to ends of earlier passes */
  const struct list_head *head;
  const int4 *index;
  const unsigned char *lipid;       /* of a bead, owned or halo: 1 if it is in a lipid */
  const struct cuda_report *report; /* with the box */
  struct stress_ends *ends;         /* [n][2] with partners in no lipid, and in lipids */
};

/* A bead whose partners are shared by a few threads, its lanes. */
struct stress_centre {
  int i;
  struct bead_record me;
  struct pair_bead bead;
  real h[3]; /* box / 2^32, in units of the cutoff */
  real hz;   /* nm; box / 2^32 along z */
  const struct pair_coef *coef;
};

template <unsigned SET>
DEVICE void candidate_add(const struct stress_pass &pass, const struct stress_centre &c, int j,
                          struct stress_few few[2])
{
  const int axes = pair_set_axes(SET);
  const struct bead_record other = record_load(pass.view, j);
  const struct pair_bead bead = bead_load(pass.view, j, pair_set_records(SET));
  const int32_t dz = torus_difference(c.me.x[2], other.x[2]);
  const struct vec3 r =
      vec3_make(R(torus_difference(c.me.x[0], other.x[0])) * c.h[0],
                R(torus_difference(c.me.x[1], other.x[1])) * c.h[1], R(dz) * c.h[2]);
  const struct pair_arg p = pair_arguments(r, c.bead, bead, j == c.i, axes);
  const struct pair_value v = pair_evaluate(SET, pass.terms.constants, c.coef[other.type], p);
  const struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, bead, axes), c.bead, axes);
  const struct stress_value w = stress_value_of(r, f);
  const struct stress_factors at = stress_factors_of(R(dz) * c.hz);
  const real share = R(pass.lipid[j]);
  stress_few_add(&few[0], w, at, R(1.0) - share);
  stress_few_add(&few[1], w, at, share);
}

template <unsigned SET> DEVICE struct stress_centre centre_of(const struct stress_pass &pass, int i)
{
  struct stress_centre c;
  c.i = i;
  c.me = record_load(pass.view, i);
  c.bead = bead_load(pass.view, i, pair_set_axes(SET) > 1 ? 2 : 1);
  for (int k = 0; k < 3; k++)
    c.h[k] = R(pass.report->box.now.box[k] * pass.in_cutoffs);
  c.hz = R(pass.report->box.now.box[2] / TORUS_EDGE);
  c.coef = pass.terms.pair + c.me.type * pass.n_types;
  return c;
}

/* The sum over the lanes of a bead, in every lane. */
DEVICE double lanes_sum(double v, int lanes)
{
  for (int w = lanes / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

DEVICE void ends_total(struct stress_ends *t, int lanes)
{
#pragma unroll
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    t->end[c] = lanes_sum(t->end[c], lanes);
    t->place[c] = lanes_sum(t->place[c], lanes);
    t->all[c] = lanes_sum(t->all[c], lanes);
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
__launch_bounds__(STRESS_THREADS) void stress_rows(const __grid_constant__ struct stress_pass pass)
{
  const int64_t t = thread_index(), i = t / pass.lanes;
  const int lane = (int)(t % pass.lanes), here = i < pass.n;
  struct stress_ends ends[2] = {stress_none(), stress_none()};
  const struct stress_centre c = centre_of<SET>(pass, here ? (int)i : 0);
  struct list_head head = {{0, 0}};
  if (here) head = pass.head[i];
  const int4 *index = pass.index + (int64_t)c.i * pass.most_rows * pass.lanes + lane;
  for (int row = 0; row < head.rows[0] + head.rows[1]; row++) {
    const int at = row < head.rows[0] ? row : pass.most_rows - 1 - (row - head.rows[0]);
    const int4 j = __ldcs(index + at * pass.lanes);
    struct stress_few few[2] = {stress_few_none(), stress_few_none()};
    candidate_add<SET>(pass, c, j.x, few);
    candidate_add<SET>(pass, c, j.y, few);
    candidate_add<SET>(pass, c, j.z, few);
    candidate_add<SET>(pass, c, j.w, few);
    stress_add_few(&ends[0], &few[0]);
    stress_add_few(&ends[1], &few[1]);
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    ends_total(&ends[k], pass.lanes);
    if (here && lane == 0) ends_put(&pass.ends[2 * i + k], ends[k], pass.adds);
  }
}

template <unsigned SET> static void stress_launch(struct gpu *c, const struct stress_pass &pass)
{
  LAUNCH(stress_rows<SET>, (int64_t)pass.n * pass.lanes, STRESS_THREADS, c, pass);
}

#endif
