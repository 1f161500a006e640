/* The operations of the minimiser (struct minimise_ops), for systems without clusters. Functions
   enqueue their work in streams.main unless their comment says that they wait (cuda/runtime/gpu.h).
 */
#ifndef MINIMISE_CUDA_H
#define MINIMISE_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

void cuda_save_positions(struct backend *b);
void cuda_restore_positions(struct backend *b);
void cuda_descend(struct backend *b, double step, double limit);
double cuda_largest_force(struct backend *b, int64_t *id); /* waits */

END_C

#endif
