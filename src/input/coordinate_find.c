#include "input/coordinate_find.h"

#include <string.h>

#include "base/parse.h"

int coordinate_find(struct yaml_tree *t, int node, const struct bias_set *set)
{
  const char *name = yaml_text(t, node, "");
  struct nearest near = {{0}, 0};
  char hint[96];
  for (int k = 0; k < set->n_coordinates; k++)
    if (!strcmp(name, set->coordinate[k].name)) return set->coordinate[k].kind < 0 ? -1 : k;
  for (int k = 0; k < set->n_coordinates; k++)
    nearest_offer(&near, name, set->coordinate[k].name);
  if (name[0])
    yaml_add_error(t, node, "there is no coordinate '%.60s' in `coordinates`%s", name,
                   nearest_text(&near, hint));
  return -1;
}
