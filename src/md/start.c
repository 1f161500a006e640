#include "md/start.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/box_shape.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "io/backup.h"
#include "io/h5md/repair.h"
#include "io/path_check.h"
#include "io/run_id.h"
#include "io/state.h"
#include "md/coordinate_file.h"
#include "md/energies.h"
#include "md/exchange.h"
#include "md/fingerprint.h"
#include "md/output.h"

/* Status 4 if the checkpoint is a dangling link and the log of the run exists: probably a disk that
   is not mounted, and not a new run. */
static void refuse_lost_link(const struct ranks *r, const struct params *p, const char *target)
{
  struct stat about;
  char *link = path_with(p->output_prefix, ".checkpoint.h5"),
       *log = path_with(p->output_prefix, ".log");
  char *previous = path_with(target, ".prev");
  if (r->rank == 0 && lstat(link, &about) == 0 && S_ISLNK(about.st_mode) &&
      stat(link, &about) != 0 && stat(log, &about) == 0 && stat(previous, &about) != 0)
    die(STATUS_IO,
        "'%s' leads to '%s', which is not there, and '%s' says that a run has been: nothing was "
        "changed. Bring that disk back, or remove the link",
        link, target, log);
  free(link);
  free(log);
  free(previous);
  ranks_barrier(r);
}

/* Reads the newest usable checkpoint of the prefix. 0 if there is no checkpoint. */
static int find_checkpoint(const struct ranks *r, const struct params *p, struct start *t)
{
  char *name = output_checkpoint_name(p->output_prefix), *previous = path_with(name, ".prev");
  struct state_refusal why = {0}, why_previous = {0};
  refuse_lost_link(r, p, name);
  t->system = state_try(r, name, &why);
  if (!t->system && why.trouble == STATE_UNREADABLE)
    die_all(STATUS_IO,
            "cannot read the checkpoint '%s': %s; nothing was changed, and '%s' was not tried",
            name, why.reason, previous);
  int older = !t->system;
  if (older) t->system = state_try(r, previous, &why_previous);
  if (!t->system && (why.trouble != STATE_MISSING || why_previous.trouble != STATE_MISSING))
    die_all(
        STATUS_IO,
        "no checkpoint of '%s' can be used, and nothing was changed: '%s': %s; '%s': %s. Put a "
        "copy in the place of one of them, name a state with --restart=FILE, or start anew with "
        "--restart=never, which moves the old files to a backup",
        p->output_prefix, name, why.reason, previous, why_previous.reason);
  if (t->system) {
    t->file = text_copy(older ? previous : name);
    t->used_previous = older && why.trouble == STATE_UNUSABLE;
    if (older) warn("'%s': %s; going on from '%s'", name, why.reason, previous);
  }
  free(name);
  free(previous);
  return t->system != NULL;
}

/* path_same, as rank 0 sees it. Collective. */
static int is_same_file(const struct ranks *r, const char *a, const char *b)
{
  int64_t same = r->rank == 0 && path_same(a, b);
  ranks_broadcast(r, &same, sizeof same);
  return (int)same;
}

struct start start_find(const struct ranks *r, const struct params *p)
{
  struct start t = {0};
  t.continued = t.append = find_checkpoint(r, p, &t);
  return t;
}

/* Status 2 if a state of a minimisation would go on with steps, or the other way round. */
static void refuse_kind(const struct params *p, const struct start *t)
{
  const char *text = t->system->run.parameters;
  struct params *was = text ? params_from_text(text) : NULL;
  const int minimised = was && was->minimise_steps > 0;
  params_destroy(was);
  if (minimised == (p->minimise_steps > 0)) return;
  if (minimised)
    die_all(STATUS_INPUT,
            "'%s' is a minimised state, and the run file has steps in the place of the "
            "minimisation: a run begins from it as its input, with another output.prefix or name "
            "of the stage; or --restart=never moves the old files to a backup",
            t->file);
  die_all(STATUS_INPUT,
          "'%s' is the state of a run of steps, and the run file minimises in its place: choose "
          "another output.prefix or name of the stage, or --restart=never, which moves the old "
          "files to a backup",
          t->file);
}

/* Status 2: the checkpoint of a stage is no continuation of the stage before. */
__attribute__((noreturn)) static void refuse_stage(const struct params *p, const struct start *t,
                                                   uint64_t hash)
{
  die_all(STATUS_INPUT,
          "'%s' did not begin from the state of '%s' (%016" PRIx64 ", not %016" PRIx64
          "): the stage before it was run anew, or the list of stages was changed. Put the file "
          "that it began from in its place, or begin anew with --restart=never, which "
          "moves the old files to a backup",
          t->file, p->input, t->system->run.input_hash, hash);
}

