/* YAML nodes as text: see yaml_tree.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_list.h"
#include "base/log.h"
#include "base/parse.h"
#include "input/yaml_tree.h"

static int is_plain(const char *text)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  return text[0] && text[0] != '-' && strspn(text, safe) == strlen(text);
}

static void put_scalar(FILE *f, const char *text)
{
  char *quoted = is_plain(text) ? NULL : format_yaml_string(text);
  fputs(quoted ? quoted : text, f);
  free(quoted);
}

static void put_node(FILE *f, struct yaml_tree *t, int node)
{
  const int map = yaml_is_map(t, node), n = yaml_count(t, node);
  if (!map && !yaml_is_list(t, node)) {
    put_scalar(f, yaml_text(t, node, ""));
    return;
  }
  fputc(map ? '{' : '[', f);
  for (int k = 0; k < n; k++) {
    if (k) fputs(", ", f);
    if (map) {
      put_scalar(f, yaml_key(t, node, k));
      fputs(": ", f);
    }
    put_node(f, t, yaml_item(t, node, k));
  }
  fputc(map ? '}' : ']', f);
}

char *yaml_flow_text(struct yaml_tree *t, int node)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  if (node) put_node(f, t, node);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}

static int compare_texts(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_meaning(FILE *f, struct yaml_tree *t, int node, int in_group);

/* Item k of a node, of a mapping with its key. Caller frees. */
static char *item_meaning(struct yaml_tree *t, int node, int k, int in_group)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  if (yaml_is_map(t, node)) {
    const char *key = yaml_key(t, node, k);
    put_scalar(f, key);
    fputs(": ", f);
    in_group |= !strcmp(key, "group");
  }
  put_meaning(f, t, yaml_item(t, node, k), in_group);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}

/* in_group: lists, other than the two ids, are of names without an order. */
static void put_meaning(FILE *f, struct yaml_tree *t, int node, int in_group)
{
  const int map = yaml_is_map(t, node), n = yaml_count(t, node);
  if (!map && !yaml_is_list(t, node)) {
    const char *text = yaml_text(t, node, "");
    char number[FORMAT_REAL_BYTES];
    double value;
    put_scalar(f, parse_real(text, &value) ? format_real(value, number) : text);
    return;
  }
  char **item = alloc_array(n, sizeof *item);
  int numbers = 0;
  for (int k = 0; k < n; k++) {
    double value;
    item[k] = item_meaning(t, node, k, in_group);
    numbers += parse_real(item[k], &value);
  }
  if (n > 1 && (map || (in_group && !numbers))) qsort(item, (size_t)n, sizeof *item, compare_texts);
  fputc(map ? '{' : '[', f);
  for (int k = 0; k < n; k++) {
    fprintf(f, "%s%s", k ? ", " : "", item[k]);
    free(item[k]);
  }
  fputc(map ? '}' : ']', f);
  free(item);
}

char *yaml_meaning(const char *text)
{
  struct error_list passed_over = {0};
  struct yaml_tree *t = yaml_parse(text, "", &passed_over);
  char *meaning = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&meaning, &bytes);
  if (!f) die(STATUS_INPUT, "out of memory");
  if (passed_over.count)
    fputs(text, f);
  else
    put_meaning(f, t, yaml_root(t), 0);
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  yaml_destroy(t);
  error_list_free(&passed_over);
  return meaning;
}

int yaml_mean_same(const char *a, const char *b)
{
  if (!strcmp(a, b)) return 1;
  char *one = yaml_meaning(a), *other = yaml_meaning(b);
  const int same = !strcmp(one, other);
  free(one);
  free(other);
  return same;
}
