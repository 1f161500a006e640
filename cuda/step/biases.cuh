/* Shared by the kernels of biases and of constraints of centres: their argument, and what one block
   does of a solution. */
#ifndef BIASES_CUDA_CUH
#define BIASES_CUDA_CUH

#include <string.h>

#include "cuda/runtime/graphs.h"
#include "cuda/step/motion.cuh"
#include "pair/bias_body.h"

/* Device memory. Written by step/biases.cu. */
struct gpu_biases {
  struct bias_set *set;
  struct bead_set *group;   /* [n_centres] */
  int32_t *weight;          /* [n_centres][types] */
  double *ease;             /* [n_centres][types]; NULL: there are no constraints */
  int64_t *word;            /* [bias_words]; 0 between steps */
  int64_t *motion;          /* [n_centres][MOTION_WORDS]; the same */
  struct bias_state *state; /* [2]: of even and odd steps */
  double *row;              /* [BIAS_ROWS] rows */
  struct hill_store hills;
  int *n; /* owned beads of groups */
  /* Per-bead arrays, [*n] in no order: those beads, and the groups of each. */
  int *bead;
  uint32_t *mask;
  /* Of contacts: ids of the slots; of the last step their places, [n_slots][SLOT_PLACE_WORDS], and
     the slopes of the value by these, [n_slots][3]; slots of those beads (-1: none), and the slopes
     by their places, [*n][n_contacts]. NULL: none. */
  int64_t *slot_id, *places, *slopes;
  int *slot;
  int64_t *slope;
};

/* What the kernels of a step have in common. */
struct bias_job {
  struct gpu_biases of;
  const struct bead_record *record;
  const uint32_t *residual; /* NULL: there are no constraints */
  int types, parity;        /* parity: of the step */
  const struct cuda_report *report;
};

static inline struct bias_job job_of(const struct gpu *c)
{
  struct bias_job j;
  memcpy(&j.of, c->biases, sizeof j.of);
  j.record = c->arrays->record;
  j.residual = c->biases->ease ? c->arrays->beads.residual : NULL;
  j.types = c->config.ff->n_types;
  j.parity = c->clock->parity;
  j.report = c->reports->device;
  return j;
}

DEVICE int64_t step_of(const struct bias_job &j)
{
  return j.report->begun[j.parity ^ 1];
}

/* For kernels between the drift and the forces, in place of is_expired: 1 if the lists had expired
   before the step. Lists that expire at the step itself do so between two of these kernels or while
   one runs. All of them complete such a step, whose positions are known, and the forces that the
   host enqueues after the list build take what they have left. So each step moves the groups of
   constraints and deposits its hill once, and clears the words that it has added to. */
DEVICE int is_over(const struct bias_job &j)
{
  const volatile struct cuda_report *r = j.report;
  const uint64_t expired = r->expired_agreed;
  return expired && expired != (uint64_t)r->begun[j.parity] + 1;
}

DEVICE struct bias_state *state_of(const struct bias_job &j, int64_t step)
{
  return j.of.state + (step & 1);
}

/* Threads that loop over the members: no more than the groups have beads. */
static inline int64_t member_threads(const struct gpu *c)
{
  int64_t most = 0;
  for (int k = 0; k < c->config.biases->set.n_centres; k++)
    most += c->config.biases->set.beads[k];
  return cuda_threads_at_once(c, most < c->base.n ? most : c->base.n, 4 * THREADS);
}

enum { SOLVE_THREADS = 128 };

/* Sets the places of the centres of a step, with a thread for each component. Block-collective. */
DEVICE void places_set_block(const struct bias_job &j, const struct bias_state *before,
                             struct bias_state *now)
{
  static_assert(3 * CENTRES_MOST <= SOLVE_THREADS, "a thread for each component");
  const struct bias_set *set = j.of.set;
  const int k = (int)threadIdx.x / 3, d = (int)threadIdx.x % 3;
  if (k < set->n_centres)
    now->place[k][d] =
        centre_place(j.of.word + CENTRE_WORDS * k, d, set->total[k], before->place[k]);
  __syncthreads();
}

/* Clears words once all threads have read them. Block-collective. */
DEVICE void words_clear(int64_t *word, int n)
{
  __syncthreads();
  for (int w = (int)threadIdx.x; w < n; w += SOLVE_THREADS)
    word[w] = 0;
}

/* constraints.cu: the operations of struct bias_ops. */
void cuda_hold(struct backend *b, const struct integrate_params *how);
int64_t *cuda_sum_motion(struct backend *b, int64_t step);
void cuda_settle(struct backend *b, int64_t step, int moves);

#endif
