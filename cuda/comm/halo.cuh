/* Shared by the kernels that pack and unpack halo messages, those of all peers at once: blockIdx.y
   is the peer. */
#ifndef HALO_CUDA_CUH
#define HALO_CUDA_CUH

#include <string.h>

#include "backend/device_lines.cuh"
#include "cuda/runtime/device.cuh"

/* The signal that the last block of a packing kernel writes. ended: the counter of block_is_last,
   device memory. */
struct halo_end {
  unsigned *ended;
  struct device_signal then;
};

DEVICE void halo_ends(const struct halo_end &e)
{
  if (e.then.to.n > 0 && block_is_last(e.ended, gridDim.x * gridDim.y)) lines_write(e.then);
}

/* The grid for several messages: along x the blocks that the largest needs, at least one. */
static dim3 parcels_blocks(int most, int parcels)
{
  return dim3((unsigned)launch_blocks(most > 0 ? most : 1, THREADS), (unsigned)parcels);
}

/* The grid of an unpacking kernel. One that waits (until) for lines gets few blocks: waiting blocks
   keep force kernels, and kernels of other ranks on the same GPU, off the multiprocessors. */
static dim3 arrivals_blocks(int most, int peers, const struct device_wait &until)
{
  enum { WAITING_MOST = 32 };
  dim3 blocks = parcels_blocks(most, peers);
  const unsigned each = (unsigned)(WAITING_MOST / peers);
  if (until.from.n > 0 && blocks.x > each) blocks.x = each;
  return blocks;
}

/* halo_build.cu: HALO_BUILD messages. */
int64_t cuda_halo_build_bytes(int64_t beads);
void cuda_halo_build_pack(struct gpu *c, int peers, void *const *buffer,
                          const struct halo_end &end);
void cuda_halo_build_unpack(struct gpu *c, int peers, void *const *buffer,
                            const struct halo_count *n, const struct device_wait &until);

#endif
