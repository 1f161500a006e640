/* List builds that the host does not wait for: the device decides whether steps may go on. */
#include <string.h>

#include "cuda/lists/bonded.h"
#include "cuda/lists/clusters.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"

/* What the arrays of a build have room for: the largest numbers that its report may have. */
struct build_room {
  int64_t bonded;
  int passes, rows[PAIR_PASSES_MOST], clusters[CLUSTERS_SIZES];
};

/* One thread. number: of this build, counted by the host. */
static __global__ void build_check(const __grid_constant__ struct build_room room, uint64_t number,
                                   struct cuda_report *r, struct cuda_progress *progress)
{
  int good = !(r->blown.found || r->rigid.found || r->point.found || r->broken.found ||
               r->bonded > room.bonded);
  for (int k = 0; k < room.passes; k++)
    good = good && r->most_rows[k] <= room.rows[k];
  for (int k = 0; k < CLUSTERS_SIZES; k++)
    good = good && r->clusters[k] <= room.clusters[k];
  if (good)
    r->expired_local = r->expired_agreed = progress->expired_agreed = 0;
  else
    progress->refused = 1;
  __threadfence_system();
  progress->resumed = number;
}

void cuda_build_check(struct gpu *c)
{
  struct build_room room;
  memset(&room, 0, sizeof room);
  room.bonded = cuda_room(c, c->bonded->entry) / (int64_t)sizeof *c->bonded->entry;
  room.passes = c->config.plan->n_passes;
  for (int k = 0; k < room.passes; k++)
    room.rows[k] = c->lists->of[k].most_rows;
  for (int k = 0; k < CLUSTERS_SIZES; k++)
    room.clusters[k] = c->clusters->of[k].room;
  LAUNCH(build_check, 1, 1, c, room, cuda_report_next_build(c), c->reports->device,
         c->reports->progress);
}
