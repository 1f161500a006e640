/* What kernels that pack or unpack halo messages of several peers share. */
#ifndef HALO_CUDA_CUH
#define HALO_CUDA_CUH

#include <string.h>

#include "backend/device_lines.cuh"
#include "cuda/runtime/device.cuh"

/* The signal that the last block of a packing kernel writes. ended: see block_is_last; NULL: no
   signal. */
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

/* Blocks of THREADS for the largest of several messages, at least one. */
static dim3 parcels_blocks(int most, int parcels)
{
  return dim3((unsigned)launch_blocks(most > 0 ? most : 1, THREADS), (unsigned)parcels);
}

/* Blocks that unpack. If they wait for lines, few: they take room from the forces, and from kernels
   of other ranks where these share a GPU. until: NULL, or what they wait for. */
static dim3 arrivals_blocks(int most, int peers, const struct device_wait *until)
{
  enum { WAITING_MOST = 32 };
  dim3 blocks = parcels_blocks(most, peers);
  const unsigned each = (unsigned)(WAITING_MOST / peers);
  if (until && until->from.n > 0 && blocks.x > each) blocks.x = each;
  return blocks;
}

/* until NULL: no line is waited for. */
static struct device_wait wait_for(const struct device_wait *until)
{
  struct device_wait w;
  memset(&w, 0, sizeof w);
  if (until) w = *until;
  return w;
}

/* halo_build.cu, messages HALO_BUILD of peers k, ..., k + peers - 1: buffer[peers], n[peers]; then,
   until: NULL or as of backend/backend.h. */
int64_t cuda_halo_build_bytes(int64_t beads);
void cuda_halo_build_send(struct gpu *c, int k, int peers, void *const *buffer,
                          const struct device_signal *then);
void cuda_halo_build_receive(struct gpu *c, int k, int peers, void *const *buffer,
                             const struct halo_count *n, const struct device_wait *until);

#endif
