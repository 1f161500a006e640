#include "model/lipids.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

/* The beads and bonds of a molecule. */
struct graph {
  const struct forcefield *ff;
  int n, n_bonds;
  const int32_t *type;
  char (*name)[FF_NAME]; /* NULL: those of the types */
  int (*bond)[2];        /* each once or twice */
};

static const char *bead_name(const struct graph *g, int k)
{
  return g->name ? g->name[k] : g->ff->type[g->type[k]].name;
}

static int is_neutral(const struct graph *g, int k)
{
  const struct ff_type *type = &g->ff->type[g->type[k]];
  return type->charge == 0 && type->dipole == 0;
}

/* Polyethylene glycol, which is in the water. */
static int is_glycol(const struct graph *g, int k)
{
  return !strncmp(bead_name(g, k), "EO", 2) || !strncmp(bead_name(g, k), "PEG", 3);
}

/* The bonds of the terms of a molecule type. The caller frees g->bond. */
static struct graph type_graph(const struct forcefield *ff, int molecule)
{
  const struct ff_molecule *m = &ff->molecule[molecule];
  const struct ff_terms *terms = &m->bonded[SECTION_bond];
  struct graph g = {ff, m->n_beads, 0, m->bead, m->bead_name, NULL};
  g.bond = alloc_array(terms->n, sizeof *g.bond);
  for (int k = 0; k < terms->n; k++) {
    const struct ff_term *term = &terms->term[k];
    if (!forcefield_form(ff, SECTION_bond, term->type)->joins) continue;
    g.bond[g.n_bonds][0] = term->bead[0];
    g.bond[g.n_bonds++][1] = term->bead[1];
  }
  return g;
}

int molecule_partner(const struct molecule_beads *m, int k, int64_t difference)
{
  if (!m->id) return k + difference >= 0 && k + difference < m->n ? k + (int)difference : -1;
  const int64_t id = m->id[k] + difference, found = search_ascending(m->id, m->n, id);
  return found < m->n && m->id[found] == id ? (int)found : -1;
}

/* The same of a molecule of no type, from the environments of its beads. */
static struct graph beads_graph(const struct forcefield *ff, const struct topology *t,
                                const struct molecule_beads *m)
{
  struct graph g = {ff, m->n, 0, m->type, NULL, NULL};
  for (int k = 0; k < m->n; k++) {
    const int env = m->env[k];
    for (int j = env < 0 ? 0 : t->term_start[env]; env >= 0 && j < t->term_start[env + 1]; j++) {
      const int other = molecule_partner(m, k, t->term[j].partner[0]);
      if (!topology_joins(ff, &t->term[j]) || other < 0) continue;
      g.bond = grow_array(g.bond, g.n_bonds + 1, sizeof *g.bond);
      g.bond[g.n_bonds][0] = k;
      g.bond[g.n_bonds++][1] = other;
    }
  }
  return g;
}

/* The rule */

/* Residues of proteins and nucleic acids under the names of GROMACS, CHARMM, AMBER and Martini. */
static int is_polymer_residue(const char *name)
{
  static const char known[] =
      "ALA|ARG|ASN|ASP|CYS|GLN|GLU|GLY|HIS|ILE|LEU|LYS|MET|PHE|PRO|SER|THR|TRP|TYR|VAL|HSD|HSE|HSP|"
      "HID|HIE|HIP|HIH|LYN|ASH|GLH|CYX|CYM|MSE|ACE|NME|NH2|DA|DC|DG|DT|RA|RC|RG|RU";
  return word_list_find(known, name) >= 0;
}

/* 1 if a molecule type has the name of a residue of a protein or nucleic acid. */
static int is_named_polymer(const struct ff_molecule *m)
{
  if (m->n_residues == 0) return is_polymer_residue(m->name);
  for (int k = 0; k < m->n_residues; k++)
    if (is_polymer_residue(m->residue[k].name)) return 1;
  return 0;
}

/* 1 for a polymer: of several residues, or with a backbone bead of Martini. */
static int is_polymer(const struct ff_molecule *m)
{
  for (int k = 0; m->bead_name && k < m->n_beads; k++)
    if (!strcmp(m->bead_name[k], "BB")) return 1;
  return m->n_residues > 1 && is_named_polymer(m);
}

static int is_phosphate(const struct graph *g, int k)
{
  const char *name = bead_name(g, k), *type = g->ff->type[g->type[k]].name;
  return !strcmp(name, "P") || !strcmp(type, "P") || !strncmp(name, "PO4", 3) ||
         !strncmp(type, "PO4", 3);
}

static int is_polar(const struct graph *g, int k)
{
  return !is_neutral(g, k);
}

/* Marks as heads the beads of a name or that are such, where these are not NULL. 1 if there are
   any. */
static int mark_heads(const struct graph *g, const char *name,
                      int (*are)(const struct graph *, int), char *mark)
{
  int found = 0;
  for (int k = 0; k < g->n; k++)
    if ((are && are(g, k)) || (name && !strcmp(bead_name(g, k), name))) {
      mark[k] = LIPID_HEAD;
      found = 1;
    }
  return found;
}

