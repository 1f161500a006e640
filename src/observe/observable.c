#include "observe/observable.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "molecules/flatness.h"

/* Sets the name of the last of n things, of `bytes` bytes each, that begin with their name. Names
   of types may have any characters: a name in files has no '/'. One that is used already is
   numbered: A_B with C, and A with B_C, give the same. */
static void name_set(void *thing, size_t bytes, int n, const char *name)
{
  char *out = (char *)thing + (size_t)(n - 1) * bytes, end[16];
  int used = 0;
  snprintf(out, OBSERVE_NAME, "%s", name);
  for (char *at = strchr(out, '/'); at; at = strchr(at, '/'))
    *at = '_';
  for (int k = 0; k < n - 1; k++)
    used |= !strcmp((char *)thing + (size_t)k * bytes, out);
  if (!used) return;
  const size_t more = (size_t)snprintf(end, sizeof end, "_%d", n), length = strlen(out);
  memcpy(out + (length + more < OBSERVE_NAME ? length : OBSERVE_NAME - 1 - more), end, more + 1);
}

void observable_chose(struct observable *o, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = text_vformat(format, args);
  va_end(args);
  if (!text) die(STATUS_INPUT, "out of memory");
  const size_t used = o->choices ? strlen(o->choices) - 1 : 0, bytes = used + strlen(text) + 4;
  o->choices = grow_array(o->choices, (long long)bytes, 1);
  snprintf(o->choices + used, bytes - used, "%s%s}", used ? ", " : "{", text);
  free(text);
}

struct observe_table *observable_add_table(struct observable *o, const char *name, const char *axis,
                                           const char *axis_unit, int rows)
{
  o->table = grow_array(o->table, o->tables + 1, sizeof *o->table);
  struct observe_table *t = &o->table[o->tables++];
  memset(t, 0, sizeof *t);
  name_set(o->table, sizeof *t, o->tables, name);
  t->axis = axis;
  t->axis_unit = axis_unit;
  t->edge = -1;
  t->rows = rows;
  t->first = o->results;
  if (!axis) t->label = alloc_array(rows, sizeof *t->label);
  if (axis) o->results += rows;
  return t;
}

void observable_add_column(struct observable *o, const char *name, const char *unit, int value)
{
  struct observe_table *t = &o->table[o->tables - 1];
  t->column = grow_array(t->column, t->columns + 1, sizeof *t->column);
  struct observe_column *c = &t->column[t->columns++];
  name_set(t->column, sizeof *c, t->columns, name);
  c->unit = unit;
  c->value = value == OBSERVE_NEXT ? o->values : value;
  if (value == OBSERVE_NEXT) o->values += t->rows;
  o->results += t->rows;
}

void *observe_memory(struct observable *o, int64_t count, size_t size)
{
  o->memory = grow_array(o->memory, o->n_memory + 1, sizeof *o->memory);
  return o->memory[o->n_memory++] = alloc_array(count, size);
}

void observable_free(struct observable *o)
{
  for (int k = 0; k < o->n_memory; k++)
    free(o->memory[k]);
  for (int t = 0; t < o->tables; t++) {
    free(o->table[t].column);
    free(o->table[t].label);
  }
  free(o->memory);
  free(o->table);
  free(o->options);
  free(o->choices);
  free(o->kept);
  free(o->last);
  blocks_close(&o->blocks);
}

double *observe_axis_of(const struct observable *o, double *result, int table)
{
  return result + o->table[table].first;
}

double *observe_column_of(const struct observable *o, double *result, int table, int column)
{
  const struct observe_table *t = &o->table[table];
  return result + t->first + (column + (t->axis != NULL)) * t->rows;
}

void observable_results(const struct observable *o, const double *mean, double *result)
{
  for (int k = 0; k < o->tables; k++) {
    const struct observe_table *t = &o->table[k];
    double *axis = observe_axis_of(o, result, k);
    for (int r = 0; t->at && r < t->rows; r++)
      axis[r] = t->edge >= 0 ? t->at[r] * mean[t->edge] : t->at[r];
    for (int c = 0; c < t->columns; c++)
      if (t->column[c].value >= 0)
        memcpy(observe_column_of(o, result, k, c), mean + t->column[c].value,
               (size_t)t->rows * sizeof *mean);
  }
  if (o->kind->derive) o->kind->derive(o, mean, result);
}

void observable_keep(struct observable *o, int64_t n)
{
  o->kept = grow_array(o->kept, n, sizeof *o->kept);
  for (int64_t k = o->n_kept; k < n; k++)
    o->kept[k] = 0;
  o->n_kept = n;
}

int observable_due(const struct observable *o, int64_t step)
{
  return step >= o->from && step % o->every == 0;
}

int64_t *observe_flat_words(const struct observable *o, int64_t *word)
{
  return o->flat_grid ? word + o->words - flatness_words(o->flat_grid) : NULL;
}

