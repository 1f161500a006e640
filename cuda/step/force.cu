/* Forces, torques, energies and virial: pair passes, each by the kernels of its set of pair terms
   (force_set.cu), and bonded terms with a kernel of their own; contributions of beads to pressure
   profiles (observe/stress_profile.h): pairs, pass by pass (stress_rows.cuh), then bonded terms,
   and the bins. Compiled once for each precision (PRECISION: mixed, double). */
#include <assert.h>

#include "backend/profile_body.h"
#include "cuda/lists/clusters.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/step/force_set.cuh"
#include "cuda/step/force_sums.cuh"
#include "cuda/step/model_upload.cuh"
#include "pair/pair_sets.h"
#include "pair/stress_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

#define SET(name, bits) extern "C" const struct force_set FORCE_SET_NAME(name, PRECISION);
PAIR_SETS(SET)
#undef SET

/* set: one of PAIR_SETS. */
static const struct force_set *force_set_of(unsigned set)
{
  static const struct force_set *const all[] = {
#define SET(name, bits) &FORCE_SET_NAME(name, PRECISION),
      PAIR_SETS(SET)
#undef SET
  };
  const int n = (int)(sizeof all / sizeof all[0]);
  int k = 0;
  while (k < n && all[k]->terms != set)
    k++;
  assert(k < n);
  return all[k];
}

/* Sets p->from: for each loop over partners the place from which on all beads need only the terms
   of that loop. The classes that need most come first. first: first place of each group; groups:
   groups of an interaction class. */
static void pass_loops(struct force_pass *p, const int *first, int groups)
{
  for (int part = 0; part < LIST_PARTS; part++)
    for (int rows = 0; rows < ROWS_SETS; rows++) {
      int k = 0;
      while (k < CLASSES && class_rows(k, part) > rows)
        k++;
      p->from[part][rows] = first[k * groups];
    }
}

/* Bits of the list classes of a pass with number[class] == k, or with `before` 1 number[class] < k;
   ALL_CLASSES if these are all. */
static unsigned classes_of(const struct model_pass *pass, const int *number, int k, int before)
{
  unsigned classes = 0;
  for (int m = 0; m < PAIR_CLASSES_MOST; m++)
    if (pass->classes >> m & 1u && (before ? number[m] < k : number[m] == k)) classes |= 1u << m;
  return classes == pass->classes ? ALL_CLASSES : classes;
}

/* Pass number k over the interior or the boundary beads. */
static struct force_pass pass_of(struct gpu *c, int boundary, int k)
{
  struct force_pass p;
  const struct cuda_model *m = (const struct cuda_model *)c->forces->model;
  p.model = m->model;
  p.terms = m->model.pass[k];
  p.coefs = m->force[k];
  const struct cuda_list *list = &c->lists->of[k];
  const struct work_order *order = &c->orders->of[k];
  const int *first = order->group_first + boundary * order->half;
  p.adds = classes_of(&p.terms, p.model.first_pass, k, 1);
  p.ends = classes_of(&p.terms, p.model.last_pass, k, 0);
  p.view = view_of(c);
  p.inverse_cutoff = 1 / p.terms.cutoff;
  p.in_cutoffs = p.inverse_cutoff / TORUS_EDGE;
  p.first = first[0];
  p.end = first[order->half];
  pass_loops(&p, first, c->config.plan->n_classes);
  p.place = order->place;
  p.most_rows = list->most_rows;
  p.head = list->head;
  p.index = (const int4 *)list->index;
  p.lanes = list->lanes;
  p.bonded_row = p.ends && c->topology->term_start && !c->topology->apart ? c->bonded->row : NULL;
  p.bonded = c->bonded->entry;
  p.force = c->arrays->force;
  p.torque = c->types->rotates ? c->arrays->torque : NULL;
  p.sums = c->sums->forces;
  p.report = c->reports->device;
  p.sum_scale = cuda_sum_scale(c);
  return p;
}

/* Carveout of chained passes, percent. Two kernels share a multiprocessor only if it is divided
   into L1 cache and shared memory alike for both: so all passes have the division that suffices for
   BLOCKS blocks of the largest. */
