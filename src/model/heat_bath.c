#include "model/heat_bath.h"

#include <stdlib.h>

void heat_baths_destroy(struct heat_bath *bath, int n)
{
  for (int k = 0; k < n; k++) {
    free(bath[k].name);
    bead_group_free(&bath[k].group);
  }
  free(bath);
}
