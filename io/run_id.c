#include "io/run_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "io/h5_read.h"
#include "io/h5md/layout.h"
#include "io/h5md/repair.h"

/* What rank 0 found, on all ranks. */
static enum run_id agree(const struct ranks *r, enum run_id found, char id[RUN_ID])
{
  int64_t word = found;
  ranks_broadcast(r, &word, sizeof word);
  ranks_broadcast(r, id, RUN_ID);
  return (enum run_id)word;
}

static enum run_id look_into_trajectory(const char *path, char id[RUN_ID])
{
  struct h5_reader in;
  if (!path_exists(path)) return RUN_ID_MISSING;
  h5_reader_open(&in, path);
  const int readable = h5_exists(&in, TRAJECTORY_OWN) && !in.error[0];
  if (!readable || !h5_get_attribute_text(&in, TRAJECTORY_OWN, "run_id", id, RUN_ID)) id[0] = 0;
  h5_reader_close(&in);
  return !readable ? RUN_ID_UNREADABLE : id[0] ? RUN_ID_KNOWN : RUN_ID_UNKNOWN;
}

enum run_id run_id_of_trajectory(const struct ranks *r, const char *prefix, char id[RUN_ID])
{
  char *name = path_with(prefix, ".h5md"), *path = path_target(name);
  enum run_id found = RUN_ID_MISSING;
  memset(id, 0, RUN_ID);
  trajectory_find_name(r, path);
  if (r->rank == 0) found = look_into_trajectory(path, id);
  free(name);
  free(path);
  return agree(r, found, id);
}

/* Reads a PSF up to the number of its beads; -1 if there is none. id: of its remarks. */
static int64_t read_head(const char *path, char id[RUN_ID])
{
  enum { LINES_MOST = 1000 };
  char line[256], why[160], word[16];
  long long beads = -1;
  FILE *in = text_open(path, SIZE_MAX, why);
  for (int k = 0; in && beads < 0 && k < LINES_MOST && fgets(line, sizeof line, in); k++) {
    const char *run = strstr(line, "REMARKS lamella ") ? strstr(line, ", run ") : NULL;
    if (run && sscanf(run, ", run %16[0-9a-f]", id) != 1) id[0] = 0;
    if (sscanf(line, "%lld %15s", &beads, word) != 2 || strcmp(word, "!NATOM") != 0) beads = -1;
  }
  if (in) fclose(in);
  return beads;
}

enum run_id run_id_of_psf(const struct ranks *r, const char *prefix, char id[RUN_ID])
{
  char *name = path_with(prefix, ".psf");
  enum run_id found = RUN_ID_MISSING;
  memset(id, 0, RUN_ID);
  if (r->rank == 0 && path_exists(name)) {
    const int64_t beads = read_head(name, id);
    found = beads < 0 ? RUN_ID_UNREADABLE : id[0] ? RUN_ID_KNOWN : RUN_ID_UNKNOWN;
  }
  free(name);
  return agree(r, found, id);
}

void run_id_require_beads(const struct ranks *r, const char *psf, int64_t beads)
{
  char id[RUN_ID] = "";
  const int64_t found = r->rank == 0 ? read_head(psf, id) : beads;
  if (found != beads)
    die(STATUS_INPUT,
        "'%s' is no topology of the trajectory that goes on: it has %lld beads, and the frames "
        "%lld; move it away, and it is written again",
        psf, (long long)(found < 0 ? 0 : found), (long long)beads);
  ranks_barrier(r);
}
