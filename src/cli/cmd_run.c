/* lamella run: from a start or a checkpoint to the end of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/commands.h"
#include "input/external_file.h"
#include "io/lock.h"
#include "io/path.h"
#include "md/job_log.h"
#include "md/listcheck.h"
#include "md/output.h"
#include "md/performance.h"
#include "md/sampling.h"
#include "md/schedule.h"
#include "md/simulation.h"
#include "md/start.h"
#include "md/step.h"
#include "md/stop.h"
#include "md/verify.h"
#include "mpi/comm/heartbeat.h"

static const struct option_help options[] = {
    {.name = "set",
     .letter = "s",
     .argument = "SECTION.KEY=VALUE",
     .key = "",
     .help = "overrides a key of the run file; may be given several times"},
    {.name = "restart",
     .argument = "auto|never|FILE",
     .key = "restart",
     .help = "auto: continue from the checkpoint of the prefix where there is one; never: begin "
             "at step 0 and move older files to a backup; or continue from a state file"},
    {.name = "verify",
     .argument = "N",
     .key = "run.verify",
     .help = "recompute the forces on the CPU in double precision every N steps, report the worst "
             "deviation, and stop with status 3 where it is more than rounding; 0: never"},
    {.name = "max-hours",
     .argument = "H",
     .key = "run.max_hours",
     .help = "stop with a checkpoint and status 99 after H hours"},
    {.name = "dry-run", .help = "check input, ranks and memory, and stop"},
    {0},
};

static int has_checkpoint(const char *name)
{
  char *previous = path_with(name, ".prev");
  int found = path_exists(name) || path_exists(previous);
  free(previous);
  return found;
}

/* Without output.prefix, files are named after the run file. */
static void prefix_set(const struct ranks *r, struct params *p, const char *file)
{
  static const char former[] = "lamella"; /* the default of earlier versions */
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  if (p->output_prefix[0]) return;
  size_t n = strlen(base), cut = n > 5 && !strcmp(base + n - 5, ".yaml") ? 5 : 0;
  if (!cut && n > 4 && !strcmp(base + n - 4, ".yml")) cut = 4;
  free(p->output_prefix);
  p->output_prefix = alloc_array((long long)n + 1, 1);
  memcpy(p->output_prefix, base, n - cut);
  char *theirs = output_checkpoint_name(former), *ours = output_checkpoint_name(p->output_prefix);
  int64_t old = r->rank == 0 && has_checkpoint(theirs) && !has_checkpoint(ours);
  ranks_broadcast(r, &old, sizeof old);
  if (old)
    die_all(STATUS_INPUT,
            "'%s' is there, and the run file sets no output.prefix: that was its name in earlier "
            "versions, and is the name of the run file ('%s') now. To go on with it, set "
            "output.prefix to %s; else move it away or set another output.prefix",
            theirs, p->output_prefix, former);
  free(theirs);
  free(ours);
}

static void say_start(const struct sim *s)
{
  const struct params *p = s->params;
  info(
      "%d rank%s, backend %s, transport %s, %s precision; cutoff %.4g nm, skin %.4g nm, at most %d "
      "ranks fit this box",
      s->ranks->size, s->ranks->size > 1 ? "s" : "", s->backend->ops->describe(s->backend),
      s->transport.ops->name, p->run_precision == PRECISION_DOUBLE ? "double" : "mixed", s->cutoff,
      s->system->skin, slab_most_ranks(listcheck_halo_width(s), s->system->box[s->slab.axis]));
}

/* If the box has shrunk to nearly too small for lists or slabs, writes a checkpoint and ends the
   program with status 2. */
static void box_keep(struct sim *s, struct output *o)
{
  const struct system *y = s->system;
  double reach = s->cutoff + y->skin, halo = listcheck_halo_width(s), margin = 0.99;
  int most = slab_most_ranks(halo, margin * y->box[s->slab.axis]), small = 0;
  if (s->params->barostat_type == BAROSTAT_NONE || !s->drained) return;
  for (int k = 0; k < 3; k++)
    small |= margin * y->box[k] < 2 * reach;
  if (!small && (s->ranks->size == 1 || s->ranks->size <= most)) return;
  output_checkpoint(o);
  if (small)
    die_all(
        STATUS_INPUT,
        "step %lld: the box has shrunk to %.4g x %.4g x %.4g nm, nearly twice the list radius of "
        "%.4g nm: the checkpoint is written; a smaller neighbor.skin or a larger system is needed",
        (long long)y->step, y->box[0], y->box[1], y->box[2], reach);
  die_all(
      STATUS_INPUT,
      "step %lld: the box edge along %c has shrunk to %.4g nm, too thin for %d slabs of %.4g nm: "
      "the checkpoint is written; continue on at most %d ranks",
      (long long)y->step, "xyz"[s->slab.axis], y -> box[s->slab.axis], s -> ranks -> size, halo,
      most);
}

