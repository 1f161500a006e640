/* Kinetic sums, in fixed point so that the result does not depend on the order of beads; where
   beads move in several ways, the team of each bead and the sums of each team. Thermostat and
   barostat on the device: one thread computes box and scaling (dynamics/couple_body.h) from the
   sums over ranks, and stores them in the report, where kernels read the box, and the next first
   half the scaling. The host does not wait. */
#include <string.h>

#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/motion.cuh"
#include "dynamics/couple_body.h"

enum { SUMS_THREADS = 128 }; /* threads of a block that adds or copies sums */

/* Copies a struct word by word with all threads of a block, so that loads overlap.
   Block-collective, without a barrier. */
template <typename Struct> DEVICE void block_copy(Struct *to, const Struct *from)
{
  static_assert(sizeof(Struct) % sizeof(int64_t) == 0, "it is copied in words of 64 bits");
  for (int k = (int)threadIdx.x; k < (int)(sizeof(Struct) / sizeof(int64_t)); k += (int)blockDim.x)
    ((int64_t *)to)[k] = ((const int64_t *)from)[k];
}

/* Sets all to forces + motion, and motion to 0; one thread per word. Block-collective. */
DEVICE void sums_add_block(const struct sums *forces, struct sums *motion, struct sums *all)
{
  const int k = (int)threadIdx.x;
  static_assert(sizeof(struct sums) <= SUMS_THREADS * sizeof(int64_t), "a thread for each word");
  if (k >= (int)(sizeof(struct sums) / sizeof(int64_t))) return;
  ((int64_t *)all)[k] = ((const int64_t *)forces)[k] + ((const int64_t *)motion)[k];
  ((int64_t *)motion)[k] = 0;
}

void cuda_sums_open(struct gpu *c)
{
  struct gpu_sums *s = NEW_STATE(gpu_sums, c, sums);
  cuda_grow(c, &s->forces, 4 * sizeof *s->forces, 0, "reports");
  CUDA(cudaMemset(s->forces, 0, 4 * sizeof *s->forces));
  s->motion = s->forces + 1;
  s->all = s->forces + 2;
  s->spare = s->forces + 3;
  cuda_pinned(c, &s->host, sizeof *s->host);
}

void cuda_teams_open(struct gpu *c)
{
  struct gpu_teams *own = NEW_STATE(gpu_teams, c, teams);
  const struct teams *teams = c->config.teams;
  if (!teams_differ(teams)) return;
  own->sets = teams_sets(teams);
  own->frozen = teams_frozen(teams);
  for (int k = 0; k < teams->n_rules; k++)
    own->sets.rule[k].set = cuda_bead_set(c, &teams->rule[k].group, "groups of beads");
  cuda_per_bead(c, &own->of_bead, 1, 1, 0, "teams");
  cuda_depends(c, GRAPH_STEPS, &own->of_bead, sizeof own->of_bead);
}

/* One thread per owned bead. */
static __global__ void team_choose(const __grid_constant__ struct team_sets sets, int n,
                                   const int32_t *type, const int64_t *id, unsigned char *team)
{
  const int64_t i = thread_index();
  if (i < n) team[i] = team_byte(&sets, type[i], id[i]);
}

void cuda_teams_find(struct gpu *c)
{
  if (c->teams->of_bead)
    LAUNCH(team_choose, c->base.n, THREADS, c, c->teams->sets, c->base.n, c->arrays->beads.type,
           c->arrays->id, c->teams->of_bead);
}

/* moving: bits of the teams that are not wholly frozen. Each of them reads the numbers of the teams
   of all beads, and of its own beads the rest. */
