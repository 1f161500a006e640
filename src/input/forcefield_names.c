/* Names of beads, and residues, of a molecule of a force field. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input/forcefield_parser.h"

static void copy_name(struct forcefield_parser *p, int node, char name[FF_NAME])
{
  const char *text = yaml_text(p->tree, node, "-");
  const size_t n = strlen(text);
  if (n == 0 || n >= FF_NAME || strpbrk(text, " \t\n"))
    yaml_add_error(p->tree, node, "a name has 1 to %d letters and no blanks", FF_NAME - 1);
  snprintf(name, FF_NAME, "%.*s", FF_NAME - 1, text);
}

/* [name, number, first bead] */
static void parse_residue(struct forcefield_parser *p, int list, struct ff_molecule *m)
{
  struct ff_residue r = {0};
  if (!yaml_expect_list(p->tree, list, 3, 3)) return;
  copy_name(p, yaml_item(p->tree, list, 0), r.name);
  r.number = (int)yaml_int(p->tree, yaml_item(p->tree, list, 1), 1, -999999999, 999999999);
  r.first = (int)yaml_int(p->tree, yaml_item(p->tree, list, 2), 1, 1, m->n_beads) - 1;
  if (m->n_residues == 0 ? r.first != 0 : r.first <= m->residue[m->n_residues - 1].first)
    yaml_add_error(p->tree, list, "the first residue begins at bead 1, others after those before");
  m->residue[m->n_residues++] = r;
}

void forcefield_parse_names(struct forcefield_parser *p, int node, struct ff_molecule *m)
{
  const int names = yaml_get(p->tree, node, "names"),
            residues = yaml_get(p->tree, node, "residues");
  if (names && yaml_expect_list(p->tree, names, m->n_beads, m->n_beads)) {
    m->bead_name = alloc_array(m->n_beads, sizeof *m->bead_name);
    for (int b = 0; b < m->n_beads; b++)
      copy_name(p, yaml_item(p->tree, names, b), m->bead_name[b]);
  }
  if (residues && yaml_expect_list(p->tree, residues, 1, m->n_beads)) {
    m->residue = alloc_array(yaml_count(p->tree, residues), sizeof *m->residue);
    for (int k = 0; k < yaml_count(p->tree, residues); k++)
      parse_residue(p, yaml_item(p->tree, residues, k), m);
  }
}
