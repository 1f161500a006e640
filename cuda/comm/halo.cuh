/* Shared by the kernels that pack and unpack halo messages, those of all peers at once: blockIdx.y
   is the peer. */
#ifndef HALO_CUDA_CUH
#define HALO_CUDA_CUH

#include <string.h>

#include "backend/device_lines.cuh"
#include "cuda/runtime/device.cuh"

/* The signal that the last block of a packing kernel writes. ended: the counter of block_is_last,
   device memory; NULL: no signal. */
struct halo_end {
  unsigned *ended;
  struct device_signal then;
};

static struct halo_end end_of(const struct gpu *c, const struct device_signal *then)
{
  struct halo_end e;
  memset(&e, 0, sizeof e);
  if (!then) return e;
  e.ended = c->reports->device->ended;
  e.then = *then;
  return e;
}

DEVICE void halo_ends(const struct halo_end &e)
{
  if (e.ended && block_is_last(e.ended, gridDim.x * gridDim.y)) lines_write(e.then);
}

/* The grid for several messages: along x the blocks that the largest needs, at least one. */
static dim3 parcels_blocks(int most, int parcels)
{
  return dim3((unsigned)launch_blocks(most > 0 ? most : 1, THREADS), (unsigned)parcels);
}

/* The grid of an unpacking kernel. One that waits (until) for lines gets few blocks: waiting blocks
   keep force kernels, and kernels of other ranks on the same GPU, off the multiprocessors. */
static dim3 arrivals_blocks(int most, int peers, const struct device_wait *until)
{
  enum { WAITING_MOST = 32 };
  dim3 blocks = parcels_blocks(most, peers);
  const unsigned each = (unsigned)(WAITING_MOST / peers);
  if (until && until->from.n > 0 && blocks.x > each) blocks.x = each;
  return blocks;
}

/* A copy of *until; NULL: waits for nothing. */
static struct device_wait wait_for(const struct device_wait *until)
{
  struct device_wait w;
  memset(&w, 0, sizeof w);
  if (until) w = *until;
  return w;
}

/* halo_build.cu: HALO_BUILD messages of peers k, ..., k + peers - 1; buffer[peers], n[peers]. then,
   until: as for halo_send and halo_receive (backend/backend.h), or NULL. */
int64_t cuda_halo_build_bytes(int64_t beads);
void cuda_halo_build_send(struct gpu *c, int k, int peers, void *const *buffer,
                          const struct device_signal *then);
void cuda_halo_build_receive(struct gpu *c, int k, int peers, void *const *buffer,
                             const struct halo_count *n, const struct device_wait *until);

#endif