static __global__ void team_add(const __grid_constant__ struct motion m, int n_teams,
                                unsigned moving, double scale, struct sums *out)
{
  __shared__ struct block_sums<TEAMS_MOST * TEAM_WORDS + 2, THREADS / 32> all;
  if (is_expired(m.report)) return;
  int64_t overflow = 0, magnitude = 0;
  for (int t = 0; t < n_teams; t++) {
    int64_t word[TEAM_WORDS] = {0, 0, 0, 0};
    for (int64_t i = thread_index(); moving >> t & 1u && i < m.n;
         i += (int64_t)gridDim.x * blockDim.x)
      if (team_number(m.team[i]) == t)
        body_team_sums(m.beads.momentum + 3 * i, m.beads.angular_momentum + 3 * i,
                       &m.types[m.beads.type[i]].body, scale, word, &overflow, &magnitude);
    for (int k = 0; k < TEAM_WORDS; k++)
      block_sum(&all, TEAM_WORDS * t + k, word[k], &out->team[t][k]);
  }
  block_sum(&all, TEAM_WORDS * n_teams, overflow, &out->overflow);
  block_sum(&all, TEAM_WORDS * n_teams + 1, magnitude, &out->magnitude);
  block_sums_add(&all, TEAM_WORDS * n_teams + 2);
}

void cuda_teams_sums(struct gpu *c)
{
  const struct team_sets *sets = &c->teams->sets;
  unsigned moving = 0;
  if (sets->n <= 1) return;
  for (int t = 0; t < sets->n; t++)
    if (sets->team[t].frozen != FROZEN_WHOLLY) moving |= 1u << t;
  LAUNCH(team_add, cuda_threads_at_once(c, c->base.n, 4 * THREADS), THREADS, c, motion_of(c),
         sets->n, moving, cuda_sum_scale(c), c->sums->motion);
}

/* Does the deferred kick of beads outside of clusters, if there is one, then adds the kinetic sums.
   Momenta are loaded after the kick, which does not set b.j of beads that do not rotate. */
static __global__ void motion_add(const __grid_constant__ struct motion m, double scale,
                                  struct sums *out)
{
  __shared__ struct block_sums<SUM_VIRIAL + 2, THREADS / 32> all;
  chain_start_next();
  if (is_expired(m.report)) return;
  int64_t word[SUM_VIRIAL], overflow = 0, magnitude = 0;
  for (int k = 0; k < SUM_VIRIAL; k++)
    word[k] = 0;
  for (int64_t i = thread_index(); i < m.n; i += (int64_t)gridDim.x * blockDim.x) {
    struct body b;
    if (m.pending_kick > 0 && !in_cluster(m, i)) kick_bead(m, i, m.pending_kick, &b);
    three_load(m.beads.momentum, i, b.p);
    three_load(m.beads.angular_momentum, i, b.j);
    body_sums(b.p, b.j, &m.types[m.beads.type[i]].body, scale, word, &overflow, &magnitude);
  }
#pragma unroll
  for (int k = 0; k < SUM_VIRIAL; k++)
    block_sum(&all, k, word[k], &out->word[k]);
  block_sum(&all, SUM_VIRIAL, overflow, &out->overflow);
  block_sum(&all, SUM_VIRIAL + 1, magnitude, &out->magnitude);
  block_sums_add(&all, SUM_VIRIAL + 2);
}

void cuda_sums_find(struct gpu *c)
{
  struct motion m = motion_of(c);
  m.pending_kick = cuda_kick_defer(c, 0);
  if (m.pending_kick > 0) cuda_clusters_kick(c, m.pending_kick);
  LAUNCH(motion_add, cuda_threads_at_once(c, c->base.n, 4 * THREADS), THREADS, c, m,
         cuda_sum_scale(c), c->sums->motion);
  cuda_teams_sums(c);
  cuda_clusters_sums(c);
  cuda_biases_sums(c);
}

static __global__ void sums_join(const struct sums *forces, struct sums *motion, struct sums *all)
{
  sums_add_block(forces, motion, all);
}

