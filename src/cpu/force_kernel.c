/* Which of the compiled force kernels this processor can run. */
#include "config.h"
#include "cpu/force_cpu.h"
#include "input/param.h"

extern const struct force_kernel force_kernel_mixed_v1, force_kernel_double_v1;
#ifdef HAVE_ISA_V3
extern const struct force_kernel force_kernel_mixed_v3, force_kernel_double_v3;
#endif
#ifdef HAVE_ISA_V4
extern const struct force_kernel force_kernel_mixed_v4, force_kernel_double_v4;
#endif

enum { LEVELS = 3 };
static const struct force_kernel *const kernel[2][LEVELS] = {{&force_kernel_mixed_v1,
#ifdef HAVE_ISA_V3
                                                              &force_kernel_mixed_v3,
#endif
#ifdef HAVE_ISA_V4
                                                              &force_kernel_mixed_v4
#endif
                                                             },
                                                             {&force_kernel_double_v1,
#ifdef HAVE_ISA_V3
                                                              &force_kernel_double_v3,
#endif
#ifdef HAVE_ISA_V4
                                                              &force_kernel_double_v4
#endif
                                                             }};

const struct force_kernel *force_kernel_get(int precision, int level)
{
  if (level < 0 || level >= LEVELS) return 0;
  return kernel[precision == PRECISION_DOUBLE][level];
}

int force_kernel_level(void)
{
  int level = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    level = 1;
  if (level == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    level = 2;
#endif
  while (level > 0 && !kernel[0][level])
    level--;
  return level;
}
