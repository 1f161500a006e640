/* Virtual sites and constraints of molecule types: see gromacs_molecule.h. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/portable.h"
#include "base/units.h"
#include "import/gromacs_molecule.h"
#include "io/foreign/top_functions.h"
#include "model/cluster.h"

enum { FROM_MOST = CLUSTER_BEADS_MOST - 1 };

enum { CENTRE_OF_GEOMETRY = 1, CENTRE_OF_MASS = 2, CENTRE_OF_WEIGHTS = 3 };

/* An atom that stands twice has the sum of its weights. */
static void add_weight(struct gromacs_site *s, int from, double weight)
{
  int k = 0;
  while (k < s->n_from && s->from[k] != from)
    k++;
  if (k == s->n_from) s->n_from++;
  s->from[k] = from;
  s->weight[k] += weight;
}

/* site function atom... of virtual_sitesn, or site atom function of virtual_sites1 */
static int read_centre(struct gromacs_lines_reader *r, struct gromacs_site *s)
{
  int64_t function = CENTRE_OF_GEOMETRY;
  double total = 0;
  const int one = r->directive == GROMACS_virtual_sites1;
  if (!words_int(&r->words, one ? 2 : 1, "function", 1, one ? 1 : 3, &function)) return 0;
  const int step = function == CENTRE_OF_WEIGHTS ? 2 : 1, first = one ? 1 : 2;
  s->form = SITE_centre;
  const int n = one ? 1 : (r->words.n - 2) / step;
  if (n < 1 || n > FROM_MOST) {
    WORDS_ERROR(&r->words, "a site of %d atoms: expected 1 to %d", n, FROM_MOST);
    return 0;
  }
  if (!one && (r->words.n - 2) % step)
    WORDS_ERROR(&r->words, "the weight of the last atom is missing");
  s->from = alloc_array(n, sizeof *s->from);
  s->weight = alloc_array(n, sizeof *s->weight);
  for (int k = 0; k < n; k++) {
    const int from = gromacs_read_bead(r, first + step * k);
    if (from < 0) return 0;
    double weight = function == CENTRE_OF_MASS ? r->molecule->atom[from].mass : 1;
    if (function == CENTRE_OF_WEIGHTS &&
        !gromacs_read_real(&r->words, first + step * k + 1, "weight", &weight))
      return 0;
    add_weight(s, from, weight);
    total += weight;
  }
  if (!(total > 0)) WORDS_ERROR(&r->words, "the weights of the site add up to %g", total);
  return 1;
}

static int read_fixed(struct gromacs_lines_reader *r, struct gromacs_site *s)
{
  const int n = gromacs_directive_info[r->directive].name[strlen("virtual_sites")] - '0';
  int64_t function;
  s->from = alloc_array(n, sizeof *s->from);
  s->n_from = n;
  if (!gromacs_read_beads(r, 1, n, s->from) ||
      !words_int(&r->words, n + 1, "function", 1, 100, &function))
    return 0;
  const struct top_site *f =
      top_site_find(gromacs_directive_info[r->directive].name, (int)function);
  if (!f) {
    WORDS_ERROR(&r->words, "[ %s ]: function %lld is not implemented",
                gromacs_directive_info[r->directive].name, (long long)function);
    return 0;
  }
  while (strcmp(site_form_info[s->form].name, f->form) != 0)
    s->form++;
  for (int a = 0; a < f->numbers; a++) {
    const struct form_parameter *p = &site_form_info[s->form].parameter[a];
    if (!gromacs_read_real(&r->words, n + 2 + a, "parameter of the site", &s->number[a])) return 0;
    if (!(s->number[a] >= p->low && s->number[a] <= p->high))
      WORDS_ERROR(&r->words, "parameter of the site: %g is out of range: %s is from %g to %g",
                  s->number[a], p->name, p->low, p->high);
  }
  if (s->form == SITE_in_plane) { /* GROMACS: an angle in degrees, and the distance */
    const double angle = s->number[0] * (UNITS_PI / 180), distance = s->number[1];
    s->number[0] = distance * portable_cos(angle);
    s->number[1] = distance * portable_sin(angle);
  }
  return 1;
}

