/* The force kernel. A fixed number of lanes sums over the partners of a bead in the order of its
   list, but for a half row, which comes first, and a fixed tree adds up the lanes, so that bits do
   not depend on ranks. The last pass of a bead adds its bonded terms. There are kernels with
   energies and virial, with the virial alone, without both, and the latter for chained passes. In
   the precision of the unit that includes this. */
#ifndef FORCE_ROWS_CUDA_CUH
#define FORCE_ROWS_CUDA_CUH

#include <cuda_pipeline.h>

#include "cuda/lists/search.cuh"
#include "cuda/runtime/chain.cuh"
#include "cuda/step/force_set.cuh"
#include "cuda/step/partner_rows.cuh"

/* Bits of the energy channels that a kernel sums: none unless sums is FORCE_ENERGY. */
HD unsigned kernel_channels(unsigned set, int sums)
{
  return sums == FORCE_ENERGY ? set_channels(set) | bonded_channels(pair_set_bonded(set)) : 0u;
}

/* The bonded terms of a bead, and the first one of this lane. */
struct bonded_walk {
  int begin, n;
  struct bonded_entry first; /* with FIRST 1, if the lane has one */
};

/* Of bead i; -1: no terms. */
template <int FIRST>
DEVICE struct bonded_walk bonded_walk_of(const struct force_pass &pass, int i, struct lane lane)
{
  struct bonded_walk w;
  w.begin = i >= 0 ? pass.bonded_row[i] : 0;
  w.n = i >= 0 ? pass.bonded_row[i + 1] - w.begin : 0;
  if (FIRST && lane.k < w.n) w.first = pass.bonded[w.begin + lane.k];
  return w;
}

/* Adds the bonded terms of bead i (-1: none): one term per lane, then added in their order by every
   lane. early: its terms; NULL: not loaded yet. Warp-collective. */
template <unsigned SET, int SUMS, int OBLIQUE>
DEVICE void bonded_add(const struct force_pass &pass, int i, const struct bonded_walk *early,
                       struct lane lane, double f[3], double t[3], struct thread_sums *sums)
{
  const struct bonded_walk walk = early ? *early : bonded_walk_of<0>(pass, i, lane);
  const int begin = walk.begin, n = i >= 0 ? walk.n : 0;
  int most = __reduce_max_sync(ALL_LANES, n);
  for (int k = 0; k < most; k += lane.n) {
    struct bonded_sum s = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (k + lane.k < n) {
      const struct bonded_entry e = early && k == 0 ? walk.first : pass.bonded[begin + k + lane.k];
      const struct force_view view = view_now<OBLIQUE>(pass);
      s = bonded_term(&pass.model, &view, i, &e, pair_set_bonded(SET));
      if (SUMS)
        bonded_count<SUMS>(pass, i, &e, pair_set_bonded(SET), s, kernel_channels(SET, SUMS), sums);
    }
    for (int l = 0; l < lane.n; l++) {
      real fx = __shfl_sync(ALL_LANES, s.f.x, l, lane.n),
           fy = __shfl_sync(ALL_LANES, s.f.y, l, lane.n),
           fz = __shfl_sync(ALL_LANES, s.f.z, l, lane.n),
           tx = __shfl_sync(ALL_LANES, s.t.x, l, lane.n),
           ty = __shfl_sync(ALL_LANES, s.t.y, l, lane.n),
           tz = __shfl_sync(ALL_LANES, s.t.z, l, lane.n);
      if (k + l >= n) continue;
      f[0] += (double)fx;
      f[1] += (double)fy;
      f[2] += (double)fz;
      t[0] += (double)tx;
      t[1] += (double)ty;
      t[2] += (double)tz;
    }
  }
}

