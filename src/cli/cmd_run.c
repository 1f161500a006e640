/* lamella run: from a start or a checkpoint to the end of a run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "input/run_lists.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "md/enforce.h"
#include "md/job_log.h"
#include "md/membrane.h"
#include "md/observers.h"
#include "md/output.h"
#include "md/partition.h"
#include "md/performance.h"
#include "md/run.h"
#include "md/simulation.h"
#include "md/start.h"
#include "md/stop.h"
#include "mpi/comm/heartbeat.h"

static const struct option_help options[] = {
    {OPTION_SET},
    {"restart", "auto|never|FILE", NULL,
     .help = "auto: continue from the checkpoint of the prefix where there is one; never: begin "
             "at step 0 and move older files to a backup; or continue from a state file",
     .key = "restart"},
    {"verify", "N", NULL,
     .help = "recompute the forces on the CPU in double precision every N steps, report the worst "
             "deviation, and stop with status 3 where it is more than rounding; 0: never",
     .key = "run.verify"},
    {"max-hours", "H", NULL, .help = "stop with a checkpoint and status 99 after H hours",
     .key = "run.max_hours"},
    {"replicas", "N", NULL,
     .help =
         "run N copies side by side, each on its share of the ranks: copy K has run.replica K, so "
         "noise of its own, and writes to the folder replica-K beside the prefix"},
    {"dry-run", NULL, NULL, .help = "check input, ranks, memory and disk, and stop"},
    {0},
};

/* Copies of a run side by side in one job, each on its share of the ranks. */
struct replicas {
  int asked;        /* 1: --replicas is given */
  int n, number;    /* how many; which this rank belongs to, from 1 */
  struct ranks all; /* the ranks of all replicas, if n > 1 */
  struct heartbeat *heartbeat;
};

/* Files of replica K are named FOLDER/replica-K/NAME, where the prefix is FOLDER/NAME. */
static void prefix_in_replica(const struct ranks *r, struct params *p, int number)
{
  char *old = text_copy(p->output_prefix), *slash = strrchr(old, '/'), folder[40];
  const char *name = slash ? slash + 1 : old;
  if (slash) *slash = 0;
  snprintf(folder, sizeof folder, "%sreplica-%d", slash ? "/" : "", number);
  char *path = path_with(slash ? old : "", folder), *rest = path_with("/", name);
  int64_t error = r->rank == 0 && mkdir(path, 0777) && errno != EEXIST ? errno : 0;
  ranks_broadcast(r, &error, sizeof error);
  if (error) die_all(STATUS_IO, "cannot make the folder '%s': %s", path, strerror((int)error));
  char *prefix = path_with(path, rest);
  params_set_text(p, "output.prefix", prefix);
  free(prefix);
  free(path);
  free(rest);
  free(old);
}

/* Reads --replicas. r becomes the ranks of one replica. Status 2 if the number of ranks does not
   fit. Collective. */
static void replicas_divide(struct replicas *e, struct ranks *r, const struct arguments *a)
{
  const char *said = arguments_value(a, "replicas");
  int64_t n = 1;
  *e = (struct replicas){.n = 1, .number = 1};
  if (!said) return;
  if (!parse_int(said, &n) || n < 1 || n > r->size || r->size % n)
    die_all(STATUS_INPUT,
            "--replicas=%s: give a number of replicas that divides the number of ranks, which is "
            "%d",
            said, r->size);
  e->asked = 1;
  if (n == 1) return;
  e->n = (int)n;
  ranks_all(&e->all);
  e->number = 1 + ranks_divide(r, e->n);
  log_replica(e->number);
}

static int is_random(const struct params *p)
{
  return p->thermostat_type == THERMOSTAT_LANGEVIN || p->thermostat_type == THERMOSTAT_BUSSI ||
         p->barostat_type == BAROSTAT_CRESCALE;
}

/* Gives the parameters the prefix and the number of the replica. Status 2 if nothing in the run is
   random, so that all replicas would be one trajectory. Collective over all ranks. */
static void replicas_set(struct replicas *e, const struct ranks *r, struct params *p)
{
  if (!e->asked) return;
  if (e->n > 1 && !is_random(p))
    die_all(STATUS_INPUT,
            "--replicas=%d: nothing in this run is random, so all replicas would be the same "
            "trajectory; give it a thermostat (thermostat.type: langevin or bussi) or barostat "
            "(barostat.type: crescale) with noise, or make runs of different states",
            e->n);
  if (p->run_replica > 0)
    die_all(STATUS_INPUT,
            "run.replica: %lld is given, and --replicas=%d numbers the copies from 1: leave one of "
            "them out",
            (long long)p->run_replica, e->n);
  prefix_in_replica(r, p, e->number);
  params_set_int(p, "run.replica", e->number);
  if (e->n > 1)
    info("%d replicas, each on %d rank%s; the messages of replica 1 follow", e->n, r->size,
         r->size > 1 ? "s" : "");
}

/* Prints what a dry run has found: the steps that are to do in the replica with most, and in how
   many. to_do: those of this one. Collective over all ranks. */
