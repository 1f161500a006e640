#include "input/bead_group_file.h"

#include <string.h>

#include "base/memory.h"

static int find_type(const struct forcefield *ff, const char *name)
{
  return forcefield_type(ff, name);
}

static int find_molecule(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_molecules; k++)
    if (!strcmp(ff->molecule[k].name, name)) return k;
  return -1;
}

/* Marks the names of a list among n. Without one: all if all is set, else NULL. */
static char *read_names(struct yaml_tree *t, int list, const struct forcefield *ff,
                        const char *what, int (*find)(const struct forcefield *, const char *),
                        int n, int all)
{
  if (!list && !all) return NULL;
  char *in = alloc_array(n, 1);
  if (!list) memset(in, 1, (size_t)n);
  if (!yaml_expect_list(t, list, 1, n)) return in;
  for (int k = 0; k < yaml_count(t, list); k++) {
    const char *name = yaml_text(t, yaml_item(t, list, k), "");
    const int found = find(ff, name);
    if (found >= 0) in[found] = 1;
    if (found < 0 && name[0])
      yaml_add_error(t, yaml_item(t, list, k), "the force field has no %s '%s'", what, name);
  }
  return in;
}

void bead_group_read(struct yaml_tree *t, int node, const struct forcefield *ff, int64_t n_total,
                     struct bead_group *g)
{
  const int ids = yaml_get(t, node, "ids");
  if (node) yaml_expect_map(t, node, "types|molecules|ids");
  g->type = read_names(t, yaml_get(t, node, "types"), ff, "bead type", find_type, ff->n_types, 1);
  g->molecule = read_names(t, yaml_get(t, node, "molecules"), ff, "molecule type", find_molecule,
                           ff->n_molecules, 0);
  g->first = 1;
  g->last = n_total;
  if (!ids || !yaml_expect_list(t, ids, 2, 2)) return;
  g->first = yaml_int(t, yaml_item(t, ids, 0), 1, 1, n_total);
  g->last = yaml_int(t, yaml_item(t, ids, 1), n_total, g->first, n_total);
}