/* Loads bead i, but not what its list has. c->unit.oblique is set. */
template <unsigned SET, int MODE = PASS_ALONE>
DEVICE void centre_load(const struct force_pass &pass, int i, struct centre *c)
{
  c->me = record_load<MODE == PASS_LINKED>(pass.view, i);
  c->bead = bead_load<MODE == PASS_LINKED>(pass.view, i, pair_set_axes(SET) > 1 ? 2 : 1);
  units_now(&c->unit, pass.report, pass.in_cutoffs);
  c->coef = pass.terms.pair + c->me.type * pass.model.n_types;
}

/* The bead at a place and the lengths of its list. */
template <int OBLIQUE> DEVICE struct centre centre_at(const struct force_pass &pass, int place)
{
  struct centre c;
  const int2 here = place < pass.end ? __ldg((const int2 *)pass.place + place) : make_int2(-1, 0);
  c.i = here.x;
  c.halves = c.i < 0 ? 0 : (unsigned)here.y;
  c.unit.oblique = OBLIQUE;
  return c;
}

template <unsigned SET, int OBLIQUE>
DEVICE struct centre centre_of(const struct force_pass &pass, int place)
{
  struct centre c = centre_at<OBLIQUE>(pass, place);
  centre_load<SET>(pass, c.i < 0 ? 0 : c.i, &c);
  return c;
}

/* Starts an asynchronous copy of the coefficients to shared memory. Block-collective. */
template <unsigned SET> DEVICE void coefs_fetch(const struct force_pass &pass, real *shared)
{
  const int n = pass.coefs.types, reals = coef_reals(SET);
#pragma unroll 1
  for (int k = 2 * (int)threadIdx.x; k < n * n * reals; k += 2 * FORCE_THREADS)
    __pipeline_memcpy_async(shared + k, pass.coefs.coef + k, 2 * sizeof(real));
  __pipeline_commit();
}

/* Waits for that copy. Block-collective. */
DEVICE void coefs_wait(void)
{
  __pipeline_wait_prior(0);
  __syncthreads();
}

/* Sets c->shared. After coefs_wait. */
template <unsigned SET>
DEVICE void coefs_use(const struct force_pass &pass, const real *shared, struct centre *c)
{
  const int n = pass.coefs.types, reals = coef_reals(SET);
  /* Index of the pair of the bead's type and type 0, which need not be in the table. */
  const unsigned pair =
      (unsigned)((c->me.type - pass.coefs.first_type) * n - pass.coefs.first_type);
  const unsigned row =
      (unsigned)__cvta_generic_to_shared(shared) + pair * (unsigned)(reals * (int)sizeof(real));
  /* So that the compiler moves no load from there above the barrier. */
  asm volatile("mov.u32 %0, %1;" : "=r"(c->shared) : "r"(row) : "memory");
}

/* Blocks per multiprocessor of __launch_bounds__: as many as spill a few words at most (Gay-Berne
   with charges: 40). Chained passes of dipoles or charges get one more: they have short lists, so
   that warps wait more for loads, which more warps hide. Lennard-Jones alone would fit ten times,
   which is slower (docs/measured/one-gpu.md). */
static constexpr int blocks_wanted(unsigned set, int sums, int chained)
{
  constexpr unsigned ellipsoids = PAIR_BIT(gb), large = ellipsoids | PAIR_BIT(sticky);
  if (sizeof(real) == 8) return 2;
  if (sums && (set & ellipsoids) && (set & PAIR_CHARGE_TERMS)) return 3;
  if (sums == FORCE_VIRIAL && !(set & large)) return set & PAIR_AXIS_TERMS ? 5 : 6;
  if (sums) return set & (PAIR_AXIS_TERMS | large) ? 4 : 5;
  if (set & large) return 5;
  if (!(set & (PAIR_AXIS_TERMS | PAIR_CHARGE_TERMS))) return 8;
  return chained ? 8 : 7;
}

/* Adds the force and torque of earlier passes. Volatile in chained kernels, after chain_wait: from
   the L2 cache, since L1 may have been filled before. */
