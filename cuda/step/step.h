/* The parts of a step on the GPU: integration, forces, couplings, sums, bins. Functions enqueue
   their work in streams.main unless their comment says otherwise (cuda/runtime/gpu.h). */
#ifndef STEP_CUDA_H
#define STEP_CUDA_H

#include "cuda/runtime/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels of one precision: step/force.cu. */
struct force_cuda {
  int axis_bytes;
  /* The coefficients of the force field in this precision, their arrays in device memory; sets the
     types and the plan of c->coefficients too. */
  void *(*model_create)(struct gpu *c);
  void (*model_destroy)(void *model);
  /* Every pass over the interior beads (boundary 0) or the boundary beads (1), in a stream, with
     bonded terms in the last pass of a bead. flags: enum force_flags. Returns 1 if a pass has been
     launched. */
  int (*run)(struct gpu *c, int boundary, int flags, cudaStream_t stream);
  /* Bonded terms that are not part of the passes. after: 1: chained to a pass. */
  void (*bonded)(struct gpu *c, int flags, int after);
  void (*audit)(struct gpu *c, double reach, double old_radius, const double old_box[3]);
};
extern const struct force_cuda force_cuda_mixed, force_cuda_double;

/* Kernels of pressure profiles of one precision: step/stress.cu. */
struct stress_cuda {
  /* Adds those of the owned beads to the words of TALLY_STRESS, c->profile.word. */
  void (*run)(struct gpu *c, const struct profile *p);
};
extern const struct stress_cuda stress_cuda_mixed, stress_cuda_double;

/* integrate.cu: cuda_update_pair_records writes the records of beads [first, end) that pair kernels
   read (position, type, axis, charge). */
void cuda_update_pair_records(struct gpu *c, int first, int end);
void cuda_integrate_first_half(struct backend *b, const struct integrate_params *m);
void cuda_integrate_second_half(struct backend *b, double dt);
/* Does the pending second half kick (struct gpu_step), if there is one. */
void cuda_apply_pending_kick(struct gpu *c);

/* Sets the step that the next first half begins, on host and device. */
void cuda_step_set(struct gpu *c, int64_t step);

/* clusters.cu: the parts of a step of the beads of clusters, after those of the other beads;
   nothing without clusters. move: of a first half, with a pending kick (ps). kick: of a second
   half. spread: forces on virtual sites go to other beads. sums: adds the virial of constraints to
   c->sums.motion. stress: adds to the words of TALLY_STRESS. */
void cuda_clusters_move(struct gpu *c, double pending_kick, const struct integrate_params *how);
void cuda_clusters_kick(struct gpu *c, double h);
void cuda_clusters_spread(struct gpu *c, int energy);
/* Does the pending spread of the forces on sites (struct gpu_step), if there is one. */
void cuda_apply_pending_spread(struct gpu *c);
void cuda_clusters_sums(struct gpu *c);
void cuda_clusters_stress(struct gpu *c, const struct profile *p);

/* external.cu: copies the external fields of the run to the device. */
void cuda_external_open(struct gpu *c);
void cuda_external_close(struct gpu *c);
/* Adds their forces to those of the owned beads, after all passes. energy: 1 adds their energy and
   virial to the sums of the step. */
void cuda_external_add(struct gpu *c, int energy);

/* baths.cu: copies the groups of heat baths to the device, where there are several; finds the bath
   of each owned bead, after a build; adds the motion of each bath to c->sums.motion. */
void cuda_baths_open(struct gpu *c);
void cuda_baths_close(struct gpu *c);
void cuda_baths_find(struct gpu *c);
void cuda_baths_sums(struct gpu *c);

/* couple.cu. cuda_coupling_set copies the parameters of couplings, apart from their step, to the
   device, if they are others than those that it has. */
void cuda_coupling_set(struct gpu *c, const struct coupling_params *how);
struct sums *cuda_coupling_sums(struct backend *b);
void cuda_couple(struct backend *b, const struct coupling_params *how);
void cuda_coupling_state(struct backend *b, struct coupling_state *now);

/* sums.cu: cuda_sums_find computes c->sums.motion of the present state. cuda_sums_join adds them to
   those of the forces, to c->sums.all, and clears them; cuda_sums copies c->sums.all to the host
   and waits. */
void cuda_sums_find(struct gpu *c);
void cuda_sums_join(struct gpu *c);
void cuda_sums(struct backend *b, struct sums *out);

/* profile.cu: the operations accumulate and bins_wait. */
void cuda_accumulate(struct backend *b, const struct tally *what, int64_t *bin);
void cuda_bins_wait(struct backend *b);
void cuda_profile_free(struct gpu *c);

/* tallies.cu. cuda_profile_threads: how many threads take turns at the owned beads and have bins of
   their block, of so many threads. cuda_shared_memory: lets a kernel have so many bytes of dynamic
   shared memory a block; 0: the device has less. */
int64_t cuda_profile_threads(const struct gpu *c, int threads);
int cuda_shared_memory(const void *kernel, int64_t bytes);
/* The words of the present call of accumulate, device memory. */
int64_t *cuda_bins(const struct gpu *c);
/* The address of the pending centre of a profile, device memory, or NULL. */
const uint32_t *cuda_pending_centre(const struct gpu *c, const struct profile *p);

#ifdef __cplusplus
}
#endif

#endif
