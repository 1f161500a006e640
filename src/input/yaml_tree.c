/* YAML trees on top of libyaml: see yaml_tree.h. Each node has one parent, so a message can name
   the path of a value. */
#include "input/yaml_tree.h"

#include "base/file_kind.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum {
  MAX_DEPTH = 64, /* nested nodes */
  MAX_NODES = 2000000,
  MAX_DIRECTIVES = 100
};

struct yaml_tree {
  yaml_document_t document;
  char *origin;
  int has_lines;
  int *parent; /* [node], 0 for the root */
  struct error_list *errors;
};

static yaml_node_t *at(const struct yaml_tree *t, int node)
{
  return t->document.nodes.start + (node - 1);
}

static int n_nodes(const struct yaml_tree *t)
{
  return (int)(t->document.nodes.top - t->document.nodes.start);
}

static int is_type(const struct yaml_tree *t, int node, yaml_node_type_t type)
{
  return node && at(t, node)->type == type;
}

int yaml_is_map(const struct yaml_tree *t, int node)
{
  return is_type(t, node, YAML_MAPPING_NODE);
}

int yaml_is_list(const struct yaml_tree *t, int node)
{
  return is_type(t, node, YAML_SEQUENCE_NODE);
}

int yaml_root(const struct yaml_tree *t)
{
  return n_nodes(t) ? 1 : 0;
}

int yaml_line(const struct yaml_tree *t, int node)
{
  return node && t->has_lines ? (int)at(t, node)->start_mark.line + 1 : 0;
}

int yaml_count(const struct yaml_tree *t, int node)
{
  if (!node) return 0;
  const yaml_node_t *n = at(t, node);
  if (n->type == YAML_MAPPING_NODE)
    return (int)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
  if (n->type == YAML_SEQUENCE_NODE)
    return (int)(n->data.sequence.items.top - n->data.sequence.items.start);
  return 0;
}

int yaml_item(const struct yaml_tree *t, int node, int k)
{
  if (k < 0 || k >= yaml_count(t, node)) return 0;
  const yaml_node_t *n = at(t, node);
  if (n->type == YAML_MAPPING_NODE) return n->data.mapping.pairs.start[k].value;
  return n->data.sequence.items.start[k];
}

static int key_node(const struct yaml_tree *t, int map, int k)
{
  return at(t, map)->data.mapping.pairs.start[k].key;
}

static const char *scalar(const struct yaml_tree *t, int node)
{
  return is_type(t, node, YAML_SCALAR_NODE) ? (const char *)at(t, node)->data.scalar.value : "";
}

int yaml_is_text(const struct yaml_tree *t, int node, const char *text)
{
  return is_type(t, node, YAML_SCALAR_NODE) && strcmp(scalar(t, node), text) == 0;
}

const char *yaml_key(const struct yaml_tree *t, int map, int k)
{
  if (!yaml_is_map(t, map) || k < 0 || k >= yaml_count(t, map)) return "";
  return scalar(t, key_node(t, map, k));
}

int yaml_get(const struct yaml_tree *t, int map, const char *key)
{
  if (!yaml_is_map(t, map)) return 0;
  for (int k = 0; k < yaml_count(t, map); k++)
    if (strcmp(yaml_key(t, map, k), key) == 0) return yaml_item(t, map, k);
  return 0;
}

const char *yaml_origin(const struct yaml_tree *t)
{
  return t->origin;
}

static void write_path(const struct yaml_tree *t, int node, char *path, size_t size)
{
  int parent = node ? t->parent[node] : 0, k = 0;
  path[0] = 0;
  if (!parent) return;
  write_path(t, parent, path, size);
  size_t n = strlen(path);
  while (k < yaml_count(t, parent) && yaml_item(t, parent, k) != node)
    k++;
  if (yaml_is_map(t, parent))
    snprintf(path + n, size - n, "%s%s", n ? "." : "", yaml_key(t, parent, k));
  else
    snprintf(path + n, size - n, "[%d]", k + 1);
}

char *yaml_path(const struct yaml_tree *t, int node)
{
  char path[256] = "";
  write_path(t, node, path, sizeof path);
  return text_copy(path);
}

static void add_error_at(struct yaml_tree *t, int node, int line, const char *what)
{
  char path[256] = "";
  if (t->errors->n_items < ERROR_LIST_SHOWN) write_path(t, node, path, sizeof path);
  error_list_add(t->errors, t->origin, line, "%s%s%s", path, path[0] ? ": " : "", what);
}

