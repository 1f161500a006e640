#include "backend/backend.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "config.h"
#include "input/param.h"
#include "mpi/comm/ranks.h"

/* The backends, in order of preference. */
extern const struct backend_ops backend_cpu;
#ifdef HAVE_CUDA
extern const struct backend_ops backend_cuda;
#endif
static const struct backend_ops *const all[] = {
#ifdef HAVE_CUDA
    &backend_cuda,
#endif
    &backend_cpu,
};

const struct backend_ops *backend_choose(int choice, const struct ranks *r)
{
  static const char *const name[] = {BACKEND_CHOICES(CHOICE_WORD)};
  struct backend_probe probe;
  char why[sizeof probe.why] = "this program was built without it";
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    if (choice != BACKEND_AUTO && strcmp(all[k]->name, name[choice])) continue;
    memset(&probe, 0, sizeof probe);
    all[k]->probe(&probe);
    memcpy(why, probe.why, sizeof why);
    if (ranks_agree(r, probe.usable, why, (int)sizeof why)) return all[k];
    if (choice == BACKEND_AUTO) info("backend %s is not used: %s", all[k]->name, why);
  }
  die_all(STATUS_INPUT, "parallel.backend: %s cannot work here: %s", name[choice], why);
}

int backend_wants_gpu(int choice)
{
  return choice != BACKEND_CPU && sizeof all / sizeof all[0] > 1;
}

void backend_list(void)
{
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    struct backend_probe probe = {.list_devices = 1};
    all[k]->probe(&probe);
    printf("backend %s: %s%s\n%s", all[k]->name, probe.usable ? "works here" : "no: ", probe.why,
           probe.devices);
  }
}
