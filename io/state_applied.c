#include "io/state_applied.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define GROUP "applied_forces"
enum { TABLES = 4 };
static const struct h5_table table[TABLES] = {
    {GROUP "/step", "1", "step that they belong to", 'l', 1, 1},
    {GROUP "/id", "1", "numbers of the beads", 'l', 1, 0},
    {GROUP "/force", "kJ mol-1 nm-1", "forces on these beads", 'd', 3, 0},
    {GROUP "/sums", "kJ mol-1", "their energy, and the nine elements of their virial", 'd', 1,
     APPLIED_SUMS}};

void state_applied_write(const struct h5_file *f, const struct system *s)
{
  const struct applied_forces *a = &s->applied;
  if (a->step != s->clock.step) return;
  const void *data[TABLES] = {&a->step, a->id, a->force, a->sums};
  hid_t group = h5_group(f, f->id, GROUP);
  h5_attribute_text(f, group, "description", "forces of PLUMED, with which a restart goes on");
  H5(f, H5Gclose, group);
  for (int k = 0; k < TABLES; k++) {
    struct h5_table rows = table[k];
    if (rows.rows == 0) rows.rows = a->n;
    h5_put_rank0(f, f->id, &rows, data[k]);
  }
}

static int all_finite(const double *value, int64_t n)
{
  for (int64_t k = 0; k < n; k++)
    if (!isfinite(value[k])) return 0;
  return 1;
}

static void check(struct h5_reader *in, int64_t n, const int64_t *id, const double *force,
                  const double *sums, int64_t n_total)
{
  for (int64_t k = 0; k < n && !in->error[0]; k++)
    if (id[k] < 1 || id[k] > n_total || (k > 0 && id[k] <= id[k - 1]))
      h5_reader_fail(in,
                     "its applied forces are on bead %lld: not in order, or no bead of the system",
                     (long long)id[k]);
  if (!in->error[0] && !(all_finite(force, 3 * n) && all_finite(sums, APPLIED_SUMS)))
    h5_reader_fail(in, "its applied forces are not numbers");
}

void state_applied_read(struct h5_reader *in, int64_t n_total, struct applied_forces *to)
{
  double sums[APPLIED_SUMS] = {0};
  int64_t step = -1;
  if (in->error[0] || !h5_exists(in, GROUP)) return;
  const int64_t n = h5_rows(in, table[1].name, 'l', 1);
  h5_expect_rows(in, table[0].name, 'l', 1, 1);
  h5_expect_rows(in, table[2].name, 'd', 3, n);
  h5_expect_rows(in, table[3].name, 'd', 1, APPLIED_SUMS);
  if (!in->error[0] && n > INT_MAX / 4) h5_reader_fail(in, "its applied forces are too many");
  if (in->error[0]) return;
  int64_t *id = alloc_array(n, sizeof *id);
  double *force = alloc_array(n, 3 * sizeof *force);
  h5_get(in, table[0].name, 'l', 0, 1, &step);
  h5_get(in, table[1].name, 'l', 0, n, id);
  h5_get(in, table[2].name, 'd', 0, n, force);
  h5_get(in, table[3].name, 'd', 0, APPLIED_SUMS, sums);
  if (to) check(in, n, id, force, sums, n_total);
  if (to && !in->error[0]) applied_forces_set(to, step, (int)n, id, force, sums);
  free(id);
  free(force);
}
