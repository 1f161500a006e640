/* lamella run: from a start or a checkpoint to the end of a run. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lock.h"
#include "log.h"
#include "output.h"
#include "performance.h"
#include "state.h"
#include "step.h"
#include "stop.h"
#include "verify.h"

static const char help[] =
    "Usage: lamella run RUN.yaml [options]\n"
    "  -s, --set=SECTION.KEY=VALUE  override a key of the run file (repeatable)\n"
    "      --restart=auto|never|FILE\n"
    "      --verify=N               compare forces with a recomputation every N steps\n"
    "      --max-hours=H            stop with a checkpoint and status 99 after H hours\n"
    "      --dry-run                check input, ranks and memory, and stop\n"
    "      --help                   this text and every key of the run file\n"
    "Exit status: 0 done, 2 wrong input, 3 numerical failure, 4 files, 99 stopped early.\n";

struct run_options {
  const char *file;
  char **set;
  int n_set, dry;
};

static void option_set(struct run_options *o, const char *key, const char *value)
{
  size_t size = strlen(key) + strlen(value) + 2;
  char *text = alloc_array((long long)size, 1);
  snprintf(text, size, key[0] ? "%s=%s" : "%s%s", key, value);
  o->set = grow_array(o->set, o->n_set + 1, sizeof *o->set);
  o->set[o->n_set++] = text;
}

/* 0: help was asked for and printed. */
static int options_read(const struct ranks *r, int argc, char **argv, struct run_options *o)
{
  static const struct option known[] = {{"set", required_argument, 0, 's'},
                                        {"restart", required_argument, 0, 'r'},
                                        {"verify", required_argument, 0, 'v'},
                                        {"max-hours", required_argument, 0, 'm'},
                                        {"dry-run", no_argument, 0, 'd'},
                                        {"help", no_argument, 0, 'h'},
                                        {0, 0, 0, 0}};
  int c;
  memset(o, 0, sizeof *o);
  opterr = 0;
  while ((c = getopt_long(argc, argv, "s:h", known, NULL)) != -1)
    switch (c) {
    case 's':
      option_set(o, "", optarg);
      break;
    case 'r':
      option_set(o, "restart", optarg);
      break;
    case 'v':
      option_set(o, "run.verify", optarg);
      break;
    case 'm':
      option_set(o, "run.max_hours", optarg);
      break;
    case 'd':
      o->dry = 1;
      break;
    case 'h':
      if (r->rank == 0) {
        fputs(help, stdout);
        params_help();
      }
      return 0;
    default:
      die_all(STATUS_INPUT,
              "run: option %s is not known or lacks its value; see lamella run --help",
              argv[optind - 1]);
    }
  if (optind + 1 != argc) die_all(STATUS_INPUT, "run takes one run file; see lamella run --help");
  o->file = argv[optind];
  return 1;
}

static void options_free(struct run_options *o)
{
  for (int k = 0; k < o->n_set; k++)
    free(o->set[k]);
  free(o->set);
}

/* The newest whole checkpoint of the prefix, or NULL. A broken one is named. Caller frees. */
static char *checkpoint_find(const struct ranks *r, const struct params *p)
{
  char *name = output_checkpoint_name(p->output_prefix);
  size_t size = strlen(name) + 6;
  char *previous = alloc_array((long long)size, 1);
  const char *why = NULL;
  snprintf(previous, size, "%s.prev", name);
  if (state_is_whole(r, name, &why)) {
    free(previous);
    return name;
  }
  if (state_is_whole(r, previous, NULL)) {
    warn("%s: %s; continuing from %s", name, why ? why : "not whole", previous);
    free(name);
    return previous;
  }
  free(name);
  free(previous);
  return NULL;
}

/* The state to go on from; restarted says whether it continues the files of the prefix. */
static struct system *start_read(const struct ranks *r, const struct params *p, int *restarted)
{
  char *file = NULL;
  *restarted = 0;
  if (!strcmp(p->restart, "auto"))
    file = checkpoint_find(r, p);
  else if (strcmp(p->restart, "never")) {
    file = alloc_array((long long)strlen(p->restart) + 1, 1);
    memcpy(file, p->restart, strlen(p->restart) + 1);
  }
  if (!file && !p->input[0]) die_all(STATUS_INPUT, "the run file names no input state file");
  *restarted = file != NULL;
  struct system *y = state_read(r, file ? file : p->input);
  info("%s %s: %lld beads, step %lld, box %.6g x %.6g x %.6g nm, force field %s",
       file ? "continuing from" : "starting from", file ? file : p->input, (long long)y->n_total,
       (long long)y->step, y->box[0], y->box[1], y->box[2], y->ff->name);
  free(file);
  if (*restarted) return y;
  y->step = 0;
  y->time = 0;
  y->build_step = -1;
  y->conserved_work = 0;
  y->builds = y->missed = y->worst_build = 0;
  y->missed_force = 0;
  y->seed = (uint64_t)p->run_seed;
  return y;
}