/* 1 if bonds between marked beads connect all of them. */
static int marks_are_connected(const struct graph *g, const char *mark)
{
  char *seen = alloc_array(g->n, 1);
  int grows = 1, all = 1;
  for (int k = 0; k < g->n; k++)
    if (mark[k]) {
      seen[k] = 1;
      break;
    }
  while (grows) {
    grows = 0;
    for (int b = 0; b < g->n_bonds; b++) {
      const int i = g->bond[b][0], j = g->bond[b][1];
      if (!mark[i] || !mark[j] || seen[i] == seen[j]) continue;
      seen[i] = seen[j] = 1;
      grows = 1;
    }
  }
  for (int k = 0; k < g->n; k++)
    all &= !mark[k] || seen[k];
  free(seen);
  return all;
}

/* The number of beads that bonds join to bead k; *last: one of them. */
static int count_partners(const struct graph *g, int k, int *last)
{
  int n = 0;
  char *seen = alloc_array(g->n, 1);
  for (int b = 0; b < 2 * g->n_bonds; b++) {
    const int *bond = g->bond[b / 2], other = bond[1 - b % 2];
    if (bond[b % 2] != k) continue;
    n += !seen[other];
    seen[other] = 1;
    *last = other;
  }
  free(seen);
  return n;
}

static int has_tail(const struct graph *g, const char *mark)
{
  int found = 0;
  for (int k = 0; k < g->n; k++)
    found |= is_neutral(g, k) && !is_glycol(g, k) && !mark[k];
  return found;
}

static int has_chain(const struct graph *g, const char *mark)
{
  int next, other;
  for (int k = 0; k < g->n; k++)
    if (is_neutral(g, k) && !mark[k] && count_partners(g, k, &next) == 1 && is_neutral(g, next) &&
        !mark[next] && count_partners(g, next, &other) == 2)
      return 1;
  return 0;
}

/* Marks the heads; returns 1 if the molecule has a head and a tail. */
static int judge(const struct graph *g, char *mark, int *headed)
{
  *headed = 0;
  if (g->n < 2) return 0;
  *headed = mark_heads(g, NULL, is_phosphate, mark);
  if (*headed || mark_heads(g, "ROH", NULL, mark) || mark_heads(g, "AM1", NULL, mark))
    return has_tail(g, mark);
  if (mark_heads(g, NULL, is_polar, mark))
    return marks_are_connected(g, mark) && has_chain(g, mark);
  return mark_heads(g, "GL1", NULL, mark) && has_tail(g, mark);
}

static void mark_tails(const struct graph *g, char *mark)
{
  for (int k = 0; k < g->n; k++)
    if (!mark[k] && is_neutral(g, k) && !is_glycol(g, k)) mark[k] = LIPID_TAIL;
}

/* Sets */

struct lipids *lipids_create(const struct forcefield *ff)
{
  struct lipids *l = alloc_array(1, sizeof *l);
  l->ff = ff;
  l->type = alloc_array(ff->n_molecules, sizeof *l->type);
  for (int k = 0; k < ff->n_molecules; k++) {
    struct graph g = type_graph(ff, k);
    struct lipid_type *type = &l->type[k];
    type->mark = alloc_array(g.n, 1);
    const int whole = judge(&g, type->mark, &type->headed);
    const int odd = is_named_polymer(&ff->molecule[k]) || g.n > LIPID_BEADS_MOST;
    type->is_lipid = whole && !odd;
    type->is_odd = whole && odd;
    const int looks = whole || has_chain(&g, type->mark);
    if (!whole) memset(type->mark, 0, (size_t)g.n);
    mark_tails(&g, type->mark);
    free(g.bond);
    if (!looks || is_polymer(&ff->molecule[k])) lipids_exclude(l, k);
  }
  return l;
}

void lipids_exclude(struct lipids *l, int molecule)
{
  free(l->type[molecule].mark);
  l->type[molecule] = (struct lipid_type){0};
}

void lipids_include(struct lipids *l, int molecule)
{
  struct lipid_type *type = &l->type[molecule];
  struct graph g = type_graph(l->ff, molecule);
  type->is_said = 1;
  if (!type->is_lipid) {
    type->is_lipid = 1;
    free(type->mark);
    type->mark = alloc_array(g.n, 1);
    (void)judge(&g, type->mark, &type->headed);
    mark_tails(&g, type->mark);
  }
  free(g.bond);
}

int lipids_set_head(struct lipids *l, int molecule, const char *name, int more)
{
  struct lipid_type *type = &l->type[molecule];
  struct graph g = type_graph(l->ff, molecule);
  for (int k = 0; !more && k < g.n; k++)
    type->mark[k] = 0;
  type->headed = 1;
  const int found = mark_heads(&g, name, NULL, type->mark);
  mark_tails(&g, type->mark);
  free(g.bond);
  return found;
}

