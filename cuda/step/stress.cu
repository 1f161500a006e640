/* Contributions of beads to pressure profiles (observe/stress_profile.h): pairs, pass by pass
   (stress_rows.cuh), then bonded terms, and the bins. Compiled once for each precision (PRECISION:
   mixed, double). */
#include "cuda/lists/clusters.h"
#include "cuda/step/force_sets.cuh"
#include "cuda/step/stress_rows.cuh"

#include "backend/profile_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* Argument of stress_bins_add; arrays are device memory. */
struct stress_job {
  struct model model;
  struct force_view view; /* without h: that of the present box is in the report */
  int n, bins;
  uint32_t centre;
  const uint32_t *pending_centre; /* NULL: read centre */
  double scale;                   /* 2^sum_bits */
  const struct stress_ends *ends;
  const unsigned char *lipid;
  const int *lead;       /* struct gpu_clusters */
  const int *bonded_row; /* struct gpu_bonded; NULL: no bonded terms */
  const struct bonded_entry *bonded;
  const double *momentum, *force;
  double half_step; /* ps */
  const struct cuda_type *types;
  const struct cuda_report *report;
  int64_t *word;
};

DEVICE void bead_add(const struct stress_job &job, const struct stress_bins &to, uint32_t centre,
                     int i, int64_t *single)
{
  const struct bead_record me = job.view.record[i];
  const real hz = R(job.report->box.now.box[2] / TORUS_EDGE);
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
    view.h[k] = R(job.report->box.now.box[k] / TORUS_EDGE);
  for (int k = 0; k < 2; k++)
    bead.pair[k] = job.ends[2 * (int64_t)i + k];
  for (int k = 0; k < BONDED_CHANNELS; k++)
    bead.bonded[k] = stress_none();
  for (int k = begin; k < end; k++) {
    const struct bonded_entry *e = &job.bonded[k];
    stress_bonded(&job.model, &view, i, e, hz,
                  stress_bonded_ends(&job.model, e, job.lipid[i], &bead));
  }
  const int in_cluster = job.lead && job.lead[i] >= 0;
  stress_bin_bead(&to, profile_place_of(me.x[2], centre, job.bins), job.lipid[i], end > begin,
                  &bead, in_cluster ? NULL : &move, single);
}

/* SHARED 1: a block sums the arrays of words in shared memory, and adds them at the end. */
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
  const struct model *m = (const struct model *)c->forces->model;
  struct stress_pass p;
  p.terms = m->pass[k];
  const struct cuda_list *list = &c->lists->of[p.terms.number];
  p.view = view_of(c);
  p.in_cutoffs = 1 / TORUS_EDGE / p.terms.cutoff;
  p.n = c->base.n;
  p.n_types = m->n_types;
  p.lanes = list->lanes;
  p.most_rows = list->most_rows;
  p.adds = k > 0;
  p.head = list->head;
  p.index = (const int4 *)list->index;
  p.lipid = c->profile->lipid;
  p.report = c->reports->device;
  p.ends = c->profile->ends;
  return p;
}

static struct stress_job job_of(struct gpu *c, const struct profile *p)
{
  struct stress_job j;
  j.model = *(const struct model *)c->forces->model;
  j.view = view_of(c);
  j.n = c->base.n;
  j.bins = p->bins;
  j.centre = p->centre;
  j.pending_centre = cuda_pending_centre(c, p);
  j.scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  j.ends = c->profile->ends;
  j.lipid = c->profile->lipid;
  j.lead = c->clusters->lead;
  j.bonded_row = c->topology->term_start ? c->bonded->row : NULL;
  j.bonded = c->bonded->entry;
  j.momentum = c->arrays->beads.momentum;
  j.force = c->arrays->force;
  j.half_step = p->half_step;
  j.types = c->types->type;
  j.report = c->reports->device;
  j.word = cuda_bins(c);
  return j;
}

static void stress(struct gpu *c, const struct profile *p)
{
  const int64_t bytes = (int64_t)STRESS_ARRAYS * p->bins * (int64_t)sizeof(int64_t);
  const int64_t threads = cuda_profile_threads(c, STRESS_THREADS);
  const struct stress_job job = job_of(c, p);
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    const struct stress_pass pass = pass_of(c, k);
    force_set_of(pass.terms.set)->stress(c, pass);
  }
  if (cuda_shared_memory((const void *)stress_bins_add<1>, bytes))
    LAUNCH_SHARED(stress_bins_add<1>, threads, STRESS_THREADS, bytes, c->streams->main, job);
  else
    LAUNCH(stress_bins_add<0>, threads, STRESS_THREADS, c, job);
}

extern "C" const struct stress_cuda NAME(stress_cuda_, PRECISION) = {stress};
