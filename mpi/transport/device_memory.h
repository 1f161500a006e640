/* The rank's GPU, its memory and pinned host memory, for transports that carry device buffers. In a
   program without CUDA there is none, and nothing here is called. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdint.h>

/* What tells a GPU apart from all others. */
struct device_uuid {
  unsigned char byte[16];
};
/* Of the GPU that is set for this rank. */
struct device_uuid device_uuid(void);
/* Is it one of the GPUs that this process sees? */
int device_is_visible(const struct device_uuid *uuid);

/* Grow, never shrink; the contents are lost. */
void *device_grow(void *old, int64_t bytes);
void *pinned_grow(void *old, int64_t bytes);
void device_free(void *p);
void pinned_free(void *p);
/* In the order of a stream, between any memory. */
void device_copy(void *to, const void *from, int64_t bytes, void *stream);
/* The same by the threads of a kernel, as packing kernels store; both at multiples of 16 bytes, in
   memory of any GPU that can be reached, or pinned. */
void device_store(void *to, const void *from, int64_t bytes, void *stream);
/* Waits for all that a stream was given. */
void device_wait(void *stream);

#endif
