#include "md/contents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "md/fingerprint.h"

enum { DIGITS = 16 }; /* of a fingerprint; a space and the name of the file follow */

struct comparison {
  struct sim *sim;
  FILE *out; /* the text for the record */
  contents_change *each;
  void *argument;
};

/* The fingerprint that a record has of a file; 0: none. */
static uint64_t kept_of(const struct run_record *run, const char *path)
{
  const size_t length = strlen(path);
  for (const char *line = run->contents; line && *line;) {
    const size_t n = strcspn(line, "\n");
    if (n == DIGITS + 1 + length && !strncmp(line + DIGITS + 1, path, length))
      return strtoull(line, NULL, 16);
    line += n + (line[n] != 0);
  }
  return 0;
}

static void take(const struct comparison *c, const char *where, const char *path, uint64_t now)
{
  const uint64_t was = kept_of(&c->sim->system->run, path);
  if (was && was != now) c->each(c->argument, where, path, was, now);
  fprintf(c->out, "%016" PRIx64 " %s\n", now, path);
}

/* Takes the `file` of an item of a list. */
static void take_item(const struct comparison *c, const char *list, int item, uint64_t now)
{
  struct params_value v = {0};
  params_open(&v, c->sim->params, list);
  const int node = yaml_get(v.tree, yaml_item(v.tree, v.node, item), "file");
  char *where = yaml_where(v.tree, node);
  take(c, where, yaml_text(v.tree, node, ""), now);
  free(where);
  params_close(&v);
}

static uint64_t content_of_table(const struct bias *b)
{
  const double ends[] = {b->table_start, b->table_step};
  return fingerprint_bytes(fingerprint_bytes(0, ends, sizeof ends), b->piece,
                           (size_t)b->n_pieces * sizeof *b->piece);
}

/* Of replicas PLUMED may read files of other names, which are not looked at. */
static void take_plumed(const struct comparison *c)
{
  const struct sim *s = c->sim;
  const char *path = s->params->plumed;
  uint64_t now = 0;
  if (!path[0]) return;
  if (s->ranks->rank == 0) {
    char why[160];
    FILE *file = text_open(path, YAML_TEXT_MAX, why);
    char *text = file ? text_read_file(path, YAML_TEXT_MAX) : NULL;
    if (file) fclose(file);
    if (text) now = fingerprint_text(text);
    free(text);
  }
  ranks_broadcast(s->ranks, &now, sizeof now);
  if (now) take(c, "plumed", path, now);
}

void contents_compare(struct sim *s, contents_change *each, void *argument)
{
  struct text_stream text;
  const struct comparison c = {s, text_begin(&text), each, argument};
  for (int k = 0; k < s->n_fields; k++)
    if (s->field[k].file) take_item(&c, "fields", k, s->field[k].map.content);
  for (int k = 0; s->biases && k < s->biases->set.n_biases; k++)
    if (s->biases->set.bias[k].n_pieces > 0)
      take_item(&c, "biases", k, content_of_table(&s->biases->set.bias[k]));
  take_plumed(&c);
  char *all = text_end(&text);
  run_record_set_contents(&s->system->run, all[0] ? all : NULL);
  free(all);
}

static void change_note(void *argument, const char *where, const char *path, uint64_t was,
                        uint64_t now)
{
  struct system *y = argument;
  warn("%s: changed since the job before: '%s' has another content (fingerprint %016" PRIx64
       ", not %016" PRIx64
       "), and from step %lld on the forces are those of the new one. To go on with the former "
       "forces bring back the former file; a new run has another output.prefix, or --restart=never",
       where, path, now, was, (long long)y->clock.step);
  run_record_add(&y->run, "changed at step %lld: content of '%s' %016" PRIx64 " -> %016" PRIx64,
                 (long long)y->clock.step, path, was, now);
}

/* 1 if a group of an index file has other beads than those that are kept. 0 also if the file cannot
   be read: the run does not need it. */
static int index_differs(const struct kept_beads *kept, const char *path, const char *group,
                         int64_t n_total)
{
  struct error_list m = {0};
  char why[160];
  int64_t *atom = NULL;
  FILE *file = text_open(path, SIZE_MAX, why);
  if (!file) return 0;
  fclose(file);
  const int64_t n = index_file_read(path, group, n_total, &atom, &m);
  int64_t(*range)[2] = alloc_array(n > 0 ? n : 0, sizeof *range);
  for (int64_t k = 0; k < n; k++)
    range[k][0] = range[k][1] = atom[k];
  const int ranges = ranges_join(range, n > 0 ? n : 0);
  const int differs = m.count > 0 || ranges != kept->n ||
                      (ranges && memcmp(range, kept->range, (size_t)ranges * sizeof *range) != 0);
  error_list_free(&m);
  free(range);
  free(atom);
  return differs;
}

static void indices_note(const struct sim *s)
{
  const struct run_record *run = &s->system->run;
  for (int k = 0; k < run->n_kept; k++) {
    struct error_list m = {0};
    struct yaml_tree *t = yaml_parse(run->kept[k].text, "groups", &m);
    const int ndx = yaml_get(t, yaml_root(t), "ndx");
    const char *path = yaml_text(t, yaml_get(t, ndx, "file"), ""),
               *group = yaml_text(t, yaml_get(t, ndx, "group"), "");
    if (ndx && index_differs(&run->kept[k], path, group, s->system->n_total))
      warn("the group '%s' of '%s' has other beads than at the start of the run, which goes on "
           "with those of its start. For others give the file another name, or begin a new run",
           group, path);
    yaml_destroy(t);
    error_list_free(&m);
  }
}

void contents_note(struct sim *s)
{
  contents_compare(s, change_note, s->system);
  indices_note(s);
}
