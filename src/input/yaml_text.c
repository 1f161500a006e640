#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_list.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
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

static int compare_texts(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How a node is written. */
struct style {
  int normal;   /* 1: numbers in one spelling, and what has no order is sorted */
  int in_group; /* 1: lists, other than the two ids, are of names without an order */
};

static char *item_text(struct yaml_tree *t, int node, int k, struct style style);

static void put_node(FILE *f, struct yaml_tree *t, int node, struct style style)
{
  const int map = yaml_is_map(t, node), n = yaml_count(t, node);
  double value;
  if (!map && !yaml_is_list(t, node)) {
    const char *text = yaml_text(t, node, "");
    char number[FORMAT_REAL_BYTES];
    put_scalar(f, style.normal && parse_real(text, &value) ? format_real(value, number) : text);
    return;
  }
  char **item = alloc_array(n, sizeof *item);
  int numbers = 0;
  for (int k = 0; k < n; k++) {
    item[k] = item_text(t, node, k, style);
    numbers += parse_real(item[k], &value);
  }
  if (style.normal && n > 1 && (map || (style.in_group && !numbers)))
    qsort(item, (size_t)n, sizeof *item, compare_texts);
  fputc(map ? '{' : '[', f);
  for (int k = 0; k < n; k++) {
    fprintf(f, "%s%s", k ? ", " : "", item[k]);
    free(item[k]);
  }
  fputc(map ? '}' : ']', f);
  free(item);
}

/* Item k of a node, of a mapping with its key. Caller frees. */
static char *item_text(struct yaml_tree *t, int node, int k, struct style style)
{
  struct text_stream text;
  FILE *f = text_begin(&text);
  if (yaml_is_map(t, node)) {
    const char *key = yaml_key(t, node, k);
    put_scalar(f, key);
    fputs(": ", f);
    style.in_group |= !strcmp(key, "group");
  }
  put_node(f, t, yaml_item(t, node, k), style);
  return text_end(&text);
}

char *yaml_flow_text(struct yaml_tree *t, int node)
{
  struct text_stream text;
  FILE *f = text_begin(&text);
  if (node) put_node(f, t, node, (struct style){0, 0});
  return text_end(&text);
}

char *yaml_meaning(const char *text)
{
  struct error_list passed_over = {0};
  struct yaml_tree *t = yaml_parse(text, "", &passed_over);
  struct text_stream meaning;
  FILE *f = text_begin(&meaning);
  if (passed_over.count)
    fputs(text, f);
  else
    put_node(f, t, yaml_root(t), (struct style){1, 0});
  yaml_destroy(t);
  error_list_free(&passed_over);
  return text_end(&meaning);
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

char *yaml_where(const struct yaml_tree *t, int node)
{
  char *path = yaml_path(t, node);
  char *where = text_format("%s:%d: %s", yaml_origin(t), yaml_line(t, node), path);
  free(path);
  return where;
}
