/* The GPU of the rank, its memory, pinned host memory, and kernels that signal and wait, for
   transports of device buffers. Streams are cudaStream_t. A CUDA error ends the program. A program
   without CUDA has the functions that common code names, and calls none. Local, unless a comment
   says otherwise. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdint.h>

#include "backend/device_lines.h"
#include "mpi/comm/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The UUID of a GPU, different for every GPU of all hosts. Device numbers are not unique: where
   each rank sees one GPU only (--gpus-per-task=1 of Slurm), every GPU is number 0. */
struct device_uuid {
  unsigned char byte[16];
};
/* The UUID of the current device of this rank. */
struct device_uuid device_uuid(void);
/* 1 if the GPU is visible to this process. */
int device_is_visible(const struct device_uuid *uuid);
/* 1 if this process can use every GPU that it sees; else 0, with the reason on stderr, and where it
   sees none. */
int devices_work(void);
/* The largest number of n ranks that use the same GPU. */
int devices_ranks_most(const struct device_uuid *device, int n);
/* The same among the ranks of a node (r->node), for the node where it is largest. 1 if every rank
   has a GPU of its own. Collective. */
int devices_shared(const struct ranks *r);

/* Free the old memory (NULL: none), and return new memory of so many bytes: device memory, or
   pinned host memory. The contents are lost. */
void *device_grow(void *old, int64_t bytes);
void *pinned_grow(void *old, int64_t bytes);
void device_free(void *p);
void pinned_free(void *p);
/* Enqueues a copy in a stream, between any memory. */
void device_copy(void *to, const void *from, int64_t bytes, void *stream);
/* Waits until the stream has finished all work enqueued so far. */
void device_wait(void *stream);

/* device_signal.cu */
/* Enqueues a copy by the threads of a kernel, as packing kernels store. Both addresses are
   multiples of 16 bytes, in pinned memory or in memory of any GPU that the rank's GPU can access.
 */
void device_store(void *to, const void *from, int64_t bytes, void *stream);
/* Enqueues a kernel that writes a signal, after all earlier stores of the stream have become
   visible to every GPU. */
void device_signal(const struct device_signal *s, void *stream);
/* Enqueues a kernel that waits for messages and reduces what was sent with them. */
void device_await(const struct device_wait *w, void *stream);

#ifdef __cplusplus
}
#endif

#endif