/* Sets the last value of a sample, and the others to NaN if the lipids are no flat bilayer. */
static void flatness_set(struct observable *o, const struct observe_frame *f, const int64_t *word,
                         double *value)
{
  const int64_t *flat = word + o->words - flatness_words(o->flat_grid);
  const enum flatness found = flatness_of(o->flat_grid, flat, f->box);
  value[o->values - 1] = found == FLAT;
  if (found == FLAT) return;
  for (int k = 0; k < o->values - 1; k++)
    value[k] = (double)NAN;
  if (!o->flat_warned)
    warn("observable %s: at step %lld the lipids are no flat bilayer across the box with normal z "
         "(%s): '%s' has no numbers. Let it begin later with 'from', or, if they are one, say "
         "membrane.flat: yes",
         o->name, (long long)f->step, flatness_text(found), o->name);
  o->flat_warned = 1;
}

void observable_take(struct observable *o, const struct observe_frame *f, const int64_t *word)
{
  double *value = alloc_array(o->values, sizeof *value);
  if (o->blocks.samples == 0) o->first_step = f->step;
  o->last_step = f->step;
  o->kind->sample(o, f, word, value);
  if (o->flat_grid) flatness_set(o, f, word, value);
  blocks_add(&o->blocks, value);
  if (o->last) memcpy(o->last, value, (size_t)o->values * sizeof *value);
  free(value);
}

enum { HEAD = 4 };

/* Numbers of the last sample in a checkpoint; they come last. */
static int64_t last_saved(const struct observable *o)
{
  return o->frames ? o->values : 0;
}

double *observable_save(const struct observable *o, int64_t *n)
{
  const int64_t blocks = blocks_saved(&o->blocks), last = last_saved(o);
  *n = HEAD + blocks + o->n_kept + last;
  double *out = alloc_array(*n, sizeof *out);
  out[0] = (double)o->first_step;
  out[1] = (double)o->last_step;
  out[2] = (double)o->n_kept;
  out[3] = (double)o->every * o->about->dt;
  blocks_save(&o->blocks, out + HEAD);
  if (o->n_kept) memcpy(out + HEAD + blocks, o->kept, (size_t)o->n_kept * sizeof *out);
  if (last) memcpy(out + *n - last, o->last, (size_t)last * sizeof *out);
  return out;
}

int observable_load(struct observable *o, const double *saved, int64_t n)
{
  const double most = 4503599627370496.0;
  const int64_t last = last_saved(o);
  n -= last;
  if (n < HEAD || !(saved[2] >= 0 && saved[2] <= (double)(n - HEAD))) return 0;
  if (!(fabs(saved[0]) < most && fabs(saved[1]) < most)) return 0;
  const int64_t kept = (int64_t)saved[2];
  if (!blocks_load(&o->blocks, saved + HEAD, n - HEAD - kept)) return 0;
  o->first_step = (int64_t)saved[0];
  o->last_step = (int64_t)saved[1];
  o->interval = saved[3];
  o->n_kept = 0;
  observable_keep(o, kept);
  if (kept) memcpy(o->kept, saved + n - kept, (size_t)kept * sizeof *saved);
  if (o->last) memcpy(o->last, saved + n, (size_t)last * sizeof *saved);
  return 1;
}

static const char *name_of(const struct forcefield *ff, enum observe_names of, int k)
{
  return of == NAMED_BEAD_TYPES ? ff->type[k].name : ff->molecule[k].name;
}

/* A word that is no name: the end of a message, with what it may be. */
static void unknown_text(const struct forcefield *ff, enum observe_names of, int names,
                         const char *word, char text[256])
{
  struct nearest near = {{0}, 0};
  size_t used = 0;
  text[0] = 0;
  for (int m = 0; of == NAMED_BEAD_TYPES && m < ff->n_molecules && !text[0]; m++) {
    const struct ff_molecule *molecule = &ff->molecule[m];
    for (int k = 0; molecule->bead_name && k < molecule->n_beads && !text[0]; k++)
      if (!strcmp(molecule->bead_name[k], word))
        snprintf(text, 256, "; '%.40s' is the name of a bead of %.40s, of type '%.40s'", word,
                 molecule->name, name_of(ff, of, molecule->bead[k]));
  }
  if (text[0]) return;
  for (int k = 0; k < names; k++)
    nearest_offer(&near, word, name_of(ff, of, k));
  if (near.best[0]) nearest_text(&near, text);
  for (int k = 0; !near.best[0] && k < names && used + 64 < 256; k++)
    used += (size_t)snprintf(text + used, 256 - used, "%s'%s'", k ? ", " : "; there are ",
                             name_of(ff, of, k));
}

int observe_read_names(struct observable *o, struct yaml_tree *t, int node, enum observe_names of,
                       int *index, int most)
{
  const struct forcefield *ff = o->about->ff;
  const int list = yaml_is_list(t, node), items = list ? yaml_count(t, node) : node != 0;
  char text[256];
  int n = 0;
  if (node && items == 0) yaml_add_error(t, node, "the list is empty");
  for (int k = 0; k < items && n < most; k++) {
    const int item = list ? yaml_item(t, node, k) : node;
    const char *word = yaml_text(t, item, NULL);
    if (!word) continue;
    index[n] = of == NAMED_BEAD_TYPES ? forcefield_type(ff, word) : forcefield_molecule(ff, word);
    if (index[n] >= 0) {
      n++;
      continue;
    }
    unknown_text(ff, of, of == NAMED_BEAD_TYPES ? ff->n_types : ff->n_molecules, word, text);
    yaml_add_error(t, item, "there is no %s '%s'%s",
                   of == NAMED_BEAD_TYPES ? "bead type" : "molecule", word, text);
  }
  return n;
}
