/* Device, pinned and host memory of the backend. All of it is on one list, which cuda_memory_close
   frees: no module frees its own. */
#ifndef MEMORY_CUDA_H
#define MEMORY_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

void cuda_memory_open(struct gpu *c);
void cuda_memory_close(struct gpu *c);
int cuda_memory_uses(struct backend *b, struct memory_use *out);

/* Zeroed host memory. NEW_STATE: allocates the state of a module and returns it without const, for
   the one file that writes it. */
void *cuda_state(struct gpu *c, size_t bytes);
#define NEW_STATE(type, c, member)                                                                 \
  OWN(type, (c)->member = (struct type *)cuda_state((c), sizeof(struct type)))

/* In the functions below p and to are addresses of a pointer, which is NULL or was set by them.
   what: the use of device memory, a static string. Status 2 if the memory of the GPU is
   exhausted. */
/* Sets *p to zeroed pinned host memory, and frees what it was before. */
void cuda_pinned(struct gpu *c, void *p, size_t bytes);
/* Grows *p to at least `bytes` bytes and keeps the first `keep` of them. Waits if keep > 0. */
void cuda_grow(struct gpu *c, void *p, int64_t bytes, int64_t keep, const char *what);
/* Grows *p to at least `bytes` bytes and an eighth more, so that it seldom happens. Contents are
   lost. */
void cuda_grow_more(struct gpu *c, void *p, int64_t bytes, const char *what);
/* Bytes of an array that cuda_grow has allocated; 0 if it has not. */
int64_t cuda_room(const struct gpu *c, const void *p);
/* Copies host data to new device memory. Waits. CUDA_UPLOAD: n elements of the type of **to. */
void cuda_upload(struct gpu *c, void *to, const void *from, int64_t bytes, const char *what);
#define CUDA_UPLOAD(c, to, from, n, what)                                                          \
  cuda_upload((c), (to), (from), (n) * (int64_t)sizeof **(to), (what))
/* Copies a group to new device memory. */
struct bead_set cuda_bead_set(struct gpu *c, const struct bead_group *from, const char *what);
/* Temporary device memory; valid until the next call. */
void *cuda_scratch(struct gpu *c, int64_t bytes);

/* Registers *p as a per-bead array, before the first cuda_reserve: it has an element of `bytes`
   bytes per bead, owned or halo, and `beyond` more elements. keep 1: contents survive growth. */
void cuda_per_bead(struct gpu *c, void *p, int bytes, int keep, int beyond, const char *what);
/* Grows all such arrays to n beads; contents of the first `held` are kept. */
void cuda_per_bead_grow(struct gpu *c, int64_t n, int64_t held);

END_C

#endif
