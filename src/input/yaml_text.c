/* YAML nodes as text: see yaml_tree.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
