/* lamella run: from a start or a checkpoint to the end of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/replicas.h"
#include "input/coordinate_lists.h"
#include "input/exchange_keys.h"
#include "input/field_reader.h"
#include "input/stages.h"
#include "io/backup.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "md/contents.h"
#include "md/coordinate_file.h"
#include "md/energies.h"
#include "md/enforce.h"
#include "md/groups.h"
#include "md/job_log.h"
#include "md/membrane.h"
#include "md/minimise.h"
#include "md/observers.h"
#include "md/output.h"
#include "md/partition.h"
#include "md/performance.h"
#include "md/plumed.h"
#include "md/run.h"
#include "md/simulation.h"
#include "md/stage.h"
#include "md/start.h"
#include "md/thread_count.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/comm/mps.h"
#include "setup/motion.h"

enum { RUN_FILES_MOST = 10000 };

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

/* Without output.prefix, files are named after the run file. */
static void set_prefix(struct params *p, const char *file)
{
  if (p->output_prefix[0]) return;
  char *name = path_run_name(file);
  params_set_text(p, "output.prefix", name);
  free(name);
}

/* Status 2 if a file that the run reads has the name of one that it writes or moves to a backup. A
   checkpoint of the first stage may be read unless the run begins anew. Rank 0. */
static void spare_inputs(const struct stages *s, const char *file)
{
  for (int k = 0; k < s->n; k++) {
    const struct params *p = s->stage[k].params;
    const int anew = !strcmp(p->restart, "never"), named = !anew && strcmp(p->restart, "auto") != 0;
    path_spare_input_prefix(p->output_prefix, file, 1);
    path_spare_input_prefix(p->output_prefix, p->forcefield, 1);
    path_spare_input_prefix(p->output_prefix, s->stage[0].params->input, anew || k > 0);
    if (named) path_spare_input_prefix(p->output_prefix, p->restart, 0);
  }
}

static void say_start(struct sim *s)
{
  const struct params *p = s->params;
  char *name = partition_name(s), grid[40] = "", most[40] = "one rank", threads[80] = "";
  const long long ranks = box_most_ranks(s);
  if (ranks > 1) snprintf(most, sizeof most, "%lld ranks at most", ranks);
  if (s->ranks->size > 1) snprintf(grid, sizeof grid, " (%s)", name);
  if (s->backend->threads > 0) thread_count_say(s->ranks, s->backend->threads, threads);
  info("%d rank%s%s, %s%sbackend %s, transport %s, %s precision; cutoff %.4g nm, skin %.4g nm; "
       "this box has room for %s",
       s->ranks->size, s->ranks->size > 1 ? "s" : "", grid, threads, threads[0] ? ", " : "",
       s->backend->ops->describe(s->backend), s->transport.ops->name,
       p->run_precision == PRECISION_DOUBLE ? "double" : "mixed", s->cutoff, s->system->lists.skin,
       most);
  free(name);
  membrane_say(s);
  groups_say(s);
}

/* What a job does. */
struct job {
  struct ranks *ranks;
  const struct arguments *arguments;
  struct stages *stages;
  int first; /* the first stage that is not done */
  int dry, replicas;
  int idle; /* 1: nothing is to do */
  struct stop_clock stop;
};

/* Of a run that begins anew or from a named state: the old files of later stages go to a backup,
   the last first, so that what is left after a kill is the start of a chain. */
static void later_stages_make_room(const struct job *j, int k)
{
  const struct stages *s = j->stages;
  if (k != j->first || !strcmp(s->stage[k].params->restart, "auto")) return;
  for (int later = s->n - 1; later > k && j->ranks->rank == 0; later--)
    backup_prefix(s->stage[later].params->output_prefix);
}

/* Runs a simulation that has been created, with its files and log. Returns the exit status. */
static int run_logged(struct job *j, int k, struct sim *s, const struct start *t)
{
  const struct params *p = j->stages->stage[k].params;
  if (t->append) start_check_files(s);
  later_stages_make_room(j, k);
  start_make_room(s->ranks, p, t);
  job_log_open(s, j->arguments->argc, j->arguments->argv);
  int status =
      p->minimise_steps > 0 ? minimise_run(s, p, &j->stop) : run_all(s, t->append, &j->stop);
  job_log_close(status);
  return status;
}