static int passes_carveout(const struct gpu *c)
{
  enum { BLOCKS = 8, SYSTEM_BYTES = 1024 }; /* SYSTEM_BYTES: that CUDA takes in each block */
  const struct cuda_model *m = (const struct cuda_model *)c->forces->model;
  int most = 0;
  for (int k = 0; k < m->model.n_passes; k++) {
    const int bytes = pass_bytes(m->model.pass[k].set, m->force[k]);
    if (bytes > most && bytes <= SHARED_BYTES) most = bytes;
  }
  int64_t bytes = (int64_t)BLOCKS * (most + SYSTEM_BYTES);
  /* Linked kernels leave room for clusters that move beside them. */
  const int64_t clusters = cuda_step_links(c) ? cuda_clusters_bytes(c) : 0;
  if (clusters > bytes) bytes = clusters;
  const int64_t percent = 100 * bytes / c->device->shared_bytes;
  return percent < 99 ? (int)percent + 1 : 100;
}

static int run(struct gpu *c, int boundary, int flags, cudaStream_t stream)
{
  /* Chained kernels are for rectangular boxes. */
  const int passes = cuda_passes_chain(c) && !box_is_oblique(c->reports->build_box);
  const int search = c->search->waits;
  struct chain chain = {passes, 0, search, passes || search ? passes_carveout(c) : -1, stream};
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    const struct force_pass pass = pass_of(c, boundary, k);
    force_set_of(pass.terms.set)->force(c, pass, flags, &chain);
  }
  return chain.begun;
}

/* Bonded terms with a kernel of their own. A block has FORCE_THREADS beads, whose entries are
   contiguous. Each thread evaluates one entry at a time, so that all are busy however many entries
   each bead has; then each adds the entries of its bead in their order. */
enum { BONDED_CHUNK = 512 }; /* entries that a block evaluates at a time */

/* Force and torque of each entry on its bead; in shared memory. */
struct bonded_chunk {
  unsigned char *bead;        /* [BONDED_CHUNK] index of the bead in the block */
  real (*pull)[BONDED_CHUNK]; /* [3] force, kJ/mol/nm */
  real (*turn)[BONDED_CHUNK]; /* [3] torque, kJ/mol; no memory where no bead turns */
};

/* Shared memory of struct bonded_chunk, bytes: a multiple of 8. */
HD int bonded_bytes(const struct force_pass &pass)
{
  return BONDED_CHUNK * (1 + (pass.torque ? 6 : 3) * (int)sizeof(real));
}

DEVICE struct bonded_chunk bonded_chunk_here(const struct force_pass &pass)
{
  extern __shared__ double2 bonded_room[];
  struct bonded_chunk chunk;
  chunk.pull = (real(*)[BONDED_CHUNK])bonded_room;
  chunk.turn = chunk.pull + 3;
  chunk.bead = (unsigned char *)(chunk.pull + (pass.torque ? 6 : 3));
  return chunk;
}

static_assert((int)FORCE_THREADS <= 256, "beads of a block are numbered in bytes");

/* Bits of the energy channels that a kernel of bonded terms sums. */
HD unsigned entries_channels(uint64_t forms, int sums)
{
  return sums == FORCE_ENERGY ? bonded_channels(forms) : 0u;
}

/* Evaluates entry first + k, and stores its force and torque at index k of the chunk.
   block_first: first bead of the block. */
template <uint64_t FORMS, int SUMS>
DEVICE void bonded_evaluate(const struct force_pass &pass, const struct force_view &view, int first,
                            int k, int block_first, const struct bonded_chunk &chunk,
                            struct thread_sums *sums)
{
  const struct bonded_entry e = pass.bonded[first + k];
  const int i = block_first + chunk.bead[k];
  const struct bonded_sum s = bonded_term(&pass.model, &view, i, &e, FORMS);
  if (SUMS) bonded_count<SUMS>(pass, i, &e, FORMS, s, entries_channels(FORMS, SUMS), sums);
  const real pull[3] = {s.f.x, s.f.y, s.f.z}, turn[3] = {s.t.x, s.t.y, s.t.z};
  for (int a = 0; a < 3; a++) {
    chunk.pull[a][k] = pull[a];
    if (pass.torque) chunk.turn[a][k] = turn[a];
  }
}

