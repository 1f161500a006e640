/* force_set.cu is compiled for each set of pair terms and each precision. These are its functions,
   which force.cu of the same precision calls. */
#ifndef FORCE_SET_CUDA_CUH
#define FORCE_SET_CUDA_CUH

#include "cuda/step/force_pass.cuh"

/* The launches of the pair passes of a step, which may be chained (runtime/chain.cuh). */
struct chain {
  int passes;   /* 1: every pass is chained to the one before it */
  int begun;    /* 1: a pass has been launched */
  int search;   /* 1: the search for unlisted pairs waits */
  int carveout; /* struct chained_launch */
  cudaStream_t stream;
};

/* Pressure profiles: what is known of the beads; device memory. */
struct stress_beads {
  int n;                      /* owned */
  const unsigned char *lipid; /* [owned and halo] 1: the bead is in a lipid */
  struct stress_ends *ends;   /* [n][2] with partners in no lipid, and in lipids */
};

struct force_set {
  unsigned terms; /* bits of pair terms */
  /* Launches a pass. flags: enum force_flags. */
  void (*force)(struct gpu *c, const struct force_pass &pass, int flags, struct chain *chain);
  /* Launches a pass for pressure profiles. */
  void (*stress)(struct gpu *c, const struct force_pass &pass, const struct stress_beads &beads);
};

#define FORCE_SET_PASTE(name, precision) force_set_##name##_##precision
#define FORCE_SET_NAME(name, precision) FORCE_SET_PASTE(name, precision)

#endif
