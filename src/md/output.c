#include "md/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/worker.h"
#include "io/path.h"
#include "io/state.h"
#include "io/trajectory.h"
#include "io/trajectory_observed.h"
#include "md/measure.h"
#include "md/observer.h"
#include "md/schedule.h"
#include "md/snapshot.h"
#include "md/stop.h"

enum { FRAME = 1, CHECKPOINT = 2 };

struct output {
  struct sim *sim;
  /* The writing thread. From worker to busy: used by that thread alone while a job runs. */
  int threaded;
  struct worker worker;
  struct ranks ranks;
  struct trajectory *trajectory;
  struct snapshot snapshot;
  struct system written; /* the state being written; its dynamic arrays are copies */
  double *force;         /* forces of its beads, for a frame; NULL: the frames have none */
  double *observed;      /* values of observables, for a frame; on rank 0 */
  int due;               /* FRAME, CHECKPOINT or both */
  double busy;           /* time that the last job took, s */

  FILE *csv;          /* rank 0 */
  int csv_lacks_line; /* 1: the line of the step of a restart is missing */
  char *csv_name, *checkpoint_name;
  char *run_text;
  double started, progress_shown, saved; /* ranks_time() of the start, the last progress line and
                                            checkpoint */
  int64_t first_step, saved_step, clock_step;
  int terminal;
};

char *output_checkpoint_name(const char *prefix)
{
  char *name = path_with(prefix, ".checkpoint.h5"), *target = path_target(name);
  free(name);
  return target;
}

static const char csv_start[] =
    "step,time_ps,potential,kinetic,rotational,total,conserved,temperature_K,"
    "temperature_translation_K,temperature_rotation_K,pressure_bar,pxx_bar,pxy_bar,pxz_bar,pyx_bar,"
    "pyy_bar,pyz_bar,pzx_bar,pzy_bar,pzz_bar,lx_nm,ly_nm,lz_nm,volume_nm3,area_per_lipid_nm2"
#define ENERGY(name, ...) "," #name
#include "model/energy_list.h"
#undef ENERGY
    ",builds,missed_pairs,missed_force\n";

static void csv_failed(const struct output *o)
{
  die(STATUS_IO, "%s: %s; energies before are whole, and the last checkpoint is %s", o->csv_name,
      strerror(errno), o->checkpoint_name);
}

/* Truncates the file after the line of a step: removes the lines of a job that went on after its
   last checkpoint, and an incomplete last line. Returns the step of the last line that is left; -1:
   none.
 */
static int64_t csv_trim(struct output *o, int64_t step)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  off_t keep = 0;
  int64_t last = -1;
  FILE *f = fopen(o->csv_name, "r+");
  if (!f) return last;
  while ((n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    if (keep > 0 && strtoll(line, NULL, 10) > step) break;
    if (keep > 0) last = strtoll(line, NULL, 10);
    keep = ftello(f);
  }
  free(line);
  if (fflush(f) || ftruncate(fileno(f), keep)) csv_failed(o);
  fclose(f);
  return last;
}

/* Rank 0. The line of the present step may have been lost with a disk cache; it is then written
   again. Warns of earlier lines that are lost. */
static void csv_continue(struct output *o)
{
  const struct system *y = o->sim->system;
  int64_t every = o->sim->params->output_energies_every, last = csv_trim(o, y->step);
  if (every == 0) return;
  if (last >= 0 && y->step - last > every)
    warn("'%s' ends at step %" PRId64 ", and the run goes on from step %" PRId64
         ": lines between them are not there",
         o->csv_name, last, y->step);
  o->csv_lacks_line = last < y->step && schedule_due(o->sim->params, y->step).report;
}

static void csv_open(struct output *o, int restarted)
{
  int64_t every = o->sim->params->output_energies_every;
  if (o->sim->ranks->rank != 0) return;
  if (restarted) csv_continue(o);
  if (every == 0) return;
  o->csv = fopen(o->csv_name, restarted ? "a" : "w");
  if (!o->csv) csv_failed(o);
  if (ftello(o->csv) == 0 && (fputs(csv_start, o->csv) < 0 || fflush(o->csv))) csv_failed(o);
}