void start_compare_input(const struct ranks *r, const struct params *p, const struct start *t)
{
  struct state_refusal why;
  const struct system *y = t->system;
  refuse_kind(p, t);
  if (!p->input[0] || is_same_file(r, p->input, t->file)) return;
  if (!y->run.input_hash && p->stage > 0)
    die_all(STATUS_INPUT,
            "'%s' is a state that no stage has written: remove it, or begin anew with "
            "--restart=never, which moves the old files to a backup",
            t->file);
  if (!y->run.input_hash) {
    info("'%s' does not say from which input its run began, so '%s' is not compared", t->file,
         p->input);
    return;
  }
  struct system *input = state_try(r, p->input, &why);
  if (!input) {
    warn("the input '%s' cannot be compared with what the run began from (%s); the checkpoint has "
         "all that is needed, and the run goes on",
         p->input, why.reason);
    return;
  }
  uint64_t hash = fingerprint_state(r, input);
  system_destroy(input);
  if (hash == y->run.input_hash) return;
  if (p->stage > 1) refuse_stage(p, t, hash);
  die_all(
      STATUS_INPUT,
      "'%s' goes on with a run that began from '%s', but the run file names the input '%s', which "
      "holds another state (%016" PRIx64 ", not %016" PRIx64
      "). To go on with that run, give its input back or leave input empty (-s input=); for a new "
      "run choose another output.prefix, or --restart=never, which moves the old files to a backup",
      t->file, y->run.input ? y->run.input : "?", p->input, hash, y->run.input_hash);
}

int start_replace_forcefield(struct system *y, const char *name)
{
  if (!name[0]) return 0;
  struct forcefield *ff = forcefield_load(name);
  if (!forcefield_extends(ff, y->ff))
    die_all(
        STATUS_INPUT,
        "forcefield: %s has other types, bonded types or molecules than %s, which the state file "
        "was made with: those of the state must stand first and in the same order, with the same "
        "restraints, which the key restraints turns on and off. To go on with other molecules, "
        "export the beads (lamella export STATE.h5 --gro=OUT.gro --digits=9) and import them with "
        "the other "
        "topology",
        ff->name, y->ff->name);
  if (topology_has_terms(&y->topology) && !forcefield_excludes_alike(ff, y->ff))
    die_all(STATUS_INPUT,
            "forcefield: %s has another exclude than %s, which the state file was made with: the "
            "state holds its excluded pairs. Build the system anew with that force field",
            ff->name, y->ff->name);
  int changed = strcmp(y->ff->text, ff->text) != 0;
  if (changed)
    info("force field %s %s (%016" PRIx64 ") in the place of %s %s (%016" PRIx64 ")", ff->name,
         ff->version, fingerprint_text(ff->text), y->ff->name, y->ff->version,
         fingerprint_text(y->ff->text));
  system_set_forcefield(y, ff);
  return changed;
}

static void change_say(void *argument, const char *key, const char *old, const char *now)
{
  struct system *y = argument;
  info("changed since the job before: %s was %s and is %s", key, old, now);
  run_record_add(&y->run, "changed at step %lld: %s %s -> %s", (long long)y->clock.step, key, old,
                 now);
}

/* Logs differences from the job that wrote the state; they are allowed. The stored lists, which
   reproduce its bits, are then not used. */
static void compare_motion(const struct params *p, struct system *y, uint64_t old_field, int field)
{
  struct params *old = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  int changes = field;
  if (field)
    run_record_add(&y->run, "changed at step %lld: force field %016" PRIx64 " -> %s %s %016" PRIx64,
                   (long long)y->clock.step, old_field, y->ff->name, y->ff->version,
                   fingerprint_text(y->ff->text));
  if (old) changes += params_changes(old, p, change_say, y);
  if (old && strstr(y->run.parameters, "\n  rebuild: interval")) { /* an earlier version */
    change_say(y, "neighbor.rebuild", "interval", "exact, as in all runs");
    changes++;
  }
  if (old && old->run_dt != p->run_dt) clock_reset_origin(&y->clock);
  if (changes) list_build_forget(&y->lists);
  params_destroy(old);
  if (p->run_seed >= 0 && fingerprint_seed(0, p) != y->clock.seed)
    warn("run.seed: %lld is ignored: the run goes on with its seed %" PRIu64,
         (long long)p->run_seed, y->clock.seed);
}

