#include "observe/observe_group.h"

#include <stdio.h>
#include <string.h>

#include "input/group_reader.h"
#include "molecules/group_find.h"

char *observe_group_read(struct observable *o, struct yaml_tree *t, int node,
                         char name[OBSERVE_NAME], int64_t *all)
{
  const struct observe_system *a = o->about;
  const struct share *share = &a->share;
  const int before = yaml_errors(t);
  struct bead_group g = {0};
  char *in = NULL;
  if (!yaml_is_map(t, node) && !yaml_is_list(t, node))
    snprintf(name, OBSERVE_NAME, "%.31s", yaml_text(t, node, ""));
  bead_group_read_words(t, node, WORDS_TYPES, a->params, a->ff, a->n_total, &g);
  if (yaml_errors(t) == before) group_find(&g, a->ranks, a->system, a->lipids, yaml_error_list(t));
  if (yaml_errors(t) == before) {
    const struct bead_set set = bead_group_set(&g);
    in = observe_memory(o, share->n, 1);
    for (int64_t k = 0; k < share->n; k++)
      in[k] = (char)bead_set_has(&set, share->type[k], share->first + k);
    *all = g.n;
  }
  bead_group_free(&g);
  return in;
}