static double conserved(const struct sim *s)
{
  if (s->params->thermostat_type == THERMOSTAT_LANGEVIN ||
      s->params->barostat_type != BAROSTAT_NONE)
    return (double)NAN;
  return s->observables.potential + s->observables.kinetic + s->observables.rotational -
         s->system->conserved_work;
}

static void csv_write(struct output *o)
{
  const struct sim *s = o->sim;
  const struct observables *n = &s->observables;
  const double *box = s->system->box;
  if (s->ranks->rank != 0) return;
  double total = n->potential + n->kinetic + n->rotational;
  double leaflets = 2 * (double)s->params->output_bilayers;
  double area = s->lipids > 0 ? leaflets * box[0] * box[1] / (double)s->lipids : (double)NAN;
  FILE *f = o->csv;
  fprintf(f, "%" PRId64 ",%.10g,%.12g,%.12g,%.12g,%.12g,%.12g,%.8g,%.8g,%.8g,%.8g", s->system->step,
          s->system->time, n->potential, n->kinetic, n->rotational, total, conserved(s),
          n->temperature, n->temperature_translation, n->temperature_rotation,
          observe_trace(n->pressure));
  for (int k = 0; k < 9; k++)
    fprintf(f, ",%.8g", n->pressure[k]);
  fprintf(f, ",%.10g,%.10g,%.10g,%.10g,%.8g", box[0], box[1], box[2], n->volume, area);
  for (int k = 0; k < ENERGIES; k++)
    fprintf(f, ",%.12g", n->energy[k]);
  fprintf(f, ",%" PRId64 ",%" PRId64 ",%.4g\n", s->system->builds, s->system->missed,
          s->system->missed_force);
  if (fflush(f) || ferror(f)) csv_failed(o);
}

/* Whether the frames have an element. */
static int frames_have(const struct output *o, int element)
{
  return o->trajectory && (trajectory_has(o->trajectory) >> element & 1);
}

/* What must be copied from the backend for a frame, a checkpoint or both. */
static unsigned fields_of(const struct output *o, int what)
{
  unsigned fields =
      1u << FIELD_position | 1u << FIELD_residual | 1u << FIELD_image | 1u << FIELD_orientation;
  if (frames_have(o, ELEMENT_VELOCITY)) fields |= 1u << FIELD_momentum;
  if (what & CHECKPOINT) fields = SNAPSHOT_ALL_FIELDS;
  if (what & FRAME && frames_have(o, ELEMENT_FORCE)) fields |= SNAPSHOT_FORCE;
  return fields;
}

/* Flushes the lines to the disk, before a checkpoint is written. */
static void csv_sync(const struct output *o)
{
  if (o->csv && fsync(fileno(o->csv)) && errno != EINVAL) csv_failed(o);
}

/* Writes the files that are due, on the main or the writing thread. */
static void write_due(void *argument)
{
  struct output *o = argument;
  double started = ranks_time();
  stop_writing(1);
  snapshot_deliver(&o->snapshot, &o->ranks, &o->written, o->force);
  if (o->due & FRAME)
    trajectory_write(o->trajectory, &o->written, (const double(*)[3])o->force, o->observed);
  if (o->due & CHECKPOINT) {
    csv_sync(o);
    state_write(&o->ranks, o->checkpoint_name, &o->written, o->run_text);
    measure_write(o->sim, &o->ranks, &o->written);
  }
  stop_writing(0);
  o->busy = ranks_time() - started;
}

static void finish(struct output *o)
{
  double started = ranks_time();
  worker_wait(&o->worker);
  if (o->threaded) o->sim->timers.overlapped += fmax(o->busy - (ranks_time() - started), 0);
  o->busy = 0;
}

