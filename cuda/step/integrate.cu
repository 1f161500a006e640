/* Integration: one thread per bead runs dynamics/move_body.h, writes the records that pair kernels
   read (position, type, axis), and finds displaced beads or the largest displacement. Axes have the
   precision of the run, everything else is double. */
#include "cuda/lists/list.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/tuning.h"
#include "cuda/step/motion.cuh"

enum { MOTION_THREADS = 64 }; /* few, so that small systems use every multiprocessor */

/* A lost message leaves arbitrary types of halo beads: types out of range are replaced by 0, so
   that no kernel indexes out of bounds. */
template <typename Real>
static __global__ void update_pair_records(const __grid_constant__ struct motion m, int types,
                                           int first, int end)
{
  int64_t i = first + thread_index();
  if (i >= end) return;
  int type = m.beads.type[i], owned = i < m.n;
  if ((unsigned)type >= (unsigned)types) type = 0;
  const int32_t *x = (owned ? m.beads.position : m.beads.build_position) + 3 * i;
  double q[4] = {1, 0, 0, 0};
  if (owned) turn_load(m.beads.orientation, i, q);
  record_store(m.record, i, x, type);
  axis_store<Real>(m, i, &m.types[type], owned ? q : NULL);
}

void cuda_update_pair_records(struct gpu *c, int first, int end, cudaStream_t stream)
{
  struct motion m = motion_of(c);
  const int types = c->config.ff->n_types;
  const int single = c->arrays->axis_bytes == 4 * (int)sizeof(float);
  const auto update = single ? update_pair_records<float> : update_pair_records<double>;
  LAUNCH_ON(stream, update, end - first, THREADS, m, types, first, end);
}

/* Stores WORDS words for each bead of a warp, coalesced by way of shared memory (buffer): partial
   writes of a sector are the most expensive work of the L2 cache. first: the bead of lane 0.
   wanted: bit k is set if bead first + k is stored. Warp-collective. */
template <int WORDS, typename Word>
DEVICE void rows_store(Word *to, int64_t first, unsigned wanted, const Word *row, double *buffer)
{
  const int lane = (int)threadIdx.x % 32;
  Word *staged = (Word *)buffer;
  if (!wanted) return;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < WORDS; k++)
    staged[WORDS * lane + k] = row[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    const int word = 32 * k + lane;
    if (wanted >> (word / WORDS) & 1u) to[WORDS * first + word] = staged[word];
  }
}

/* Adds the change of the image counts. */
DEVICE void image_add(const struct motion &m, int64_t i, const struct body *b)
{
  if (!(b->image[0] | b->image[1] | b->image[2])) return;
  for (int k = 0; k < 3; k++)
    m.beads.image[3 * i + k] += b->image[k];
}

/* Stores a bead, with orientation and angular momentum if it rotates. Block-collective. Coalesced
   stores pay for many beads only: with few, the latency of synchronising the warp costs more than
   the cache does. */
template <int TURNS, int LINKED>
DEVICE void body_store(const struct motion &m, int64_t i, int turns, const struct body *b)
{
  if (LINKED) {
    if (i < m.n) body_store_alone(m, i, turns, b);
    return;
  }
  __shared__ double buffer[MOTION_THREADS / 32][4 * 32];
  double *staged = buffer[threadIdx.x / 32];
  const int64_t first = i - threadIdx.x % 32;
  if (m.n < COALESCED_LEAST) {
    if (i < m.n) body_store_alone(m, i, turns, b);
    return;
  }
  const unsigned all = __ballot_sync(ALL_LANES, i < m.n);
  rows_store<3>(m.beads.position, first, all, b->x, staged);
  rows_store<3>(m.beads.residual, first, all, b->residual, staged);
  rows_store<3>(m.beads.momentum, first, all, b->p, staged);
  if (!TURNS) return;
  const unsigned turning = __ballot_sync(ALL_LANES, turns);
  rows_store<3>(m.beads.angular_momentum, first, turning, b->j, staged);
  rows_store<4>(m.beads.orientation, first, turning, b->q, staged);
}

