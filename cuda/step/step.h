/* The parts of a step on the GPU: integration, forces, couplings, sums, bins. Functions enqueue
   their work in streams.main unless their comment says otherwise (cuda/runtime/gpu.h). */
#ifndef STEP_CUDA_H
#define STEP_CUDA_H

#include "cuda/runtime/beads.h"
#include "cuda/runtime/streams.h"
#include "pair/external_body.h"

BEGIN_C

/* Kernels of one precision: step/force.cu. */
struct force_cuda {
  /* Creates struct cuda_model: the coefficients of the force field in this precision, in host
     memory (cuda_state) with arrays in device memory. Sets the bead types too. */
  void *(*model_create)(struct gpu *c);
  /* All pair passes over the interior beads (boundary 0) or the boundary beads (1), in a stream,
     each bead's last with its bonded terms if these have no kernel of their own. flags: enum
     force_flags. Returns 1 if a pass has been launched. */
  int (*run)(struct gpu *c, int boundary, int flags, cudaStream_t stream);
  /* The division of L1 and shared memory of linked kernels, percent (struct chained_launch). */
  int (*carveout)(const struct gpu *c);
  /* The kernel of bonded terms, if they have one. after 1: chained to a pass. */
  void (*bonded)(struct gpu *c, int flags, int after);
  /* Adds the contributions of the owned beads to the words of TALLY_STRESS (cuda_bins). */
  void (*stress)(struct gpu *c, const struct profile *p);
};
extern const struct force_cuda force_cuda_mixed, force_cuda_double;

/* The force field in device memory, in the precision of the run. Written by step/forces.c. */
struct gpu_forces {
  const struct force_cuda *kernel;
  void *model; /* of kernel->model_create */
};
void cuda_forces_open(struct gpu *c);
/* The operation force. */
void cuda_force(struct backend *b, enum force_beads beads, int flags);

/* integrate.cu: cuda_update_pair_records sets the records that pair kernels read (position, type,
   axis, charge) of beads [first, end), in a stream. */
void cuda_update_pair_records(struct gpu *c, int first, int end, cudaStream_t stream);
void cuda_integrate_first_half(struct backend *b, const struct integrate_params *m);
void cuda_integrate_second_half(struct backend *b, double dt);
/* Does the deferred second half kick (struct gpu_clock), if there is one. */
void cuda_apply_pending_kick(struct gpu *c);

/* clusters.cu: the parts of a step for the beads of clusters, after those for other beads; nothing
   without clusters. move: first half, with a deferred kick (ps). kick: second half, h in ps.
   spread: forces on virtual sites go to their parents, at once if energy is 1, else deferred;
   keeps 1: those of a spread with energy are kept for stress. sums: adds the virial of constraints
   to sums->motion. stress: adds to the words of TALLY_STRESS. */
void cuda_clusters_move(struct gpu *c, double pending_kick, const struct integrate_params *how);
void cuda_clusters_kick(struct gpu *c, double h);
void cuda_clusters_spread(struct gpu *c, int energy, int keeps);
/* Does the deferred spread of forces on virtual sites (struct gpu_clock), if there is one. */
void cuda_apply_pending_spread(struct gpu *c);
void cuda_clusters_sums(struct gpu *c);
void cuda_clusters_stress(struct gpu *c, const struct profile *p);
/* Shared memory of a multiprocessor for blocks that move small clusters: up to two, bytes. */
int cuda_clusters_bytes(const struct gpu *c);

/* external.cu: copies the external fields of the run to the device. */
void cuda_external_open(struct gpu *c);
/* At a list build, which may follow on no step: tells the device the step of the state, if fields
   change in time. */
void cuda_external_begin(struct gpu *c);
/* Finds the owned beads that fields act on, after a build. */
void cuda_external_find(struct gpu *c);
/* Adds their forces to those of the owned beads, after all passes. energy 1: and energy and virial
   to sums->forces. after 1: the last kernel in main is one of forces, to which the first one here
   may be chained (runtime/chain.cuh). */
void cuda_external_add(struct gpu *c, int energy, int after);
/* The operation external_work. */
void cuda_external_work(struct backend *b, int64_t step, int64_t word[WORK_WORDS]);

/* biases.cu: coordinates and biases; nothing where there are none. open: copies them to the device.
   find: finds the beads of the groups among the owned ones, after a build. add: adds the forces,
   and with energy 1 energy and virial to sums->forces. */