static void files_write(struct output *o, int what)
{
  const struct sim *s = o->sim;
  struct beads own = o->written.beads;
  if (!what) return;
  finish(o);
  observed_free(o->written.observed, o->written.n_observed);
  snapshot_take(o->sim, fields_of(o, what), &o->snapshot);
  o->written = *s->system;
  o->written.observed = NULL;
  o->written.n_observed = 0;
  if (what & FRAME && s->ranks->rank == 0) measure_frames_values(s, o->observed);
  if (what & CHECKPOINT) measure_save(s, &o->written);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & STATE) *beads_field(&o->written.beads, f) = *beads_field(&own, f);
  o->due = what;
  if (o->threaded)
    worker_start(&o->worker, write_due, o);
  else
    write_due(o);
}

/* 1 if a second thread writes the files. The same on all ranks. */
static int writer_choose(const struct sim *s)
{
  static const char no_calls[] = "this MPI library allows no calls from several threads "
                                 "(MPI_THREAD_MULTIPLE)";
  int choice = s->params->output_writer, calls = ranks_threads(s->ranks);
  int64_t spare = worker_processors() > 1;
  if (choice == WRITER_THREAD && !calls)
    die_all(STATUS_INPUT, "output.writer: thread: %s", no_calls);
  if (choice != WRITER_AUTO) return choice == WRITER_THREAD;
  if (!s->backend->channel) return 0;
  ranks_min_int64(s->ranks, &spare, 1);
  if (!calls || !spare)
    info("frames and checkpoints hold up the steps: %s",
         calls ? "a rank is bound to one processor, and has none for writing" : no_calls);
  return calls && spare;
}

static void writer_open(struct output *o)
{
  o->threaded = writer_choose(o->sim);
  ranks_copy(o->sim->ranks, &o->ranks);
  worker_open(&o->worker);
  beads_reserve(&o->written.beads, STATE, 0, o->sim->system->n);
}

static void writer_close(struct output *o)
{
  worker_close(&o->worker);
  observed_free(o->written.observed, o->written.n_observed);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & STATE) free(*beads_field(&o->written.beads, f));
  free(o->force);
  free(o->observed);
  snapshot_free(&o->snapshot);
  ranks_copy_free(&o->ranks);
}

static struct trajectory_request request_of(const struct params *p)
{
  struct trajectory_request want = {(int)p->output_velocities,
                                    (int)p->output_forces,
                                    (enum trajectory_positions)p->output_frames_positions,
                                    p->output_frames_select,
                                    {0, NULL}};
  return want;
}

void output_check(const struct ranks *r, const struct params *p, const struct system *y)
{
  const struct trajectory_request want = request_of(p);
  trajectory_check_request(r, y, &want);
}

/* Opens the trajectory. An existing one is truncated even if this job adds no frames. */
static void frames_open(struct output *o, int restarted)
{
  const struct sim *s = o->sim;
  const struct params *p = s->params;
  struct trajectory_request want = request_of(p);
  const int exists = restarted && trajectory_exists(&o->ranks, p->output_prefix);
  measure_frames_list(s, &want.observed);
  if (p->output_frames_every == 0 && want.observed.n)
    warn("observe: 'frames: yes' has no effect, because the run writes no frames: set "
         "output.frames_every");
  if (p->output_frames_every == 0 && !exists) {
    trajectory_observed_free(&want.observed);
    return;
  }
  o->observed = alloc_array(trajectory_observed_count(&want.observed), sizeof *o->observed);
  o->trajectory = trajectory_open(&o->ranks, p->output_prefix, s->system,
                                  restarted ? s->system->step : -1, &want);
  trajectory_observed_free(&want.observed);
  if (frames_have(o, ELEMENT_FORCE)) o->force = alloc_array(3 * s->system->n, sizeof *o->force);
}