/* The velocities that a run begins with, if it draws them. */
static void draw_velocities(const struct ranks *r, const struct params *p, struct system *y)
{
  const uint64_t seed = y->clock.seed, number = p->run_replica > 1 ? (uint64_t)p->run_replica : 1;
  if (isnan(p->velocities_temperature)) return;
  motion_draw(r, y, p->velocities_temperature, (uint64_t)p->velocities_seed + number - 1);
  clock_set_seed(&y->clock, seed);
  enforce_system(r, y, ENFORCE_MOMENTA);
}

/* From the start of stage k to its end, or in a dry run to its first step. heartbeat: is closed.
   Returns the exit status. */
static int run_from(struct job *j, int k, const struct start *t, struct heartbeat *heartbeat)
{
  struct params *p = j->stages->stage[k].params;
  struct params *minimiser = p->minimise_steps > 0 ? minimise_params(p, t->system) : NULL;
  int status = STATUS_DONE;
  j->idle = 0;
  if (t->system->lists.step < 0) enforce_system(j->ranks, t->system, ENFORCE_LENGTHS);
  if (!minimiser && !t->continued) draw_velocities(j->ranks, p, t->system);
  if (!minimiser) membrane_keep(j->ranks, p, t->system);
  struct sim *s = sim_create(j->ranks, minimiser ? minimiser : p, t->system,
                             minimiser ? SIM_MINIMISE : SIM_RUN);
  if (!minimiser) {
    energies_refuse_twins(s);
    coordinate_file_refuse_twins(s);
  }
  say_start(s);
  contents_note(s);
  if (!j->dry) plumed_open(s);
  measured_warn_unused(s->measured, p);
  if (j->dry) {
    performance_memory(s);
    if (j->ranks->size > 1) partition_print(s);
    if (!minimiser) performance_disk(s, t->append, j->replicas);
  } else {
    status = run_logged(j, k, s, t);
  }
  heartbeat_close(heartbeat);
  sim_destroy(s);
  params_destroy(minimiser);
  return status;
}

/* Runs a stage that is not done. *to_do: its steps that are left. Returns the exit status. */
static int run_stage(struct job *j, int k, int64_t *to_do)
{
  const struct stage *g = &j->stages->stage[k];
  const struct params *p = g->params;
  int status = STATUS_DONE, lock = j->dry ? -1 : lock_take(j->ranks, p->output_prefix);
  struct heartbeat *heartbeat = j->dry ? NULL : heartbeat_open(j->ranks, p->parallel_timeout);
  if (g->name) info("stage %s, %d of %d", g->name, k + 1, j->stages->n);
  struct start t = start_choose(j->ranks, p);
  *to_do = stage_steps(p, t.continued ? t.system->clock.step : 0);
  output_check(p, t.system);
  plumed_agree_start(j->ranks, p, t.continued ? t.system->clock.step : 0, "step");
  if (k == j->first) stage_check(j->ranks, j->stages, k + 1, t.system, j->dry ? j->replicas : 0);
  if (t.continued && *to_do <= 0) {
    if (!j->dry || j->replicas == 1)
      info("nothing to do: step %lld of %lld", (long long)t.system->clock.step,
           (long long)p->run_steps);
    heartbeat_close(heartbeat);
    if (!j->dry && t.append) stage_tidy(j->ranks, p);
  } else {
    status = run_from(j, k, &t, heartbeat);
  }
  system_destroy(t.system);
  start_free(&t);
  if (!j->dry) lock_release(j->ranks, p->output_prefix, lock);
  return status;
}

/* 1 if a stop is requested before stage k, or where it exchanges replicas, if one of these has
   stopped before it. status: of the stages before. */