/* Tells the host that lists have expired, and the state of the couplings before. */
static __device__ void expiry_tell(const struct motion &m, uint64_t expired)
{
  constexpr int words = (int)(sizeof(struct coupling_state) / sizeof(int64_t));
  int64_t *to = (int64_t *)&m.progress->now;
#pragma unroll 1
  for (int k = 0; k < words; k++)
    to[k] = ((const int64_t *)m.now)[k];
  __threadfence_system();
  m.progress->expired_agreed = expired;
}

/* Returns the number of the state that this first half starts from, or -1 if lists expired before
   and the kernel must be a no-op; tells the host which. A step reads the entry of report->begun of
   its parity and writes the other, so that no block reads what another has changed. If another
   block has let the lists expire at the very step that this kernel leads to, the kernel must still
   complete. */
DEVICE int64_t move_begin(const struct motion &m)
{
  int64_t begun;
  uint64_t expired;
  const int idle = move_is_idle(m, &begun, &expired);
  if (thread_index() == 0) {
    m.report->begun[m.parity ^ 1] = idle ? begun : begun + 1;
    m.report->displaced[m.parity ^ 1] = 0;
    if (idle)
      expiry_tell(m, expired);
    else
      m.progress->begun_step = (uint64_t)begun + 1;
  }
  return idle ? -1 : begun;
}

/* TURNS: some bead type rotates. MAXIMUM: finds the largest displacement. Without both, 16 blocks
   fit on a multiprocessor. FREEZES: some bead is frozen. OBLIQUE: of box_for. LINKED: of
   cuda_step_links; such a kernel may be chained to the forces, and the next forces to it. These
   begin when it has waited for the former, so that these have ended when they begin. */
template <typename Real, int TURNS, int MAXIMUM, int OBLIQUE, int FREEZES, int LINKED>
static __global__
__launch_bounds__(MOTION_THREADS, TURNS || MAXIMUM || LINKED ? 1 : 16) void integrate_first_half(
    const __grid_constant__ struct motion m, const __grid_constant__ struct integrate_params how)
{
  const int64_t i = thread_index();
  struct body b;
  struct body_type kind;
  const struct cuda_type *t = m.types;
  double box[BOX] = {0}, above2 = 0;
  int type = 0, turns = 0;
  if (i < m.n) {
    type = m.beads.type[i];
    t += type;
    turns = TURNS && body_turns(&t->body);
    for (int k = 0; k < 4; k++)
      b.q[k] = k == 0; /* of a bead that does not rotate */
    body_state_load<FREEZES, LINKED>(m, i, turns, &b);
    if (LINKED) kind = t->body;
  }
  if (LINKED) {
    chain_wait();
    chain_start_next();
    for (int k = 0; k < 3; k++)
      box[k] = m.now->box[k];
    above2 = m.now->search_above2;
  }
  if (i < m.n) body_forces_load(m, i, turns, &b);
  const int64_t begun = move_begin(m);
  double displacement2 = 0;
  if (begun < 0) return;
  const int moves = i < m.n && !in_cluster(m, i);
  const struct body_type *body = LINKED ? &kind : &t->body;
  if (moves) {
    if (m.pending_kick > 0) body_kick(&b, body, m.pending_kick);
    if (FREEZES) body_hold(&b);
    double d2 =
        body_move(&b, body, &how, how.coupled ? &m.now->scaling : NULL, LINKED ? box : m.now->box,
                  OBLIQUE && box_is_oblique(m.now->box), begun, how.noise ? m.id[i] : 0);
    if (!(d2 <= how.max_displacement * how.max_displacement))
      fault_blown(m, how.reduce_expired, begun + 1, i, &b, d2);
    image_add(m, i, &b);
    record_store(m.record, i, b.x, type);
    if (turns && t->axis_scale > 0) axis_store<Real>(m, i, t, b.q);
    displacement2 = displacement2_of<OBLIQUE>(m, how, i, b.x);
  }
  body_store<TURNS, LINKED>(m, i, turns, &b);
  if (MAXIMUM) warp_max(ordered_bits(displacement2), &m.report->displacement2_bits[m.parity]);
  if (MAXIMUM && thread_index() == 0) m.report->displacement2_bits[m.parity ^ 1] = 0;
  if (LINKED && displacement2 <= above2) return;
  if (!MAXIMUM && moves) displaced_note(m, how, i, begun, displacement2);
}