extern const struct bias_ops cuda_bias_ops;
void cuda_biases_open(struct gpu *c);
void cuda_biases_find(struct gpu *c);
void cuda_biases_add(struct gpu *c, int energy);
/* constraints.cu: adds the virial of constraints of centres to sums->motion. */
void cuda_biases_sums(struct gpu *c);
/* 1 if some biases are constraints: then no kick is deferred. */
static inline int cuda_constrains(const struct gpu *c)
{
  return c->config.biases && c->config.biases->set.n_constraints > 0;
}

/* applied.cu: the operations gather_begin, gather and apply. */
void cuda_gather_begin(struct backend *b, int n, const int64_t *id);
int cuda_gather(struct backend *b, int n, const int64_t *id, uint32_t *position, double box[BOX]);
void cuda_apply(struct backend *b, const struct applied_forces *a, int flags, int sums);

/* Written by step/sums.cu. */
struct gpu_teams {
  struct team_sets sets;  /* arrays are device memory */
  unsigned char *of_bead; /* [owned] team_byte; NULL: 0 for all */
  int frozen;             /* axes along which some bead is frozen, as bits */
};
/* open: copies the groups to the device, if beads differ. find: sets the team of each owned bead,
   after a build. sums: adds the kinetic sums of each team to sums->motion. */
void cuda_teams_open(struct gpu *c);
void cuda_teams_find(struct gpu *c);
void cuda_teams_sums(struct gpu *c);

/* sums.cu: cuda_coupling_set uploads the parameters of couplings, without their step, if they
   have changed. */
void cuda_coupling_set(struct gpu *c, const struct coupling_params *how);
struct sums *cuda_coupling_sums(struct backend *b);
void cuda_couple(struct backend *b, const struct coupling_params *how);

/* Sums of this rank: device memory, except host, which is pinned. Written by step/sums.cu. */
struct gpu_sums {
  struct sums *forces; /* pair and bonded */
  struct sums *motion; /* kinetic sums and the virial of constraints; 0 until cuda_sums_find */
  struct sums *all;    /* both, added */
  struct sums *spare;  /* target of kernels with sums whose sums are not used */
  struct sums *host;
};
void cuda_sums_open(struct gpu *c);
/* 2^sum_bits. */
static inline double cuda_sum_scale(const struct gpu *c)
{
  return (double)(INT64_C(1) << sum_bits(c->config.n_total));
}
/* cuda_sums_find computes sums->motion of the present state. cuda_sums_join adds them to those of
   the forces, to sums->all, and clears them; cuda_sums copies sums->all to the host and waits. */
void cuda_sums_find(struct gpu *c);
void cuda_sums_join(struct gpu *c);
void cuda_sums(struct backend *b, struct sums *out);

/* Profiles (backend/profile.h): arrays are allocated when they are first asked for. Device memory,
   except host, which is pinned. Written by step/profile.cu. */
struct gpu_profile {
  int64_t generation; /* of the tables; 0: none yet */
  int32_t *species_of_env, *species_of_type, *has_dipole;
  double *weight;
  unsigned char *lipid;     /* of a bead, owned or halo: 1 if it is in a lipid */
  struct stress_ends *ends; /* [owned][2] of pairs with partners in no lipid, and in lipids */
  int64_t *word;            /* results of the calls that were not waited for, one after the other */
  uint32_t *centre;         /* of the last words of TALLY_CENTRE */
  int64_t *host;            /* [host_room] */
  const int64_t *centre_word;     /* host memory of the caller for those words; not read */
  int host_room, used, n_waiting; /* words of room in host; words in use; calls not waited for */
  struct gpu_bins {
    int64_t *bin; /* of the caller, host memory */
    int n;
  } waiting[8];
};
/* The operations accumulate and bins_wait. */
void cuda_accumulate(struct backend *b, const struct tally *what, int64_t *bin);
void cuda_bins_wait(struct backend *b);

/* Threads to launch, in blocks of `threads`, that loop over the owned beads: few blocks, since each
   has bins of its own. */
static inline int64_t cuda_profile_threads(const struct gpu *c, int threads)
{
  enum { BLOCKS_EACH = 8 }; /* on a multiprocessor */
  return cuda_threads_at_once(c, c->base.n, BLOCKS_EACH * threads);
}

/* The words of the present call of accumulate, device memory. */
static inline int64_t *cuda_bins(const struct gpu *c)
{
  return c->profile->word + c->profile->used;
}

/* Device memory with the centre of a profile that the host does not know yet; NULL: p->centre. */
static inline const uint32_t *cuda_pending_centre(const struct gpu *c, const struct profile *p)
{
  assert(!p->centre_word || p->centre_word == c->profile->centre_word);
  return p->centre_word ? c->profile->centre : NULL;
}

END_C

#endif
