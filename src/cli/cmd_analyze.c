/* lamella analyze: observables of the frames of a trajectory. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "input/stages.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/analyze.h"
#include "md/membrane.h"
#include "md/observers.h"
#include "md/partition.h"
#include "md/simulation.h"
#include "observe/observable.h"

static const struct option_help options[] = {
    {OPTION_SET},
    {OPTION_STATE},
    {"output", "PREFIX", NULL,
     .help = "start of the names of the results; default: the trajectory's without its ending, and "
             "'.analysis'",
     .letter = "o"},
    {"first", "N", "1", .help = "first frame, counted from 1"},
    {"last", "N", NULL, .help = "last frame; default: all"},
    {0},
};

/* The parameters of a run file; of one with stages those of the stage of the state. */
static struct params *params_of_file(const struct arguments *a, const struct system *y)
{
  const char *file = arguments_operand(a, 1);
  struct params *p = params_load(file, a->n_settings, a->setting);
  struct stages *s = stages_read(p, a->n_settings, a->setting);
  struct params *was = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  const int k = s->stage[0].name ? stages_find(s, was ? was->output_prefix : "") : 0;
  if (k < 0)
    die_all(STATUS_INPUT, "%s: the trajectory is of no stage of it (its prefix was '%s')", file,
            was ? was->output_prefix : "");
  params_destroy(was);
  params_destroy(p);
  p = params_for_stage(s->stage[k].params, s->stage[k].params->stage);
  stages_destroy(s);
  return p;
}

/* The parameters of the run file. If none is given, the keys that observables read have the values
   of the run that wrote the state, unless --set gives others. */
static struct params *params_read(const struct arguments *a, const struct system *y)
{
  char number[FORMAT_REAL_BYTES];
  if (arguments_operand(a, 1)) return params_of_file(a, y);
  if (!y->run.parameters) return params_load(NULL, a->n_settings, a->setting);
  struct params *was = params_from_text(y->run.parameters);
  struct arguments *own = alloc_array(1, sizeof *own);
  arguments_set(own, "run.dt", format_real(was->run_dt, number));
  arguments_set(own, "thermostat.temperature",
                format_real(ramp_last(&was->thermostat_temperature), number));
  arguments_set(own, "output.bilayers", format_real((double)was->output_bilayers, number));
  arguments_set(own, "membrane.lipids", was->membrane_lipids);
  arguments_set(own, "membrane.heads", was->membrane_heads);
  if (strcmp(was->coordinates, "[]") != 0) arguments_set(own, "coordinates", was->coordinates);
  arguments_set(own, "membrane.flat", was->membrane_flat == FLAT_YES ? "yes" : "auto");
  params_destroy(was);
  for (int k = 0; k < a->n_settings; k++)
    arguments_set(own, "", a->setting[k]);
  struct params *p = params_load(NULL, own->n_settings, own->setting);
  arguments_destroy(own);
  return p;
}

/* The time step that the frames had, if it is another one than that of the run file. */
static void set_dt(struct params *p, const struct trajectory_index *t, struct analyze_range range)
{
  const double steps = (double)(t->step[range.last] - t->step[range.first]);
  const double dt = steps > 0 ? (t->time[range.last] - t->time[range.first]) / steps : 0;
  if (!(dt > 0) || fabs(dt - p->run_dt) <= 1e-6 * dt) return;
  info("time step of the frames: %.10g ps, which is used instead of run.dt, %.10g ps", dt,
       p->run_dt);
  params_set_real(p, "run.dt", dt);
}

/* Status 2 if the prefix is that of a run, whose results would be replaced. */
static void refuse_prefix(const struct ranks *r, const char *prefix)
{
  char *checkpoint = path_with(prefix, ".checkpoint.h5");
  int64_t found = r->rank == 0 && path_exists(checkpoint);
  ranks_broadcast(r, &found, sizeof found);
  if (found)
    die_all(STATUS_INPUT,
            "--output=%s: a run has this prefix ('%s'), and its results would be replaced", prefix,
            checkpoint);
  free(checkpoint);
}