/* Resets step, time, counters, lists and observables: step 0 of a run, whose seed is to be drawn.
   What selections chose at the start of the first stage holds in all, and replicas keep the rungs
   that they have exchanged. */
static void begin(const struct ranks *r, const struct params *p, struct system *y)
{
  const uint64_t hash = fingerprint_state(r, y);
  if (p->stage <= 1) {
    run_record_begin(&y->run, p->input, hash);
    run_record_forget_kept(&y->run);
  } else {
    run_record_begin_keeping(&y->run, p->input, hash, EXCHANGE_RECORD);
  }
  list_build_forget(&y->lists);
  applied_forces_forget(&y->applied);
  clock_begin(&y->clock, 0);
}

/* 1 if a state that the user names may continue the files of the prefix: they belong to the same
   run and end at this state or before, so that nothing is truncated. */
static int belongs(const struct ranks *r, const struct params *p, const struct start *t)
{
  const struct system *y = t->system;
  char *name = output_checkpoint_name(p->output_prefix);
  struct state_refusal why;
  struct system *last = state_try(r, name, &why);
  int same = last && y->run.input_hash && last->run.input_hash == y->run.input_hash &&
             last->clock.seed == y->clock.seed && last->n_total == y->n_total &&
             y->clock.step >= last->clock.step;
  same |= is_same_file(r, name, t->file);
  if (same && last) { /* whose files they are */
    run_record_set_id(&t->system->run, last->run.id);
    run_record_set_energy_line(&t->system->run, last->run.energy_line);
  }
  system_destroy(last);
  free(name);
  return same;
}

static void say(const struct start *t)
{
  const struct system *y = t->system;
  char box[BOX_TEXT];
  info("%s '%s': %lld beads, step %lld, %.10g ps, box %s, force field %s, seed %" PRIu64,
       t->continued ? "going on from" : "starting from", t->file, (long long)y->n_total,
       (long long)y->clock.step, y->clock.time, box_text(y->box, 'g', 6, box), y->ff->name,
       y->clock.seed);
}

/* Reads the state that the user names. */
static void read_named(const struct ranks *r, const struct params *p, struct start *t)
{
  t->file = text_copy(p->restart);
  t->system = state_read(r, t->file);
  t->continued = 1;
  t->append = belongs(r, p, t);
}

/* Of replicas that are exchanged: all go on from the step of the one that is furthest behind. Those
   ahead have a checkpoint of it too (exchange_meet). Over all replicas. */
static void agree(const struct ranks *r, const struct params *p, struct start *t)
{
  const int64_t at = t->system ? t->system->clock.step : -1;
  if (p->exchange_every == 0 || r->groups < 2) return;
  const int64_t behind = ranks_range_of_groups(r, at).least;
  if (at == behind || at == 0) return;
  char *name = output_checkpoint_name(p->output_prefix), *previous = path_with(name, ".prev");
  struct state_refusal why = {0};
  struct system *older = behind >= 0 ? state_try(r, previous, &why) : NULL;
  if (!older || older->clock.step != behind)
    die_all(STATUS_INPUT,
            "'%s' is of step %" PRId64 ", and the replica that is furthest behind %s %" PRId64
            ": replicas that are exchanged go on together. Nothing was changed. Bring back the "
            "files of one job, or begin anew with --restart=never",
            name, at, behind < 0 ? "has no checkpoint: it is at step" : "is at step",
            behind < 0 ? 0 : behind);
  info("'%s' is of step %" PRId64 ", and another replica at step %" PRId64 ": all go on from that",
       name, at, behind);
  system_destroy(t->system);
  free(t->file);
  t->system = older;
  t->file = previous;
  t->drops_last = !t->used_previous;
  free(name);
}

/* If the state belongs to no run (it was built or imported), makes it the input of this run and
   returns 1. */
static int adopt_unused(const struct ranks *r, const struct start *t)
{
  struct system *y = t->system;
  if (y->run.parameters || y->run.input_hash) return 0;
  run_record_set_input(&y->run, t->file, fingerprint_state(r, y));
  return 1;
}

