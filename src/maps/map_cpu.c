/* Maps on the CPU, with the widest vectors that this processor has. */
#include "config.h"
#include "cpu/force_cpu.h"
#include "maps/map_kernel.h"

extern map_kernel_function map_kernel_mixed_v1, map_kernel_double_v1;
#ifdef HAVE_ISA_V3
extern map_kernel_function map_kernel_mixed_v3, map_kernel_double_v3;
#endif
#ifdef HAVE_ISA_V4
extern map_kernel_function map_kernel_mixed_v4, map_kernel_double_v4;
#endif

enum { LEVELS = 3 };
static map_kernel_function *const kernel[2][LEVELS] = {{map_kernel_mixed_v1,
#ifdef HAVE_ISA_V3
                                                        map_kernel_mixed_v3,
#endif
#ifdef HAVE_ISA_V4
                                                        map_kernel_mixed_v4
#endif
                                                       },
                                                       {map_kernel_double_v1,
#ifdef HAVE_ISA_V3
                                                        map_kernel_double_v3,
#endif
#ifdef HAVE_ISA_V4
                                                        map_kernel_double_v4
#endif
                                                       }};

map_kernel_function *map_kernel_get(int double_precision, int level)
{
  return level < 0 || level >= LEVELS ? 0 : kernel[double_precision != 0][level];
}

static void compute(const struct map_job *job, void *value)
{
  kernel[job->double_precision != 0][force_kernel_level()](job, value);
}

static const char *why_not(void)
{
  return 0;
}

const struct map_ops map_cpu = {.name = "cpu", .compute = compute, .why_not = why_not};
