#include "cuda/runtime/report.h"

#include <string.h>

#include "base/memory.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/streams.h"
#include "cuda/runtime/tuning.h"

void cuda_report_open(struct gpu *c)
{
  struct gpu_reports *r = NEW_STATE(gpu_reports, c, reports);
  cuda_grow(c, &r->device, sizeof *r->device, 0, "reports");
  CUDA(cudaMemset(r->device, 0, sizeof *r->device));
  cuda_pinned(c, &r->host, sizeof *r->host);
  cuda_pinned(c, &r->progress, sizeof *r->progress);
  c->channel.flag_local = &r->device->expired_local;
  c->channel.flag_global = &r->device->expired_agreed;
  cuda_depends(c, GRAPH_BOX, r->build_box, sizeof r->build_box);
}

static void *fetched(struct gpu *c, const void *from, int64_t n, size_t size)
{
  void *to = alloc_array(n, size);
  if (n > 0) CUDA_TO_HOST(c, to, from, (size_t)n * size);
  return to;
}

struct offender_state cuda_offender(struct gpu *c, int64_t step)
{
  struct offender_state s = {.prefix = c->config.prefix, .ff = c->config.ff, .step = step};
  memcpy(s.box, c->reports->host->box.now.box, sizeof s.box);
  s.n = c->base.n;
  s.n_all = c->base.n + c->base.n_halo;
  s.id = fetched(c, c->arrays->id, s.n_all, sizeof *s.id);
  s.record = fetched(c, c->arrays->record, s.n_all, sizeof *s.record);
  s.momentum = fetched(c, c->arrays->beads.momentum, 3LL * s.n, sizeof *s.momentum);
  CUDA(cudaStreamSynchronize(c->streams->main));
  return s;
}

void cuda_report_read(struct gpu *c)
{
  struct gpu_reports *r = OWN(gpu_reports, c->reports);
  cuda_join_if_busy(c);
  CUDA_TO_HOST(c, r->host, r->device, sizeof *r->host);
  CUDA(cudaStreamSynchronize(c->streams->main));
  if (c->channel.check) c->channel.check(c->channel.context);
  r->outdated = 0;
  const struct cuda_fault *f = &r->host->blown;
  if (f->found) {
    const struct offender_state s = cuda_offender(c, f->step);
    offender_moved(&s, f->bead, f->value[0], f->value + 1);
  }
  f = &r->host->rigid;
  if (f->found) {
    const struct offender_state s = cuda_offender(c, f->step);
    offender_constraint(&s, f->bead, f->other, f->value[0], f->value[1]);
  }
}

void cuda_report_clear(struct gpu *c)
{
  struct cuda_report *r = c->reports->device;
  const size_t from = offsetof(struct cuda_report, displacement2_bits);
  CUDA_CLEAR(c, (char *)r + from, sizeof *r - from);
}

void cuda_report_outdate(struct gpu *c)
{
  OWN(gpu_reports, c->reports)->outdated = 1;
}

int64_t cuda_report_resume(struct gpu *c)
{
  struct cuda_report *r = c->reports->device;
  OWN(gpu_reports, c->reports)->no_wait = 0;
  const int64_t expired = (int64_t)c->reports->host->expired_agreed;
  const size_t bytes = sizeof r->expired_local + sizeof r->expired_agreed; /* adjacent members */
  if (expired == 0) return 0;
  CUDA_CLEAR(c, &r->expired_local, bytes);
  c->reports->progress->expired_agreed = c->reports->progress->refused = 0;
  return expired;
}

void cuda_set_box(struct backend *b, const struct coupling_state *now, const double build_box[BOX])
{
  struct gpu *c = gpu_of(b);
  struct gpu_reports *r = OWN(gpu_reports, c->reports);
  struct cuda_box box = {*now, {0}};
  /* The device has it all while the box is that of the build before. */
  const int same = r->no_wait && !memcmp(r->build_box, build_box, sizeof r->build_box) &&
                   !memcmp(r->host->box.now.box, now->box, sizeof now->box) &&
                   r->host->box.now.search_above2 == now->search_above2 &&
                   r->host->box.now.rebuild_above2 == now->rebuild_above2;
  memcpy(box.build, build_box, sizeof box.build);
  if (!same) CUDA_TO_DEVICE(c, &r->device->box, &box, sizeof box);
  r->outdated = 1;
  memcpy(r->build_box, build_box, sizeof r->build_box);
}

void cuda_coupling_state(struct backend *b, struct coupling_state *now)
{
  struct gpu *c = gpu_of(b);
  if (c->reports->outdated) cuda_report_read(c);
  *now = c->reports->host->box.now;
}

void cuda_displacement2(struct backend *b, double largest[2])
{
  struct gpu *c = gpu_of(b);
  cuda_report_read(c);
  for (int k = 0; k < 2; k++)
    memcpy(&largest[k], &c->reports->host->displacement2_bits[c->clock->parity], sizeof *largest);
}

/* The step at which lists are known to have expired, or 0. */
static uint64_t expired_known(const struct gpu *c)
{
  const volatile struct cuda_progress *p = c->reports->progress;
  return p->resumed == c->reports->resumes ? p->expired_agreed : 0;
}

int64_t cuda_resume(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  struct gpu_reports *r = OWN(gpu_reports, c->reports);
  const uint64_t expired = expired_known(c);
  if (expired == 0 || r->progress->refused || !c->batches || c->config.ranks > 1 || c->biases)
    return -1;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  r->host->box.now = r->progress->now;
  r->outdated = 0;
  r->no_wait = 1;
  cuda_step_back(c, (int64_t)expired);
  return (int64_t)expired;
}

uint64_t cuda_report_next_build(struct gpu *c)
{
  OWN(gpu_reports, c->reports)->no_wait = 0;
  return ++OWN(gpu_reports, c->reports)->resumes;
}

int cuda_poll_expired(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  const volatile struct cuda_progress *progress = c->reports->progress;
  const volatile uint64_t *step = b->early_notify ? &progress->valid_step : &progress->begun_step;
  /* A step of a small system takes hardly longer than its launch. */
  const int ahead = c->config.ranks == 1 && b->n < LINKED_MOST && !b->early_notify && !c->biases;
  while ((int64_t)(c->clock->number - *step) > ahead && expired_known(c) == 0) {
    cudaError_t error = cudaStreamQuery(c->streams->main);
    if (error != cudaErrorNotReady) CUDA(error);
  }
  return expired_known(c) != 0;
}