void lipids_destroy(struct lipids *l)
{
  if (!l) return;
  for (int k = 0; k < l->ff->n_molecules; k++)
    free(l->type[k].mark);
  free(l->type);
  free(l->molecules);
  free(l);
}

/* 1 if the beads are those of the molecule type, in its order. */
static int is_template(const struct forcefield *ff, const struct molecule_beads *m)
{
  const struct ff_molecule *type = m->molecule_type < 0 ? NULL : &ff->molecule[m->molecule_type];
  return type && m->n == type->n_beads &&
         !memcmp(m->type, type->bead, (size_t)m->n * sizeof *m->type);
}

int lipids_mark(const struct lipids *l, const struct topology *t, const struct molecule_beads *m,
                char *mark, int *headed)
{
  const int type = m->molecule_type;
  *headed = 0;
  if (is_template(l->ff, m)) {
    if (!l->type[type].is_lipid) return 0;
    memcpy(mark, l->type[type].mark, (size_t)m->n);
    *headed = l->type[type].headed;
    return 1;
  }
  memset(mark, 0, (size_t)m->n);
  if (l->is_given || m->n < 2 || m->n > LIPID_BEADS_MOST) return 0;
  struct graph g = beads_graph(l->ff, t, m);
  const int is_lipid = judge(&g, mark, headed);
  if (is_lipid)
    mark_tails(&g, mark);
  else
    memset(mark, 0, (size_t)m->n);
  free(g.bond);
  return is_lipid;
}

/* Text */

/* A name as YAML. */
static void put_name(FILE *f, const char *name)
{
  int plain = isalpha((unsigned char)name[0]) != 0;
  for (const char *at = name; *at; at++)
    plain &= isalnum((unsigned char)*at) || strchr("_-+.", *at);
  if (plain) {
    fputs(name, f);
    return;
  }
  char *quoted = format_yaml_string(name);
  fputs(quoted, f);
  free(quoted);
}

/* 1 if bead k has the mark, and no bead before it that has it is called the same. */
static int is_first(const struct graph *g, const char *mark, int bit, int k)
{
  if (!(mark[k] & bit)) return 0;
  for (int j = 0; j < k; j++)
    if (mark[j] & bit && !strcmp(bead_name(g, j), bead_name(g, k))) return 0;
  return 1;
}

static int is_present(const struct lipids *l, int molecule)
{
  return l->type[molecule].is_lipid && (!l->molecules || l->molecules[molecule] > 0);
}

int lipids_has_heads(const struct lipids *l, int molecule)
{
  int found = 0;
  for (int k = 0; k < l->ff->molecule[molecule].n_beads; k++)
    found |= l->type[molecule].mark[k] & LIPID_HEAD;
  return found;
}

/* The beads with a mark of every lipid of the system that has such. own: as of lipids_marked. */
static void put_marked(FILE *f, const struct lipids *l, char *const *own, int bit)
{
  const char *next = "{";
  for (int k = 0; k < l->ff->n_molecules; k++) {
    const struct ff_molecule *m = &l->ff->molecule[k];
    const struct graph g = {l->ff, m->n_beads, 0, m->bead, m->bead_name, NULL};
    const char *mark = own ? own[k] : l->type[k].mark, *next_bead = ": [";
    for (int j = 0; is_present(l, k) && mark && j < g.n; j++) {
      if (!is_first(&g, mark, bit, j)) continue;
      if (next_bead[0] == ':') {
        fputs(next, f);
        put_name(f, m->name);
        next = ", ";
      }
      fputs(next_bead, f);
      put_name(f, bead_name(&g, j));
      next_bead = ", ";
    }
    if (next_bead[0] == ',') fputc(']', f);
  }
  fputs(next[0] == '{' ? "{}" : "}", f);
}

char *lipids_marked(const struct lipids *l, char *const *own, int bit)
{
  struct text_stream text;
  put_marked(text_begin(&text), l, own, bit);
  return text_end(&text);
}

char *lipids_list(const struct lipids *l)
{
  struct text_stream text;
  FILE *f = text_begin(&text);
  const char *next = "";
  fputc('[', f);
  for (int k = 0; k < l->ff->n_molecules; k++) {
    const int has_heads =
        l->type[k].is_said && !l->is_given; /* which ask for a place in the list */
    if (!is_present(l, k) && !has_heads) continue;
    fputs(next, f);
    put_name(f, l->ff->molecule[k].name);
    next = ", ";
  }
  fputc(']', f);
  return text_end(&text);
}

char *lipids_text(const struct lipids *l)
{
  char *list = lipids_list(l), *heads = lipids_marked(l, NULL, LIPID_HEAD);
  char *text = text_format("{lipids: %s, heads: %s}", list, heads);
  free(list);
  free(heads);
  return text;
}

int64_t lipids_count(const struct lipids *l)
{
  int64_t n = 0;
  for (int k = 0; k < l->ff->n_molecules; k++)
    if (l->type[k].is_lipid) n += l->molecules[k];
  return n;
}
