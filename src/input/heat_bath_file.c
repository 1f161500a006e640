#include "input/heat_bath_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/bead_group_file.h"
#include "input/yaml_tree.h"

/* Reads bath k. What it does not say is that of the section `thermostat`. */
static void read_bath(struct yaml_tree *t, int node, const struct params *p,
                      const struct forcefield *ff, int64_t n_total, struct heat_bath *bath, int k)
{
  struct heat_bath *b = &bath[k];
  if (!yaml_expect_map(t, node, "name|group|temperature|tau")) return;
  const int name = yaml_need(t, node, "name");
  b->name = text_copy(yaml_text(t, name, ""));
  if (name && !heat_bath_is_name(b->name))
    yaml_add_error(t, name, "a name has at most %d letters, digits and characters of _-+.",
                   HEAT_BATH_NAME - 1);
  if (!strcmp(b->name, "translation") || !strcmp(b->name, "rotation"))
    yaml_add_error(t, name,
                   "temperature_%s_K is a column of PREFIX.csv already: choose another name",
                   b->name);
  for (int other = 0; other < k; other++)
    if (bath[other].name && !strcmp(bath[other].name, b->name))
      yaml_add_error(t, name, "there are two groups of the name '%s'", b->name);
  b->temperature =
      yaml_real(t, yaml_get(t, node, "temperature"), p->thermostat_temperature, 0, 1e6);
  b->tau = yaml_real(t, yaml_get(t, node, "tau"), p->thermostat_tau, 1e-6, 1e9);
  bead_group_read(t, yaml_get(t, node, "group"), ff, n_total, &b->group);
}

struct heat_bath *heat_baths_read(const struct params *p, const struct forcefield *ff,
                                  int64_t n_total, int *n)
{
  struct error_list errors = {0};
  int list;
  struct yaml_tree *t = params_tree(p, "thermostat.groups", p->thermostat_groups, &errors, &list);
  struct heat_bath *bath = alloc_array(HEAT_BATHS_MOST, sizeof *bath);
  *n = 0;
  if (list && yaml_expect_list(t, list, 0, HEAT_BATHS_MOST)) *n = yaml_count(t, list);
  for (int k = 0; k < *n; k++)
    read_bath(t, yaml_item(t, list, k), p, ff, n_total, bath, k);
  error_list_check(&errors);
  yaml_destroy(t);
  if (*n > 0) return bath;
  *n = 1;
  bath[0].temperature = p->thermostat_temperature;
  bath[0].tau = p->thermostat_tau;
  return bath;
}