template <int CHAINED>
DEVICE void force_add_earlier(const struct force_pass &pass, int i, double force[3],
                              double torque[3])
{
  for (int k = 0; k < 3; k++) {
    const int64_t at = 3 * (int64_t)i + k;
    force[k] += CHAINED ? *(const volatile double *)&pass.force[at] : pass.force[at];
    if (pass.torque)
      torque[k] += CHAINED ? *(const volatile double *)&pass.torque[at] : pass.torque[at];
  }
}

/* Computes and stores the force on the bead at a place. early: of bonded_add. */
template <unsigned SET, int SUMS, int MODE, int OBLIQUE, int PARTIALS>
DEVICE void centre_add(const struct force_pass &pass, const struct centre &c, int place,
                       struct lane lane, const struct row_walk &walk,
                       const struct bonded_walk *early, struct thread_sums *sums)
{
  const int axes = pair_set_axes(SET);
  const int adds = c.i >= 0 && has_class(pass, pass.adds, c.me.type);
  const int ends = c.i >= 0 && has_class(pass, pass.ends, c.me.type);
  const struct pair_sum sum = sum_lanes<SET>(
      pairs_add<SET, SUMS, MODE, OBLIQUE, PARTIALS>(pass, c, place, lane, walk, sums), lane.n);
  const struct vec3 pull = pair_force(sum, c.bead, axes), turn = pair_torque(sum, c.bead, axes);
  double force[3] = {(double)pull.x * pass.inverse_cutoff, (double)pull.y * pass.inverse_cutoff,
                     (double)pull.z * pass.inverse_cutoff};
  double torque[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
  if (MODE == PASS_CHAINED) chain_wait();
  if (adds) force_add_earlier<MODE == PASS_CHAINED>(pass, c.i, force, torque);
  if (SUMS) {
    const int own = c.i >= 0 && has_class(pass, pass.terms.own, c.me.type);
    pairs_count<SET, SUMS, PARTIALS>(pass, c.i >= 0 && lane.k == 0,
                                     own ? pair_self(SET, pass.terms.constants, c.bead.q) : 0,
                                     c.me.type, kernel_channels(SET, SUMS), sums);
  }
  if (pass.bonded_row)
    bonded_add<SET, SUMS, OBLIQUE>(pass, ends ? c.i : -1, early, lane, force, torque, sums);
  if (c.i >= 0 && lane.k == 0)
    for (int k = 0; k < 3; k++) {
      pass.force[3 * (int64_t)c.i + k] = force[k];
      if (pass.torque) pass.torque[3 * (int64_t)c.i + k] = torque[k];
    }
}

/* Shared memory of the sums of a block, bytes; the coefficients follow them. */
HD int sums_bytes(unsigned set, int sums)
{
  return sums ? fixed_bytes(sums, kernel_channels(set, sums)) : 0;
}

/* SUMS: what it sums besides forces. In a kernel with sums each thread loops over many beads and
   adds its sums once, since atomic additions of many blocks to the same words wait for each other.
   LANES 0: as many as the list has; so in mixed precision one kernel with sums suffices. */
template <unsigned SET, int LANES, int SUMS, int CHAINED, int OBLIQUE>
static __global__
__launch_bounds__(FORCE_THREADS, blocks_wanted(SET, SUMS, CHAINED)) void force_rows(
    const __grid_constant__ struct force_pass pass)
{
  if (CHAINED && !HAS_CHAINS) return;
  constexpr int partials = PARTIALS_OF(LANES, sizeof(real) == 8);
  const struct lane lane = lane_here(LANES ? LANES : pass.lanes);
  const int step = (int)gridDim.x * FORCE_THREADS / lane.n;
  int place = pass.first + (int)(thread_index() / lane.n);
  struct thread_sums sums;
  extern __shared__ double2 shared_bytes[];
  real *const coefs = (real *)((char *)shared_bytes + sums_bytes(SET, SUMS));
  chain_start_next();
  if (SUMS != FORCE_ENERGY) coefs_fetch<SET>(pass, coefs);
  /* Independent loads, before the test for expiry: places, lists and records stay valid memory
     after it, until the host has waited for all steps. */
  struct centre c = centre_of<SET, OBLIQUE>(pass, place);
  struct row_walk walk = walk_of(pass, c, lane);
  /* A barrier, so before any thread may return: threads of a block may see expired lists at
     different times. */
  if (SUMS != FORCE_ENERGY) coefs_wait();
  if (is_expired(pass.report)) {
    if (CHAINED) chain_wait();
    return;
  }
  if (!SUMS) {
    coefs_use<SET>(pass, coefs, &c);
    centre_add<SET, 0, CHAINED, OBLIQUE, partials>(pass, c, place, lane, walk, NULL, &sums);
    return;
  }
  thread_sums_clear<SUMS>(&sums, shared_bytes, kernel_channels(SET, SUMS));
  for (int first = place - (int)threadIdx.x / lane.n; first < pass.end; first += step) {
    if (SUMS != FORCE_ENERGY) coefs_use<SET>(pass, coefs, &c);
    centre_add<SET, SUMS, CHAINED, OBLIQUE, partials>(pass, c, place, lane, walk, NULL, &sums);
    place += step;
    c = centre_of<SET, OBLIQUE>(pass, place);
    walk = walk_of(pass, c, lane);
  }
  thread_sums_add<SUMS>(sums, kernel_channels(SET, SUMS), pass.sums);
}

/* Blocks per multiprocessor: with most lanes there are few, and registers for early loads. */
static constexpr int linked_blocks(unsigned set, int lanes)
{
  return lanes == LANES_MOST ? 5 : blocks_wanted(set, 0, 0);
}

/* The linked pass. Its first blocks search: they take longest. The next kernel begins when the
   integration has ended. */
template <unsigned SET, int LANES>
static __global__ __launch_bounds__(FORCE_THREADS, linked_blocks(SET, LANES)) void force_and_search(
    const __grid_constant__ struct force_pass pass, const __grid_constant__ struct search_job job)
{
  static_assert((int)SEARCH_THREADS == (int)FORCE_THREADS, "blocks do either");
  if (!HAS_CHAINS) return;
  if (blockIdx.x < SEARCH_BLOCKS) {
    chain_wait();
    chain_start_next();
    const unsigned n = *(const volatile unsigned *)&job.report->displaced[job.parity];
    if (!is_expired(job.report))
      search<0, 0>(job, n, search_parts(n, SEARCH_BLOCKS), SEARCH_BLOCKS);
    return;
  }
  const struct lane lane = lane_here(LANES);
  const int place = pass.first + (int)(thread_index() - SEARCH_BLOCKS * SEARCH_THREADS) / LANES;
  extern __shared__ double2 shared_bytes[];
  coefs_fetch<SET>(pass, (real *)shared_bytes);
  struct centre c = centre_at<0>(pass, place);
  const struct row_walk walk = walk_of(pass, c, lane);
  struct bonded_walk bonded = {0, 0, {}};
  const struct bonded_walk *early = LANES == LANES_MOST ? &bonded : NULL;
  if (pass.bonded_row && early) bonded = bonded_walk_of<1>(pass, c.i, lane);
  chain_wait();
  chain_start_next();
  const int expired = is_expired(pass.report);
  centre_load<SET, PASS_LINKED>(pass, c.i < 0 ? 0 : c.i, &c);
  coefs_wait();
  if (expired) return;
  coefs_use<SET>(pass, (const real *)shared_bytes, &c);
  centre_add<SET, 0, PASS_LINKED, 0, PARTIALS_OF(LANES, sizeof(real) == 8)>(pass, c, place, lane,
                                                                            walk, early, NULL);
}

/* 1 if a pass can be linked: Gay-Berne and sticky pairs need more registers; in double precision
   the arguments are too large for CUDA before 12.1. */
static constexpr int set_links(unsigned set)
{
  return !(set & (PAIR_BIT(gb) | PAIR_BIT(sticky))) &&
         sizeof(struct force_pass) + sizeof(struct search_job) <= 4096;
}

template <unsigned SET, int LANES>
static void launch_linked(struct gpu *c, const struct force_pass &pass, int64_t threads, int bytes,
                          struct chain *chain)
{
  const struct search_job job = cuda_search_take(c);
  const int64_t all = threads + (int64_t)SEARCH_BLOCKS * SEARCH_THREADS;
  launch_chained({all, FORCE_THREADS, bytes, 1, chain->carveout, chain->stream},
                 force_and_search<SET, LANES>, pass, job);
  graph_note(c, chain->stream, 1, &job, sizeof job);
  chain->begun = 1;
}

/* Launches a pass with sums. bytes: of the coefficients in shared memory. */
template <unsigned SET, int LANES, int SUMS>
static void launch_sums(struct gpu *c, const struct force_pass &pass, int64_t threads, int bytes,
                        cudaStream_t stream)
{
  LAUNCH_SHARED((pass.view.unit.oblique ? force_rows<SET, LANES, SUMS, 0, 1>
                                        : force_rows<SET, LANES, SUMS, 0, 0>),
                cuda_threads_at_once(c, threads, blocks_wanted(SET, SUMS, 0) * FORCE_THREADS),
                FORCE_THREADS, bytes + sums_bytes(SET, SUMS), stream, pass);
}

template <unsigned SET, int LANES>
static void launch_lanes(struct gpu *c, struct force_pass pass, int flags, struct chain *chain)
{
  const int64_t threads = (int64_t)(pass.end - pass.first) * LANES;
  const int bytes = pass_bytes(SET, pass.coefs);
  const int after = chain->passes && chain->begun;
  constexpr int lanes = sizeof(real) == 8 ? LANES : 0; /* of kernels with sums */
  if (!flags && bytes > SHARED_BYTES) pass.sums = c->sums->spare;
  if constexpr (set_links(SET)) {
    if (chain->search && !flags && bytes <= SHARED_BYTES)
      return launch_linked<SET, LANES>(c, pass, threads, bytes, chain);
  }
  if (chain->search) cuda_search_launch(c);
  if (flags == FORCE_VIRIAL && bytes + sums_bytes(SET, FORCE_VIRIAL) <= SHARED_BYTES)
    launch_sums<SET, lanes, FORCE_VIRIAL>(c, pass, threads, bytes, chain->stream);
  else if (flags || bytes > SHARED_BYTES)
    launch_sums<SET, lanes, FORCE_ENERGY>(c, pass, threads, 0, chain->stream);
  else
    launch_chained({threads, FORCE_THREADS, bytes, after, chain->carveout, chain->stream},
                   pass.view.unit.oblique ? force_rows<SET, LANES, 0, 0, 1>
                   : chain->passes        ? force_rows<SET, LANES, 0, 1, 0>
                                          : force_rows<SET, LANES, 0, 0, 0>,
                   pass);
  chain->begun |= threads > 0;
}

/* Only kernels that a list can ask for are compiled (cuda/runtime/lanes.h). */
template <unsigned SET>
static void force_launch(struct gpu *c, const struct force_pass &pass, int flags,
                         struct chain *chain)
{
  if constexpr ((LANES_OF_SET(SET, sizeof(real) == 8) & 2) != 0) {
    if (pass.lanes == 2) return launch_lanes<SET, 2>(c, pass, flags, chain);
  }
  if constexpr ((LANES_OF_SET(SET, sizeof(real) == 8) & 4) != 0) {
    if (pass.lanes == 4) return launch_lanes<SET, 4>(c, pass, flags, chain);
  }
  if constexpr ((LANES_OF_SET(SET, sizeof(real) == 8) & 8) != 0) {
    if (pass.lanes == 8) return launch_lanes<SET, 8>(c, pass, flags, chain);
  }
  assert(!"a kernel with these lanes");
}

#endif