static void replicas_to_do(const struct replicas *e, const struct ranks *r, int64_t to_do)
{
  if (e->n == 1) return;
  int64_t most = to_do, left = r->rank == 0 && to_do > 0;
  ranks_max_int64(&e->all, &most, 1);
  ranks_sum_int64(&e->all, &left, 1);
  if (most <= 0)
    info("nothing to do: all %d replicas are done", e->n);
  else
    info("dry run: input is right; %lld steps to do (%lld of %d replicas)", (long long)most,
         (long long)left, e->n);
}

/* Waits for all replicas. The exit status: the largest of all. Collective over all ranks. */
static int replicas_join(struct replicas *e, int status)
{
  if (e->n == 1) return status;
  status = ranks_join(&e->all, status);
  heartbeat_close(e->heartbeat);
  ranks_copy_free(&e->all);
  return status;
}

/* Without output.prefix, files are named after the run file. */
static void set_prefix(struct params *p, const char *file)
{
  const char *slash = strrchr(file, '/');
  if (p->output_prefix[0]) return;
  char *name = text_copy(slash ? slash + 1 : file), *dot = strrchr(name, '.');
  if (dot && dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))) *dot = 0;
  params_set_text(p, "output.prefix", name);
  free(name);
}

/* Status 2 if a file that the run reads has the name of one that it writes or moves to a backup. A
   checkpoint of the prefix may be read unless the run begins anew. Rank 0. */
static void spare_inputs(const struct params *p, const char *file)
{
  const int anew = !strcmp(p->restart, "never"), named = !anew && strcmp(p->restart, "auto") != 0;
  path_spare_input_prefix(p->output_prefix, file, 1);
  path_spare_input_prefix(p->output_prefix, p->forcefield, 1);
  path_spare_input_prefix(p->output_prefix, p->input, anew);
  if (named) path_spare_input_prefix(p->output_prefix, p->restart, 0);
}

static void say_start(struct sim *s)
{
  const struct params *p = s->params;
  char *name = partition_name(s), grid[40] = "", most[40] = "one rank";
  const long long ranks = box_most_ranks(s);
  if (ranks > 1) snprintf(most, sizeof most, "%lld ranks at most", ranks);
  if (s->ranks->size > 1) snprintf(grid, sizeof grid, " (%s)", name);
  info(
      "%d rank%s%s, backend %s, transport %s, %s precision; cutoff %.4g nm, skin %.4g nm; this box "
      "has room for %s",
      s->ranks->size, s->ranks->size > 1 ? "s" : "", grid, s->backend->ops->describe(s->backend),
      s->transport.ops->name, p->run_precision == PRECISION_DOUBLE ? "double" : "mixed", s->cutoff,
      s->system->lists.skin, most);
  free(name);
  membrane_say(s);
}

/* Runs a simulation that has been created, with its files and log. Returns the exit status. */
static int run_logged(struct sim *s, const struct start *t, const struct arguments *a)
{
  if (t->append) start_check_files(s);
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
  struct replicas replicas;
  replicas_divide(&replicas, r, a);
  stop_install(r);
  struct params *p = params_load(file, a->n_settings, a->setting);
  set_prefix(p, file);
  replicas_set(&replicas, r, p);
  path_check_prefix(r, p->output_prefix);
  if (r->rank == 0) spare_inputs(p, file);
  int lock = dry ? -1 : lock_take(r, p->output_prefix);
  struct heartbeat *heartbeat = dry ? NULL : heartbeat_open(r, p->parallel_timeout);
  if (!dry && replicas.n > 1) /* a rank of another replica may be lost while this one waits */
    replicas.heartbeat = heartbeat_open_beside(&replicas.all, r, p->parallel_timeout);
  struct start t = start_choose(r, p);
  const int64_t to_do = t.continued ? p->run_steps - t.system->clock.step : p->run_steps;
  output_check(r, p, t.system);
  if (t.continued && to_do <= 0) {
    if (!dry || replicas.n == 1)
      info("nothing to do: step %lld of %lld", (long long)t.system->clock.step,
           (long long)p->run_steps);
    if (!dry && t.append) {
      start_clean_files(r, p, t.system);
      measured_write_again(r, p->output_prefix, t.system);
    }
  } else {
    if (t.system->lists.step < 0) enforce_system(r, t.system, ENFORCE_LENGTHS);
    membrane_keep(r, p, t.system);
    struct sim *s = sim_create(r, p, t.system, SIM_RUN);
    say_start(s);
    measured_warn_unused(s->measured, p);
    if (dry) {
      performance_memory(s);
      if (r->size > 1) partition_print(s);
      performance_disk(s, t.append, replicas.n);
      if (replicas.n == 1) info("dry run: input is right; %lld steps to do", (long long)to_do);
    } else {
      status = run_logged(s, &t, a);
    }
    heartbeat_close(heartbeat);
    heartbeat = NULL;
    sim_destroy(s);
  }
  heartbeat_close(heartbeat);
  if (dry) replicas_to_do(&replicas, r, to_do);
  system_destroy(t.system);
  start_free(&t);
  if (!dry) lock_release(r, p->output_prefix, lock);
  params_destroy(p);
  return replicas_join(&replicas, status);
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
