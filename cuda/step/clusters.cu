/* Motion of clusters (dynamics/cluster_body.h). A small cluster has a few threads of a warp, its
   lanes; a large one has a warp. Beads are in shared memory; vectors and matrix of small clusters
   too, those of large ones in global memory. A cluster with sparse equations has a block, and is in
   global memory as a whole: kernels with SPARSE 1. */
#include "backend/cluster_stress.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/tuning.h"
#include "cuda/step/motion.cuh"

/* CLUSTER_BLOCKS: blocks per multiprocessor of __launch_bounds__; without it the compiler takes 80
   registers and spills. */
enum { CLUSTER_THREADS = 64, CLUSTER_BLOCKS = 8, SPARSE_THREADS = 256 };

HD constexpr int threads_of(int sparse)
{
  return sparse ? SPARSE_THREADS : CLUSTER_THREADS;
}

/* Argument of these kernels: the clusters of one size. */
struct clusters_job {
  struct motion m;
  int n, lanes;     /* clusters; threads of each, a power of 2 */
  int sparse;       /* 1: they have sparse equations */
  int stride;       /* ints of an entry: type, then beads */
  const int *entry; /* device memory */
  const struct cluster_type *type;
  int most_beads, most_work; /* beads of the largest cluster; doubles of working memory */
  double *work;              /* device memory; NULL: shared memory */
  double scale;              /* 2^sum_bits */
  struct sums *sums;
  int spreads;        /* 1: first spreads the forces on virtual sites */
  int early;          /* 1: loads and computes while the kernel before, of other beads, runs */
  double *site_force; /* struct gpu_clusters */
};

/* Shared memory of a cluster, bytes. */
static int shared_of(const struct clusters_job &j)
{
  if (j.sparse) return 0;
  return j.most_beads * (int)(sizeof(struct body) + sizeof(struct body_type *)) +
         (j.work ? 0 : j.most_work * (int)sizeof(double));
}

/* The cluster of this thread, and *bead, the local indices of its beads; type NULL: none. */
template <int SPARSE>
DEVICE struct cluster cluster_here(const struct clusters_job &j, const int **bead)
{
  extern __shared__ double room[];
  struct cluster c;
  const int lanes = SPARSE ? SPARSE_THREADS : j.lanes;
  const int lane = (int)threadIdx.x % lanes, local = (int)threadIdx.x / lanes;
  const int64_t group = (int64_t)blockIdx.x * (threads_of(SPARSE) / lanes) + local;
  const int bodies = j.most_beads * (int)(sizeof(struct body) / sizeof(double));
  double *mine = SPARSE ? j.work + group * j.most_work
                        : room + local * (bodies + j.most_beads + (j.work ? 0 : j.most_work));
  c.type = NULL;
  c.sparse = c.lanes.block = SPARSE;
  c.lanes.lane = lane;
  c.lanes.n = lanes;
  c.lanes.mask = SPARSE ? ALL_LANES : ALL_LANES >> (32 - lanes) << ((int)threadIdx.x % 32 - lane);
  if (group >= j.n) return c;
  const int *entry = j.entry + group * j.stride;
  c.type = &j.type[entry[0]];
  *bead = entry + 1;
  c.body = (struct body *)mine;
  c.inertia = (const struct body_type **)(mine + bodies);
  cluster_set_room(&c,
                   j.work && !SPARSE ? j.work + group * j.most_work : mine + bodies + j.most_beads);
  for (int k = 0; k < BOX; k++)
    c.box[k] = word_load<1>(&j.m.now->box[k]);
  return c;
}

/* 1 if the beads of a cluster are frozen: all are, along all axes (md/teams.c). */
DEVICE int is_still(const struct clusters_job &j, const int *bead)
{
  return is_frozen(j.m, bead[0]);
}

/* Copies the beads to c.body: first all loads of a bead, then all stores, so that the loads
   overlap. */
template <int EARLY = 0>
DEVICE void cluster_load(const struct clusters_job &j, const struct cluster &c, const int *bead)
{
  const struct motion &m = j.m;
  for (int k = c.lanes.lane; k < c.type->n_beads; k += c.lanes.n) {
    const int64_t i = bead[k];
    struct body b;
    const struct body_type *t = &m.types[m.beads.type[i]].body;
    body_load<0, EARLY>(m, i, body_turns(t), &b);
    for (int d = 0; d < 3; d++)
      b.image[d] = word_load<EARLY>(m.beads.image + 3 * i + d);
    c.inertia[k] = t;
    c.body[k] = b;
  }
  cluster_sync(&c);
}

/* Reports a constraint that cannot be solved. The lists expire at this step too, so that later
   kernels are no-ops. */