static int are_same_sites(const struct gromacs_site *a, const struct gromacs_site *b)
{
  int same = a->bead == b->bead && a->form == b->form && a->n_from == b->n_from;
  for (int k = 0; k < a->n_from && same; k++)
    same = a->from[k] == b->from[k] && (!a->weight || !b->weight || a->weight[k] == b->weight[k]);
  for (int k = 0; k < SITE_PARAMETERS_MOST && same; k++)
    same = a->number[k] == b->number[k];
  return same;
}

/* 1 if the molecule has this very site already. */
static int is_repeated(const struct gromacs_molecule *molecule, const struct gromacs_site *s)
{
  for (int k = 0; k < molecule->n_sites; k++)
    if (are_same_sites(&molecule->site[k], s)) return 1;
  return 0;
}

void gromacs_read_site(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_site s = {.where = r->words.where, .directive = r->directive};
  s.bead = gromacs_read_bead(r, 0);
  if (s.bead < 0) return;
  const int several =
      r->directive == GROMACS_virtual_sites1 || r->directive == GROMACS_virtual_sitesn;
  const int good = several ? read_centre(r, &s) : read_fixed(r, &s);
  struct gromacs_atom *a = &molecule->atom[s.bead];
  if (good && a->is_site && is_repeated(molecule, &s))
    warn("%s:%d: atom %d is this virtual site already", s.where.file, s.where.line, s.bead + 1);
  else if (good && a->is_site)
    WORDS_ERROR(&r->words, "atom %d is a virtual site already, another one", s.bead + 1);
  if (good && a->mass != 0)
    LINE_ERROR(r->words.m, a->where,
               "atom %s has a mass of %g amu and is a virtual site (%s:%d), which has none: "
               "write 0",
               a->name, a->mass, r->words.where.file, r->words.where.line);
  if (!good || a->is_site) {
    free(s.from);
    free(s.weight);
    return;
  }
  a->is_site = 1;
  molecule->site = grow_array(molecule->site, molecule->n_sites + 1, sizeof *molecule->site);
  molecule->site[molecule->n_sites++] = s;
}

/* Sites get ranks: above all that they are constructed from. A circle has none. */
void gromacs_check_sites(const struct gromacs_molecule *molecule, struct error_list *m)
{
  char *known = alloc_array(molecule->n_atoms, 1);
  int changed = molecule->n_sites > 0;
  for (int k = 0; k < molecule->n_atoms; k++)
    known[k] = !molecule->atom[k].is_site;
  while (changed) {
    changed = 0;
    for (int k = 0; k < molecule->n_sites; k++) {
      const struct gromacs_site *s = &molecule->site[k];
      int all = !known[s->bead];
      for (int b = 0; b < s->n_from; b++)
        all &= known[s->from[b]];
      if (all) known[s->bead] = 1;
      changed |= all;
    }
  }
  for (int k = 0; k < molecule->n_sites; k++)
    if (!known[molecule->site[k].bead])
      LINE_ERROR(m, molecule->site[k].where,
                 "atom %d is constructed from itself, directly or by other virtual sites",
                 molecule->site[k].bead + 1);
  free(known);
}

/* Molecules with more constraints are left to the parser of the force field, which looks at
   clusters: time grows with the square of the number. */
enum { COMPARED_MOST = 2000 };