/* Another force field than the file's: types and bonded types must be the same in number and name.
 */
static void forcefield_replace(struct system *y, const char *name)
{
  struct forcefield *ff = forcefield_load(name);
  int same = ff->n_types == y->ff->n_types && ff->n_bonds == y->ff->n_bonds &&
             ff->n_angles == y->ff->n_angles && ff->n_molecules == y->ff->n_molecules;
  for (int k = 0; same && k < ff->n_types; k++)
    same = !strcmp(ff->type[k].name, y->ff->type[k].name);
  if (!same)
    die_all(
        STATUS_INPUT,
        "forcefield: %s has other types or molecules than %s, which the state file was made with",
        ff->name, y->ff->name);
  forcefield_destroy(y->ff);
  y->ff = ff;
}

static void say_start(const struct sim *s)
{
  const struct params *p = s->params;
  info(
      "%d rank%s, backend %s, transport %s, %s precision; cutoff %.4g nm, skin %.4g nm, at most %d "
      "ranks fit this box",
      s->ranks->size, s->ranks->size > 1 ? "s" : "", s->backend->ops->describe(s->backend),
      s->transport.ops->name, p->run_precision == PRECISION_DOUBLE ? "double" : "mixed",
      s->system->ff->cutoff, s->system->skin,
      slab_most_ranks(step_halo(s), s->system->box[s->slab.axis]));
}

/* A shrinking box may become too small for its ranks: that is found before it happens, with the
   state saved. */
static void box_keep(struct sim *s, struct output *o)
{
  const struct system *y = s->system;
  double reach = y->ff->cutoff + y->skin, halo = step_halo(s), margin = 0.99;
  int most = slab_most_ranks(halo, margin * y->box[s->slab.axis]), small = 0;
  if (s->params->barostat_type == BAROSTAT_NONE || !s->settled) return;
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

/* Is it time to ask, every ten steps or so, and is the answer to stop? */
static int stops(struct sim *s, int64_t *asked_step, double started)
{
  enum { STOP_EVERY = 10 };
  if (!s->settled || s->system->step < *asked_step + STOP_EVERY) return 0;
  *asked_step = s->system->step;
  return stop_wanted(s->ranks, started, s->params->run_max_hours);
}

/* Runs to the end, or until a stop is asked for; the status. */
static int run_all(struct sim *s, int restarted)
{
  const struct params *p = s->params;
  struct output *o = output_open(s, restarted);
  int64_t first = s->system->step, asked = first;
  int status = STATUS_DONE;
  if (!restarted && first < p->run_steps) output_checkpoint(o);
  timers_start(&s->timers);
  double started = ranks_time();
  while (s->system->step < p->run_steps) {
    step_advance(s);
    if (p->run_verify > 0 && s->system->step % p->run_verify == 0) verify_forces(s);
    output_step(o);
    box_keep(s, o);
    if (stops(s, &asked, started)) {
      status = s->system->step < p->run_steps ? STATUS_STOPPED : STATUS_DONE;
      break;
    }
  }
  timers_switch(&s->timers, TIMER_output);
  output_checkpoint(o);
  timers_switch(&s->timers, TIMER_other);
  double seconds = ranks_time() - started;
  output_close(o);
  if (s->system->step > first) performance_report(s, s->system->step - first, seconds);
  if (status == STATUS_STOPPED)
    info("stopped at step %lld of %lld; the same command continues", (long long)s->system->step,
         (long long)p->run_steps);
  return status;
}

int cmd_run(struct ranks *r, int argc, char **argv)
{
  struct run_options o;
  if (!options_read(r, argc, argv, &o)) return STATUS_DONE;
  int restarted, status = STATUS_DONE;
  struct params *p = params_load(o.file, o.n_set, o.set);
  int lock = o.dry ? -1 : lock_take(r, p->output_prefix);
  struct system *y = start_read(r, p, &restarted);
  if (p->forcefield[0]) forcefield_replace(y, p->forcefield);
  stop_install(r);
  struct sim *s = sim_create(r, p, y);
  say_start(s);
  if (o.dry) {
    performance_memory(s);
    info("dry run: input is right; %lld steps to do", (long long)(p->run_steps - y->step));
  } else {
    status = run_all(s, restarted);
  }
  sim_destroy(s);
  system_destroy(y);
  if (!o.dry) lock_release(r, p->output_prefix, lock);
  params_destroy(p);
  options_free(&o);
  return status;
}