/* Loads force and torque from the passes. Volatile: from the L2 cache, since L1 may have been
   filled before the kernel waited for the passes. */
DEVICE void forces_load(const struct force_pass &pass, int64_t i, double f[3], double t[3])
{
  for (int a = 0; a < 3; a++) {
    f[a] = *(const volatile double *)&pass.force[3 * i + a];
    if (pass.torque) t[a] = *(const volatile double *)&pass.torque[3 * i + a];
  }
}

/* Adds the bonded terms of the beads of a block, which begin with block_first. Block-collective. */
template <uint64_t FORMS, int SUMS>
DEVICE void bonded_beads(const struct force_pass &pass, const struct force_view &view,
                         int block_first, int n, const struct bonded_chunk &chunk,
                         struct thread_sums *sums)
{
  const int me = (int)threadIdx.x;
  const int i = block_first + me, block_end = min(block_first + FORCE_THREADS, n);
  const int first = pass.bonded_row[block_first], all = pass.bonded_row[block_end] - first;
  const int begin = i < n ? pass.bonded_row[i] - first : 0;
  const int end = i < n ? pass.bonded_row[i + 1] - first : 0;
  double f[3], t[3] = {0, 0, 0};
  if (all == 0) return;
  for (int from = 0; from < all; from += BONDED_CHUNK) {
    const int to = min(from + BONDED_CHUNK, all);
    for (int k = max(begin, from); k < min(end, to); k++)
      chunk.bead[k - from] = (unsigned char)me;
    __syncthreads();
    for (int k = me; k < to - from; k += FORCE_THREADS)
      bonded_evaluate<FORMS, SUMS>(pass, view, first + from, k, block_first, chunk, sums);
    __syncthreads();
    if (from == 0) {
      chain_wait();
      if (begin < end) forces_load(pass, i, f, t);
    }
    for (int k = max(begin, from); k < min(end, to); k++)
      for (int a = 0; a < 3; a++) {
        f[a] += (double)chunk.pull[a][k - from];
        if (pass.torque) t[a] += (double)chunk.turn[a][k - from];
      }
  }
  for (int a = 0; a < 3 && begin < end; a++) {
    pass.force[3 * (int64_t)i + a] = f[a];
    if (pass.torque) pass.torque[3 * (int64_t)i + a] = t[a];
  }
}

/* OBLIQUE: of view_now. */
template <uint64_t FORMS, int SUMS, int OBLIQUE>
static __global__
__launch_bounds__(FORCE_THREADS) void bonded_entries(const __grid_constant__ struct force_pass pass,
                                                     int n)
{
  const struct bonded_chunk chunk = bonded_chunk_here(pass);
  const struct force_view view = view_now<OBLIQUE>(pass);
  const int step = (int)gridDim.x * FORCE_THREADS;
  struct thread_sums sums;
  chain_start_next();
  /* All threads of a block decide alike: a concurrent search may let the lists expire meanwhile. */
  if (__syncthreads_or(is_expired(pass.report))) {
    chain_wait();
    return;
  }
  if (SUMS)
    thread_sums_clear<SUMS>(&sums, (char *)chunk.pull + bonded_bytes(pass),
                            entries_channels(FORMS, SUMS));
  for (int first = (int)blockIdx.x * FORCE_THREADS; first < n; first += step)
    bonded_beads<FORMS, SUMS>(pass, view, first, n, chunk, &sums);
  chain_wait();
  if (SUMS) thread_sums_add<SUMS>(sums, entries_channels(FORMS, SUMS), pass.sums);
}