static __device__ void fault_rigid(const struct clusters_job &j, const struct cluster &c,
                                   const int *bead, int reduce, int64_t step)
{
  struct cuda_fault *f = &j.m.report->rigid;
  double length = 0;
  lists_expire(j.m.report, reduce, step);
  const struct cluster_constraint *to = &c.type->constraint[cluster_worst(&c, &length)];
  if (!fault_is_first(f)) return;
  f->bead = j.m.id[bead[to->bead[0]]];
  f->other = j.m.id[bead[to->bead[1]]];
  f->step = step;
  f->value[0] = length;
  f->value[1] = to->length;
}

/* The number of the state that this first half starts from, or -1 if it must be a no-op: as
   move_begin (integrate.cu). The same in all threads of a block. */
DEVICE int64_t step_begun(const struct motion &m)
{
  __shared__ int64_t answer;
  if (threadIdx.x == 0) {
    int64_t begun;
    uint64_t expired;
    answer = move_is_idle(m, &begun, &expired) ? -1 : begun;
  }
  __syncthreads();
  return answer;
}

/* 1 if lists have expired; the same in all threads of a block. */
DEVICE int block_is_idle(const struct motion &m)
{
  __shared__ int answer;
  if (threadIdx.x == 0) answer = is_expired(m.report);
  __syncthreads();
  return answer;
}

/* Stores bead i after a first half, with its records, and reports its displacement. */
template <typename Real>
DEVICE void bead_put(const struct clusters_job &j, const struct integrate_params &how, int64_t i,
                     const struct body *b, int64_t begun)
{
  const struct motion &m = j.m;
  const int type = m.beads.type[i];
  const struct cuda_type *t = &m.types[type];
  const int turns = body_turns(&t->body);
  for (int d = 0; d < 3; d++)
    m.beads.image[3 * i + d] = b->image[d];
  body_store_alone(m, i, turns, b);
  if (turns && t->axis_scale > 0) axis_store<Real>(m, i, t, b->q);
  record_store(m.record, i, b->x, type);
  const double d2 = displacement2_of<1>(m, how, i, b->x);
  if (how.list_expiry == EXPIRY_DISPLACEMENT)
    atomicMax(&m.report->displacement2_bits[m.parity], ordered_bits(d2));
  else
    displaced_note(m, how, i, begun, d2);
}

/* Linked to the integration (cuda_step_links), which moves other beads, and stores of these what it
   has loaded: so all is stored after its end. */
template <typename Real, int SPARSE>
static __global__
__launch_bounds__(threads_of(SPARSE), SPARSE ? 1 : CLUSTER_BLOCKS) void clusters_move(
    const __grid_constant__ struct clusters_job j,
    const __grid_constant__ struct integrate_params how)
{
  const int *bead = NULL;
  if (!j.early) chain_wait();
  chain_start_next();
  const int64_t begun = step_begun(j.m);
  const struct cluster c = cluster_here<SPARSE>(j, &bead);
  if (begun < 0 || !c.type || is_still(j, bead)) {
    chain_wait();
    return;
  }
  if (j.early)
    cluster_load<1>(j, c, bead);
  else
    cluster_load<0>(j, c, bead);
  if (j.spreads) cluster_spread(&c, 0, NULL, NULL, NULL, NULL);
  if (j.m.pending_kick > 0) cluster_kick(&c, j.m.pending_kick);
  const struct cluster_ids ids = {j.m.id, bead};
  const int good = cluster_move(&c, &ids, &how, how.coupled ? &j.m.now->scaling : NULL, begun,
                                j.m.pending_kick > 0);
  chain_wait();
  if (!good && c.lanes.lane == 0) fault_rigid(j, c, bead, how.reduce_expired, begun + 1);
  for (int k = c.lanes.lane; k < c.type->n_beads; k += c.lanes.n) {
    if (good && !(c.moved2[k] <= how.max_displacement * how.max_displacement))
      fault_blown(j.m, how.reduce_expired, begun + 1, bead[k], &c.body[k], c.moved2[k]);
    bead_put<Real>(j, how, bead[k], &c.body[k], begun);
  }
}

template <int SPARSE>
static __global__ __launch_bounds__(threads_of(SPARSE)) void clusters_kick(
    const __grid_constant__ struct clusters_job j, double h)
{
  const int *bead = NULL;
  if (block_is_idle(j.m)) return;
  const struct cluster c = cluster_here<SPARSE>(j, &bead);
  if (!c.type || is_still(j, bead)) return;
  cluster_load(j, c, bead);
  cluster_kick(&c, h);
  for (int k = c.lanes.lane; k < c.type->n_beads; k += c.lanes.n) {
    three_store(j.m.beads.momentum, bead[k], c.body[k].p);
    if (body_turns(c.inertia[k])) three_store(j.m.beads.angular_momentum, bead[k], c.body[k].j);
  }
}