static int stops_before(struct job *j, int k, int status)
{
  const struct stage *g = &j->stages->stage[k];
  int64_t stop = status != STATUS_DONE;
  if (k == j->first) return 0;
  stop_clock_begin(&j->stop);
  if (!stop) stop = stop_requested(j->ranks, &j->stop, 0, g->params->run_max_hours);
  if (g->params->exchange_every > 0) stop = ranks_range_of_groups(j->ranks, stop).most;
  if (!stop || status != STATUS_DONE) return (int)stop;
  info("stopped before stage %s; the same command %scontinues", g->name,
       strcmp(g->params->restart, "auto") ? "with --restart=auto " : "");
  return 1;
}

/* The first stage that is not done in all replicas, where a stage exchanges them; else `first`,
   that of this one. */
static int first_of_replicas(const struct ranks *r, const struct stages *s, int first)
{
  int exchanges = 0;
  for (int k = 0; k < s->n; k++)
    exchanges |= s->stage[k].params->exchange_every > 0;
  if (!exchanges) return first;
  return (int)ranks_range_of_groups(r, first).least;
}

/* Runs all stages that are not done. *to_do: of a dry run. Returns the exit status. */
static int run_stages(struct job *j, int64_t *to_do)
{
  int status = STATUS_DONE;
  *to_do = 0;
  const int own = stage_first(j->ranks, j->stages);
  plumed_agree_start(j->ranks, j->stages->stage[0].params, own, "stage");
  j->first = first_of_replicas(j->ranks, j->stages, own);
  for (int k = 0; k < j->first; k++) {
    const struct stage *g = &j->stages->stage[k];
    if (strcmp(g->params->restart, "auto")) continue; /* the named state comes after it */
    if (g->name) info("stage %s, %d of %d: done", g->name, k + 1, j->stages->n);
    if (!j->dry && k == j->first - 1) stage_tidy(j->ranks, g->params);
  }
  j->idle = 1;
  if (j->first == j->stages->n && (!j->dry || j->replicas == 1)) info("nothing to do");
  for (int k = j->first; k < j->stages->n; k++) {
    const struct params *p = j->stages->stage[k].params;
    int64_t steps = stage_steps(p, 0);
    if ((status != STATUS_DONE || k < own) && p->exchange_every == 0) continue;
    if (!j->dry && stops_before(j, k, status)) return STATUS_STOPPED;
    if (!j->dry || k == j->first) status = run_stage(j, k, &steps);
    j->idle &= k == j->first;
    *to_do += steps > 0 ? steps : 0;
  }
  return status;
}

/* A run file that is read. */
struct run_input {
  struct params *params;
  struct stages *stages;
};

/* Reads run files; of those of a share, each becomes ready to run. */
static struct run_input *read_files(const struct replicas *e, const struct ranks *r,
                                    const struct arguments *a)
{
  struct run_input *in = alloc_array(a->n_operands, sizeof *in);
  for (int k = 0; k < a->n_operands; k++) {
    const char *file = arguments_operand(a, k);
    struct params *p = in[k].params = params_load(file, a->n_settings, a->setting);
    set_prefix(p, file);
    in[k].stages = stages_read(p, a->n_settings, a->setting);
    for (int m = 0; m < k; m++)
      if (!strcmp(p->output_prefix, in[m].params->output_prefix))
        die_all(STATUS_INPUT, "%s and %s would write the same files, %s.*: give each a prefix",
                arguments_operand(a, m), file, p->output_prefix);
    replicas_set(e, r, p, in[k].stages);
    for (int m = 0; m < in[k].stages->n; m++)
      exchange_check(in[k].stages->stage[m].params, r->groups > 1 ? r->groups : (int)e->asked);
    stages_link(in[k].stages);
    for (int m = 0; m < in[k].stages->n; m++)
      plumed_check(r, in[k].stages->stage[m].params);
  }
  return in;
}

