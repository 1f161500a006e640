/* Which of the compiled force kernels this processor can run. */
#include "config.h"
#include "cpu/force_cpu.h"
#include "input/param.h"

#define ISA(name, level)                                                                           \
  extern const struct force_kernel force_kernel_mixed_##name, force_kernel_double_##name;
#include "cpu/isa_list.h"
#undef ISA

enum { LEVELS = 3 };

static const struct force_kernel *const mixed[LEVELS] = {
#define ISA(name, level) [level] = &force_kernel_mixed_##name,
#include "cpu/isa_list.h"
#undef ISA
};

static const struct force_kernel *const in_double[LEVELS] = {
#define ISA(name, level) [level] = &force_kernel_double_##name,
#include "cpu/isa_list.h"
#undef ISA
};

const struct force_kernel *force_kernel_get(int precision, int level)
{
  if (level < 0 || level >= LEVELS) return 0;
  return precision == PRECISION_DOUBLE ? in_double[level] : mixed[level];
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
  while (level >= 0 && !mixed[level])
    level--;
  return level;
}
