#include "md/stage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "io/state.h"
#include "md/contents.h"
#include "md/measured.h"
#include "md/output.h"
#include "md/performance.h"
#include "md/simulation.h"
#include "md/start.h"

enum progress { NO_CHECKPOINT, BEGUN, DONE };

static const char anew[] = "begin anew with --restart=never, which moves the old files to a backup";

int64_t stage_steps(const struct params *p, int64_t done)
{
  return p->minimise_steps > 0 ? p->minimise_steps : p->run_steps - done;
}

/* "stage em", of a run without a list "minimise". Caller frees. */
static char *title_of(const struct stage *g)
{
  return g->name ? text_format("stage %s", g->name) : text_copy("minimise");
}

static void refuse_change(void *argument, const char *key, const char *old, const char *now)
{
  const struct stage *g = argument;
  die_all(STATUS_INPUT,
          "%s is done, with %s: %s, and the run file says %s now. Give it its former value, or %s",
          title_of(g), key, old, now, anew);
}

static void refuse_content(void *argument, const char *where, const char *path, uint64_t was,
                           uint64_t now)
{
  const struct stage *g = argument;
  die_all(STATUS_INPUT,
          "%s: %s is done, with another content of '%s' (fingerprint %016" PRIx64
          ", and now %016" PRIx64 "): bring back the former file, or %s",
          where, title_of(g), path, was, now, anew);
}

/* Status 2 if a stage that is done would be another one now. Gives y the force field of the run
   file. */
static void refuse_other(struct ranks *r, struct stage *g, struct system *y)
{
  const struct params *p = g->params;
  struct params *was = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  if (p->minimise_steps == 0 && y->clock.step > p->run_steps)
    die_all(STATUS_INPUT,
            "%s is at step %lld, and the run file gives it %lld: give it as many (-s "
            "stages.NAME.steps=N), or %s",
            title_of(g), (long long)y->clock.step, (long long)p->run_steps, anew);
  if (was) params_changes(was, p, refuse_change, g);
  params_destroy(was);
  if (start_replace_forcefield(y, p->forcefield))
    die_all(STATUS_INPUT, "%s is done, with another force field: give it the former one, or %s",
            title_of(g), anew);
  if (y->run.contents) {
    struct sim *outline = sim_outline(r, p, y);
    contents_compare(outline, refuse_content, g);
    sim_destroy(outline);
  }
}

static enum progress progress_of(struct ranks *r, struct stage *g)
{
  const struct params *p = g->params;
  struct start t = start_find(r, p);
  if (!t.system) return NO_CHECKPOINT;
  const int done = p->minimise_steps > 0 || t.system->clock.step >= p->run_steps;
  if (done) { /* of one that is not, start_choose compares it */
    start_compare_input(r, p, &t);
    refuse_other(r, g, t.system);
  }
  system_destroy(t.system);
  start_free(&t);
  return done ? DONE : BEGUN;
}

static int has_checkpoint(const struct ranks *r, const struct params *p)
{
  char *name = output_checkpoint_name(p->output_prefix), *previous = path_with(name, ".prev");
  int64_t found = r->rank == 0 && (path_exists(name) || path_exists(previous));
  ranks_broadcast(r, &found, sizeof found);
  free(name);
  free(previous);
  return (int)found;
}

/* Status 2 if stages after one that is not done have begun. */
static void refuse_later(const struct ranks *r, const struct stages *s, int first,
                         enum progress progress)
{
  for (int k = first + 1; k < s->n; k++)
    if (has_checkpoint(r, s->stage[k].params))
      die_all(STATUS_INPUT,
              "stage %s %s, but stage %s after it has begun ('%s.checkpoint.h5'): a file was "
              "removed, or the list of stages was changed. Bring back what was there, or %s",
              s->stage[first].name,
              progress == BEGUN ? "has not come to its last step" : "has no checkpoint",
              s->stage[k].name, s->stage[k].params->output_prefix, anew);
}

/* The stage that the state of --restart=FILE belongs to. */
static int stage_of_file(const struct ranks *r, struct stages *s)
{
  const char *file = s->stage[0].params->restart;
  struct system *y = state_read(r, file);
  struct params *was = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  const int found = was ? stages_find(s, was->output_prefix) : -1;
  if (found < 0)
    die_all(STATUS_INPUT,
            "--restart=%s: this is the state of no stage of the run file (the prefix of its run "
            "was '%s')",
            file, was ? was->output_prefix : "");
  for (int k = found + 1; k < s->n; k++)
    params_set_text(s->stage[k].params, "restart", "never");
  params_destroy(was);
  system_destroy(y);
  return found;
}

int stage_first(struct ranks *r, struct stages *s)
{
  const struct params *p = s->stage[0].params;
  const int begins = !strcmp(p->restart, "never"), named = !begins && strcmp(p->restart, "auto");
  enum progress progress = DONE;
  int first = 0;
  if (begins || (!s->stage[0].name && (named || p->minimise_steps == 0))) return 0;
  if (named) return stage_of_file(r, s);
  while (first < s->n && (progress = progress_of(r, &s->stage[first])) == DONE)
    first++;
  refuse_later(r, s, first, progress);
  return first;
}

void stage_check(struct ranks *r, const struct stages *s, int k, const struct system *y, int dry)
{
  if (k == s->n) return;
  struct system *copy = system_copy(y);
  clock_begin(&copy->clock, 0);
  for (; k < s->n; k++) {
    const struct params *p = s->stage[k].params;
    info("stage %s: %s%lld steps", s->stage[k].name,
         p->minimise_steps > 0 ? "minimise, at most " : "", (long long)stage_steps(p, 0));
    start_replace_forcefield(copy, p->forcefield);
    output_check(p, copy);
    struct sim *outline = sim_outline(r, p, copy);
    measured_warn_unused(outline->measured, p);
    if (dry && p->minimise_steps == 0) performance_disk(outline, 0, dry);
    sim_destroy(outline);
  }
  system_destroy(copy);
}

void stage_tidy(const struct ranks *r, const struct params *p)
{
  struct start t = start_find(r, p);
  start_clean_files(r, p, t.system);
  measured_write_again(r, p->output_prefix, t.system);
  system_destroy(t.system);
  start_free(&t);
}
