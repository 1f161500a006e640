#include "maps/type_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

static int type_find(const struct forcefield *ff, const char *option, const char *name)
{
  const int type = forcefield_type(ff, name);
  struct nearest near = {{0}, 0};
  char hint[96];
  for (int t = 0; t < ff->n_types; t++)
    nearest_offer(&near, name, ff->type[t].name);
  if (type < 0)
    die_all(STATUS_INPUT, "--%s: there is no bead type '%s' in the force field %s%s", option, name,
            ff->name, nearest_text(&near, hint));
  return type;
}

char *type_list_read(const struct forcefield *ff, const char *option, const char *list)
{
  char *chosen = alloc_array(ff->n_types, 1), *text = text_copy(list), *rest = text;
  while (rest) {
    char *next = strchr(rest, ',');
    if (next) *next++ = 0;
    chosen[type_find(ff, option, rest)] = 1;
    rest = next;
  }
  free(text);
  return chosen;
}

int type_list_amounts(const struct forcefield *ff, const char *chosen)
{
  int amounts = 0;
  for (int t = 0; t < ff->n_types; t++)
    if (!chosen || chosen[t]) amounts |= (ff->type[t].charge != 0) | (ff->type[t].dipole != 0) << 1;
  return amounts;
}