void cuda_sums_join(struct gpu *c)
{
  LAUNCH(sums_join, SUMS_THREADS, SUMS_THREADS, c, c->sums->forces, c->sums->motion, c->sums->all);
}

void cuda_sums(struct backend *b, struct sums *out)
{
  struct gpu *c = gpu_of(b);
  cuda_sums_find(c);
  cuda_sums_join(c);
  CUDA_TO_HOST(c, c->sums->host, c->sums->all, sizeof *out);
  cuda_report_read(c);
  *out = *c->sums->host;
}

/* Parameters of couplings, on the device and as last uploaded, with step 0: kernels know the step.
   Written by step/sums.cu. */
struct gpu_coupling {
  struct coupling_params *device; /* NULL: none yet */
  struct coupling_params host;
};

/* One block; thread 0 computes. JOIN 0: sums.all has the sums over ranks. JOIN 1 (one rank): the
   kernel adds those of forces and motion, and may be chained to that of motion, and a linked
   integration to it. parity: of the last step. */
template <int JOIN>
static __global__
__launch_bounds__(SUMS_THREADS) void couple_state(const struct coupling_params *params,
                                                  const struct gpu_sums sums, int parity,
                                                  struct cuda_report *report)
{
  __shared__ struct coupling_params how;
  __shared__ struct coupling_state now;
  __shared__ struct sums all;
  block_copy(&how, params);
  chain_both();
  if (is_expired(report)) return;
  block_copy(&now, &report->box.now);
  const int measures = couple_measures(params);
  if (measures && JOIN)
    sums_add_block(sums.forces, sums.motion, &all);
  else if (measures)
    block_copy(&all, sums.all);
  __syncthreads();
  if (threadIdx.x > 0) return;
  how.step = report->begun[parity ^ 1];
  couple_apply(&how, &all, &now);
  report->box.now = now;
  if (now.overflow) report->expired_local = report->expired_agreed = (uint64_t)how.step;
}

void cuda_coupling_set(struct gpu *c, const struct coupling_params *how)
{
  struct gpu_coupling *has = c->coupling ? c->coupling : NEW_STATE(gpu_coupling, c, coupling);
  struct coupling_params wanted;
  memcpy(&wanted, how, sizeof wanted); /* with its padding: all bytes are compared */
  wanted.step = 0;
  if (has->device && !memcmp(&has->host, &wanted, sizeof wanted)) return;
  memcpy(&has->host, &wanted, sizeof wanted);
  cuda_grow(c, &has->device, sizeof wanted, 0, "reports");
  CUDA_TO_DEVICE(c, has->device, &has->host, sizeof wanted);
}

/* With several ranks the transport reduces the sums in streams->side: hence the fork here, and the
   join in cuda_couple. On one rank couple_state adds them. */
struct sums *cuda_coupling_sums(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  cuda_sums_find(c);
  if (c->config.ranks > 1) {
    cuda_sums_join(c);
    cuda_fork(c);
  }
  return c->sums->all;
}

void cuda_couple(struct backend *b, const struct coupling_params *how)
{
  struct gpu *c = gpu_of(b);
  if (!couple_measures(how) && c->clusters->type) {
    /* Deferred work of the present state needs its box, which the coupling changes. */
    cuda_apply_pending_spread(c);
    cuda_apply_pending_kick(c);
  }
  cuda_coupling_set(c, how);
  cuda_step_set(c, how->step);
  if (c->config.ranks > 1 && couple_measures(how)) cuda_join(c);
  const int after = c->config.ranks == 1 && couple_measures(how) && c->device->chained;
  launch_chained({SUMS_THREADS, SUMS_THREADS, 0, after, -1, c->streams->main},
                 c->config.ranks > 1 ? couple_state<0> : couple_state<1>, c->coupling->device,
                 *c->sums, c->clock->parity, c->reports->device);
  cuda_clock_link(c, after ? LINKED_COUPLING : LINKED_NOT);
  cuda_report_outdate(c);
}
