#include "model/run_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Replaces a text by a copy of another, which may be NULL. */
static void replace(char **text, const char *by)
{
  char *copy = by ? text_copy(by) : NULL;
  free(*text);
  *text = copy;
}

void run_record_set_input(struct run_record *r, const char *input, uint64_t input_hash)
{
  replace(&r->input, input);
  r->input_hash = input_hash;
}

void run_record_begin(struct run_record *r, const char *input, uint64_t input_hash)
{
  run_record_set_input(r, input, input_hash);
  run_record_set_accumulated(r, 0, NULL);
  run_record_set_forces(r, 0, NULL);
  replace(&r->history, NULL);
  replace(&r->contents, NULL);
  r->id[0] = r->energy_line[0] = 0;
  r->conserved_work = 0;
  r->builds = 0;
}

void run_record_set_id(struct run_record *r, const char *id)
{
  snprintf(r->id, sizeof r->id, "%s", id);
}

void run_record_set_kernel(struct run_record *r, const char *kernel)
{
  snprintf(r->kernel, sizeof r->kernel, "%s", kernel);
}

void run_record_set_energy_line(struct run_record *r, const char *line)
{
  snprintf(r->energy_line, sizeof r->energy_line, "%s", line);
}

void run_record_set_contents(struct run_record *r, const char *contents)
{
  replace(&r->contents, contents);
}

void run_record_set_work(struct run_record *r, double conserved_work)
{
  r->conserved_work = conserved_work;
}

void run_record_add(struct run_record *r, const char *format, ...)
{
  char line[1024], *old = r->history;
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  r->history = text_format("%s%s\n", old ? old : "", line);
  free(old);
}

void run_record_count_build(struct run_record *r)
{
  r->builds++;
}

void run_record_set_accumulated(struct run_record *r, int n, struct accumulated *accumulated)
{
  accumulated_free(r->accumulated, r->n_accumulated);
  r->n_accumulated = n;
  r->accumulated = accumulated;
}

void run_record_set_forces(struct run_record *r, int n, struct accumulated *forces)
{
  accumulated_free(r->forces, r->n_forces);
  r->n_forces = n;
  r->forces = forces;
}

void run_record_set_force(struct run_record *r, struct accumulated force)
{
  int k = 0;
  while (k < r->n_forces && strcmp(r->forces[k].name, force.name) != 0)
    k++;
  if (k == r->n_forces) {
    r->forces = grow_array(r->forces, ++r->n_forces, sizeof *r->forces);
  } else {
    free(r->forces[k].options);
    free(r->forces[k].data);
  }
  r->forces[k] = force;
}

const struct accumulated *run_record_force(const struct run_record *r, const char *name)
{
  for (int k = 0; k < r->n_forces; k++)
    if (!strcmp(r->forces[k].name, name)) return &r->forces[k];
  return NULL;
}

/* Caller frees. */
static struct accumulated *copy_of(const struct accumulated *from, int n)
{
  struct accumulated *to = n ? alloc_array(n, sizeof *to) : NULL;
  for (int k = 0; k < n; k++) {
    to[k] = from[k];
    to[k].options = text_copy(from[k].options);
    to[k].data = alloc_array(from[k].n, sizeof *to[k].data);
    if (from[k].n) memcpy(to[k].data, from[k].data, (size_t)from[k].n * sizeof *to[k].data);
  }
  return to;
}

void run_record_begin_keeping(struct run_record *r, const char *input, uint64_t input_hash,
                              const char *name)
{
  const struct accumulated *was = run_record_force(r, name);
  struct accumulated *copy = was ? copy_of(was, 1) : NULL;
  run_record_begin(r, input, input_hash);
  run_record_set_forces(r, copy != NULL, copy);
}

void run_record_keep(struct run_record *r, const char *text, int64_t n, const int64_t (*range)[2])
{
  r->kept = extend_array(r->kept, r->n_kept, sizeof *r->kept);
  struct kept_beads *k = &r->kept[r->n_kept++];
  *k = (struct kept_beads){text_copy(text), n, alloc_array(n, sizeof *k->range)};
  if (n > 0) memcpy(k->range, range, (size_t)n * sizeof *k->range);
}

const struct kept_beads *run_record_kept(const struct run_record *r, const char *text)
{
  for (int k = 0; k < r->n_kept; k++)
    if (!strcmp(r->kept[k].text, text)) return &r->kept[k];
  return NULL;
}

void run_record_forget_kept(struct run_record *r)
{
  for (int k = 0; k < r->n_kept; k++) {
    free(r->kept[k].text);
    free(r->kept[k].range);
  }
  free(r->kept);
  r->kept = NULL;
  r->n_kept = 0;
}

void run_record_restore_numbers(struct run_record *r, const struct run_record *stored)
{
  r->input_hash = stored->input_hash;
  r->builds = stored->builds;
  r->conserved_work = stored->conserved_work;
}

void run_record_restore_texts(struct run_record *r, const char *git, const char *parameters,
                              const char *history)
{
  snprintf(r->git, sizeof r->git, "%s", git);
  replace(&r->parameters, parameters);
  replace(&r->history, history);
}

void run_record_copy(struct run_record *to, const struct run_record *from)
{
  run_record_restore_numbers(to, from);
  run_record_restore_texts(to, from->git, from->parameters, from->history);
  run_record_set_input(to, from->input, from->input_hash);
  run_record_set_id(to, from->id);
  run_record_set_contents(to, from->contents);
  run_record_set_kernel(to, from->kernel);
  run_record_set_energy_line(to, from->energy_line);
  run_record_set_accumulated(to, 0, NULL);
  run_record_set_forces(to, from->n_forces, copy_of(from->forces, from->n_forces));
  run_record_forget_kept(to);
  for (int k = 0; k < from->n_kept; k++)
    run_record_keep(to, from->kept[k].text, from->kept[k].n,
                    (const int64_t(*)[2])from->kept[k].range);
}

void run_record_free(struct run_record *r)
{
  run_record_forget_kept(r);
  free(r->input);
  free(r->parameters);
  free(r->history);
  free(r->contents);
  accumulated_free(r->accumulated, r->n_accumulated);
  accumulated_free(r->forces, r->n_forces);
}

void accumulated_free(struct accumulated *o, int n)
{
  for (int k = 0; k < n; k++) {
    free(o[k].options);
    free(o[k].data);
  }
  free(o);
}
