#include "input/group_use.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/yaml_tree.h"

/* Marks the groups whose names stand at a node or within, and those that they name. */
static void mark_used(struct yaml_tree *t, int node, struct yaml_tree *groups, char *used)
{
  const int map = yaml_root(groups);
  for (int k = 0; k < yaml_count(t, node); k++)
    mark_used(t, yaml_item(t, node, k), groups, used);
  for (int k = 0; k < yaml_count(groups, map); k++) {
    if (used[k] || !yaml_is_text(t, node, yaml_key(groups, map, k))) continue;
    used[k] = 1;
    mark_used(groups, yaml_item(groups, map, k), groups, used);
  }
}

char *named_groups_used(const char *groups, const char *const *other, int n)
{
  struct error_list passed_over = {0};
  struct yaml_tree *t = yaml_parse(groups, "groups", &passed_over);
  const int map = yaml_root(t), known = yaml_is_map(t, map) ? yaml_count(t, map) : 0;
  char *used = alloc_array(known, 1);
  const char *between = "{";
  struct text_stream text;
  FILE *out = text_begin(&text);
  for (int k = 0; known && k < n; k++) {
    struct yaml_tree *one = yaml_parse(other[k], "", &passed_over);
    mark_used(one, yaml_root(one), t, used);
    yaml_destroy(one);
  }
  for (int k = 0; k < known; k++) {
    if (!used[k]) continue;
    char *value = yaml_flow_text(t, yaml_item(t, map, k)),
         *name = format_yaml_string(yaml_key(t, map, k));
    fprintf(out, "%s%s: %s", between, name, value);
    between = ", ";
    free(name);
    free(value);
  }
  fputs(between[0] == '{' ? "[]" : "}", out);
  free(used);
  yaml_destroy(t);
  error_list_free(&passed_over);
  return text_end(&text);
}
