/* Which GPUs this process sees, found without CUDA: what CUDA reads when it is initialised may then
   still be changed. Local. */
#ifndef GPUS_VISIBLE_H
#define GPUS_VISIBLE_H

#include <stdint.h>

/* Equal bytes in two processes of a node: both see the same GPUs. */
struct gpus_visible {
  uint64_t files;     /* bit k: this process may open the device file nvidiaK */
  char variable[512]; /* CUDA_VISIBLE_DEVICES, its start if it is longer; "" if it is not set */
  int32_t n;          /* GPUs; 0: none, or no driver of NVIDIA */
  int32_t by_index;   /* 1: the variable has numbers, not UUIDs */
};

/* folder: of device files, "/dev" but in tests. */
struct gpus_visible gpus_visible(const char *folder);
/* 1 if CUDA has been initialised in this process, for example by MPI. */
int gpus_in_use(void);

#endif
