#include "input/membrane_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/forcefield_parser.h"

/* The list `lipids`: these and no others. */
static void read_lipids(struct yaml_tree *t, int list, struct lipids *l)
{
  const struct forcefield *ff = l->ff;
  const int n = yaml_expect_list(t, list, 0, 100000);
  if (n == 0) return;
  char *is_given = alloc_array(ff->n_molecules, 1);
  l->is_given = 1;
  for (int k = 0; k < n; k++) {
    const char *name = yaml_text(t, yaml_item(t, list, k), NULL);
    const int found = name ? forcefield_parse_lipid(t, ff, yaml_item(t, list, k), name) : -1;
    if (found >= 0) is_given[found] = 1;
  }
  for (int k = 0; k < ff->n_molecules; k++) {
    if (is_given[k])
      lipids_include(l, k);
    else
      lipids_exclude(l, k);
  }
  free(is_given);
}

/* The names of the heads of a molecule type: one, or a list. */
static void read_head_names(struct yaml_tree *t, int node, struct lipids *l, int molecule)
{
  const int list = yaml_is_list(t, node), items = list ? yaml_count(t, node) : 1;
  if (items == 0) yaml_add_error(t, node, "the list is empty");
  for (int k = 0; k < items; k++) {
    const int item = list ? yaml_item(t, node, k) : node;
    const char *name = yaml_text(t, item, NULL);
    if (name && !lipids_set_head(l, molecule, name, k > 0))
      yaml_add_error(t, item, "'%s' has no bead of the name '%s'", l->ff->molecule[molecule].name,
                     name);
  }
}

static void read_heads(struct yaml_tree *t, int map, struct lipids *l)
{
  if (yaml_is_list(t, map) && yaml_count(t, map) == 0) return; /* the default */
  if (!yaml_expect_map(t, map, NULL)) return;
  for (int k = 0; k < yaml_count(t, map); k++) {
    const int node = yaml_item(t, map, k),
              found = forcefield_parse_lipid(t, l->ff, node, yaml_key(t, map, k));
    if (found < 0) continue;
    if (l->is_given && !l->type[found].is_lipid)
      yaml_add_error(t, node, "'%s' is not in the list of lipids", l->ff->molecule[found].name);
    lipids_include(l, found);
    read_head_names(t, node, l, found);
  }
}

struct lipids *membrane_lipids_read(const struct params *p, const struct forcefield *ff)
{
  struct error_list errors = {0};
  struct lipids *l = lipids_create(ff);
  int list, map;
  if (!p) return l;
  l->is_flat = p->membrane_flat == FLAT_YES || p->output_bilayers > 1;
  struct yaml_tree *t = params_tree(p, "membrane.lipids", p->membrane_lipids, &errors, &list);
  read_lipids(t, list, l);
  struct yaml_tree *heads = params_tree(p, "membrane.heads", p->membrane_heads, &errors, &map);
  read_heads(heads, map, l);
  error_list_check(&errors);
  yaml_destroy(heads);
  yaml_destroy(t);
  return l;
}
