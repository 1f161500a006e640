#include "input/group_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/words.h"
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

char *group_words_yaml(const char *text)
{
  struct text_stream stream;
  char *copy = text_copy(text), *begin = text_trim(copy), *rest = begin, *word;
  FILE *out = text_begin(&stream);
  const int is_list = *begin && *begin != '{';
  fputs(is_list ? "{any: [" : begin, out);
  for (int k = 0; is_list && (word = strsep(&rest, ",")); k++) {
    char *quoted = format_yaml_string(text_trim(word));
    fprintf(out, "%s%s%s", k ? ", " : "", quoted, rest ? "" : "]}");
    free(quoted);
  }
  free(copy);
  return text_end(&stream);
}

/* Molecule types and bead types of a text; NULL: it has other words. Caller frees. */
static char *types_text(const char *text, const struct forcefield *ff)
{
  char *copy = text_copy(text), *rest = text_trim(copy), *word;
  char *in = alloc_array(ff->n_molecules + ff->n_types, 1);
  const char *between = "";
  int known = *rest != 0;
  struct text_stream stream;
  while (known && (word = strsep(&rest, ","))) {
    word = text_trim(word);
    const int molecule = forcefield_molecule(ff, word), type = forcefield_type(ff, word);
    known = molecule >= 0 || type >= 0;
    if (molecule >= 0)
      in[molecule] = 1; /* a bead type of the same name is added by the reader */
    else if (type >= 0)
      in[ff->n_molecules + type] = 1;
  }
  FILE *out = text_begin(&stream);
  for (int k = 0; known && k < ff->n_molecules + ff->n_types; k++) {
    const int type = k - ff->n_molecules;
    if (!in[k]) continue;
    fprintf(out, "%s%s", between, type < 0 ? ff->molecule[k].name : ff->type[type].name);
    between = ",";
  }
  free(copy);
  free(in);
  char *names = text_end(&stream);
  if (known) return names;
  free(names);
  return NULL;
}

char *group_words_text(const char *text, const struct params *p, const struct forcefield *ff)
{
  char *yaml = group_words_yaml(text), *names = yaml[0] ? types_text(text, ff) : text_copy("");
  if (!names) {
    const char *const other = yaml;
    char *meaning = yaml_meaning(yaml), *used = named_groups_used(p ? p->groups : "[]", &other, 1);
    names = strcmp(used, "[]") ? text_format("%s of groups %s", meaning, used) : text_copy(meaning);
    free(meaning);
    free(used);
  }
  free(yaml);
  return names;
}
