#include "io/state_accumulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/state_layout.h"

static void write_one(const struct h5_file *f, const struct accumulated *o)
{
  char name[96], group[96];
  snprintf(group, sizeof group, "%s/%s", STATE_OBSERVED, o->name);
  H5(f, H5Gclose, h5_group(f, f->id, group));
  state_accumulated_name(o->name, "options", name);
  h5_put_line(f, name, "kind and options", o->options);
  state_accumulated_name(o->name, "values", name);
  struct h5_table table = {name, "1", "sums of samples and of blocks", 'd', 1, o->n};
  h5_put_rank0(f, f->id, &table, o->data);
}

void state_accumulated_write(const struct h5_file *f, const struct system *s)
{
  if (s->run.n_accumulated == 0) return;
  hid_t group = h5_group(f, f->id, STATE_OBSERVED);
  h5_attribute_text(f, group, "description", "what observables have accumulated");
  H5(f, H5Gclose, group);
  h5_put_names(f, STATE_OBSERVED_NAMES, "names of the observables, a line each",
               s->run.n_accumulated, sizeof *s->run.accumulated, s->run.accumulated->name);
  for (int k = 0; k < s->run.n_accumulated; k++)
    write_one(f, &s->run.accumulated[k]);
}

static void read_one(struct h5_reader *in, int rank, struct accumulated *o)
{
  char name[96];
  state_accumulated_name(o->name, "options", name);
  o->options = h5_get_text(in, name);
  state_accumulated_name(o->name, "values", name);
  o->n = h5_rows(in, name, 'd', 1);
  if (in->error[0] || rank != 0) return;
  o->data = alloc_array(o->n, sizeof *o->data);
  h5_get(in, name, 'd', 0, o->n, o->data);
}

void state_accumulated_read(struct h5_reader *in, const struct ranks *r, struct run_record *run)
{
  char(*name)[H5_NAME];
  const int n = h5_get_names(in, STATE_OBSERVED_NAMES, &name);
  struct accumulated *all = alloc_array(n, sizeof *all);
  for (int k = 0; k < n; k++) {
    memcpy(all[k].name, name[k], H5_NAME);
    read_one(in, r->rank, &all[k]);
  }
  run_record_take_accumulated(run, n, all);
  free(name);
}
