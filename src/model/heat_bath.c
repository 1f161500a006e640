#include "model/heat_bath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";

int heat_bath_is_name(const char *name)
{
  const size_t n = strlen(name);
  return n > 0 && n < HEAT_BATH_NAME && strspn(name, letters) == n;
}

const char *heat_bath_name_clean(const char *text, char name[HEAT_BATH_NAME])
{
  snprintf(name, HEAT_BATH_NAME, "%.*s", HEAT_BATH_NAME - 1, text);
  for (char *c = name; *c; c++)
    if (!strchr(letters, *c)) *c = '_';
  return name;
}

void heat_baths_destroy(struct heat_bath *bath, int n)
{
  for (int k = 0; k < n; k++) {
    free(bath[k].name);
    bead_group_free(&bath[k].group);
  }
  free(bath);
}
