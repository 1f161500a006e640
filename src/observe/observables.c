/* The list of kinds, and the observables that a run file asks for: see observable.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "molecules/flatness.h"
#include "observe/observable.h"

static const struct observable_kind kinds[] = {
#define KIND(name, derive, ...)                                                                    \
  {#name, __VA_ARGS__, observe_##name##_open, observe_##name##_collect, observe_##name##_sample,   \
   derive},
#include "observe/kind_list.h"
#undef KIND
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct observable_kind *observable_kind(int k)
{
  return k < KINDS ? &kinds[k] : NULL;
}

static const struct observable_kind *find_kind(struct yaml_tree *t, int node, const char *word)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  for (int k = 0; k < KINDS; k++) {
    if (!strcmp(kinds[k].name, word)) return &kinds[k];
    nearest_offer(&near, word, kinds[k].name);
  }
  yaml_add_error(t, node, "there is no observable '%s'%s", word, nearest_text(&near, hint));
  return NULL;
}

/* The word and the options (0: none) of an item. */
static const char *item_word(struct yaml_tree *t, int item, int *options)
{
  *options = 0;
  if (!yaml_is_map(t, item)) return yaml_text(t, item, NULL);
  if (yaml_count(t, item) != 1) {
    yaml_add_error(t, item,
                   "an observable is a word, or one word with its options: 'density: "
                   "{every: 100}'");
    return NULL;
  }
  *options = yaml_item(t, item, 0);
  return yaml_key(t, item, 0);
}

static int is_name(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return name[0] && strlen(name) < 32 && strspn(name, letters) == strlen(name);
}

static void read_name(struct observable *o, struct yaml_tree *t, int options,
                      const struct observable *before, int n)
{
  const int node = yaml_get(t, options, "name");
  const char *name = yaml_text(t, node, o->kind->name);
  if (!is_name(name))
    yaml_add_error(t, node, "a name is 1 to 31 letters, digits, '_' or '-', not '%s'", name);
  if (!strcmp(name, "names"))
    yaml_add_error(t, node, "'names' is the name of a list in checkpoints: choose another one");
  snprintf(o->name, sizeof o->name, "%.31s", name);
  for (int k = 0; k < n; k++)
    if (!strcmp(before[k].name, o->name)) {
      yaml_add_error(t, node ? node : options,
                     "two observables are called '%s'; give one another name with 'name:'",
                     o->name);
      return;
    }
}

/* 1 if a column of a table is a value of a single sample. */
static int frames_any(const struct observable *o)
{
  for (int t = 0; t < o->tables; t++)
    for (int c = 0; c < o->table[t].columns; c++)
      if (o->table[t].column[c].value >= 0) return 1;
  return 0;
}

/* Option `frames`, after the tables are known. */
static void read_frames(struct observable *o, struct yaml_tree *t, int options)
{
  const int node = yaml_get(t, options, "frames");
  o->frames = yaml_choice(t, node, 0, "no|yes");
  if (!o->frames) return;
  if (o->tables > 0 && !frames_any(o))
    yaml_add_error(t, node, "a sample of '%s' is no result by itself, so frames cannot hold it",
                   o->kind->name);
  o->last = alloc_array(o->values, sizeof *o->last);
  for (int k = 0; k < o->values; k++)
    o->last[k] = (double)NAN;
}

/* Dataset d of table t, counted over its axis or labels and the three of each column, "NAME_time".
   Returns the column, or -1, and copies its name to out. */
static int dataset_name(const struct observe_table *t, int d, char out[OBSERVE_NAME + 8])
{
  static const char *const end[] = {"", "_error", "_time"};
  const int c = d == 0 ? -1 : (d - 1) / 3;
  if (c < 0)
    snprintf(out, OBSERVE_NAME + 8, "%s", t->axis ? "axis" : "label");
  else
    snprintf(out, OBSERVE_NAME + 8, "%s%s", t->column[c].name, end[(d - 1) % 3]);
  return c;
}