struct output *output_open(struct sim *s, int restarted)
{
  const struct params *p = s->params;
  struct output *o = alloc_array(1, sizeof *o);
  o->sim = s;
  o->csv_name = path_with(p->output_prefix, ".csv");
  o->checkpoint_name = output_checkpoint_name(p->output_prefix);
  o->run_text = params_text(p);
  o->started = o->progress_shown = o->saved = ranks_time();
  o->first_step = o->clock_step = s->system->step;
  o->saved_step = restarted ? s->system->step : -1;
  o->terminal = isatty(STDERR_FILENO);
  csv_open(o, restarted);
  writer_open(o);
  frames_open(o, restarted);
  if (o->csv && (!restarted || o->csv_lacks_line)) csv_write(o);
  if (p->output_frames_every > 0 && (!restarted || schedule_due(p, s->system->step).frame))
    files_write(o, FRAME); /* an existing frame of this step is not written again */
  return o;
}

/* CHECKPOINT if none of the present step has been written or begun, else 0. Status 3 if a coupling
   is due and the sums overflow: every run that continued from such a checkpoint would end. */
static int checkpoint_new(struct output *o)
{
  struct sim *s = o->sim;
  if (o->saved_step == s->system->step) return 0;
  const struct due due = schedule_due(s->params, s->system->step);
  if (due_coupling(&due) && s->observed_step != s->system->step) observe_state_finite(s);
  o->saved_step = s->system->step;
  o->saved = ranks_time();
  return CHECKPOINT;
}

void output_checkpoint(struct output *o)
{
  files_write(o, checkpoint_new(o));
  finish(o);
}

/* 1 if output.checkpoint_minutes have passed since the last checkpoint by the clock of any rank. */
static int minutes_over(struct output *o)
{
  double minutes = o->sim->params->output_checkpoint_minutes;
  int64_t step = o->sim->system->step, over = ranks_time() - o->saved > 60 * minutes;
  if (!(minutes > 0) || !o->sim->drained || step < o->clock_step + 10) return 0;
  o->clock_step = step;
  ranks_max_int64(o->sim->ranks, &over, 1);
  return (int)over;
}

/* Prints the progress line. On a terminal it overwrites itself; elsewhere lines come at growing
   intervals of at most a minute. */
static void progress(struct output *o)
{
  const struct sim *s = o->sim;
  int64_t step = s->system->step, done = step - o->first_step;
  if (s->ranks->rank != 0 || step % 10 != 0 || done <= 0) return;
  double now = ranks_time();
  double wait = o->terminal ? 0.5 : fmin(fmax(0.5 * (o->progress_shown - o->started), 5), 60);
  if (now - o->progress_shown < wait) return;
  o->progress_shown = now;
  double rate = (double)done / (now - o->started);
  double left = (double)(s->params->run_steps - step) / rate;
  fprintf(stderr,
          "%sstep %" PRId64 " of %" PRId64 ", %.1f ps, %.0f K, %.1f steps/s, %.1f ns/day, "
          "%.0f min %02.0f s left%s",
          o->terminal ? "\r\033[K" : "", step, s->params->run_steps, s->system->time,
          s->observables.temperature, rate, rate * s->params->run_dt * 86.4, floor(left / 60),
          floor(fmod(left, 60)), o->terminal ? "" : "\n");
  fflush(stderr);
}

void output_step(struct output *o)
{
  const struct due due = schedule_due(o->sim->params, o->sim->system->step);
  timers_switch(&o->sim->timers, TIMER_output);
  if (due.report) csv_write(o);
  int what = due.frame ? FRAME : 0;
  if (due.checkpoint || minutes_over(o)) what |= checkpoint_new(o);
  files_write(o, what);
  progress(o);
  timers_switch(&o->sim->timers, TIMER_other);
}

void output_close(struct output *o)
{
  if (o->terminal && o->sim->ranks->rank == 0) fprintf(stderr, "\r\033[K");
  finish(o);
  if (o->trajectory) trajectory_close(o->trajectory);
  writer_close(o);
  if (o->csv && fclose(o->csv)) csv_failed(o);
  free(o->csv_name);
  free(o->checkpoint_name);
  free(o->run_text);
  free(o);
}
