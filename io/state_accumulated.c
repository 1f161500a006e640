#include "io/state_accumulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/state_layout.h"

/* The names, a line each. The caller frees them. */
static char *names_text(const struct system *s)
{
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  for (int k = 0; k < s->run.n_accumulated; k++)
    fprintf(f, "%s%s", k ? "\n" : "", s->run.accumulated[k].name);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}

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
  char *names = names_text(s);
  h5_put_line(f, STATE_OBSERVED_NAMES, "names of the observables, a line each", names);
  free(names);
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

static int is_name(const char *name)
{
  return name[0] && strlen(name) < sizeof((struct accumulated *)0)->name && !strpbrk(name, "/.");
}

void state_accumulated_read(struct h5_reader *in, const struct ranks *r, struct run_record *run)
{
  if (in->error[0] || !h5_exists(in, STATE_OBSERVED_NAMES)) return;
  char *names = h5_get_text(in, STATE_OBSERVED_NAMES), *rest = names;
  struct accumulated *all = NULL;
  int n = 0;
  for (char *name; rest && (name = strsep(&rest, "\n")) && !in->error[0];) {
    if (!is_name(name)) {
      h5_reader_fail(in, "%s has the name '%.40s'", STATE_OBSERVED_NAMES, name);
      break;
    }
    all = grow_array(all, n + 1, sizeof *all);
    struct accumulated *o = &all[n++];
    memset(o, 0, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", name);
    read_one(in, r->rank, o);
  }
  run_record_take_accumulated(run, n, all);
  free(names);
}
