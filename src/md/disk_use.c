#include "md/disk_use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "io/disk.h"
#include "io/state.h"
#include "md/energies.h"
#include "md/output.h"
#include "md/sampling.h"

enum { BEAD_BYTES = 300 }; /* of the PSF and of what frames do not change, at most */

struct use {
  const char *what;
  double number, bytes; /* bytes: of all */
};

/* The number of remaining steps that are multiples of `every`. A new run counts step 0 too. */
static double times(const struct sim *s, int64_t every, int append)
{
  const int64_t now = s->system->clock.step, last = s->params->run_steps;
  if (every <= 0) return 0;
  const int64_t n = last / every - now / every + (now % every == 0 && !append);
  return (double)n;
}

/* The checkpoint, the previous one, and the temporary file while a new one is written. */
static struct use checkpoints(struct sim *s)
{
  struct run_record saved = {0};
  char *text = params_text(s->params);
  run_record_copy(&saved, &s->system->run);
  sampling_save(s, &saved);
  struct use u = {"checkpoints", 3, 3 * state_bytes(s->system, &saved, text)};
  run_record_free(&saved);
  free(text);
  return u;
}

/* "1.5 GB". */
static const char *size_text(double bytes, char text[32])
{
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"};
  int k = 0;
  for (; bytes >= 999.5 && k < 7; k++)
    bytes /= 1000;
  snprintf(text, 32, "%.3g %s", bytes, unit[k]);
  return text;
}

/* The free bytes where the files go. Rank 0. */
static double free_bytes(const struct params *p)
{
  char *name = path_with(p->output_prefix, ".h5md");
  const double bytes = disk_free(name);
  free(name);
  return bytes;
}

static void print(const struct sim *s, const struct use *use, int n, int replicas)
{
  char text[2][32], of[48] = "";
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += use[k].bytes;
  const double room = free_bytes(s->params), all = sum * replicas;
  if (replicas > 1) snprintf(of, sizeof of, " (%d replicas)", replicas);
  info("disk: about %s%s; free: %s", size_text(all, text[0]), of,
       isnan(room) ? "unknown" : size_text(room, text[1]));
  for (int k = 0; k < n; k++)
    info("  %-30s %12.0f %12s", use[k].what, use[k].number, size_text(use[k].bytes, text[0]));
  if (all > room)
    warn("the files of the run will take about %s, and the disk of '%s' has %s free: raise "
         "output.frames_every or output.energies_every, or set output.frames_select or "
         "output.frames_precision",
         size_text(all, text[0]), s->params->output_prefix, size_text(room, text[1]));
}

void disk_use_print(struct sim *s, int append, int replicas)
{
  const struct params *p = s->params;
  const double frames = times(s, p->output_frames_every, append),
               lines = times(s, p->output_energies_every, append);
  const struct use use[] = {
      {p->output_frames_precision > 0 ? "frames, before compression" : "frames", frames,
       frames > 0 ? frames * output_frame_bytes(s) : 0},
      {"topology of the frames", frames > 0,
       frames > 0 ? BEAD_BYTES * (double)s->system->n_total : 0},
      {"lines of energies", lines, lines * energies_line_bytes(s)},
      checkpoints(s),
      {"results of observables", s->measured ? 1 : 0, measured_results_bytes(s->measured)}};
  if (s->ranks->rank == 0) print(s, use, sizeof use / sizeof use[0], replicas);
}
