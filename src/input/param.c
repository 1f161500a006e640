/* Defaults, parsing, checks, printing and help of parameters: all are generated from
   param_list.h. */
#include "input/param.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/group_use.h"
#include "input/ramp_yaml.h"

enum value_type { REAL, RAMP, EDGES, INT, TEXT, CHOICE, TREE, GONE }; /* first real numbers */
enum effect { NONE, MOTION, LATER };

/* A line of the list. section ends in "_", or is empty. The value of a TREE is YAML text. Of a key
   that is GONE text is the value that is accepted, or NULL, and help the message. */
struct key {
  enum value_type type;
  enum effect effect;
  size_t offset;
  const char *section, *name, *text; /* text: the default of a TEXT */
  double real, real_min, real_max;
  int64_t integer, int_min, int_max;
  int has_auto;
  const char *unit, *choices, *help;
};

static const struct key keys[] = {
#define KEY(type, section, key, effect, ...)                                                       \
  {type, effect, offsetof(struct params, section##key), #section, #key, __VA_ARGS__},
#define PARAM_REAL(section, key, value, low, high, automatic, unit, effect, help)                  \
  KEY(REAL, section, key, effect, NULL, value, low, high, 0, 0, 0, automatic, unit, NULL, help)
#define PARAM_RAMP(section, key, value, low, high, unit, effect, help)                             \
  KEY(RAMP, section, key, effect, NULL, value, low, high, 0, 0, 0, 0, unit, NULL, help)
#define PARAM_EDGES(section, key, value, low, high, unit, effect, help)                            \
  KEY(EDGES, section, key, effect, NULL, value, low, high, 0, 0, 0, 0, unit, NULL, help)
#define PARAM_INT(section, key, value, low, high, automatic, unit, effect, help)                   \
  KEY(INT, section, key, effect, NULL, 0, 0, 0, value, low, high, automatic, unit, NULL, help)
#define PARAM_TEXT(section, key, value, effect, help)                                              \
  KEY(TEXT, section, key, effect, value, 0, 0, 0, 0, 0, 0, 0, "", NULL, help)
#define PARAM_CHOICE(section, key, value, choices, effect, help)                                   \
  KEY(CHOICE, section, key, effect, NULL, 0, 0, 0, value, 0, 0, 0, "", CHOICES_TEXT(choices), help)
#define PARAM_TREE(section, key, effect, help)                                                     \
  KEY(TREE, section, key, effect, "[]", 0, 0, 0, 0, 0, 0, 0, "", NULL, help)
#define PARAM_GONE(section, key, accepted, help)                                                   \
  {GONE, NONE, 0, #section, #key, accepted, 0, 0, 0, 0, 0, 0, 0, "", NULL, help},
#include "input/param_list.h"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static void *member(struct params *p, const struct key *k)
{
  return (char *)p + k->offset;
}

static void text_set(char **text, char *now)
{
  free(*text);
  *text = now;
}

/* Sets a parameter to the one of these that it has. */
static void key_assign(struct params *p, const struct key *k, double real, int64_t integer,
                       const char *text)
{
  void *to = member(p, k);
  if (k->type == REAL) *(double *)to = real;
  if (k->type == RAMP) *(struct ramp *)to = ramp_constant(real);
  if (k->type == EDGES) edges_set(to, real);
  if (k->type == INT) *(int64_t *)to = integer;
  if (k->type == CHOICE) *(int *)to = (int)integer;
  if (k->type == TEXT || k->type == TREE) text_set(to, text_copy(text));
}

/* Sets a parameter to the value at a node, if the node exists. */
static void key_set(struct params *p, const struct key *k, struct yaml_tree *t, int node)
{
  if (!node) return;
  const int automatic = k->has_auto && yaml_is_text(t, node, "auto");
  double *real = member(p, k);
  int64_t *integer = member(p, k);
  char **text = member(p, k);
  int *choice = member(p, k);
  switch (k->type) {
  case REAL:
    *real = automatic ? (double)NAN : yaml_real(t, node, *real, k->real_min, k->real_max);
    break;
  case RAMP:
    ramp_read(t, node, member(p, k), k->real_min, k->real_max);
    break;
  case EDGES:
    edges_read(t, node, real, k->real_min, k->real_max);
    break;
  case INT:
    *integer = automatic ? -1 : yaml_int(t, node, *integer, k->int_min, k->int_max);
    break;
  case TEXT:
    text_set(text, text_copy(yaml_text(t, node, *text)));
    break;
  case CHOICE:
    *choice = yaml_choice(t, node, *choice, k->choices);
    break;
  case TREE:
    text_set(text, yaml_flow_text(t, node));
    break;
  case GONE:
    if (!k->text || !yaml_is_text(t, node, k->text)) yaml_add_error(t, node, "%s", k->help);
  }
}

/* The section without its "_". */
static void section_name(const struct key *k, char out[64])
{
  snprintf(out, 64, "%.*s", (int)strlen(k->section) - (k->section[0] != 0), k->section);
}

/* Word list of the keys of a section, or of the sections and keys of the top level. */
static void list_names(const char *section, char out[1024])
{
  const char *last = "";
  char name[64];
  out[0] = 0;
  for (int m = 0; m < KEYS; m++) {
    const struct key *k = &keys[m];
    section_name(k, name);
    if (!strcmp(k->section, section))
      word_list_add(out, 1024, k->name);
    else if (!section[0] && strcmp(k->section, last))
      word_list_add(out, 1024, name);
    last = k->section;
  }
}

void params_merge(struct params *p, struct yaml_tree *t, int root)
{
  char names[1024], section[64];
  list_names("", names);
  if (!yaml_expect_map(t, root, names)) return;
  const char *last = "";
  for (int m = 0; m < KEYS; m++) {
    const struct key *k = &keys[m];
    section_name(k, section);
    int map = section[0] ? yaml_get(t, root, section) : root;
    if (section[0] && strcmp(last, k->section)) {
      list_names(k->section, names);
      yaml_expect_map(t, map, names);
    }
    last = k->section;
    if (yaml_is_map(t, map)) key_set(p, k, t, yaml_get(t, map, k->name));
  }
}

static void full_name(const struct key *k, char *out, size_t size)
{
  char section[64];
  section_name(k, section);
  snprintf(out, size, "%s%s%s", section, section[0] ? "." : "", k->name);
}

void params_merge_at(struct params *p, struct yaml_tree *t, const char *name, int node)
{
  char names[1024], text[96];
  for (int m = 0; m < KEYS; m++) {
    const struct key *k = &keys[m];
    full_name(k, text, sizeof text);
    if (!strcmp(text, name)) key_set(p, k, t, node);
    section_name(k, text);
    if (!text[0] || strcmp(text, name)) continue;
    list_names(k->section, names);
    if (k == keys || strcmp(k[-1].section, k->section)) yaml_expect_map(t, node, names);
    if (yaml_is_map(t, node)) key_set(p, k, t, yaml_get(t, node, k->name));
  }
}

void params_override(struct params *p, const char *text, const char *before, struct error_list *m)
{
  const char *equal = strchr(text, '=');
  struct nearest near = {{0}, 0};
  char name[96], wanted[96], hint[96], place[256];
  snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(text, "="), text);
  snprintf(place, sizeof place, "%.150s%s", before, wanted);
  if (!equal || equal - text >= (int)sizeof wanted) {
    char kind[FILE_KIND_TEXT];
    const char *other =
        equal ? NULL : file_kind_other(text, FILE_UNKNOWN, "a key and its value", kind);
    error_list_add(m, place, 0, "%s", other ? other : "an override is written section.key=value");
    return;
  }
  for (int n = 0; n < KEYS; n++) {
    full_name(&keys[n], name, sizeof name);
    nearest_offer(&near, wanted, name);
    if (strcmp(name, wanted)) continue;
    struct yaml_tree *t =
        keys[n].type == TREE || (keys[n].type <= EDGES && strchr("[{", equal[1]) && equal[1])
            ? yaml_parse(equal + 1, place, m)
            : yaml_scalar(equal + 1, place, m);
    key_set(p, &keys[n], t, yaml_root(t));
    yaml_destroy(t);
    return;
  }
  error_list_add(m, place, 0, "there is no such key%s", nearest_text(&near, hint));
}

static struct params *params_default(void)
{
  struct params *p = alloc_array(1, sizeof *p);
  for (int k = 0; k < KEYS; k++)
    key_assign(p, &keys[k], keys[k].real, keys[k].integer, keys[k].text);
  return p;
}

struct params *params_load(const char *path, int n_overrides, char *const *overrides)
{
  struct params *p = params_default();
  struct error_list m = {0};
  if (path) {
    p->file = text_copy(path);
    struct yaml_tree *t = yaml_load(path, &m);
    params_merge(p, t, yaml_root(t));
    yaml_destroy(t);
  }
  for (int k = 0; k < n_overrides; k++)
    if (!path || strncmp(overrides[k], PARAMS_STAGES, strlen(PARAMS_STAGES)))
      params_override(p, overrides[k], "", &m);
  error_list_check(&m);
  return p;
}

static struct params *parse_text(const char *text, const char *name, struct error_list *m)
{
  struct params *p = params_default();
  struct yaml_tree *t = yaml_parse(text, name, m);
  params_merge(p, t, yaml_root(t));
  yaml_destroy(t);
  return p;
}

struct params *params_from_text(const char *text)
{
  struct error_list passed_over = {0};
  struct params *p = parse_text(text, "effective input of an earlier job", &passed_over);
  error_list_free(&passed_over);
  return p;
}

struct params *params_parse(const char *text, const char *name)
{
  struct error_list m = {0};
  struct params *p = parse_text(text, name, &m);
  error_list_check(&m);
  return p;
}

/* The line of the list for a key, which must be of one of two types. */
static const struct key *find_key(const char *key, enum value_type type, enum value_type other)
{
  char name[96];
  int n = 0;
  do
    full_name(&keys[n], name, sizeof name);
  while (strcmp(name, key) != 0 && ++n < KEYS);
  assert(n < KEYS);
  const enum value_type found = keys[n].type <= EDGES ? REAL : keys[n].type;
  assert(found == type || found == other);
  (void)found;
  return &keys[n];
}

void params_range(const char *key, double *low, double *high)
{
  const struct key *k = find_key(key, REAL, INT);
  *low = k->type == INT ? (double)k->int_min : k->real_min;
  *high = k->type == INT ? (double)k->int_max : k->real_max;
}

void params_set_real(struct params *p, const char *key, double value)
{
  key_assign(p, find_key(key, REAL, REAL), value, 0, NULL);
}

void params_set_int(struct params *p, const char *key, int64_t value)
{
  key_assign(p, find_key(key, INT, CHOICE), 0, value, NULL);
}

void params_set_text(struct params *p, const char *key, const char *value)
{
  key_assign(p, find_key(key, TEXT, TREE), 0, 0, value);
}

void params_take(struct params *p, const struct params *from, const char *section)
{
  static const size_t size[] = {
      [REAL] = sizeof(double),      [INT] = sizeof(int64_t),      [CHOICE] = sizeof(int),
      [RAMP] = sizeof(struct ramp), [EDGES] = 3 * sizeof(double), [GONE] = 0};
  char name[64];
  for (int k = 0; k < KEYS; k++) {
    const void *value = (const char *)from + keys[k].offset;
    section_name(&keys[k], name);
    if (strcmp(name, section)) continue;
    if (keys[k].type == TEXT || keys[k].type == TREE)
      text_set(member(p, &keys[k]), text_copy(*(char *const *)value));
    else
      memcpy(member(p, &keys[k]), value, size[keys[k].type]);
  }
}

struct params *params_for_stage(const struct params *base, int number)
{
  struct params *p = alloc_array(1, sizeof *p);
  *p = *base;
  for (int k = 0; k < KEYS; k++)
    if (keys[k].type == TEXT || keys[k].type == TREE)
      *(char **)member(p, &keys[k]) = text_copy(*(char *const *)member(p, &keys[k]));
  p->file = base->file ? text_copy(base->file) : NULL;
  p->stage = number;
  params_set_text(p, "stages", "[]");
  return p;
}

/* A value as YAML text. Caller frees. */
static char *value_text(const struct params *p, const struct key *k)
{
  char text[FORMAT_REAL_BYTES];
  const void *at = (const char *)p + k->offset;
  const char *word;
  size_t n;
  switch (k->type) {
  case REAL:
    if (isnan(*(const double *)at)) return text_copy("auto");
    return text_copy(format_real(*(const double *)at, text));
  case RAMP:
    return ramp_text(at);
  case EDGES:
    return edges_text(at);
  case INT:
    if (k->has_auto && *(const int64_t *)at < 0) return text_copy("auto");
    return text_format("%" PRId64, *(const int64_t *)at);
  case TEXT:
    return format_yaml_string(*(char *const *)at);
  case TREE:
    return text_copy(*(char *const *)at);
  default:
    word = word_list_item(k->choices, *(const int *)at, &n);
    return text_format("%.*s", (int)n, word);
  }
}

/* The same of a key that the trajectory depends on; of groups those that other such keys name. */
static char *motion_text(const struct params *p, const struct key *k)
{
  const char *other[KEYS];
  int n = 0;
  if (k->offset != offsetof(struct params, groups)) return value_text(p, k);
  for (int m = 0; m < KEYS; m++)
    if (keys[m].type == TREE && keys[m].effect != NONE && &keys[m] != k)
      other[n++] = *(char *const *)((const char *)p + keys[m].offset);
  return named_groups_used(p->groups, other, n);
}

int params_changes(const struct params *old, const struct params *now, params_change *each,
                   void *argument)
{
  int changes = 0;
  for (int m = 0; m < KEYS; m++) {
    if (keys[m].effect == NONE) continue;
    char *was = motion_text(old, &keys[m]), *is = motion_text(now, &keys[m]), name[96];
    full_name(&keys[m], name, sizeof name);
    if (keys[m].type == TREE ? !yaml_mean_same(was, is) : strcmp(was, is) != 0) {
      each(argument, name, was, is);
      changes++;
    }
    free(was);
    free(is);
  }
  return changes;
}

int params_node(const struct yaml_tree *t, int map, const char *key)
{
  const char *dot = strchr(key, '.');
  char section[64];
  if (!dot) return yaml_get(t, map, key);
  snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
  return yaml_get(t, yaml_get(t, map, section), dot + 1);
}

void params_open(struct params_value *v, const struct params *p, const char *key)
{
  const char *text = *(char *const *)((const char *)p + find_key(key, TREE, TREE)->offset);
  if (p->file) {
    struct yaml_tree *t = v->tree = yaml_load(p->file, &v->errors);
    const int stage = yaml_item(t, yaml_get(t, yaml_root(t), "stages"), p->stage - 1);
    const int place[] = {yaml_get(t, stage, "set"), stage, yaml_root(t)};
    for (int k = 0; k < 3; k++) {
      v->node = params_node(t, place[k], key);
      char *in_file = yaml_flow_text(t, v->node);
      const int same = !strcmp(in_file, text);
      free(in_file);
      if (same) return;
    }
    yaml_destroy(t);
  }
  v->tree = yaml_parse(text, key, &v->errors);
  v->node = yaml_root(v->tree);
}

void params_close(struct params_value *v)
{
  error_list_check(&v->errors);
  yaml_destroy(v->tree);
}

char *params_where(const struct params *p, const char *key, int item)
{
  struct params_value v = {0};
  params_open(&v, p, key);
  char *where = yaml_where(v.tree, yaml_item(v.tree, v.node, item));
  params_close(&v);
  return where;
}

char *params_motion(const struct params *p)
{
  struct text_stream all;
  FILE *f = text_begin(&all);
  struct params *unset = params_default();
  for (int m = 0; m < KEYS; m++) {
    if (keys[m].effect == NONE) continue;
    char *text = motion_text(p, &keys[m]), *standard = value_text(unset, &keys[m]), name[96];
    char *value = keys[m].type == TREE ? yaml_meaning(text) : text_copy(text);
    full_name(&keys[m], name, sizeof name);
    if (keys[m].effect == MOTION || strcmp(text, standard) != 0)
      fprintf(f, "%s: %s\n", name, value);
    free(standard);
    free(value);
    free(text);
  }
  params_destroy(unset);
  return text_end(&all);
}

char *params_text(const struct params *p)
{
  struct text_stream all;
  FILE *f = text_begin(&all);
  const char *last = "";
  for (int m = 0; m < KEYS; m++) {
    const struct key *k = &keys[m];
    if (k->type == GONE) continue;
    char *value = value_text(p, k), section[64];
    section_name(k, section);
    if (strcmp(last, k->section)) fprintf(f, "%s:\n", section);
    last = k->section;
    fprintf(f, "%s%s: %s  # %s%s%s%s%s\n", section[0] ? "  " : "", k->name, value, k->help,
            k->unit[0] ? "; " : "", k->unit, k->choices ? "; " : "", k->choices ? k->choices : "");
    free(value);
  }
  return text_end(&all);
}

void params_help(void)
{
  struct params *p = params_load(NULL, 0, NULL);
  printf("\nKeys of the run file (YAML; also section.key=value after -s):\n");
  for (int m = 0; m < KEYS; m++) {
    const struct key *k = &keys[m];
    char name[96], range[96] = "";
    if (k->type == GONE) continue;
    char *value = value_text(p, k);
    full_name(k, name, sizeof name);
    if (k->type <= EDGES) snprintf(range, sizeof range, ", %g to %g", k->real_min, k->real_max);
    if (k->type == INT && k->int_max == INT64_MAX)
      snprintf(range, sizeof range, ", at least %" PRId64, k->int_min);
    else if (k->type == INT)
      snprintf(range, sizeof range, ", %" PRId64 " to %" PRId64, k->int_min, k->int_max);
    printf("  %-30s %s [%s%s%s]\n      %s\n", name, k->choices ? k->choices : k->unit, value, range,
           k->has_auto ? ", or auto" : "", k->help);
    free(value);
  }
  params_destroy(p);
}

void params_destroy(struct params *p)
{
  if (!p) return;
  for (int k = 0; k < KEYS; k++)
    if (keys[k].type == TEXT || keys[k].type == TREE) free(*(char **)member(p, &keys[k]));
  free(p->file);
  free(p);
}
