/* External fields on the GPU: step/external.cu. */
#ifndef EXTERNAL_CUDA_H
#define EXTERNAL_CUDA_H

#include "pair/external_body.h"

struct gpu;

/* Arrays in device memory, the rest on the host. */
struct gpu_external {
  struct external_type *of_type; /* [types] */
  struct external_kernel field[EXTERNAL_FIELDS_MOST];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the fields of the run to the device. */
void cuda_external_open(struct gpu *c);
void cuda_external_close(struct gpu *c);
/* Adds their forces to those of the owned beads, after all passes. energy: 1 adds their energy and
   virial to the sums of the step. Enqueued in streams.main. */
void cuda_external_add(struct gpu *c, int energy);

#ifdef __cplusplus
}
#endif

#endif