/* Adds word[WORDS] of all threads to the words of sums from SUM_VIRIAL on. Block-collective. */
template <int WORDS, int SPARSE>
DEVICE void words_put(struct sums *to, const int64_t *word, int64_t overflow, int64_t magnitude)
{
  static_assert(SUM_INSIDE == SUM_VIRIAL + 9, "the words are in this order");
  __shared__ struct block_sums<WORDS + 2, threads_of(SPARSE) / 32> all;
  for (int k = 0; k < WORDS; k++)
    block_sum(&all, k, word[k], &to->word[SUM_VIRIAL + k]);
  block_sum(&all, WORDS, overflow, &to->overflow);
  block_sum(&all, WORDS + 1, magnitude, &to->magnitude);
  block_sums_add(&all, WORDS + 2);
}

template <int ENERGY, int SPARSE>
static __global__ __launch_bounds__(threads_of(SPARSE)) void clusters_spread(
    const __grid_constant__ struct clusters_job j, double *force, double *torque)
{
  const int *bead = NULL;
  int64_t word[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, overflow = 0, magnitude = 0;
  if (block_is_idle(j.m)) return;
  const struct cluster c = cluster_here<SPARSE>(j, &bead);
  if (c.type && c.type->n_sites > 0) {
    cluster_load(j, c, bead);
    const struct cluster_keep keep = {j.site_force, bead};
    cluster_spread(&c, ENERGY ? j.scale : 0, word, &overflow, &magnitude,
                   ENERGY && j.site_force ? &keep : NULL);
    for (int k = c.lanes.lane; k < c.type->n_beads; k += c.lanes.n) {
      three_store(force, bead[k], c.body[k].force);
      if (body_turns(c.inertia[k])) three_store(torque, bead[k], c.body[k].torque);
    }
  }
  if (ENERGY) words_put<9, SPARSE>(j.sums, word, overflow, magnitude);
}

template <int SPARSE>
static __global__ __launch_bounds__(threads_of(SPARSE)) void clusters_sums(
    const __grid_constant__ struct clusters_job j)
{
  const int *bead = NULL;
  int64_t word[18], overflow = 0, magnitude = 0;
  if (block_is_idle(j.m)) return;
  for (int k = 0; k < 18; k++)
    word[k] = 0;
  const struct cluster c = cluster_here<SPARSE>(j, &bead);
  if (c.type && !is_still(j, bead)) {
    const struct cluster_words to = {word, word + 9, j.scale, &overflow, &magnitude};
    cluster_load(j, c, bead);
    cluster_add_sums(&c, &to);
  }
  words_put<18, SPARSE>(j.sums, word, overflow, magnitude);
}

/* The words of TALLY_STRESS that clusters add to, device memory. */
struct profile_words {
  int64_t *word;
  int bins;
  uint32_t centre;
  const uint32_t *pending_centre; /* NULL: read centre */
  double half_step;               /* ps */
};

template <int SPARSE>
static __global__ __launch_bounds__(threads_of(SPARSE)) void clusters_stress(
    const __grid_constant__ struct clusters_job j, const struct profile_words p)
{
  const int *bead = NULL;
  int64_t single[STRESS_SINGLES];
  for (int k = 0; k < STRESS_SINGLES; k++)
    single[k] = 0;
  const struct cluster c = cluster_here<SPARSE>(j, &bead);
  const struct cluster_stress to = {
      {p.word, p.bins, j.scale}, p.pending_centre ? *p.pending_centre : p.centre, p.half_step};
  if (c.type && !is_still(j, bead)) {
    cluster_load(j, c, bead);
    for (int s = c.lanes.lane; s < c.type->n_sites; s += c.lanes.n) {
      const int k = c.type->site[s].bead;
      three_load(j.site_force, bead[k], c.body[k].force);
    }
    cluster_sync(&c);
    cluster_add_stress(&c, &to, single);
  }
  for (int k = 0; k < STRESS_SINGLES; k++)
    block_add(single[k], p.word + (int64_t)STRESS_ARRAYS * p.bins + k);
}

/* Threads per small cluster: four where there are enough clusters to fill the GPU, and shared
   memory has room for those of a block; else eight. */
static int small_lanes(const struct clusters_job &j)
{
  const int bytes = shared_of(j) * (CLUSTER_THREADS / 4);
  return j.n >= FOUR_LANES_CLUSTERS_LEAST && bytes <= SHARED_BYTES ? 4 : 8;
}

/* The clusters of a size (enum cluster_size). */
static struct clusters_job job_of(const struct gpu *c, int size)
{
  struct clusters_job j;
  const struct gpu_clusters_of *of = &c->clusters->of[size];
  j.m = motion_of(c);
  j.n = of->n;
  j.stride = 1 + of->most_beads;
  j.entry = of->entry;
  j.type = c->clusters->type;
  j.most_beads = of->most_beads;
  j.most_work = of->most_work;
  j.work = of->work;
  j.sparse = size >= CLUSTERS_SPARSE;
  j.lanes = j.sparse ? SPARSE_THREADS : size == CLUSTERS_SMALL ? small_lanes(j) : 32;
  j.scale = cuda_sum_scale(c);
  j.sums = NULL;
  j.spreads = j.early = 0;
  j.site_force = c->clusters->site_force;
  return j;
}

/* Launches a kernel for the clusters of each size: `full` for those with full matrices, `sparse`
   for sparse equations. how: changes the job. linked 1: chained to the integration. */
template <typename How, typename... Arguments>
static void launch(struct gpu *c, const How &how, int linked,
                   void (*full)(struct clusters_job, Arguments...),
                   void (*sparse)(struct clusters_job, Arguments...), Arguments... arguments)
{
  for (int size = 0; size < CLUSTERS_SIZES; size++) {
    struct clusters_job j = job_of(c, size);
    how(&j);
    const int threads = threads_of(j.sparse);
    launch_chained({(int64_t)j.n * j.lanes, threads, shared_of(j) * (threads / j.lanes), linked,
                    linked ? c->forces->kernel->carveout(c) : -1, c->streams->main},
                   j.sparse ? sparse : full, j, arguments...);
  }
}

static void as_it_is(struct clusters_job *j)
{
  (void)j;
}

int cuda_clusters_bytes(const struct gpu *c)
{
  const struct clusters_job j = job_of(c, CLUSTERS_SMALL);
  const int each = CLUSTER_THREADS / j.lanes, blocks = launch_blocks(j.n, each);
  const int here = launch_blocks(blocks, c->device->multiprocessors);
  return (here < 2 ? here : 2) * (shared_of(j) * each + 1024);
}

void cuda_clusters_move(struct gpu *c, double pending_kick, const struct integrate_params *how)
{
  const int single = c->arrays->axis_bytes == 4 * (int)sizeof(float),
            spreads = cuda_spread_defer(c, 0);
  const int linked = how->list_expiry == EXPIRY_SEARCH && cuda_step_links(c);
  const auto moved = [&](struct clusters_job *j) {
    j->m.pending_kick = pending_kick;
    j->spreads = spreads;
    j->early = linked && !how->coupled;
  };
  launch(c, moved, linked, single ? clusters_move<float, 0> : clusters_move<double, 0>,
         single ? clusters_move<float, 1> : clusters_move<double, 1>, *how);
}

/* Spreads the forces on virtual sites to their parents. energy 1: and adds the virial of that to
   sums->forces; keeps 1: and sets site_force. */
static void spread(struct gpu *c, int energy, int keeps)
{
  const auto summed = [&](struct clusters_job *j) {
    j->sums = c->sums->forces;
    if (!keeps) j->site_force = NULL;
  };
  launch(c, summed, 0, energy ? clusters_spread<1, 0> : clusters_spread<0, 0>,
         energy ? clusters_spread<1, 1> : clusters_spread<0, 1>, c->arrays->force,
         c->arrays->torque);
}

void cuda_clusters_spread(struct gpu *c, int energy, int keeps)
{
  (void)cuda_spread_defer(c, c->clusters->sites && !energy);
  if (c->clusters->sites && energy) spread(c, 1, keeps);
}

void cuda_apply_pending_spread(struct gpu *c)
{
  if (cuda_spread_defer(c, 0)) spread(c, 0, 0);
}

void cuda_clusters_kick(struct gpu *c, double h)
{
  cuda_apply_pending_spread(c);
  launch(c, as_it_is, 0, clusters_kick<0>, clusters_kick<1>, h);
}

void cuda_clusters_sums(struct gpu *c)
{
  cuda_apply_pending_spread(c);
  const auto summed = [&](struct clusters_job *j) { j->sums = c->sums->motion; };
  launch(c, summed, 0, clusters_sums<0>, clusters_sums<1>);
}

void cuda_clusters_stress(struct gpu *c, const struct profile *p)
{
  const struct profile_words to = {cuda_bins(c), p->bins, p->centre, cuda_pending_centre(c, p),
                                   p->half_step};
  launch(c, as_it_is, 0, clusters_stress<0>, clusters_stress<1>, to);
}