struct start start_choose(const struct ranks *r, const struct params *p)
{
  struct start t = {0};
  const int named = strcmp(p->restart, "auto") != 0 && strcmp(p->restart, "never") != 0;
  if (!strcmp(p->restart, "auto")) {
    t = start_find(r, p);
    agree(r, p, &t);
  }
  if (named) {
    read_named(r, p, &t);
    agree(r, p, &t); /* nobody moves the file before all have read it */
  }
  if (!t.continued && !p->input[0]) die_all(STATUS_INPUT, "the run file names no input state file");
  const int unused = t.continued && adopt_unused(r, &t);
  if (!t.continued) {
    t.file = text_copy(p->input);
    t.system = state_read(r, t.file);
    begin(r, p, t.system);
  } else {
    start_compare_input(r, p, &t);
  }
  uint64_t old_field = fingerprint_text(t.system->ff->text);
  int field = start_replace_forcefield(t.system, p->forcefield);
  if (!t.continued || unused || (named && p->run_replica > 0)) /* of the state with that field */
    clock_set_seed(&t.system->clock, fingerprint_seed(fingerprint_state(r, t.system), p));
  say(&t);
  if (t.continued) compare_motion(p, t.system, old_field, field);
  if (!t.append || unused) { /* a new run; files that stand there are compared with its identity */
    fingerprint_set_run(t.system, p);
    run_record_set_energy_line(&t.system->run, t.append ? "?" : "");
  }
  return t;
}

void start_make_room(const struct ranks *r, const struct params *p, const struct start *t)
{
  if (r->rank == 0 && !t->append) backup_prefix(p->output_prefix);
  if (r->rank == 0 && t->append && t->used_previous) {
    char *name = output_checkpoint_name(p->output_prefix);
    backup_rename_damaged(name);
    free(name);
  }
  if (r->rank == 0 && t->append && t->drops_last) {
    char *name = output_checkpoint_name(p->output_prefix);
    if (rename(t->file, name))
      die(STATUS_IO, "cannot rename '%s' to '%s': %s", t->file, name, strerror(errno));
    free(name);
  }
  ranks_barrier(r);
}

void start_free(struct start *t)
{
  free(t->file);
}

/* The files that a job continues */

/* 1 if the job that wrote the checkpoint wrote frames. */
static int had_frames(const struct system *y)
{
  struct params *was = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  const int frames = was && was->output_frames_every > 0;
  params_destroy(was);
  return frames;
}

/* Dies if a file that is there belongs to another run. id: of the file, or empty. */
static void compare(const struct system *y, const char *path, const char *what, enum run_id found,
                    const char *id)
{
  if (found < RUN_ID_UNKNOWN || !strcmp(y->run.id, id)) return;
  die_all(STATUS_INPUT,
          "'%s' is the %s of another run (%s) than the one that goes on from step %lld (%s). "
          "Nothing was changed. Put the file of this run in its place, or move it away: then a new "
          "one begins at this step",
          path, what, id[0] ? id : "it does not say which", (long long)y->clock.step, y->run.id);
}

void start_check_files(const struct sim *s)
{
  const struct system *y = s->system;
  const struct params *p = s->params;
  char id[RUN_ID], *frames = path_with(p->output_prefix, ".h5md"),
                   *psf = path_with(p->output_prefix, ".psf");
  enum run_id found = run_id_of_trajectory(s->ranks, p->output_prefix, id);
  if (found == RUN_ID_MISSING && had_frames(y) && p->output_frames_every > 0)
    warn(
        "'%s', the trajectory of the run, is not there: a new one begins at step %lld, without the "
        "frames before",
        frames, (long long)y->clock.step);
  compare(y, frames, "trajectory", found, id);
  if (found != RUN_ID_MISSING || p->output_frames_every > 0) {
    const enum run_id topology = run_id_of_psf(s->ranks, p->output_prefix, id);
    if (topology == RUN_ID_MISSING && found != RUN_ID_MISSING)
      info("'%s' is not there, and is written again", psf);
    compare(y, psf, "topology", topology, id);
  }
  free(frames);
  free(psf);
  energies_check(s);
  coordinate_file_check(s);
}

void start_clean_files(const struct ranks *r, const struct params *p, const struct system *y)
{
  static const char *const ending[] = {".checkpoint.h5", ".observables.h5", ".psf", ".h5md"};
  for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
    char *path = path_with(p->output_prefix, ending[k]), *target = path_target(path);
    char *temporary = path_with(target, ".tmp");
    if (r->rank == 0) unlink(temporary);
    if (!strcmp(ending[k], ".h5md")) trajectory_clean(r, target, y->run.id);
    free(path);
    free(target);
    free(temporary);
  }
}
