/* Maps on the CPU, with the widest vectors that this processor has. */
#include "config.h"
#include "cpu/force_cpu.h"
#include "maps/map.h"

#define ISA(name, level)                                                                           \
  extern map_kernel_function map_kernel_mixed_##name, map_kernel_double_##name;
#include "cpu/isa_list.h"
#undef ISA

enum { LEVELS = 3 };

/* By level: of mixed precision, and of double. */
static map_kernel_function *const kernel[LEVELS][2] = {
#define ISA(name, level) [level] = {map_kernel_mixed_##name, map_kernel_double_##name},
#include "cpu/isa_list.h"
#undef ISA
};

map_kernel_function *map_kernel_get(int double_precision, int level)
{
  return level < 0 || level >= LEVELS ? 0 : kernel[level][double_precision != 0];
}

static void compute(const struct map_job *job, void *value)
{
  map_kernel_get(job->double_precision, force_kernel_level())(job, value);
}

static const char *why_not(void)
{
  return force_kernel_level() < 0 ? FORCE_KERNEL_NONE : 0;
}

const struct map_ops map_cpu = {.name = "cpu", .compute = compute, .why_not = why_not};
