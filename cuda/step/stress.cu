/* What beads add to pressure profiles (observe/stress_profile.h): their pairs pass by pass, the
   candidates of each bead in list order by a fixed number of lanes, added by a fixed tree; then
   their bonded terms, and the bins. A kernel for each set of pair terms; compiled once for each
   precision (PRECISION: mixed, double). */
#include "cuda/step/bead_load.cuh"

#include "backend/profile_body.h"
#include "pair/stress_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

enum { STRESS_THREADS = 128 };

/* A pass over the owned beads. */
struct stress_pass {
  struct model_pass terms;
  struct force_view view; /* without h */
  double in_cutoffs;      /* 1 / 2^32 of the cutoffs of the pass */
  int n, n_types, lanes, most_rows;
  int adds; /* 1: to the ends of the passes before */
  const struct list_head *head;
  const int4 *index;
  const unsigned char *lipid;       /* of a bead, owned or halo: 1 if it has bonded terms */
  const struct cuda_report *report; /* with the box */
  struct stress_ends *ends;         /* [n][2], by the same of the partner */
};

/* The bead that a few threads work for. */
struct stress_centre {
  int i;
  struct bead_record me;
  struct pair_bead bead;
  real h[3]; /* box / 2^32, in cutoffs */
  real hz;   /* the same of z, nm */
  const struct pair_coef *coef;
};

