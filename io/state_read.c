/* Reading of state files: sizes before memory is allocated, then values; each error with its
   place. */
#include "io/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "input/forcefield_file.h"
#include "io/h5_read.h"
#include "io/state_applied.h"
#include "io/state_check.h"
#include "io/state_layout.h"
#include "io/state_topology.h"

static void read_beads(struct h5_reader *in, struct system *s)
{
  for (int k = 0; k < FIELDS; k++) {
    if (!(field_info[k].flags & (STATE | STATIC))) continue;
    char name[64];
    state_field_name(k, name);
    h5_get(in, name, field_info[k].datatype, s->first - 1, s->n, beads_array(&s->beads, k));
  }
  for (int64_t k = 0; k < s->n && !in->error[0]; k++)
    state_values_bead(in, s, k);
}

/* A text of the file, which the caller frees; NULL: it is not there. */
static char *optional_text(struct h5_reader *in, const char *name)
{
  return h5_exists(in, name) ? h5_get_text(in, name) : NULL;
}

static void read_texts(struct h5_reader *in, struct run_record *r)
{
  char kernel[sizeof r->kernel] = "", git[sizeof r->git] = "", id[RUN_ID] = "";
  char *line = optional_text(in, STATE_ENERGIES), *run = optional_text(in, STATE_RUN),
       *input = optional_text(in, STATE_INPUT), *history = optional_text(in, STATE_HISTORY),
       *contents = optional_text(in, STATE_CONTENTS);
  if (!h5_get_attribute_text(in, "/", "kernel", kernel, sizeof kernel)) kernel[0] = 0;
  if (!h5_get_attribute_text(in, "/", "git", git, sizeof git)) git[0] = 0;
  if (!h5_get_attribute_text(in, "/", "run_id", id, sizeof id)) id[0] = 0;
  run_record_restore_texts(r, git, run, history);
  run_record_set_contents(r, contents);
  run_record_set_kernel(r, kernel);
  run_record_set_id(r, id);
  run_record_set_input(r, input, r->input_hash);
  run_record_set_energy_line(r, line ? line : "");
  free(line);
  free(run);
  free(input);
  free(history);
  free(contents);
}

/* Why this rank cannot use the file. */
static int64_t find_trouble(const struct h5_reader *in)
{
  if (!in->error[0]) return STATE_USABLE;
  if (in->os_error == ENOENT) return STATE_MISSING;
  return in->os_error ? STATE_UNREADABLE : STATE_UNUSABLE;
}

struct system *state_try(const struct ranks *r, const char *path, struct state_refusal *why)
{
  struct h5_reader in;
  struct system *s = NULL;
  char origin[256];
  memset(why, 0, sizeof *why);
  h5_reader_open(&in, path);
  state_check_format(&in);
  int64_t n = state_check_sizes(&in);
  char *text = h5_get_text(&in, STATE_FORCEFIELD);
  if (h5_reader_all_ok(&in, r, why->reason, sizeof why->reason)) {
    snprintf(origin, sizeof origin, "state file %s", path);
    s = system_create(n, r->rank, r->size, forcefield_parse(text, origin));
    state_values_items(&in, s);
    read_texts(&in, &s->run);
    state_accumulated_read(&in, r, &s->run);
    state_kept_read(&in, n, &s->run);
    state_applied_read(&in, n, &s->applied);
    state_topology_read(&in, s);
    read_beads(&in, s);
    state_topology_check_terms(&in, r, s);
  }
  free(text);
  if (s && !h5_reader_all_ok(&in, r, why->reason, sizeof why->reason)) {
    system_destroy(s);
    s = NULL;
  }
  h5_reader_close(&in);
  why->trouble = find_trouble(&in);
  ranks_max_int64(r, &why->trouble, 1);
  return s;
}

struct system *state_read(const struct ranks *r, const char *path)
{
  struct state_refusal why;
  struct system *s = state_try(r, path, &why);
  if (!s) die_all(STATUS_IO, "cannot read '%s': %s", path, why.reason);
  return s;
}
