#include "md/performance.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "base/version.h"
#include "io/disk.h"
#include "io/state.h"
#include "md/coordinate_file.h"
#include "md/energies.h"
#include "md/hills.h"
#include "md/measured.h"
#include "md/output.h"

struct spread {
  double least, mean, most;
};

static struct spread spread_of(const struct sim *s, double value)
{
  struct spread p = {-value, value, value};
  ranks_max_double(s->ranks, &p.least, 1);
  ranks_max_double(s->ranks, &p.most, 1);
  ranks_sum_double(s->ranks, &p.mean, 1);
  p.least = -p.least;
  p.mean /= s->ranks->size;
  return p;
}

struct figures {
  int64_t steps;
  double seconds, ns_day, ms_step, rate, imbalance, bytes;
  double rate_inner; /* without reports, frames and checkpoints */
  double steps_per_build;
  struct spread phase[TIMERS], overlapped, beads;
  struct memory_use use[MEMORY_USES_MOST]; /* of rank 0 */
  int uses;
};

static void figures_fill(struct figures *f, struct sim *s, int64_t steps, double seconds)
{
  memset(f, 0, sizeof *f);
  f->steps = steps;
  f->seconds = seconds;
  double per = steps > 0 ? seconds / (double)steps : 0;
  f->ms_step = 1e3 * per;
  f->ns_day = per > 0 ? s->params->run_dt * 1e-3 * 86400 / per : 0;
  f->rate = per > 0 ? (double)s->system->n_total / per * 1e-6 : 0;
  for (int k = 0; k < TIMERS; k++)
    f->phase[k] = spread_of(s, s->timers.total[k]);
  f->overlapped = spread_of(s, s->timers.overlapped);
  double inner = seconds - f->phase[TIMER_output].mean;
  f->rate_inner = inner > 0 ? (double)s->system->n_total * (double)steps / inner * 1e-6 : 0;
  f->beads = spread_of(s, (double)s->backend->n);
  f->imbalance = f->beads.mean > 0 ? f->beads.most / f->beads.mean - 1 : 0;
  double bytes = 0;
  f->uses = s->backend->ops->memory(s->backend, f->use);
  for (int k = 0; k < f->uses; k++)
    bytes += (double)f->use[k].bytes;
  ranks_sum_double(s->ranks, &bytes, 1);
  f->bytes = bytes / (double)s->system->n_total;
  f->steps_per_build = s->builds > 0 ? (double)steps / (double)s->builds : 0;
}

static void json_write(const struct figures *f, const struct sim *s, FILE *out)
{
  fprintf(
      out,
      "{\"version\": \"%s\", \"git\": \"%s\", \"backend\": \"%s\", \"transport\": \"%s\", "
      "\"precision\": \"%s\", \"ranks\": %d, \"threads\": %d, \"beads\": %" PRId64
      ", \"steps\": %" PRId64 ",\n \"seconds\": %.6g, \"ns_per_day\": %.6g, \"ms_per_step\": %.6g, "
      "\"million_bead_steps_per_s\": %.6g, \"without_output\": %.6g, \"steps_per_build\": "
      "%.6g, \"skin_nm\": %.6g, \"imbalance\": %.6g, "
      "\"bytes_per_bead\": %.6g,\n \"phases_s\": {",
      LAMELLA_VERSION, LAMELLA_GIT, s->backend->ops->describe(s->backend), s->transport.ops->name,
      s->params->run_precision == PRECISION_DOUBLE ? "double" : "mixed", s->ranks->size,
      s->backend->threads, s->system->n_total, f->steps, f->seconds, f->ns_day, f->ms_step, f->rate,
      f->rate_inner, f->steps_per_build, s->system->lists.skin, f->imbalance, f->bytes);
  for (int k = 0; k < TIMERS; k++)
    fprintf(out, "%s\"%s\": {\"min\": %.6g, \"mean\": %.6g, \"max\": %.6g}", k ? ", " : "",
            timer_name(k), f->phase[k].least, f->phase[k].mean, f->phase[k].most);
  fprintf(
      out,
      "},\n \"files_beside_s\": {\"min\": %.6g, \"mean\": %.6g, \"max\": %.6g},\n \"memory\": {",
      f->overlapped.least, f->overlapped.mean, f->overlapped.most);
  for (int k = 0; k < f->uses; k++)
    fprintf(out, "%s\"%s\": %" PRId64, k ? ", " : "", f->use[k].name, f->use[k].bytes);
  fprintf(out, "}}\n");
}

