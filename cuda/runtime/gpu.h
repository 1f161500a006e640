/* The CUDA backend of a rank: its modules, each with its state in a struct of its own header.
   Pointers are device memory unless their comment says host or pinned. Nothing here depends on
   precision. Functions enqueue their work in streams->main and return at once unless their comment
   says that they wait or names another stream. They are local to the rank; an error of CUDA ends
   the program. */
#ifndef GPU_H
#define GPU_H

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stddef.h>

#include "backend/backend.h"
#include "cuda/runtime/cuda_check.h"

/* The state of each module, in host memory (cuda_state). The file that its comment names writes it,
   through a pointer of its own; all others read it here. */
struct gpu {
  struct backend base;
  struct device_channel channel;
  struct backend_config config;
  struct gpu_memory *memory;           /* runtime/memory.c */
  const struct gpu_device *device;     /* runtime/streams.h */
  const struct gpu_streams *streams;   /* runtime/streams.h */
  const struct gpu_reports *reports;   /* runtime/report.h */
  const struct gpu_clock *clock;       /* runtime/clock.h */
  struct gpu_graphs *graphs;           /* runtime/graphs.c */
  const struct gpu_arrays *arrays;     /* runtime/beads.h */
  const struct gpu_types *types;       /* runtime/beads.h */
  const struct gpu_sorting *sorting;   /* lists/sort.h */
  const struct gpu_lists *lists;       /* lists/list.h */
  const struct gpu_orders *orders;     /* lists/list.h */
  const struct gpu_search *search;     /* lists/list.h */
  const struct gpu_topology *topology; /* lists/bonded.h */
  const struct gpu_bonded *bonded;     /* lists/bonded.h */
  const struct gpu_clusters *clusters; /* lists/clusters.h */
  const struct gpu_forces *forces;     /* step/step.h */
  const struct gpu_sums *sums;         /* step/step.h */
  const struct gpu_teams *teams;       /* step/step.h */
  const struct gpu_profile *profile;   /* step/step.h */
  struct gpu_external *external;       /* step/external.cu */
  struct gpu_biases *biases;           /* step/biases.cu; NULL: no coordinates */
  struct gpu_applied *applied;         /* step/applied.cu */
  struct gpu_coupling *coupling;       /* step/sums.cu */
  const struct gpu_halo *halo;         /* comm/comm.h */
  struct gpu_migration *migration;     /* comm/migrate.cu */
  struct gpu_batches *batches;         /* graph.c */
};

/* The state of a module, without const: for the one file that writes it. */
#define OWN(type, state) ((struct type *)(uintptr_t)(state))

static inline struct gpu *gpu_of(struct backend *b)
{
  return (struct gpu *)b;
}

static inline int launch_blocks(int64_t n, int threads)
{
  return (int)((n + threads - 1) / threads);
}

#endif
