#include "input/forcefield_parser.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

int forcefield_parse_type(struct yaml_tree *yaml, struct forcefield *ff, int node)
{
  const char *name = yaml_text(yaml, node, "");
  int type = forcefield_type(ff, name);
  if (node && type < 0) yaml_add_error(yaml, node, "there is no type '%s'", name);
  return type;
}

int forcefield_parse_molecule(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                              const char *name)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  const int found = forcefield_molecule(ff, name);
  for (int k = 0; k < ff->n_molecules; k++)
    nearest_offer(&near, name, ff->molecule[k].name);
  if (found < 0)
    yaml_add_error(yaml, node,
                   "force field %s has no molecule '%s'; `lamella forcefield %s` lists them%s",
                   ff->name, name, ff->name, nearest_text(&near, hint));
  return found;
}

int forcefield_parse_lipid(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                           const char *name)
{
  const int found = forcefield_parse_molecule(yaml, ff, node, name);
  if (found < 0 || ff->molecule[found].n_beads > 1) return found;
  yaml_add_error(yaml, node, "'%s' is a single bead, no lipid", name);
  return -1;
}

void forcefield_parse_name(struct yaml_tree *yaml, int node, const char *name, const char * not,
                           char out[FF_NAME])
{
  const size_t n = strlen(name);
  if (n == 0 || n >= FF_NAME || strpbrk(name, not ))
    yaml_add_error(yaml, node, "a name has 1 to %d letters and no blanks", FF_NAME - 1);
  snprintf(out, FF_NAME, "%.*s", FF_NAME - 1, name);
}

int forcefield_parse_bead(struct yaml_tree *yaml, int node, int n)
{
  return (int)yaml_int(yaml, node, 0, 1, n) - 1;
}

int form_read_parameters(struct yaml_tree *yaml, int map, const char *keys,
                         const struct form_parameter *parameter, double *value)
{
  char known[200];
  snprintf(known, sizeof known, "%s", keys);
  for (int k = 0; parameter[k].name; k++)
    word_list_add(known, sizeof known, parameter[k].name);
  if (!yaml_expect_map(yaml, map, known)) return 0;
  for (int k = 0; parameter[k].name; k++) {
    const struct form_parameter *p = &parameter[k];
    const int node = p->optional ? yaml_get(yaml, map, p->name) : yaml_need(yaml, map, p->name);
    if (!strcmp(p->unit, "integer"))
      value[k] = (double)yaml_int(yaml, node, 0, (int64_t)p->low, (int64_t)p->high);
    else if (!strcmp(p->unit, "table"))
      value[k] = (double)forcefield_parse_tabulated(yaml, node);
    else
      value[k] = yaml_real(yaml, node, p->preset, p->low, p->high);
  }
  return 1;
}

static void parse_bead_name(struct yaml_tree *yaml, int node, char name[FF_NAME])
{
  forcefield_parse_name(yaml, node, yaml_text(yaml, node, "-"), " \t\n", name);
}

/* [name, number, first bead] */
static void parse_residue(struct yaml_tree *yaml, int list, struct ff_molecule *m)
{
  struct ff_residue r = {0};
  if (!yaml_expect_list(yaml, list, 3, 3)) return;
  parse_bead_name(yaml, yaml_item(yaml, list, 0), r.name);
  r.number = (int)yaml_int(yaml, yaml_item(yaml, list, 1), 1, -999999999, 999999999);
  r.first = (int)yaml_int(yaml, yaml_item(yaml, list, 2), 1, 1, m->n_beads) - 1;
  if (m->n_residues == 0 ? r.first != 0 : r.first <= m->residue[m->n_residues - 1].first)
    yaml_add_error(yaml, list, "the first residue begins at bead 1, others after those before");
  m->residue[m->n_residues++] = r;
}

void forcefield_parse_names(struct yaml_tree *yaml, int node, struct ff_molecule *m)
{
  const int names = yaml_get(yaml, node, "names"), residues = yaml_get(yaml, node, "residues");
  if (yaml_expect_list(yaml, names, m->n_beads, m->n_beads))
    m->bead_name = alloc_array(m->n_beads, sizeof *m->bead_name);
  for (int b = 0; m->bead_name && b < m->n_beads; b++)
    parse_bead_name(yaml, yaml_item(yaml, names, b), m->bead_name[b]);
  const int n = yaml_expect_list(yaml, residues, 1, m->n_beads);
  if (n > 0) m->residue = alloc_array(n, sizeof *m->residue);
  for (int k = 0; k < n; k++)
    parse_residue(yaml, yaml_item(yaml, residues, k), m);
}