template <uint64_t FORMS, int SUMS> static void bonded_launch(struct gpu *c, int after)
{
  struct force_pass pass = pass_of(c, 0, 0);
  pass.bonded_row = c->bonded->row;
  const int64_t n = c->base.n, at_once = cuda_threads_at_once(c, n, 8 * FORCE_THREADS);
  const int bytes =
      bonded_bytes(pass) + (SUMS ? fixed_bytes(SUMS, entries_channels(FORMS, SUMS)) : 0);
  constexpr int any = SUMS == FORCE_ENERGY;
  const auto kernel =
      pass.view.unit.oblique ? bonded_entries<FORMS, SUMS, 1> : bonded_entries<FORMS, SUMS, any>;
  if (bytes > SHARED_BYTES)
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  launch_chained({SUMS ? at_once : n, FORCE_THREADS, bytes, after, -1, c->streams->main}, kernel,
                 pass, (int)n);
}

/* Forms that need few registers have kernels compiled without the others. With the others there is
   no kernel for the virial alone. Kernels with energies serve boxes of any shape. */
static void bonded(struct gpu *c, int flags, int after)
{
  constexpr uint64_t few = BONDED_IN_PASSES | BONDED_FORM(excluded_reaction_field);
  if (!c->topology->apart || !c->topology->term_start) return;
  const struct cuda_model *m = (const struct cuda_model *)c->forces->model;
  if (flags == FORCE_ENERGY && m->model.charge_slope)
    bonded_launch<BONDED_ALL_FORMS | BONDED_SLOPES, FORCE_ENERGY>(c, after);
  else if (c->topology->forms & ~few)
    flags ? bonded_launch<BONDED_ALL_FORMS, FORCE_ENERGY>(c, after)
          : bonded_launch<BONDED_ALL_FORMS, 0>(c, after);
  else if (flags == FORCE_VIRIAL)
    bonded_launch<few, FORCE_VIRIAL>(c, after);
  else
    flags ? bonded_launch<few, FORCE_ENERGY>(c, after) : bonded_launch<few, 0>(c, after);
}

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
  units_now(&view.unit, job.report, 1 / TORUS_EDGE);
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
static __global__
__launch_bounds__(FORCE_THREADS) void stress_bins_add(const __grid_constant__ struct stress_job job)
{
  extern __shared__ int64_t shared_word[];
  const int words = STRESS_ARRAYS * job.bins;
  const struct stress_bins to = {SHARED ? shared_word : job.word, job.bins, job.scale};
  const uint32_t centre = job.pending_centre ? *job.pending_centre : job.centre;
  int64_t single[STRESS_SINGLES];
  for (int k = 0; k < STRESS_SINGLES; k++)
    single[k] = 0;
  for (int k = (int)threadIdx.x; SHARED && k < words; k += FORCE_THREADS)
    shared_word[k] = 0;
  __syncthreads();
  for (int64_t i = thread_index(); i < job.n; i += (int64_t)gridDim.x * FORCE_THREADS)
    bead_add(job, to, centre, (int)i, single);
  __syncthreads();
  for (int k = (int)threadIdx.x; SHARED && k < words; k += FORCE_THREADS)
    bins_add(job.word + k, shared_word[k]);
  for (int k = 0; k < STRESS_SINGLES; k++)
    block_add(single[k], job.word + words + k);
}

static struct stress_job stress_job_of(struct gpu *c, const struct profile *p)
{
  struct stress_job j;
  j.model = ((const struct cuda_model *)c->forces->model)->model;
  j.view = view_of(c);
  j.n = c->base.n;
  j.bins = p->bins;
  j.centre = p->centre;
  j.pending_centre = cuda_pending_centre(c, p);
  j.scale = cuda_sum_scale(c);
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
  const int64_t threads = cuda_profile_threads(c, FORCE_THREADS);
  const struct stress_job job = stress_job_of(c, p);
  const struct stress_beads beads = {c->base.n, c->profile->lipid, c->profile->ends};
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    const struct force_pass pass = pass_of(c, 0, k);
    force_set_of(pass.terms.set)->stress(c, pass, beads);
  }
  if (cuda_shared_memory((const void *)stress_bins_add<1>, bytes))
    LAUNCH_SHARED(stress_bins_add<1>, threads, FORCE_THREADS, bytes, c->streams->main, job);
  else
    LAUNCH(stress_bins_add<0>, threads, FORCE_THREADS, c, job);
}

extern "C" const struct force_cuda NAME(force_cuda_, PRECISION) = {model_upload, run,
                                                                   passes_carveout, bonded, stress};
