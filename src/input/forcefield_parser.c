#include "input/forcefield_parser.h"

int forcefield_parse_type(struct forcefield_parser *p, int node)
{
  const char *name = yaml_text(p->tree, node, "");
  int type = forcefield_type(p->ff, name);
  if (node && type < 0) yaml_add_error(p->tree, node, "there is no type '%s'", name);
  return type;
}
