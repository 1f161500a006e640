#include "md/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parallel_loop.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "base/worker.h"
#include "io/h5md/write.h"
#include "io/state.h"
#include "md/biases.h"
#include "md/coordinate_file.h"
#include "md/energies.h"
#include "md/exchange.h"
#include "md/fields.h"
#include "md/hills.h"
#include "md/observers.h"
#include "md/plumed.h"
#include "md/schedule.h"
#include "md/snapshot.h"
#include "md/stop.h"

enum { FRAME = 1, CHECKPOINT = 2 };

struct output {
  struct sim *sim;
  /* The writing thread. While it writes, it alone uses the members from worker to busy. */
  int threaded;
  struct worker worker;
  struct ranks ranks;
  struct trajectory *trajectory;
  struct snapshot snapshot;
  struct system *written; /* the state being written: a copy */
  double *force;          /* forces of its beads, for a frame; NULL: the frames have none */
  double *observed;       /* values of observables, for a frame; on rank 0 */
  int due;                /* FRAME, CHECKPOINT or both */
  double busy;            /* s that the last write took */

  struct energies *energies;
  struct coordinate_file *coordinates;
  struct hill_file *hills;
  char *checkpoint_name;
  char *run_text;
  double started, progress_shown, saved; /* ranks_time() of the start, the last progress line and
                                            checkpoint */
  int64_t first_step, saved_step, clock_step;
  int terminal;
  double progress_every; /* s; 0: as `progress` chooses */
};

