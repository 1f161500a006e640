#include "model/external.h"

#include <stdlib.h>

const struct external_form_info external_form_info[EXTERNALS] = {
#define PARAMETER(name, unit, low, high, preset) {#name, unit, low, high, preset, 1},
#define EXTERNAL(form, formula, ...) {#form, formula, {__VA_ARGS__}},
#include "model/external_list.h"
};

void external_fields_destroy(struct external_field *field, int n)
{
  for (int k = 0; k < n; k++)
    bead_group_free(&field[k].group);
  free(field);
}