/* Runs a run file. *to_do: of a dry run. Returns the exit status. */
static int run_file(struct job *j, const struct replicas *e, const struct params *p,
                    const char *file, int64_t *to_do)
{
  const struct ranks *r = j->ranks;
  for (int k = 0; k < j->stages->n; k++)
    path_check_prefix(r, j->stages->stage[k].params->output_prefix);
  if (r->rank == 0) spare_inputs(j->stages, file);
  const int locks = !j->dry && j->stages->stage[0].name;
  const int lock = locks ? lock_take(r, p->output_prefix) : -1;
  const int status = run_stages(j, to_do);
  if (j->dry && e->asked && e->n > 1)
    replicas_to_do(e, r, *to_do);
  else if (j->dry && !j->idle && e->n_files == 1)
    info("dry run: input is right; %lld steps to do", (long long)*to_do);
  if (locks) lock_release(r, p->output_prefix, lock);
  return status;
}

/* 1 if a stop is requested before a run file that is not the first of its share. */
static int stops_before_file(struct job *j, const struct params *p, const char *file)
{
  if (j->dry || !stop_requested(j->ranks, &j->stop, 0, p->run_max_hours)) return 0;
  info("stopped before %s; the same command continues", file);
  return 1;
}

/* Runs those run files that this share of the ranks does. Returns the exit status. */
static int run_files(struct job *j, const struct replicas *e, const struct run_input *in)
{
  int64_t to_do, sum = 0;
  int status = STATUS_DONE;
  const int first = e->n_files > 1 ? e->number - 1 : 0;
  for (int k = first; k < e->n_files && status == STATUS_DONE; k += e->n) {
    const char *file = arguments_operand(j->arguments, k);
    stop_clock_begin(&j->stop);
    if (k > first && stops_before_file(j, in[k].params, file)) return STATUS_STOPPED;
    replicas_begin_file(e, j->ranks, file, k);
    j->stages = in[k].stages;
    status = run_file(j, e, in[k].params, file, &to_do);
    sum += to_do;
  }
  if (j->dry && e->n_files > 1) replicas_to_do(e, j->ranks, sum);
  return status;
}

/* MPS for the ranks that share GPUs in the runs of in. It stays until the processes have ended: an
   MPS that ends before its clients takes them with it. */
static void mps_open_for(struct mps *m, const struct job *j, const struct replicas *e,
                         const struct run_input *in)
{
  struct mps_rank self = {.gpus = gpus_visible("/dev"), .in_use = gpus_in_use()};
  for (int k = e->n_files > 1 ? e->number - 1 : 0; k < e->n_files; k += e->n)
    for (int n = 0; n < in[k].stages->n; n++) {
      const struct params *p = in[k].stages->stage[n].params;
      self.uses_gpu |= !j->dry && backend_wants_gpu((int)p->parallel_backend);
      self.is_forbidden |= p->parallel_mps == MPS_NO;
    }
  mps_open(m, &self);
  mps_say(m);
}

static int run_run(struct ranks *r, const struct arguments *a)
{
  struct replicas replicas;
  struct mps mps;
  replicas_divide(&replicas, r, a);
  stop_install(r);
  struct run_input *in = read_files(&replicas, r, a);
  struct job j = {.ranks = r,
                  .arguments = a,
                  .dry = arguments_value(a, "dry-run") != NULL,
                  .replicas = replicas.asked ? replicas.n : 1};
  mps_open_for(&mps, &j, &replicas, in);
  if (!j.dry) replicas_watch(&replicas, r, in[0].params->parallel_timeout);
  const int status = run_files(&j, &replicas, in);
  for (int k = 0; k < a->n_operands; k++) {
    stages_destroy(in[k].stages);
    params_destroy(in[k].params);
  }
  free(in);
  return replicas_join(&replicas, status);
}

static void print_keys(void)
{
  params_help();
  external_forms_print();
  bias_kinds_print();
}

const struct command command_run = {
    .name = "run",
    .operands = "RUN.yaml [RUN.yaml]...",
    .least = 1,
    .most = RUN_FILES_MOST,
    .summary = "Simulates what run files say, as many side by side as there are ranks; the same "
               "command continues them",
    .print_more = print_keys,
    .option = options,
    .run = run_run,
};