int yaml_errors(const struct yaml_tree *t)
{
  return t->errors->count;
}

struct error_list *yaml_error_list(struct yaml_tree *t)
{
  return t->errors;
}

void yaml_add_error(struct yaml_tree *t, int node, const char *format, ...)
{
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  add_error_at(t, node, yaml_line(t, node), what);
}

int yaml_need(struct yaml_tree *t, int map, const char *key)
{
  int node = yaml_get(t, map, key);
  if (!node && yaml_is_map(t, map)) yaml_add_error(t, map, "'%s' is missing", key);
  return node;
}

static const char *type_name(const struct yaml_tree *t, int node)
{
  if (yaml_is_map(t, node)) return "a mapping";
  return yaml_is_list(t, node) ? "a list" : "a single value";
}

int yaml_expect_map(struct yaml_tree *t, int node, const char *keys)
{
  if (!node) return 0;
  if (!yaml_is_map(t, node)) {
    yaml_add_error(t, node, "this is %s; write {key: value, ...}", type_name(t, node));
    return 0;
  }
  for (int k = 0; keys && k < yaml_count(t, node); k++) {
    const char *key = yaml_key(t, node, k);
    if (word_list_find(keys, key) >= 0) continue;
    struct nearest like = {0};
    char hint[96], what[192];
    nearest_offer_list(&like, key, keys);
    snprintf(what, sizeof what, "unknown key '%.60s'%s", key, nearest_text(&like, hint));
    add_error_at(t, node, yaml_line(t, key_node(t, node, k)), what);
  }
  return 1;
}

int yaml_expect_list(struct yaml_tree *t, int node, int min, int max)
{
  if (!node) return 0;
  int n = yaml_count(t, node);
  if (!yaml_is_list(t, node))
    yaml_add_error(t, node, "this is %s; write a list, [a, b, ...]", type_name(t, node));
  else if (n < min)
    yaml_add_error(t, node, "%d items, but at least %d are needed", n, min);
  else if (n > max)
    yaml_add_error(t, node, "%d items, but at most %d are allowed", n, max);
  else
    return n;
  return 0;
}

const char *yaml_text(struct yaml_tree *t, int node, const char *fallback)
{
  if (!node) return fallback;
  if (!is_type(t, node, YAML_SCALAR_NODE)) {
    yaml_add_error(t, node, "this is %s; write a single value", type_name(t, node));
    return fallback;
  }
  const char *text = scalar(t, node);
  int plain = at(t, node)->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (plain && word_list_find("|~|null|Null|NULL", text) >= 0) {
    yaml_add_error(t, node, "a value is missing");
    return fallback;
  }
  return text;
}

