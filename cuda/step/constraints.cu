/* Constraints of distances of centres (pair/constraint_body.h): they move beads between drift and
   forces, and after the second half kick, which is then not deferred. One thread solves for all
   groups, in streams.side, and threads for the beads of the groups move them. */
#include "cuda/step/biases.cuh"
#include "dynamics/hold_body.h"
#include "pair/constraint_body.h"

/* One block, with one thread for all but the places. */
static __global__
__launch_bounds__(SOLVE_THREADS) void constraints_shake(const __grid_constant__ struct bias_job j,
                                                        double dt, double most)
{
  if (is_over(j)) return;
  const int64_t step = step_of(j);
  places_set_block(j, state_of(j, step - 1), state_of(j, step));
  if (threadIdx.x == 0)
    constraint_hold(j.of.set, j.report->box.now.box, dt, most, step, state_of(j, step - 1),
                    state_of(j, step));
  words_clear(j.of.word, bias_place_words(j.of.set));
}

/* Moves the beads of the groups, with their records. Those that the first half has not noted as
   displaced, and now are, are noted. */
static __global__
__launch_bounds__(THREADS) void groups_shift(const __grid_constant__ struct bias_job j,
                                             const __grid_constant__ struct motion m,
                                             const __grid_constant__ struct integrate_params how)
{
  if (is_over(j)) return;
  const struct bias_set *set = j.of.set;
  const int64_t step = step_of(j);
  const struct bias_state *now = state_of(j, step);
  const int n = *j.of.n;
  for (int64_t k = thread_index(); k < n; k += (int64_t)gridDim.x * blockDim.x) {
    const int64_t i = j.of.bead[k];
    const uint32_t mask = j.of.mask[k] & set->held;
    const int type = m.beads.type[i];
    struct body b;
    if (!mask) continue;
    body_load(m, i, 0, &b);
    const double old2 = displacement2_of<1>(m, how, i, b.x);
    hold_shift(&b, m.types[type].body.mass, now, j.of.ease, j.types, mask, type, m.now->box);
    for (int d = 0; d < 3; d++)
      m.beads.image[3 * i + d] += b.image[d];
    body_store_alone(m, i, 0, &b);
    record_store(m.record, i, b.x, type);
    const double d2 = displacement2_of<1>(m, how, i, b.x);
    if (how.list_expiry == EXPIRY_DISPLACEMENT)
      atomicMax(&m.report->displacement2_bits[m.parity], ordered_bits(d2));
    else if (old2 <= m.now->search_above2 || d2 > m.now->rebuild_above2)
      displaced_note(m, how, i, step - 1, d2);
  }
}

void cuda_hold(struct backend *b, const struct integrate_params *how)
{
  struct gpu *c = gpu_of(b);
  LAUNCH_ON(c->streams->side, constraints_shake, SOLVE_THREADS, SOLVE_THREADS, job_of(c), how->dt,
            how->max_displacement);
  cuda_join(c);
  LAUNCH(groups_shift, member_threads(c), THREADS, c, job_of(c), motion_of(c), *how);
}

/* Adds the sums of the held groups to j.of.motion. */
static __global__
__launch_bounds__(THREADS) void motion_sum(const __grid_constant__ struct bias_job j,
                                           const __grid_constant__ struct motion m)
{
  if (is_expired(j.report)) return;
  const struct bias_set *set = j.of.set;
  const int n = *j.of.n;
  for (int k = 0; k < set->n_centres; k++) {
    int64_t word[MOTION_WORDS];
    int any = 0;
    if (!(set->held >> k & 1)) continue;
    for (int w = 0; w < MOTION_WORDS; w++)
      word[w] = 0;
    for (int64_t q = thread_index(); q < n; q += (int64_t)gridDim.x * blockDim.x) {
      if (!(j.of.mask[q] >> k & 1)) continue;
      const int64_t i = j.of.bead[q];
      const int type = m.beads.type[i];
      double p[3], f[3];
      three_load(m.beads.momentum, i, p);
      three_load(m.force, i, f);
      motion_add(p, f, m.types[type].body.inverse_mass, j.of.weight[k * j.types + type], word);
      any = 1;
    }
    if (!__syncthreads_or(any)) continue;
    for (int w = 0; w < MOTION_WORDS; w++)
      block_add(word[w], &j.of.motion[MOTION_WORDS * k + w]);
  }
}

/* One block, of which one thread does all but the clearing. */
static __global__
__launch_bounds__(SOLVE_THREADS) void constraints_rattle(const __grid_constant__ struct bias_job j)
{
  if (is_expired(j.report)) return;
  const struct bias_set *set = j.of.set;
  const int64_t step = step_of(j);
  struct bias_state *now = state_of(j, step);
  if (threadIdx.x == 0) {
    constraint_settle(set, j.of.motion, j.report->box.now.box, state_of(j, step - 1), now);
    double *row = bias_row(set, step, j.of.row);
    if (row) bias_row_set(set, now, row);
  }
  words_clear(j.of.motion, MOTION_WORDS * set->n_centres);
}

static __global__
__launch_bounds__(THREADS) void groups_kick(const __grid_constant__ struct bias_job j,
                                            const __grid_constant__ struct motion m)
{
  if (is_expired(j.report)) return;
  const struct bias_state *now = state_of(j, step_of(j));
  const int n = *j.of.n;
  for (int64_t k = thread_index(); k < n; k += (int64_t)gridDim.x * blockDim.x) {
    const int64_t i = j.of.bead[k];
    const uint32_t mask = j.of.mask[k] & j.of.set->held;
    const int type = m.beads.type[i];
    double p[3];
    if (!mask) continue;
    three_load(m.beads.momentum, i, p);
    hold_kick(p, m.types[type].body.mass, now, j.of.ease, j.types, mask, type);
    three_store(m.beads.momentum, i, p);
  }
}

/* The kick of the second half is not deferred, since the sums need it. */
int64_t *cuda_sum_motion(struct backend *b, int64_t step)
{
  struct gpu *c = gpu_of(b);
  (void)step;
  cuda_apply_pending_kick(c);
  cuda_apply_pending_spread(c);
  LAUNCH(motion_sum, member_threads(c), THREADS, c, job_of(c), motion_of(c));
  cuda_fork(c);
  return c->biases->motion;
}

void cuda_settle(struct backend *b, int64_t step, int moves)
{
  struct gpu *c = gpu_of(b);
  (void)step;
  LAUNCH_ON(c->streams->side, constraints_rattle, SOLVE_THREADS, SOLVE_THREADS, job_of(c));
  cuda_join(c);
  if (moves) LAUNCH(groups_kick, member_threads(c), THREADS, c, job_of(c), motion_of(c));
}

/* Adds the virial of the constraints of the present state. */
static __global__ void constraint_virial(const __grid_constant__ struct bias_job j,
                                         double sum_scale, struct sums *to)
{
  if (is_expired(j.report)) return;
  struct sums sums = {};
  constraint_sums_add(state_of(j, step_of(j)), sum_scale, &sums);
  for (int a = 0; a < 9; a++)
    add_int64(&to->word[SUM_VIRIAL + a], sums.word[SUM_VIRIAL + a]);
  add_int64(&to->overflow, sums.overflow);
  add_int64(&to->magnitude, sums.magnitude);
}

void cuda_biases_sums(struct gpu *c)
{
  if (cuda_constrains(c) && c->config.biases->set.adds_up)
    LAUNCH(constraint_virial, 1, 1, c, job_of(c), cuda_sum_scale(c), c->sums->motion);
}
