#include "model/bias.h"

#include <stdlib.h>

const struct coordinate_kind_info coordinate_kind_info[COORDINATE_KINDS] = {
#define COORDINATE(kind, ...) {#kind, __VA_ARGS__},
#include "model/coordinate_list.h"
};

const struct bias_kind_info bias_kind_info[BIAS_KINDS] = {
#define PARAMETER(name, unit, low, high, preset) {#name, unit, low, high, preset, 0},
#define PLACE(name, unit, low, high, preset) {#name, unit, low, high, preset, 1},
#define BIAS(kind, options, formula, ...) {#kind, options, formula, {__VA_ARGS__}},
#include "model/bias_list.h"
};

void biases_destroy(struct biases *b)
{
  if (!b) return;
  for (int k = 0; k < b->set.n_centres; k++)
    bead_group_free(&b->group[k]);
  for (int k = 0; k < b->set.n_biases; k++)
    free(b->set.bias[k].piece);
  free(b->weight);
  free(b->ease);
  free(b->slot_id);
  free(b);
}
