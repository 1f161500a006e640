/* The order of the two streams, and the report of the device to the host. */
#include "cuda/runtime/gpu.h"

void cuda_fork(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams.main_event, c->streams.main));
  CUDA(cudaStreamWaitEvent(c->streams.side, c->streams.main_event, 0));
}

void cuda_join(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams.side_event, c->streams.side));
  CUDA(cudaStreamWaitEvent(c->streams.main, c->streams.side_event, 0));
  c->streams.side_busy = 0;
}

void cuda_halo_note(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams.halo_event, c->streams.side));
  c->streams.halo_noted = 1;
}

void cuda_halo_join(struct gpu *c)
{
  if (c->streams.halo_noted)
    CUDA(cudaStreamWaitEvent(c->streams.main, c->streams.halo_event, 0));
  else
    cuda_join_if_busy(c);
}

void cuda_join_if_busy(struct gpu *c)
{
  if (c->streams.side_busy) cuda_join(c);
}

void cuda_report_read(struct gpu *c)
{
  cuda_join_if_busy(c);
  CUDA(cudaMemcpyAsync(c->reports.host, c->reports.device, sizeof *c->reports.host,
                       cudaMemcpyDeviceToHost, c->streams.main));
  CUDA(cudaStreamSynchronize(c->streams.main));
  if (c->channel.check) c->channel.check(c->channel.context);
  c->reports.outdated = 0;
  const struct cuda_fault *f = &c->reports.host->blown;
  if (f->found) {
    const struct offender_state s = cuda_offender(c, f->step);
    offender_moved(&s, f->bead, f->value[0], f->value + 1);
  }
  f = &c->reports.host->rigid;
  if (f->found) {
    const struct offender_state s = cuda_offender(c, f->step);
    offender_constraint(&s, f->bead, f->other, f->value[0], f->value[1]);
  }
}