/* How the seconds of ranks differ, where there are several. */
static const char *between_ranks(const struct sim *s, double least, double most, char text[64])
{
  text[0] = 0;
  if (s->ranks->size > 1) snprintf(text, 64, " (%.3f to %.3f over ranks)", least, most);
  return text;
}

static void text_write(const struct figures *f, const struct sim *s)
{
  char ranks[64];
  info("%" PRId64 " steps in %.1f s: %.2f ns/day, %.4g ms/step, %.4g million bead-steps/s (%.4g "
       "without output)",
       f->steps, f->seconds, f->ns_day, f->ms_step, f->rate, f->rate_inner);
  info("lists: %.1f steps each, skin %.3f nm", f->steps_per_build, s->system->lists.skin);
  info("memory: %.0f bytes a bead; beads a rank: %.0f to %.0f, imbalance %.1f %%", f->bytes,
       f->beads.least, f->beads.most, 100 * f->imbalance);
  for (int k = 0; k < TIMERS; k++)
    info("  %-8s %5.1f %%  %8.3f s%s", timer_name(k),
         f->seconds > 0 ? 100 * f->phase[k].mean / f->seconds : 0, f->phase[k].mean,
         between_ranks(s, f->phase[k].least, f->phase[k].most, ranks));
  if (f->overlapped.most > 0)
    info("files: written for %.3f s%s beside the steps", f->overlapped.mean,
         between_ranks(s, f->overlapped.least, f->overlapped.most, ranks));
}

void performance_report(struct sim *s, int64_t steps, double seconds)
{
  struct figures f;
  figures_fill(&f, s, steps, seconds);
  if (s->ranks->rank != 0) return;
  text_write(&f, s);
  char *name = path_with(s->params->output_prefix, ".performance.json");
  FILE *out = fopen(name, "w");
  if (out) json_write(&f, s, out);
  if (!out || fclose(out)) warn("cannot write '%s': %s", name, strerror(errno));
  free(name);
}

void performance_memory(struct sim *s)
{
  struct memory_use use[MEMORY_USES_MOST];
  int uses = s->backend->ops->memory(s->backend, use);
  double bytes = 0, beads = s->backend->n > 0 ? s->backend->n : 1;
  for (int k = 0; k < uses; k++)
    bytes += (double)use[k].bytes;
  info("memory of rank 0: %.3f GiB, %.0f bytes a bead", bytes / 1073741824.0, bytes / beads);
  for (int k = 0; k < uses; k++)
    info("  %-30s %8.1f bytes a bead", use[k].name, (double)use[k].bytes / beads);
}

/* Disk */

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
  measured_save(s->measured, s->ranks, &saved);
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

void performance_disk(struct sim *s, int append, int replicas)
{
  const struct params *p = s->params;
  const double frames = times(s, p->output_frames_every, append),
               lines = times(s, p->output_energies_every, append),
               coordinates = times(s, p->output_coordinates_every, append),
               hills = times(s, s->biases ? s->biases->set.hills.every : 0, append);
  const struct use use[] = {
      {p->output_frames_precision > 0 ? "frames, before compression" : "frames", frames,
       frames > 0 ? frames * output_frame_bytes(s) : 0},
      {"topology of the frames", frames > 0,
       frames > 0 ? BEAD_BYTES * (double)s->system->n_total : 0},
      {"lines of energies", lines, lines * energies_line_bytes(s)},
      {"lines of coordinates", s->biases ? coordinates : 0,
       coordinates * coordinate_file_line_bytes(s)},
      {"hills", hills, hills * hill_file_line_bytes(s)},
      checkpoints(s),
      {"results of observables", s->measured ? 1 : 0, measured_results_bytes(s->measured)}};
  if (s->ranks->rank == 0) print(s, use, sizeof use / sizeof use[0], replicas);
}
