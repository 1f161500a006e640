#include "cli/frames_write.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "cli/output_file.h"
#include "io/foreign/frame_file.h"
#include "md/enforce.h"

/* Interval and time step of the frames; a warning if DCD, which has one of each, cannot say the
   times of all of them. */
static void set_interval(struct frame_series *s, const struct frame_source *f,
                         const struct frame_format *format)
{
  if (f->frames < 2) {
    s->dt = s->step > 0 ? s->time / (double)s->step : 0;
    return;
  }
  s->interval = f->step[1] - f->step[0];
  s->dt = (f->time[1] - f->time[0]) / (double)s->interval;
  for (int64_t k = 0; k < f->frames && format == &frame_dcd; k++) {
    const int64_t step = s->step + k * s->interval;
    if (f->step[k] == step && fabs(f->time[k] - (double)step * s->dt) <= 1e-3 * s->dt) continue;
    warn("DCD files have one interval and one time step: from frame %lld on (step %lld, %g ps) the "
         "times that programs show are others; choose xtc or trr to keep them",
         (long long)k + 1, (long long)f->step[k], f->time[k]);
    return;
  }
}

void frames_write(struct ranks *r, const struct frame_request *want, const char *path,
                  const struct frame_format *format, struct frame_series series)
{
  struct output_file lock = output_file_lock(r, path);
  struct frame_source f;
  struct frame_block block = {0};
  frame_source_open(&f, r, want);
  if (f.is_state) enforce_system(r, f.system, ENFORCE_SITES);
  series.forcefield = f.system->ff->name;
  series.beads = f.selection.total;
  series.frames = f.frames;
  series.step = f.step[0];
  series.time = f.time[0];
  series.is_double = f.is_state;
  set_interval(&series, &f, format);
  struct frame_file *out = frame_file_open(r, path, format, &series, f.system, &f.selection);
  for (int64_t k = 0; k < f.frames; k++) {
    frame_source_read(&f, k, &block);
    frame_file_add(out, &block);
  }
  frame_file_close(out);
  if (r->rank == 0)
    printf("written      %s: %lld frame%s of %lld beads, %g to %g ps\n", path, (long long)f.frames,
           f.frames > 1 ? "s" : "", (long long)series.beads, f.time[0], f.time[f.frames - 1]);
  frame_block_free(&block);
  frame_source_close(&f);
  output_file_release(&lock);
}