template <typename Real, int TURNS, int MAXIMUM>
static void move_launch(struct gpu *c, const struct motion &m, const struct integrate_params &how)
{
  const int threads = c->base.n > 0 ? c->base.n : 1; /* one thread at least, which tells the host */
  const int oblique = box_is_oblique(c->reports->build_box);
  const auto move = !m.frozen ? oblique ? integrate_first_half<Real, TURNS, MAXIMUM, 1, 0, 0>
                                        : integrate_first_half<Real, TURNS, MAXIMUM, 0, 0, 0>
                    : oblique ? integrate_first_half<Real, TURNS, MAXIMUM, 1, 1, 0>
                              : integrate_first_half<Real, TURNS, MAXIMUM, 0, 1, 0>;
  LAUNCH(move, threads, MOTION_THREADS, c, m, how);
}

/* A linked step. Nothing but the forces has changed the beads since the step before if its kick is
   deferred: it may be chained then. A coupling lets it begin when its sums have ended. */
template <typename Real, int TURNS>
static void move_linked(struct gpu *c, const struct motion &m, const struct integrate_params &how)
{
  const int after = c->clock->linked == LINKED_COUPLING ||
                    (c->clock->linked == LINKED_FORCES && m.pending_kick > 0);
  launch_chained({c->base.n > 0 ? c->base.n : 1, MOTION_THREADS, 0, after,
                  c->forces->kernel->carveout(c), c->streams->main},
                 m.frozen ? integrate_first_half<Real, TURNS, 0, 0, 1, 1>
                          : integrate_first_half<Real, TURNS, 0, 0, 0, 1>,
                 m, how);
}

template <typename Real, int TURNS>
static void move_choose(struct gpu *c, const struct motion &m, const struct integrate_params &how)
{
  if (how.list_expiry == EXPIRY_SEARCH && cuda_step_links(c))
    move_linked<Real, TURNS>(c, m, how);
  else if (how.list_expiry == EXPIRY_DISPLACEMENT)
    move_launch<Real, TURNS, 1>(c, m, how);
  else
    move_launch<Real, TURNS, 0>(c, m, how);
}

void cuda_integrate_first_half(struct backend *b, const struct integrate_params *how)
{
  struct gpu *c = gpu_of(b);
  cuda_step_begin(c, how);
  struct motion m = motion_of(c);
  m.pending_kick = cuda_kick_defer(c, 0);
  if (!c->types->rotates)
    move_choose<float, 0>(c, m, *how);
  else if (c->arrays->axis_bytes == 4 * (int)sizeof(float))
    move_choose<float, 1>(c, m, *how);
  else
    move_choose<double, 1>(c, m, *how);
  cuda_clusters_move(c, m.pending_kick, how);
  /* On one rank the search, in side, follows this kernel and need not wait for forces. With several
     the fork before packing does it, in linked steps cuda_search_launch. */
  if (how->list_expiry == EXPIRY_SEARCH && c->config.ranks == 1 && !cuda_step_links(c))
    cuda_fork(c);
}

static __global__ void kick(const __grid_constant__ struct motion m, double h)
{
  int64_t i = thread_index();
  if (i >= m.n || is_expired(m.report) || in_cluster(m, i)) return;
  struct body b;
  kick_bead(m, i, h, &b);
}

void cuda_integrate_second_half(struct backend *b, double dt)
{
  struct gpu *c = gpu_of(b);
  cuda_apply_pending_kick(c);
  (void)cuda_kick_defer(c, 0.5 * dt);
}

void cuda_apply_pending_kick(struct gpu *c)
{
  const double h = cuda_kick_defer(c, 0);
  if (!(h > 0)) return;
  LAUNCH(kick, c->base.n, THREADS, c, motion_of(c), h);
  cuda_clusters_kick(c, h);
}