template <unsigned SET>
static __device__ __forceinline__ void candidate_add(const struct stress_pass &pass,
                                                     const struct stress_centre &c, int j,
                                                     struct stress_few few[2])
{
  const int axes = pair_set_axes(SET);
  const struct bead_record other = record_load(pass.view, j);
  const struct pair_bead bead = bead_load(pass.view, j, axes);
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

template <unsigned SET>
static __device__ __forceinline__ struct stress_centre centre_of(const struct stress_pass &pass,
                                                                 int i)
{
  struct stress_centre c;
  c.i = i;
  c.me = record_load(pass.view, i);
  c.bead = bead_load(pass.view, i, pair_set_axes(SET) > 1 ? 2 : 1);
  for (int k = 0; k < 3; k++)
    c.h[k] = R(pass.report->box.now.box[k] * pass.in_cutoffs);
  c.hz = R(pass.report->box.now.box[2] / 4294967296.0);
  c.coef = pass.terms.pair + c.me.type * pass.n_types;
  return c;
}

/* The sum over the lanes of a bead, in every lane. */
static __device__ __forceinline__ double lanes_sum(double v, int lanes)
{
  for (int w = lanes / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

static __device__ __forceinline__ void ends_total(struct stress_ends *t, int lanes)
{
#pragma unroll
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    t->end[c] = lanes_sum(t->end[c], lanes);
    t->place[c] = lanes_sum(t->place[c], lanes);
    t->all[c] = lanes_sum(t->all[c], lanes);
  }
}

static __device__ __forceinline__ void ends_put(struct stress_ends *to, const struct stress_ends &t,
                                                int adds)
{
  const struct stress_ends before = adds ? *to : stress_none();
#pragma unroll
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    to->end[c] = before.end[c] + t.end[c];
    to->place[c] = before.place[c] + t.place[c];
    to->all[c] = before.all[c] + t.all[c];
  }
}

/* Rows of part 0 come first, those of part 1 go down from the last: struct cuda_list. */
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

/* The bins of all owned beads. */
struct stress_job {
  struct model model;
  struct force_view view; /* without h */
  int n, bins;
  uint32_t centre;
  const uint32_t *pending_centre; /* device memory; NULL: centre */
  double scale;
  const struct stress_ends *ends;
  const int *bonded_row; /* NULL: no bonded terms at all */
  const struct bonded_entry *bonded;
  const double *momentum, *force;
  double half_step;
  const struct cuda_type *types;
  const struct cuda_report *report;
  int64_t *word;
};

static __device__ __forceinline__ void bead_add(const struct stress_job &job,
                                                const struct stress_bins &to, uint32_t centre,
                                                int i, int64_t *single)
{
  const struct bead_record me = job.view.record[i];
  const real hz = R(job.report->box.now.box[2] / 4294967296.0);
  struct stress_motion move;
  move.p = job.momentum + 3 * (int64_t)i;
  move.f = job.force + 3 * (int64_t)i;
  move.inverse_mass = job.types[me.type].body.inverse_mass;
  move.half_step = job.half_step;
  const int begin = job.bonded_row ? job.bonded_row[i] : 0;
  const int end = job.bonded_row ? job.bonded_row[i + 1] : 0;
  struct force_view view = job.view;
  struct stress_bead bead;
  for (int k = 0; k < 3; k++)
    view.h[k] = R(job.report->box.now.box[k] / 4294967296.0);
  for (int k = 0; k < 2; k++)
    bead.pair[k] = job.ends[2 * (int64_t)i + k];
  for (int k = 0; k < STRESS_BONDED_PARTS; k++)
    bead.bonded[k] = stress_none();
  for (int k = begin; k < end; k++) {
    const struct bonded_entry *e = &job.bonded[k];
    stress_bonded(&job.model, &view, i, e, hz, &bead.bonded[stress_bonded_part(&job.model, e)]);
  }
  stress_bin_bead(&to, profile_place_of(me.x[2], centre, job.bins), begin < end, &bead, &move,
                  single);
}

/* SHARED: the arrays of words of a block are in shared memory, and added to the others at the end.
 */
template <int SHARED>
static __global__ __launch_bounds__(STRESS_THREADS) void stress_bins_add(
    const __grid_constant__ struct stress_job job)
{
  extern __shared__ int64_t shared_word[];
  const int words = STRESS_ARRAYS * job.bins;
  const struct stress_bins to = {SHARED ? shared_word : job.word, job.bins, job.scale};
  const uint32_t centre = job.pending_centre ? *job.pending_centre : job.centre;
  int64_t single[STRESS_SINGLES];
  for (int k = 0; k < STRESS_SINGLES; k++)
    single[k] = 0;
  for (int k = (int)threadIdx.x; SHARED && k < words; k += STRESS_THREADS)
    shared_word[k] = 0;
  __syncthreads();
  for (int64_t i = thread_index(); i < job.n; i += (int64_t)gridDim.x * STRESS_THREADS)
    bead_add(job, to, centre, (int)i, single);
  __syncthreads();
  for (int k = (int)threadIdx.x; SHARED && k < words; k += STRESS_THREADS)
    bins_add(job.word + k, shared_word[k]);
  for (int k = 0; k < STRESS_SINGLES; k++)
    block_add(single[k], job.word + words + k);
}

static struct stress_pass pass_of(struct gpu *c, int k)
{
  const struct model *m = (const struct model *)c->coefficients.model;
  struct stress_pass p;
  p.terms = m->pass[k];
  const struct cuda_list *list = &c->list[p.terms.plan.list];
  p.view.record = c->arrays.record;
  for (int a = 0; a < PAIR_AXES_MOST; a++)
    p.view.axis[a] = (const struct axis_record *)c->arrays.axis[a];
  for (int a = 0; a < 3; a++)
    p.view.h[a] = 0;
  p.in_cutoffs = 1 / 4294967296.0 / p.terms.plan.cutoff;
  p.n = c->base.n;
  p.n_types = m->n_types;
  p.lanes = list->lanes;
  p.most_rows = list->most_rows;
  p.adds = k > 0;
  p.head = list->head;
  p.index = (const int4 *)list->index;
  p.lipid = c->profile.lipid;
  p.report = c->reports.device;
  p.ends = c->profile.ends;
  return p;
}

static void run_pass(struct gpu *c, const struct stress_pass &pass)
{
#define SET(bits)                                                                                  \
  if (pass.terms.plan.set == (bits)) {                                                             \
    LAUNCH(stress_rows<(bits)>, (int64_t)pass.n *pass.lanes, STRESS_THREADS, c, pass);             \
    return;                                                                                        \
  }
  PAIR_SETS(SET)
#undef SET
}

static struct stress_job job_of(struct gpu *c, const struct profile *p)
{
  struct stress_job j;
  j.model = *(const struct model *)c->coefficients.model;
  j.view = pass_of(c, 0).view;
  j.n = c->base.n;
  j.bins = p->bins;
  j.centre = p->centre;
  j.pending_centre = cuda_pending_centre(c, p);
  j.scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  j.ends = c->profile.ends;
  j.bonded_row = c->bonded.local ? c->bonded.row : NULL;
  j.bonded = c->bonded.entry;
  j.momentum = c->arrays.beads.momentum;
  j.force = c->arrays.force;
  j.half_step = p->half_step;
  j.types = c->coefficients.type;
  j.report = c->reports.device;
  j.word = cuda_bins(c);
  return j;
}

static void stress(struct gpu *c, const struct profile *p)
{
  const int64_t bytes = (int64_t)STRESS_ARRAYS * p->bins * (int64_t)sizeof(int64_t);
  const int64_t threads = cuda_profile_threads(c, STRESS_THREADS);
  const struct stress_job job = job_of(c, p);
  for (int k = 0; k < c->coefficients.plan.n_passes; k++)
    run_pass(c, pass_of(c, k));
  if (cuda_shared_memory((const void *)stress_bins_add<1>, bytes))
    LAUNCH_SHARED(stress_bins_add<1>, threads, STRESS_THREADS, bytes, c->streams.main, job);
  else
    LAUNCH(stress_bins_add<0>, threads, STRESS_THREADS, c, job);
}

extern "C" const struct stress_cuda NAME(stress_cuda_, PRECISION) = {stress};
