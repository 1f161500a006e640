/* Migration and halo messages on the GPU (backend/backend.h says what each operation does). */
#ifndef COMM_CUDA_H
#define COMM_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* A peer: the owned beads sent to it, and the halo beads received from it that have axes. Arrays of
   local indices in device memory, which grow. */
struct cuda_peer {
  int n_send, n_send_axis, n_receive_axis; /* elements of the arrays in use */
  int first; /* received beads: [first, first + sorting->received[peer]), by cell and id */
  int *send, *send_axis; /* all beads sent, ascending; the oriented ones, in the order of their axes
                            in HALO_STEP */
  int *receive_axis;     /* received oriented beads, in the order of their axes in HALO_STEP */
};
/* Written by comm/halo_build.cu. */
struct gpu_halo {
  struct cuda_peer peer[PEERS_MOST]; /* [sorting->domain.n_peers] */
};

/* migrate.cu */
void cuda_histogram(struct backend *b, const struct domain *d, int cut, int bins, int64_t *count);
const void *cuda_pack_migrants(struct backend *b, const struct domain *d, int64_t *count,
                               int *record);
void cuda_unpack_migrants(struct backend *b, const void *record, int64_t n);

/* halo_build.cu */
void cuda_halo_select(struct backend *b, const struct domain *d, struct halo_count *count);
/* halo.cu */
int64_t cuda_halo_bytes(struct backend *b, enum halo_message message, struct halo_count n);
void cuda_halo_pack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                    const struct device_signal *then);
void cuda_halo_unpack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                      const struct halo_count *n, const struct device_wait *until);

END_C

#endif
