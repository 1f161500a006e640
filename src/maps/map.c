#include "maps/map.h"

#include <string.h>

#include "base/log.h"
#include "config.h"

static const struct map_ops *const ops[] = {
#ifdef HAVE_CUDA
    &map_cuda,
#endif
    &map_cpu,
};
enum { OPS = sizeof ops / sizeof ops[0] };

const struct map_ops *map_ops_get(const char *name)
{
  for (int k = 0; k < OPS; k++) {
    const char *why = ops[k]->why_not();
    if (!strcmp(name, "auto") && !why) return ops[k];
    if (strcmp(name, ops[k]->name) != 0) continue;
    if (why) die_all(STATUS_INPUT, "--backend=%s: %s", name, why);
    return ops[k];
  }
  die_all(STATUS_INPUT, "--backend=%s: this program was built without it", name);
}