char *output_checkpoint_name(const char *prefix)
{
  char *name = path_with(prefix, ".checkpoint.h5"), *target = path_target(name);
  free(name);
  return target;
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

/* Writes the files that are due, on the main or the writing thread. */
static void write_due(void *argument)
{
  struct output *o = argument;
  double started = ranks_time();
  stop_writing(1);
  snapshot_deliver(&o->snapshot, &o->ranks, o->written, o->force);
  if (o->due & FRAME)
    trajectory_write(o->trajectory, o->written, (const double(*)[3])o->force, o->observed);
  if (o->due & CHECKPOINT) {
    energies_sync(o->energies);
    coordinate_file_sync(o->coordinates);
    hill_file_sync(o->hills);
    state_write(&o->ranks, o->checkpoint_name, o->written, o->run_text);
    measured_write(o->sim->measured, &o->ranks, o->sim->params->output_prefix, &o->written->run);
  }
  stop_writing(0);
  o->busy = ranks_time() - started;
}

static void finish(struct output *o)
{
  double started = ranks_time();
  worker_wait(&o->worker);
  if (o->threaded) timers_overlap(&o->sim->timers, fmax(o->busy - (ranks_time() - started), 0));
  o->busy = 0;
}

static void files_write(struct output *o, int what)
{
  const struct sim *s = o->sim;
  if (!what) return;
  finish(o);
  if (what & CHECKPOINT) exchange_meet(o->sim);
  snapshot_take(o->sim, fields_of(o, what), &o->snapshot);
  biases_save(o->sim);
  fields_save(o->sim);
  exchange_save(o->sim);
  system_copy_state(o->written, s->system);
  sampling_catch_up(s, 0);
  if (what & FRAME && s->ranks->rank == 0) measured_frames_values(s->measured, o->observed);
  if (what & CHECKPOINT) measured_save(s->measured, s->ranks, &o->written->run);
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
  int64_t spare = parallel_processors(NULL) > 1;
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
  o->written = system_copy(o->sim->system);
}

static void writer_close(struct output *o)
{
  worker_close(&o->worker);
  system_destroy(o->written);
  free(o->force);
  free(o->observed);
  snapshot_free(&o->snapshot);
  ranks_copy_free(&o->ranks);
}

/* s NULL: of all beads. */
static struct trajectory_request request_of(const struct params *p, const struct sim *s)
{
  struct trajectory_request want = {(int)p->output_velocities,
                                    (int)p->output_forces,
                                    (enum trajectory_positions)p->output_frames_positions,
                                    p->output_frames_precision,
                                    s ? s->frames_text : "",
                                    s ? &s->frames : NULL,
                                    {0, NULL},
                                    NULL};
  return want;
}

void output_check(const struct params *p, const struct system *y)
{
  const struct trajectory_request want = request_of(p, NULL);
  trajectory_check_request(y, &want);
}

double output_frame_bytes(const struct sim *s)
{
  struct trajectory_request want = request_of(s->params, s);
  measured_frames_list(s->measured, &want.observed);
  const double bytes = trajectory_check_request(s->system, &want);
  trajectory_observed_free(&want.observed);
  return bytes;
}

/* Opens the trajectory. An existing one is truncated even if this job adds no frames. */
static void frames_open(struct output *o, int restarted)
{
  const struct sim *s = o->sim;
  const struct params *p = s->params;
  struct trajectory_request want = request_of(p, s);
  const int exists = restarted && trajectory_exists(&o->ranks, p->output_prefix);
  want.lipids = s->lipids;
  measured_frames_list(s->measured, &want.observed);
  if (p->output_frames_every == 0 && want.observed.n)
    warn("observe: 'frames: yes' has no effect, because the run writes no frames: set "
         "output.frames_every");
  if (p->output_frames_every == 0 && !exists) {
    trajectory_observed_free(&want.observed);
    return;
  }
  o->observed = alloc_array(trajectory_observed_count(&want.observed), sizeof *o->observed);
  o->trajectory = trajectory_open(&o->ranks, p->output_prefix, s->system,
                                  restarted ? s->system->clock.step : -1, &want);
  trajectory_observed_free(&want.observed);
  if (frames_have(o, ELEMENT_FORCE)) o->force = alloc_array(3 * s->system->n, sizeof *o->force);
}

/* Seconds between progress lines, for programs that follow a run; 0: none are asked for. */
static double progress_interval(void)
{
  const char *text = getenv("LAMELLA_PROGRESS");
  double seconds = 0;
  if (text && !(parse_real(text, &seconds) && seconds > 0))
    die_all(STATUS_INPUT,
            "the environment variable LAMELLA_PROGRESS is '%s': expected seconds between progress "
            "lines, above 0",
            text);
  return seconds;
}

struct output *output_open(struct sim *s, int restarted)
{
  const struct params *p = s->params;
  struct output *o = alloc_array(1, sizeof *o);
  o->sim = s;
  o->checkpoint_name = output_checkpoint_name(p->output_prefix);
  o->run_text = params_text(p);
  o->started = o->progress_shown = o->saved = ranks_time();
  o->first_step = o->clock_step = s->system->clock.step;
  o->saved_step = restarted ? s->system->clock.step : -1;
  o->terminal = isatty(STDERR_FILENO);
  o->progress_every = progress_interval();
  if (restarted) measured_keep_results(s->measured, s->ranks, p->output_prefix, s->system);
  o->energies = energies_open(s, o->checkpoint_name, restarted);
  o->coordinates = coordinate_file_open(s, o->checkpoint_name, restarted);
  o->hills = hill_file_open(s, o->checkpoint_name);
  writer_open(o);
  frames_open(o, restarted);
  if (p->output_frames_every > 0 && (!restarted || schedule_due(p, s->system->clock.step).frame))
    files_write(o, FRAME); /* an existing frame of this step is not written again */
  return o;
}

/* CHECKPOINT if none of the present step has been written or begun, else 0. Status 3 if a coupling
   is due and the sums overflow: every run that continued from such a checkpoint would end. */
static int checkpoint_new(struct output *o)
{
  struct sim *s = o->sim;
  if (o->saved_step == s->system->clock.step) return 0;
  const struct due due = schedule_due(s->params, s->system->clock.step);
  if (due_coupling_sums(&due) && s->thermo_step != s->system->clock.step) thermo_require_finite(s);
  o->saved_step = s->system->clock.step;
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
  int64_t step = o->sim->system->clock.step, over = ranks_time() - o->saved > 60 * minutes;
  const int asks = o->sim->exchange ? exchange_asks(o->sim) : step >= o->clock_step + 10;
  if (!(minutes > 0) || o->sim->in_flight || !asks) return 0;
  o->clock_step = step;
  ranks_max_int64(o->sim->ranks, &over, 1);
  return exchange_any(o->sim, over != 0) && plumed_is_ready(o->sim);
}

/* Prints the progress line. On a terminal it overwrites itself; elsewhere lines come at growing
   intervals of at most a minute. */
static void progress(struct output *o)
{
  const struct sim *s = o->sim;
  int64_t step = s->system->clock.step, done = step - o->first_step;
  if (!log_shows_info() || step % 10 != 0 || done <= 0) return;
  double now = ranks_time();
  double wait = o->terminal ? 0.5 : fmin(fmax(0.5 * (o->progress_shown - o->started), 5), 60);
  if (o->progress_every > 0) wait = o->progress_every;
  if (now - o->progress_shown < wait) return;
  o->progress_shown = now;
  double rate = (double)done / (now - o->started);
  double left = (double)(s->params->run_steps - step) / rate;
  fprintf(stderr,
          "%sstep %" PRId64 " of %" PRId64 ", %.1f ps, %.0f K, %.1f steps/s, %.1f ns/day, "
          "%.0f min %02.0f s left%s",
          o->terminal ? "\r\033[K" : "", step, s->params->run_steps, s->system->clock.time,
          s->thermo.temperature, rate, rate * s->params->run_dt * 86.4, floor(left / 60),
          floor(fmod(left, 60)), o->terminal ? "" : "\n");
  fflush(stderr);
}

void output_step(struct output *o)
{
  const struct due due = schedule_due(o->sim->params, o->sim->system->clock.step);
  timers_switch(&o->sim->timers, TIMER_output);
  if (due.report) energies_write(o->energies);
  coordinate_file_write(o->coordinates);
  hill_file_write(o->hills);
  int what = due.frame ? FRAME : 0;
  if (due.checkpoint || minutes_over(o)) what |= checkpoint_new(o);
  files_write(o, what);
  progress(o);
  timers_switch(&o->sim->timers, TIMER_other);
}

void output_close(struct output *o)
{
  if (o->terminal && log_shows_info()) fprintf(stderr, "\r\033[K");
  finish(o);
  if (o->trajectory) trajectory_close(o->trajectory);
  writer_close(o);
  energies_close(o->energies);
  coordinate_file_close(o->coordinates);
  hill_file_close(o->hills);
  free(o->checkpoint_name);
  free(o->run_text);
  free(o);
}
