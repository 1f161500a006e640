/* The GPU of the rank, its memory and pinned host memory, for transports of device buffers. Streams
   are cudaStream_t. A CUDA error ends the program. A program without CUDA has these functions and
   calls none of them. All of them are local. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdint.h>

/* The UUID of a GPU, different for every GPU of all hosts. */
struct device_uuid {
  unsigned char byte[16];
};
/* The UUID of the current device of this rank. */
struct device_uuid device_uuid(void);
/* 1 if the GPU is visible to this process. */
int device_is_visible(const struct device_uuid *uuid);

/* Free the old memory (NULL: none), and return new memory of so many bytes: device memory, or
   pinned host memory. The contents are lost. */
void *device_grow(void *old, int64_t bytes);
void *pinned_grow(void *old, int64_t bytes);
void device_free(void *p);
void pinned_free(void *p);
/* Enqueues a copy in a stream, between any memory. */
void device_copy(void *to, const void *from, int64_t bytes, void *stream);
/* Enqueues a copy by the threads of a kernel, as packing kernels store. Both addresses are
   multiples of 16 bytes, in pinned memory or in memory of any GPU that the rank's GPU can access.
 */
void device_store(void *to, const void *from, int64_t bytes, void *stream);
/* Waits until the stream has finished all work enqueued so far. */
void device_wait(void *stream);

#endif
