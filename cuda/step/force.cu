/* Forces, torques, energies and virial: pair passes, each by the kernels of its set of pair terms
   (force_set.cu), and bonded terms with a kernel of their own; and the audit of lists. Compiled
   once for each precision (PRECISION: mixed, double). */
#include "backend/audit_body.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/step/force_sets.cuh"
#include "cuda/step/force_sums.cuh"
#include "cuda/step/model_upload.cuh"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

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
  p.sum_scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
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
  const int64_t percent = (int64_t)100 * BLOCKS * (most + SYSTEM_BYTES) / c->device->shared_bytes;
  return percent < 99 ? (int)percent + 1 : 100;
}

static int run(struct gpu *c, int boundary, int flags, cudaStream_t stream)
{
  const int passes = cuda_passes_chain(c);
  struct chain chain = {passes, 0, passes ? passes_carveout(c) : -1, stream};
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
HD unsigned entries_channels(unsigned forms, int sums)
{
  return sums == FORCE_ENERGY ? bonded_channels(forms) : 0u;
}

/* Evaluates entry first + place, and stores its force and torque at this index of the chunk.
   block_first: first bead of the block. */
template <unsigned FORMS, int SUMS>
DEVICE void bonded_evaluate(const struct force_pass &pass, const struct force_view &view, int first,
                            int place, int block_first, const struct bonded_chunk &chunk,
                            struct thread_sums *sums)
{
  const struct bonded_entry e = pass.bonded[first + place];
  const struct bonded_sum s =
      bonded_term(&pass.model, &view, block_first + chunk.bead[place], &e, FORMS);
  if (SUMS) bonded_count<SUMS>(pass, &e, FORMS, s, entries_channels(FORMS, SUMS), sums);
  const real pull[3] = {s.f.x, s.f.y, s.f.z}, turn[3] = {s.t.x, s.t.y, s.t.z};
  for (int a = 0; a < 3; a++) {
    chunk.pull[a][place] = pull[a];
    if (pass.torque) chunk.turn[a][place] = turn[a];
  }
}

/* Loads force and torque from the passes. Volatile: from the L2 cache, since L1 may have been
   filled before the kernel waited for the passes. */
DEVICE void forces_take(const struct force_pass &pass, int64_t i, double f[3], double t[3])
{
  for (int a = 0; a < 3; a++) {
    f[a] = *(const volatile double *)&pass.force[3 * i + a];
    if (pass.torque) t[a] = *(const volatile double *)&pass.torque[3 * i + a];
  }
}

/* Adds the bonded terms of the beads of a block, which begin with block_first. Block-collective. */
template <unsigned FORMS, int SUMS>
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
      if (begin < end) forces_take(pass, i, f, t);
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

template <unsigned FORMS, int SUMS>
static __global__
__launch_bounds__(FORCE_THREADS) void bonded_entries(const __grid_constant__ struct force_pass pass,
                                                     int n)
{
  const struct bonded_chunk chunk = bonded_chunk_here(pass);
  const struct force_view view = view_now(pass);
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

template <unsigned FORMS, int SUMS> static void bonded_launch(struct gpu *c, int after)
{
  struct force_pass pass = pass_of(c, 0, 0);
  pass.bonded_row = c->bonded->row;
  const int64_t n = c->base.n, at_once = cuda_threads_at_once(c, n, 8 * FORCE_THREADS);
  const int bytes =
      bonded_bytes(pass) + (SUMS ? fixed_bytes(SUMS, entries_channels(FORMS, SUMS)) : 0);
  const auto kernel = bonded_entries<FORMS, SUMS>;
  if (bytes > SHARED_BYTES)
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  launch_chained({SUMS ? at_once : n, FORCE_THREADS, bytes, after, -1, c->streams->main}, kernel,
                 pass, (int)n);
}

/* Forms that need few registers have kernels compiled without the others. With the others there is
   no kernel for the virial alone. */
static void bonded(struct gpu *c, int flags, int after)
{
  constexpr unsigned few = BONDED_IN_PASSES | 1u << FORM_excluded_reaction_field;
  if (!c->topology->apart || !c->topology->term_start) return;
  if (c->topology->forms & ~few)
    flags ? bonded_launch<BONDED_ALL_FORMS, FORCE_ENERGY>(c, after)
          : bonded_launch<BONDED_ALL_FORMS, 0>(c, after);
  else if (flags == FORCE_VIRIAL)
    bonded_launch<few, FORCE_VIRIAL>(c, after);
  else
    flags ? bonded_launch<few, FORCE_ENERGY>(c, after) : bonded_launch<few, 0>(c, after);
}

/* The audit (backend/audit_body.h): counts the pairs of the new list that the previous one lacked.
 */
struct audit_job {
  int n;
  const int32_t *position, *old_position;
  struct audit_range range;
  struct cuda_report *report;
};

static __global__ void audit_rows(const __grid_constant__ struct force_pass pass,
                                  const __grid_constant__ struct audit_job job)
{
  int64_t i = thread_index() / pass.lanes, lane = thread_index() % pass.lanes, missed = 0;
  double largest = 0;
  struct list_head head = {{0, 0}};
  if (i < job.n) head = pass.head[i];
  const int *index = (const int *)(pass.index + i * pass.most_rows * pass.lanes + lane);
  const struct force_view view = view_now(pass);
  for (int k = 0; k < 4 * (head.rows[0] + head.rows[1]); k++) {
    int row = k / 4 < head.rows[0] ? k / 4 : pass.most_rows - 1 - (k / 4 - head.rows[0]);
    int64_t j = index[row * 4 * pass.lanes + k % 4];
    if (!audit_missed(&job.range, job.position, job.old_position, i, j)) continue;
    missed++;
    largest = fmax(largest, pair_size(&pass.model, &pass.terms, &view, (int)i, (int)j));
  }
  warp_max(ordered_bits(largest), &job.report->missed_force);
  block_add(missed, &job.report->missed);
}

static void audit(struct gpu *c, const struct build_params *p)
{
  struct audit_job j;
  j.n = c->base.n;
  j.position = c->arrays->beads.build_position;
  j.old_position = c->arrays->old_position;
  j.report = c->reports->device;
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    j.range = audit_range_of(p, &c->config, k, c->reports->build_box);
    const struct force_pass pass = pass_of(c, 0, k);
    LAUNCH(audit_rows, (int64_t)j.n * pass.lanes, FORCE_THREADS, c, pass, j);
  }
}

extern "C" const struct force_cuda NAME(force_cuda_, PRECISION) = {model_upload, run, bonded,
                                                                   audit};
