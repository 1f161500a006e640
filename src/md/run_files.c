#include "md/run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "io/h5md/repair.h"
#include "io/run_id.h"
#include "md/energies.h"
#include "md/fingerprint.h"

/* 1 if the job that wrote the checkpoint wrote frames. */
static int had_frames(const struct system *y)
{
  struct params *was = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  const int frames = was && was->output_frames_every > 0;
  params_destroy(was);
  return frames;
}

/* Dies if a file belongs to another run, and logs if that cannot be known. A run without identity
   takes that of the file. */
static void compare(struct system *y, const char *path, const char *what, enum run_id found,
                    const char *id)
{
  if (found == RUN_ID_UNKNOWN)
    info("'%s' does not say of which run it is, as those of earlier versions: it is continued "
         "without being compared",
         path);
  if (found != RUN_ID_KNOWN) return;
  if (!y->run.id[0]) run_record_set_id(&y->run, id);
  if (!strcmp(y->run.id, id)) return;
  die_all(STATUS_INPUT,
          "'%s' is the %s of another run (%s) than the one that goes on from step %lld (%s). "
          "Nothing was changed. Put the file of this run in its place, or move it away: then a new "
          "one begins at this step",
          path, what, id, (long long)y->clock.step, y->run.id);
}

static void check_frames(struct sim *s)
{
  struct system *y = s->system;
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
}

void run_files_check(struct sim *s)
{
  struct system *y = s->system;
  const int known = y->run.id[0] != 0;
  if (!known) {
    info("the checkpoint is of an earlier version, which did not keep of which run files are: "
         "trajectory and energies of '%s' are continued without being compared",
         s->params->output_prefix);
    if (!y->run.energy_line[0]) run_record_set_energy_line(&y->run, "?");
  }
  check_frames(s);
  energies_check(s);
  if (!y->run.id[0]) fingerprint_set_run(y, s->params);
}

void run_files_clean(const struct ranks *r, const struct params *p, const struct system *y)
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