void gromacs_check_constraints(const struct gromacs_molecule *molecule, struct error_list *m)
{
  const int n = molecule->n_constraints;
  double way;
  if (n == 0 || n > COMPARED_MOST) return;
  struct cluster_constraint *c = alloc_array(n, sizeof *c);
  int good = 1; /* lengths, or there is an error already */
  for (int k = 0; k < n; k++) {
    c[k] = (struct cluster_constraint){
        .bead = {molecule->constraint[k].bead[0], molecule->constraint[k].bead[1]},
        .length = molecule->constraint[k].length};
    good &= c[k].length > 0;
  }
  const int k = good ? cluster_contradiction(molecule->n_atoms, n, c, &way) : -1;
  if (k >= 0)
    LINE_ERROR(m, molecule->constraint[k].where,
               "this constraint of %g nm contradicts others, which hold atoms %d and %d within "
               "%g nm",
               c[k].length, c[k].bead[0] + 1, c[k].bead[1] + 1, way);
  free(c);
}

/* Sets first[atom] to the first atom of its cluster. */
static void connect(const struct gromacs_molecule *molecule, int *first)
{
  for (int k = 0; k < molecule->n_atoms; k++)
    first[k] = k;
  for (int k = 0; k < molecule->n_constraints; k++)
    cluster_join(first, molecule->constraint[k].bead[0], molecule->constraint[k].bead[1]);
  for (int k = 0; k < molecule->n_sites; k++)
    for (int j = 0; j < molecule->site[k].n_from; j++)
      cluster_join(first, molecule->site[k].bead, molecule->site[k].from[j]);
  cluster_roots(first, molecule->n_atoms);
}

/* A cluster that is too large, at its first constraint, with its last one and how that in the
   middle is written as a bond; or at its first site. */
static void refuse_cluster(const struct gromacs_molecule *molecule, const int *first,
                           const struct cluster_counts *size, struct error_list *m)
{
  const int beads = cluster_beads_beyond(size) > 0;
  const int most = beads ? CLUSTER_BEADS_MOST : cluster_constraints_beyond(size);
  const struct gromacs_constraint *all[3] = {NULL, NULL, NULL}; /* first, middle, last */
  for (int k = 0, n = 0; k < molecule->n_constraints; k++) {
    const struct gromacs_constraint *c = &molecule->constraint[k];
    if (first[c->bead[0]] != size->bead) continue;
    if (n == 0) all[0] = c;
    if (n++ == size->constraints / 2) all[1] = c;
    all[2] = c;
  }
  for (int k = 0; k < molecule->n_sites && !all[0]; k++)
    if (first[molecule->site[k].bead] == size->bead) {
      LINE_ERROR(m, molecule->site[k].where,
                 "virtual sites, of which this is the first, connect %d atoms, from atom %d on; "
                 "at most %d are possible",
                 size->beads, size->bead + 1, most);
      return;
    }
  assert(all[0] && all[1] && all[2]); /* a cluster without sites has constraints */
  LINE_ERROR(m, all[0]->where,
             "the constraints from here to %s:%d hold %d atoms together, from atom %d on, with "
             "%d constraints: at most %d %s are possible; write some of them as stiff [ bonds ] "
             "that part the atoms, such as '%d %d 1 %g 50000' in place of that of %s:%d",
             all[2]->where.file, all[2]->where.line, size->beads, size->bead + 1, size->constraints,
             most, beads ? "atoms" : "constraints", all[1]->bead[0] + 1, all[1]->bead[1] + 1,
             all[1]->length, all[1]->where.file, all[1]->where.line);
}

void gromacs_check_clusters(const struct gromacs_molecule *molecule, struct error_list *m)
{
  int *first = alloc_array(molecule->n_atoms, sizeof *first);
  struct cluster_counts *size = alloc_array(molecule->n_atoms, sizeof *size);
  connect(molecule, first);
  for (int k = 0; k < molecule->n_atoms; k++) {
    size[k].bead = k;
    size[first[k]].beads++;
  }
  for (int k = 0; k < molecule->n_constraints; k++)
    size[first[molecule->constraint[k].bead[0]]].constraints++;
  for (int k = 0; k < molecule->n_atoms; k++)
    if (cluster_beads_beyond(&size[k]) || cluster_constraints_beyond(&size[k]))
      refuse_cluster(molecule, first, &size[k], m);
  free(first);
  free(size);
}