/* An error if two columns of a table would make datasets of one name, as those of the names of the
   user 'd' and 'd_time' do. */
static void refuse_twins(const struct observable *o, const struct observe_table *table,
                         struct yaml_tree *t, int node)
{
  char name[OBSERVE_NAME + 8], other[OBSERVE_NAME + 8];
  for (int d = 1; d < 3 * table->columns + 1; d++)
    for (int e = 0; e < d; e++) {
      const int column = dataset_name(table, d, name), before = dataset_name(table, e, other);
      if (strcmp(name, other) != 0) continue;
      yaml_add_error(t, node,
                     "'%s' and '%s' would both make the dataset %s/%s/%s of results: give one of "
                     "them another name",
                     before < 0 ? other : table->column[before].name, table->column[column].name,
                     o->name, table->name, name);
    }
}

/* Opens an item. Returns 0 if it is no observable. */
static int read_item(struct observable *o, struct yaml_tree *t, int item,
                     const struct observable *before, int n)
{
  char keys[256];
  int options;
  const char *word = item_word(t, item, &options);
  if (!word) return 0;
  o->kind = find_kind(t, item, word);
  if (!o->kind) return 0;
  snprintf(keys, sizeof keys, "every|from|name|frames%s%s", o->kind->options[0] ? "|" : "",
           o->kind->options);
  if (options) yaml_expect_map(t, options, keys);
  read_name(o, t, options ? options : item, before, n);
  o->every_is_given = yaml_get(t, options, "every") != 0;
  o->every = yaml_int(t, yaml_get(t, options, "every"), o->kind->every, 1, INT64_MAX);
  o->from = yaml_int(t, yaml_get(t, options, "from"), 0, 0, INT64_MAX);
  o->options = yaml_flow_text(t, options);
  if (o->kind->needs & NEEDS_CENTRE && o->about->bilayers > 1)
    yaml_add_error(t, item,
                   "'%s' is of a single bilayer, on which heights and profiles are centred, and "
                   "output.bilayers is %d",
                   word, o->about->bilayers);
  o->needs = o->kind->needs;
  o->kind->open(o, t, options ? options : item);
  for (int k = 0; k < o->tables; k++)
    refuse_twins(o, &o->table[k], t, options ? options : item);
  if (o->kind->needs & NEEDS_CENTRE) o->of_lipids = 1;
  if (o->flat_grid) {
    o->words += flatness_words(o->flat_grid);
    o->values++;
  }
  read_frames(o, t, options);
  blocks_open(&o->blocks, o->values);
  return 1;
}

struct observable *observables_create(struct yaml_tree *t, int list,
                                      const struct observe_system *about, int *n)
{
  const int items = yaml_count(t, list);
  struct observable *o = alloc_array(items, sizeof *o);
  *n = 0;
  if (!list || !yaml_expect_list(t, list, 0, 1000)) return o;
  for (int k = 0; k < items; k++) {
    memset(&o[*n], 0, sizeof o[*n]);
    o[*n].about = about;
    if (read_item(&o[*n], t, yaml_item(t, list, k), o, *n)) (*n)++;
  }
  return o;
}

void observables_destroy(struct observable *o, int n)
{
  for (int k = 0; k < n; k++)
    observable_free(&o[k]);
  free(o);
}

static void column_text(FILE *f, const struct observe_table *t, const struct observe_column *c)
{
  fprintf(f, "%s\t%s\t%d\t%d\t%s\t", t->name, c->name, c->value, t->rows, c->unit);
  for (int k = 0; !t->axis && k < t->rows; k++)
    fprintf(f, "%s%s", k ? " " : "", t->label[k]);
  fprintf(f, "\n");
}

char *observe_frames_columns(const struct observable *o)
{
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  fprintf(f, "table\tcolumn\tfirst\trows\tunit\tlabels\n");
  for (int t = 0; t < o->tables; t++)
    for (int c = 0; c < o->table[t].columns; c++)
      if (o->table[t].column[c].value >= 0) column_text(f, &o->table[t], &o->table[t].column[c]);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}
