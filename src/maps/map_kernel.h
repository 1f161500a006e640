/* Maps on the CPU: one kernel object a precision and instruction set, compiled from the same file
   (map_kernel.c). */
#ifndef MAP_KERNEL_H
#define MAP_KERNEL_H

#include "maps/map.h"

/* Sets the values of the planes of this rank: map_ops.compute. */
typedef void map_kernel_function(const struct map_job *job, void *value);

/* The kernel of a precision and level (force_kernel_get), or NULL where it was not built. */
map_kernel_function *map_kernel_get(int double_precision, int level);

#endif
