/* Positions of a few beads for the host, and forces of the host on them (operations gather and
   apply). Beads are found by their ids. Not launched in a run without applied forces. */
#include <string.h>

#include "backend/applied_body.h"
#include "cuda/lists/clusters.h"
#include "cuda/lists/ids.cuh"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

/* What the host gets of a step; the positions follow. */
struct gathered {
  int64_t valid; /* 0: lists had expired before this step */
  double box[BOX];
};

/* Ids of beads, on the host as last copied to the device. */
struct applied_ids {
  int n;
  int64_t *device, *host; /* [room]; host: pinned */
};

/* Written by step/applied.cu. */
struct gpu_applied {
  int room;                          /* beads */
  struct applied_ids wanted, pushed; /* of gather and of apply */
  double *force, *host_force;        /* [room][3]; host_force: pinned */
  char *gathered, *host;             /* struct gathered, [room][3] positions; host: pinned */
};

static int64_t gathered_bytes(int n)
{
  return (int64_t)sizeof(struct gathered) + 3 * (int64_t)n * (int64_t)sizeof(uint32_t);
}

static void ids_reserve(struct gpu *c, struct applied_ids *ids, int room)
{
  ids->n = 0;
  cuda_grow(c, &ids->device, room * (int64_t)sizeof *ids->device, 0, "applied forces");
  cuda_pinned(c, &ids->host, (size_t)room * sizeof *ids->host);
}

static struct gpu_applied *reserve(struct gpu *c, int n)
{
  if (!c->applied) (void)NEW_STATE(gpu_applied, c, applied);
  struct gpu_applied *own = c->applied;
  if (own->host && n <= own->room) return own;
  CUDA(cudaStreamSynchronize(c->streams->main));
  own->room = n + n / 8 + 1;
  ids_reserve(c, &own->wanted, own->room);
  ids_reserve(c, &own->pushed, own->room);
  cuda_grow(c, &own->force, 3 * (int64_t)own->room * (int64_t)sizeof *own->force, 0,
            "applied forces");
  cuda_grow(c, &own->gathered, gathered_bytes(own->room), 0, "applied forces");
  cuda_pinned(c, &own->host_force, 3 * (size_t)own->room * sizeof *own->host_force);
  cuda_pinned(c, &own->host, (size_t)gathered_bytes(own->room));
  return own;
}

/* Copies ids to the device, if they are others than before. The copy before has ended: gather or a
   drain has waited since. */
static void ids_copy(struct gpu *c, struct applied_ids *ids, int n, const int64_t *id)
{
  const size_t bytes = (size_t)n * sizeof *id;
  if (n == ids->n && (n == 0 || !memcmp(ids->host, id, bytes))) return;
  ids->n = n;
  if (n == 0) return;
  memcpy(ids->host, id, bytes);
  CUDA_TO_DEVICE(c, ids->device, ids->host, bytes);
}

/* One thread per bead, one at least. step: of this state. */
static __global__ void applied_gather(const struct cuda_ids ids, int n, int n_owned,
                                      const int64_t *id, const int32_t *position, uint64_t step,
                                      const struct cuda_report *report, struct gathered *out)
{
  const int64_t k = thread_index();
  if (k == 0) {
    const uint64_t expired = *(const volatile uint64_t *)&report->expired_agreed;
    out->valid = expired == 0 || expired >= step;
    for (int d = 0; d < BOX; d++)
      out->box[d] = report->box.now.box[d];
  }
  if (k >= n) return;
  const int64_t i = id_index(ids, id[k]);
  uint32_t *to = (uint32_t *)(out + 1) + 3 * k;
  for (int d = 0; d < 3; d++)
    to[d] = i >= 0 && i < n_owned ? (uint32_t)position[3 * i + d] : 0;
}

void cuda_gather_begin(struct backend *b, int n, const int64_t *id)
{
  struct gpu *c = gpu_of(b);
  struct gpu_applied *own = reserve(c, n);
  ids_copy(c, &own->wanted, n, id);
  LAUNCH(applied_gather, n > 0 ? n : 1, THREADS, c, c->bonded->ids, n, b->n, own->wanted.device,
         c->arrays->beads.position, c->clock->number, c->reports->device,
         (struct gathered *)own->gathered);
  CUDA_TO_HOST(c, own->host, own->gathered, (size_t)gathered_bytes(n));
  CUDA(cudaEventRecord(c->streams->gather_event, c->streams->main));
}

int cuda_gather(struct backend *b, int n, const int64_t *id, uint32_t *position, double box[BOX])
{
  struct gpu *c = gpu_of(b);
  const struct gathered *found = (const struct gathered *)c->applied->host;
  (void)id; /* of cuda_gather_begin */
  CUDA(cudaEventSynchronize(c->streams->gather_event));
  memcpy(box, found->box, sizeof found->box);
  if (n > 0) memcpy(position, found + 1, 3 * (size_t)n * sizeof *position);
  return (int)found->valid;
}

/* Argument of applied_add_rows. sums: NULL: nothing is added to them. */
struct applied_job {
  struct cuda_ids ids;
  int n, n_owned, bits;
  const int64_t *id;
  const double *force;
  double *to, sums_of[APPLIED_SUMS];
  const struct cuda_report *report;
  struct sums *sums;
};

/* One thread per bead, one at least. */
static __global__ void applied_add_rows(const __grid_constant__ struct applied_job j)
{
  const int64_t k = thread_index();
  if (is_expired(j.report)) return;
  const int64_t i = k < j.n ? id_index(j.ids, j.id[k]) : -1;
  for (int d = 0; i >= 0 && i < j.n_owned && d < 3; d++)
    j.to[3 * i + d] += j.force[3 * k + d];
  if (k > 0 || !j.sums) return;
  struct sums sums = {};
  applied_add(j.sums_of, j.bits, &sums);
  for (int a = 0; a < 9; a++)
    add_int64(&j.sums->word[SUM_VIRIAL + a], sums.word[SUM_VIRIAL + a]);
  for (int a = 0; a < 2; a++)
    add_int64(&j.sums->energy[ENERGY_bias][a], sums.energy[ENERGY_bias][a]);
  add_int64(&j.sums->overflow, sums.overflow);
  add_int64(&j.sums->magnitude, sums.magnitude);
}

/* The copy of the forces of the call before has ended, as that of ids. Forces on virtual sites are
   spread in two parts, those that are there and then these, in steps without sums as in steps with
   them: the sum of both would be rounded differently. */
void cuda_apply(struct backend *b, const struct applied_forces *a, int flags, int sums)
{
  struct gpu *c = gpu_of(b);
  struct gpu_applied *own = reserve(c, a->n);
  struct applied_job j;
  ids_copy(c, &own->pushed, a->n, a->id);
  const size_t bytes = 3 * (size_t)a->n * sizeof *a->force;
  if (bytes) {
    memcpy(own->host_force, a->force, bytes);
    CUDA_TO_DEVICE(c, own->force, own->host_force, bytes);
  }
  j.ids = c->bonded->ids;
  j.n = a->n;
  j.n_owned = b->n;
  j.bits = sum_bits(c->config.n_total);
  j.id = own->pushed.device;
  j.force = own->force;
  j.to = c->arrays->force;
  memcpy(j.sums_of, a->sums, sizeof j.sums_of);
  j.report = c->reports->device;
  j.sums = flags && sums ? c->sums->forces : NULL;
  if (a->n > 0) cuda_apply_pending_spread(c);
  LAUNCH(applied_add_rows, a->n > 0 ? a->n : 1, THREADS, c, j);
  if (a->n > 0) cuda_clusters_spread(c, flags != 0, 0);
}