/* 1 if a stop is requested and the state of the present step is complete. */
static int stops(struct sim *s, struct stop_clock *c, double started)
{
  return s->drained &&
         stop_requested(s->ranks, c, s->system->step, started, s->params->run_max_hours);
}

/* Runs to the last step, or until a stop is requested. Returns the exit status. append: continue
   the files of the prefix. */
static int run_all(struct sim *s, int append)
{
  const struct params *p = s->params;
  const int64_t first = s->system->step;
  if (!append && first == 0 && s->system->n_accumulated == 0) sampling_now(s);
  struct output *o = output_open(s, append);
  struct stop_clock last = {0, 0, 0};
  int status = STATUS_DONE;
  if (!append && first < p->run_steps) output_checkpoint(o);
  timers_start(&s->timers);
  double started = ranks_time();
  stop_await_steps();
  while (s->system->step < p->run_steps) {
    heartbeat_step_begin(s->ranks);
    step_advance(s);
    heartbeat_step_end(s->ranks);
    if (schedule_due(p, s->system->step).verify) verify_forces(s);
    output_step(o);
    box_keep(s, o);
    if (stops(s, &last, started)) {
      status = s->system->step < p->run_steps ? STATUS_STOPPED : STATUS_DONE;
      break;
    }
  }
  stop_run_ends();
  timers_switch(&s->timers, TIMER_output);
  output_checkpoint(o);
  timers_switch(&s->timers, TIMER_other);
  double seconds = ranks_time() - started;
  output_close(o);
  if (s->system->step > first) performance_report(s, s->system->step - first, seconds);
  if (status == STATUS_STOPPED)
    info("stopped at step %lld of %lld; the same command %scontinues", (long long)s->system->step,
         (long long)p->run_steps, strcmp(p->restart, "auto") ? "with --restart=auto " : "");
  else
    info("done: step %lld of %lld", (long long)s->system->step, (long long)p->run_steps);
  return status;
}

/* Runs a simulation that has been created, with its files and log. Returns the exit status. */
static int run_logged(struct sim *s, const struct start *t, const struct arguments *a)
{
  start_make_room(s->ranks, s->params, t);
  job_log_open(s, a->argc, a->argv);
  int status = run_all(s, t->append);
  job_log_close(status);
  return status;
}

static int run_run(struct ranks *r, const struct arguments *a)
{
  const char *file = arguments_operand(a, 0);
  int status = STATUS_DONE, dry = arguments_value(a, "dry-run") != NULL;
  stop_install(r);
  struct params *p = params_load(file, a->n_settings, a->setting);
  prefix_set(r, p, file);
  path_check_prefix(r, p->output_prefix);
  int lock = dry ? -1 : lock_take(r, p->output_prefix);
  struct heartbeat *heartbeat = dry ? NULL : heartbeat_open(r, p->parallel_timeout);
  struct start t = start_choose(r, p);
  output_check(r, p, t.system);
  if (t.continued && t.system->step >= p->run_steps) {
    info("nothing to do: step %lld of %lld", (long long)t.system->step, (long long)p->run_steps);
    if (!dry && t.append) sampling_write_again(r, p, t.system);
  } else {
    struct sim *s = sim_create(r, p, t.system, CHECK_BONDS);
    say_start(s);
    sampling_warn_unused(s);
    if (dry) {
      performance_memory(s);
      info("dry run: input is right; %lld steps to do", (long long)(p->run_steps - t.system->step));
    } else {
      status = run_logged(s, &t, a);
    }
    heartbeat_close(heartbeat);
    heartbeat = NULL;
    sim_destroy(s);
  }
  heartbeat_close(heartbeat);
  system_destroy(t.system);
  start_free(&t);
  if (!dry) lock_release(r, p->output_prefix, lock);
  params_destroy(p);
  return status;
}

static void print_keys(void)
{
  params_help();
  external_forms_print();
}

const struct command command_run = {
    .name = "run",
    .operands = "RUN.yaml",
    .least = 1,
    .most = 1,
    .summary = "Simulates what a run file says; the same command continues a run",
    .print_more = print_keys,
    .option = options,
    .run = run_run,
};