/* 010 is 8 in YAML 1.1, but 10 in YAML 1.2. */
static int is_ambiguous(const char *text)
{
  text += *text == '-' || *text == '+';
  return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

static int is_number(struct yaml_tree *t, int node, const char *text, int good, const char *noun)
{
  if (!good)
    yaml_add_error(t, node, "'%.60s' is not a %s", text, noun);
  else if (is_ambiguous(text))
    yaml_add_error(t, node, "'%.60s' begins with a 0; write the %s without it", text, noun);
  else
    return 1;
  return 0;
}

double yaml_real(struct yaml_tree *t, int node, double fallback, double min, double max)
{
  const char *text = yaml_text(t, node, NULL);
  char limit[FORMAT_REAL_BYTES];
  double value;
  if (!text) return fallback;
  if (!is_number(t, node, text, parse_real(text, &value), "number")) return fallback;
  if (value < min && min == YAML_POSITIVE)
    yaml_add_error(t, node, "%.60s is not more than 0", text);
  else if (value < min)
    yaml_add_error(t, node, "%.60s is less than %s", text, format_real(min, limit));
  else if (value > max)
    yaml_add_error(t, node, "%.60s is more than %s", text, format_real(max, limit));
  else
    return value;
  return fallback;
}

int64_t yaml_int(struct yaml_tree *t, int node, int64_t fallback, int64_t min, int64_t max)
{
  const char *text = yaml_text(t, node, NULL);
  int64_t value;
  if (!text) return fallback;
  if (!is_number(t, node, text, parse_int(text, &value), "whole number")) return fallback;
  if (value < min)
    yaml_add_error(t, node, "%.60s is less than %lld", text, (long long)min);
  else if (value > max)
    yaml_add_error(t, node, "%.60s is more than %lld", text, (long long)max);
  else
    return value;
  return fallback;
}

int yaml_choice(struct yaml_tree *t, int node, int fallback, const char *choices)
{
  const char *text = yaml_text(t, node, NULL);
  if (!text) return fallback;
  int k = word_list_find_alias(choices, text);
  if (k >= 0) return k;
  struct nearest like = {0};
  char hint[96];
  nearest_offer_list(&like, text, choices);
  yaml_add_error(t, node, "'%.60s' is none of %s%s", text, choices, nearest_text(&like, hint));
  return fallback;
}

void yaml_reals(struct yaml_tree *t, int node, int n, double *values, double min, double max)
{
  if (!yaml_expect_list(t, node, n, n)) return;
  for (int k = 0; k < n; k++)
    values[k] = yaml_real(t, yaml_item(t, node, k), values[k], min, max);
}

/* Stores the parent of every node. */
static void adopt_nodes(struct yaml_tree *t)
{
  int n = n_nodes(t);
  t->parent = alloc_array(n + 1, sizeof *t->parent);
  for (int node = 1; node <= n; node++)
    for (int k = 0; k < yaml_count(t, node); k++) {
      int both[2] = {yaml_item(t, node, k), yaml_is_map(t, node) ? key_node(t, node, k) : 0};
      for (int b = 0; b < 2; b++) {
        int child = both[b];
        if (child) t->parent[child] = node;
      }
    }
}

struct key {
  const char *text;
  int node;
};

static int compare_keys(const void *a, const void *b)
{
  const struct key *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order ? order : (x->node > y->node) - (x->node < y->node);
}

static void check_keys(struct yaml_tree *t, int map)
{
  int n = yaml_count(t, map);
  struct key *key = alloc_array(n, sizeof *key);
  for (int k = 0; k < n; k++) {
    key[k].node = key_node(t, map, k);
    key[k].text = scalar(t, key[k].node);
    if (!is_type(t, key[k].node, YAML_SCALAR_NODE))
      add_error_at(t, map, yaml_line(t, key[k].node), "a key must be a single word");
  }
  qsort(key, (size_t)n, sizeof *key, compare_keys);
  for (int k = 1; k < n; k++) {
    if (strcmp(key[k].text, key[k - 1].text) != 0) continue;
    char what[160];
    snprintf(what, sizeof what, "'%.60s' is given twice, first in line %d", key[k].text,
             yaml_line(t, key[k - 1].node));
    add_error_at(t, map, yaml_line(t, key[k].node), what);
  }
  free(key);
}

static void check_nodes(struct yaml_tree *t)
{
  int before = t->errors->count;
  adopt_nodes(t);
  for (int node = 1; node <= n_nodes(t); node++) {
    if (yaml_is_map(t, node)) check_keys(t, node);
    if (is_type(t, node, YAML_SCALAR_NODE) &&
        strlen(scalar(t, node)) != at(t, node)->data.scalar.length)
      yaml_add_error(t, node, "a text must not contain the character NUL");
  }
  if (t->errors->count > before) error_list_check(t->errors);
}

static struct yaml_tree *tree_create(const char *origin, int has_lines, struct error_list *m)
{
  struct yaml_tree *t = alloc_array(1, sizeof *t);
  t->origin = text_copy(origin);
  t->has_lines = has_lines;
  t->errors = m;
  return t;
}

/* Loads the next document; ends the program with libyaml's message if that fails. */
static void load_document(struct yaml_tree *t, yaml_parser_t *parser, yaml_document_t *document)
{
  if (yaml_parser_load(parser, document)) return;
  if (parser->error == YAML_MEMORY_ERROR) die(STATUS_INPUT, "%s: out of memory", t->origin);
  size_t line = parser->problem_mark.line;
  if (parser->error == YAML_READER_ERROR) { /* libyaml gives bytes, not lines */
    line = 0;
    for (size_t k = 0; k < parser->problem_offset; k++)
      line += parser->input.string.start[k] == '\n';
  }
  error_list_add(t->errors, t->origin, (int)line + 1, "this is not YAML: %s%s%s",
                 parser->context ? parser->context : "", parser->context ? ", " : "",
                 parser->problem ? parser->problem : "unknown problem");
  error_list_check(t->errors);
}

/* Updates the depth for an event. Returns a message if the event is refused, else NULL. */
static const char *check_event(const yaml_event_t *e, int *depth, int *nodes)
{
  const unsigned char *anchor = NULL;
  if (e->type == YAML_SCALAR_EVENT) anchor = e->data.scalar.anchor;
  if (e->type == YAML_SEQUENCE_START_EVENT) anchor = e->data.sequence_start.anchor;
  if (e->type == YAML_MAPPING_START_EVENT) anchor = e->data.mapping_start.anchor;
  if (anchor || e->type == YAML_ALIAS_EVENT)
    return "anchors and aliases (&name, *name) are not supported";
  *nodes += e->type == YAML_SCALAR_EVENT;
  if (e->type == YAML_SEQUENCE_START_EVENT || e->type == YAML_MAPPING_START_EVENT) ++*depth;
  if (e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT) --*depth;
  if (*depth > MAX_DEPTH) return "lists or mappings are nested too deeply";
  return *nodes > MAX_NODES ? "more values than any input has" : NULL;
}

/* Parses the text once without building a tree, and refuses what would cost much time or memory
   later (libyaml compares each anchor with all others). Syntax errors are left to the second
   pass. */
static void check_events(struct yaml_tree *t, const char *text)
{
  yaml_parser_t parser;
  yaml_event_t event;
  int depth = 0, nodes = 0, more = 1;
  if (!yaml_parser_initialize(&parser)) die(STATUS_INPUT, "%s: out of memory", t->origin);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
  while (more && yaml_parser_parse(&parser, &event)) {
    const char *wrong = check_event(&event, &depth, &nodes);
    int line = (int)event.start_mark.line + 1;
    more = event.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (!wrong) continue;
    error_list_add(t->errors, t->origin, line, "%s", wrong);
    error_list_check(t->errors);
  }
  yaml_parser_delete(&parser);
}

/* Number of directives: libyaml compares each %TAG with all before it. */
static int count_directives(const char *text)
{
  int count = *text == '%';
  while ((text = strstr(text, "\n%")))
    text++, count++;
  return count;
}

struct yaml_tree *yaml_parse(const char *text, const char *origin, struct error_list *m)
{
  struct yaml_tree *t = tree_create(origin, 1, m);
  yaml_parser_t parser;
  yaml_document_t next;
  if (strlen(text) > YAML_TEXT_MAX)
    die_all(STATUS_INPUT, "%s: larger than %d bytes", origin, YAML_TEXT_MAX);
  if (count_directives(text) > MAX_DIRECTIVES)
    die_all(STATUS_INPUT, "%s: more than %d directives (lines that begin with %%)", origin,
            MAX_DIRECTIVES);
  check_events(t, text);
  if (!yaml_parser_initialize(&parser)) die(STATUS_INPUT, "%s: out of memory", origin);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
  load_document(t, &parser, &t->document);
  if (!yaml_document_get_root_node(&t->document)) {
    yaml_document_delete(&t->document);
    if (!yaml_document_initialize(&t->document, NULL, NULL, NULL, 1, 1))
      die(STATUS_INPUT, "%s: out of memory", origin);
    yaml_document_add_mapping(&t->document, NULL, YAML_BLOCK_MAPPING_STYLE);
  } else {
    load_document(t, &parser, &next);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    if (root) error_list_add(m, origin, (int)root->start_mark.line + 1, "a second document begins");
    yaml_document_delete(&next);
  }
  yaml_parser_delete(&parser);
  check_nodes(t);
  return t;
}

struct yaml_tree *yaml_scalar(const char *value, const char *origin, struct error_list *m)
{
  struct yaml_tree *t = tree_create(origin, 0, m);
  if (!yaml_document_initialize(&t->document, NULL, NULL, NULL, 1, 1))
    die(STATUS_INPUT, "%s: out of memory", origin);
  if (!yaml_document_add_scalar(&t->document, NULL, (const unsigned char *)value,
                                (int)strnlen(value, YAML_TEXT_MAX),
                                YAML_DOUBLE_QUOTED_SCALAR_STYLE))
    error_list_add(m, origin, 0, "the value is not UTF-8 text");
  check_nodes(t);
  return t;
}

struct yaml_tree *yaml_load(const char *path, struct error_list *m)
{
  file_kind_require(path, FILE_UNKNOWN, "a YAML file");
  char *text = text_read_file(path, YAML_TEXT_MAX);
  struct yaml_tree *t = yaml_parse(text, path, m);
  free(text);
  return t;
}

void yaml_destroy(struct yaml_tree *t)
{
  if (!t) return;
  yaml_document_delete(&t->document);
  free(t->origin);
  free(t->parent);
  free(t);
}
