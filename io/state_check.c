/* Is a file a complete state file? See state_check.h. */
#include "io/state_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/state_accumulated.h"
#include "io/state_layout.h"
#include "io/state_topology.h"

void state_check_format(struct h5_reader *in)
{
  char format[64] = "";
  int version = 0, complete = 0;
  if (in->error[0]) return;
  if (!h5_get_attribute_text(in, "/", "format", format, sizeof format) ||
      strcmp(format, STATE_FORMAT) != 0) {
    h5_reader_fail(in, "%s",
                   h5_exists(in, "h5md") ? "it is an H5MD trajectory; a state file is wanted"
                   : !strcmp(format, "lamella observables")
                       ? "it has results of observables, as the tables PREFIX.NAME.TABLE.csv do; "
                         "a state file is wanted"
                       : "it is an HDF5 file, but no state file of lamella");
    return;
  }
  if (!h5_get_attribute(in, "/", "format_version", 'i', 1, &version) ||
      version != STATE_FORMAT_VERSION)
    h5_reader_fail(in, "its format version is %d, and this program reads %d%s", version,
                   STATE_FORMAT_VERSION,
                   version > STATE_FORMAT_VERSION ? ": a newer version of lamella wrote it" : "");
  if (!h5_get_attribute(in, "/", "complete", 'i', 1, &complete) || complete != 1)
    h5_reader_fail(in, "it was not written to its end (no complete mark)");
}

/* Checks sizes of all datasets against the number of beads. */
int64_t state_check_sizes(struct h5_reader *in)
{
  int64_t n = 0, bytes = 0;
  char name[64];
  for (int k = 0; k < STATE_ITEMS; k++)
    h5_expect_rows(in, state_item[k].name, state_item[k].datatype, 1, state_item[k].rows);
  h5_get(in, state_item[0].name, 'l', 0, 1, &n);
  if (!in->error[0] && n < 1) h5_reader_fail(in, "it claims to hold %lld beads", (long long)n);
  for (int k = 0; k < FIELDS; k++) {
    const struct field_info *info = &field_info[k];
    if (!(info->flags & (STATE | STATIC))) continue;
    state_field_name(k, name);
    h5_expect_rows(in, name, info->datatype, info->components, n);
    bytes += (int64_t)field_bytes(k);
  }
  if (!in->error[0] && n > in->bytes / bytes)
    h5_reader_fail(in, "it claims to hold %lld beads, more than fit into its %lld bytes",
                   (long long)n, (long long)in->bytes);
  const struct state_rows rows = state_topology_rows(in);
  struct h5_table table[STATE_TABLES];
  state_tables(&rows, table);
  for (int k = 0; k < STATE_TABLES; k++)
    if (table[k].rows >= 0)
      h5_expect_rows(in, table[k].name, table[k].datatype, table[k].components, table[k].rows);
  return in->error[0] ? 0 : n;
}

enum { PIECE = 1 << 18 }; /* rows read at a time */

static void read_through(struct h5_reader *in, const char *name, char datatype, int64_t rows,
                         double *buffer)
{
  for (int64_t at = 0; at < rows && !in->error[0]; at += PIECE)
    h5_get(in, name, datatype, at, rows - at < PIECE ? rows - at : PIECE, buffer);
}

void state_check_small(struct h5_reader *in)
{
  const struct state_rows rows = state_topology_rows(in);
  struct h5_table table[STATE_TABLES];
  state_tables(&rows, table);
  double *buffer = alloc_array(PIECE, 4 * sizeof *buffer);
  for (int k = 0; k < STATE_ITEMS; k++)
    read_through(in, state_item[k].name, state_item[k].datatype, state_item[k].rows, buffer);
  for (int k = 0; k < STATE_TABLES; k++)
    read_through(in, table[k].name, table[k].datatype, table[k].rows, buffer);
  free(buffer);
  static const char *const text[] = {STATE_RUN, STATE_INPUT, STATE_HISTORY, STATE_ENERGIES};
  free(h5_get_text(in, STATE_FORCEFIELD));
  for (size_t k = 0; k < sizeof text / sizeof *text; k++)
    if (h5_exists(in, text[k])) free(h5_get_text(in, text[k]));
  const struct ranks alone = {.rank = 0, .size = 1};
  struct run_record observed = {0};
  state_accumulated_read(in, &alone, &observed);
  run_record_free(&observed);
}

void state_check_data(struct h5_reader *in, int64_t n)
{
  double *buffer = alloc_array(PIECE, 4 * sizeof *buffer);
  state_check_small(in);
  for (int k = 0; k < FIELDS; k++) {
    char name[64];
    if (!(field_info[k].flags & (STATE | STATIC))) continue;
    state_field_name(k, name);
    read_through(in, name, field_info[k].datatype, n, buffer);
  }
  free(buffer);
}
