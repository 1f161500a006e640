#include "model/external.h"

#include <stdlib.h>

const struct external_form_info external_form_info[EXTERNALS] = {
#define PARAMETER(name, unit, low, high, preset) {#name, unit, low, high, preset},
#define EXTERNAL(form, formula, ...) {#form, formula, {__VA_ARGS__}},
#include "model/external_list.h"
#undef EXTERNAL
#undef PARAMETER
};

void external_fields_destroy(struct external_field *field, int n)
{
  for (int k = 0; k < n; k++) {
    free(field[k].group.type);
    free(field[k].group.molecule);
    free(field[k].group.range);
  }
  free(field);
}