static struct params *params_of(const struct ranks *r, const struct arguments *a,
                                const struct system *y)
{
  struct params *p = params_read(a, y);
  params_set_real(p, "neighbor.skin", 0.01 * y->ff->cutoff);
  params_set_text(p, "biases", "[]");
  const long long ranks = partition_ranks(p->parallel_grid);
  if (ranks && ranks != r->size) params_set_text(p, "parallel.grid", "auto"); /* it had others */
  const char *prefix = arguments_value(a, "output");
  char *beside = path_instead(arguments_operand(a, 0), ".h5md", ".analysis");
  params_set_text(p, "output.prefix", prefix ? prefix : beside);
  free(beside);
  path_check_prefix(r, p->output_prefix);
  path_check_folder(r, p->output_prefix);
  refuse_prefix(r, p->output_prefix);
  membrane_keep(r, p, y);
  if (p->observe[0] && strcmp(p->observe, "[]") != 0) return p;
  struct lipids *lipids = membrane_open(r, p, y);
  params_set_text(p, "observe", analyze_standard(membrane_count(r, y, lipids)));
  lipids_destroy(lipids);
  return p;
}

static int is_trajectory(const struct dirent *entry)
{
  return path_ends(entry->d_name, ".h5md");
}

/* Status 4 if there is no such file, with those that are in its folder. Rank 0. */
static void require_trajectory(const char *path)
{
  const char *slash = strrchr(path, '/');
  struct dirent **entry = NULL;
  struct text_stream text;
  if (path_exists(path)) return;
  char *folder = slash ? text_format("%.*s", (int)(slash + 1 - path), path) : text_copy(".");
  const int n = scandir(folder, &entry, is_trajectory, alphasort);
  FILE *out = text_begin(&text);
  for (int k = 0; k < n; k++)
    fprintf(out, "%s%s", k ? ", " : "; trajectories beside it: ", entry[k]->d_name);
  die_all(STATUS_IO, "%s: there is no such file%s", path, text_end(&text));
}

static int analyze_run(struct ranks *r, const struct arguments *a)
{
  if (r->rank == 0) require_trajectory(arguments_operand(a, 0));
  char *state = arguments_state(a);
  struct analyze_input in;
  struct trajectory_reader *t = &in.reader;
  analyze_open(&in, r, arguments_operand(a, 0), state, arguments_int(a, "first", 1, INT64_MAX, 0),
               arguments_int(a, "last", 1, INT64_MAX, 0));
  const struct analyze_range range = in.range;
  struct system *y = in.system;
  run_record_set_accumulated(&y->run, 0, NULL);
  run_record_set_forces(&y->run, 0, NULL);
  struct params *p = params_of(r, a, y);
  const int lock = lock_take(r, p->output_prefix);
  set_dt(p, &t->index, range);
  if (t->index.n == y->n_total) analyze_read_frame(r, t, range.first, y);
  list_build_forget(&y->lists);
  struct sim *s = sim_create(r, p, y, SIM_STATE);
  membrane_say(s);
  analyze_frames(s, &in);
  struct run_record results = {0};
  measured_save(s->measured, r, &results);
  measured_write(s->measured, r, p->output_prefix, &results);
  run_record_free(&results);
  info("frames %lld to %lld: %s.observables.h5", (long long)range.first + 1,
       (long long)range.last + 1, p->output_prefix);
  analyze_close(&in);
  sim_destroy(s);
  system_destroy(y);
  lock_release(r, p->output_prefix, lock);
  params_destroy(p);
  free(state);
  return STATUS_DONE;
}

/* The kinds of observables, for --help. */
static void kinds_help(void)
{
  printf("\nObservables, the items of the list 'observe' of the run file. Options of all: every, "
         "from,\n"
         "name, frames.\n");
  const struct observable_kind *kind;
  for (int k = 0; (kind = observable_kind(k)); k++) {
    printf("  %-12s %s\n", kind->name, kind->summary);
    if (kind->options[0]) printf("  %-12s options: %s\n", "", kind->options);
  }
}

const struct command command_analyze = {
    .name = "analyze",
    .operands = "TRAJECTORY.h5md [RUN.yaml]",
    .least = 1,
    .most = 2,
    .summary = "Measures the observables of a run file in the frames of a trajectory",
    .print_more = kinds_help,
    .option = options,
    .run = analyze_run,
};
