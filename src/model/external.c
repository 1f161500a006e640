#include "model/external.h"

#include <stdlib.h>
#include <string.h>

const struct external_form_info external_form_info[EXTERNALS] = {
#define PARAMETER(name, unit, low, high, preset) {#name, unit, low, high, preset, 1},
#define EXTERNAL(form, formula, ...) {#form, formula, {__VA_ARGS__}},
#include "model/external_list.h"
};

int external_parameter(int form, const char *name)
{
  const struct form_parameter *p = external_form_info[form].parameter;
  for (int k = 0; p[k].name; k++)
    if (!strcmp(p[k].name, name)) return k;
  return -1;
}

void external_fields_destroy(struct external_field *field, int n)
{
  for (int k = 0; k < n; k++) {
    bead_group_free(&field[k].group);
    free(field[k].file);
    free(field[k].well);
    free((double *)field[k].map.coefficient);
  }
  free(field);
}
