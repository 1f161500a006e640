/* Reading of molecule types: see gromacs_molecule.h. */
#include "import/gromacs_molecule.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/portable.h"

enum { ATOMS_MOST = 10000, TERMS_MOST = 1000000, CONSTRAINTS_MOST = 3 * ATOMS_MOST };

/* Type, charge and mass of a second state: those that are not given are of its type. */
static void check_second_state(struct gromacs_lines_reader *r, const struct gromacs_atom *a)
{
  const struct words *w = &r->words;
  const int type = name_map_find(&r->t->type_names, w->word[8]);
  double charge = type < 0 ? 0 : r->t->type[type].charge;
  double mass = type < 0 ? 0 : r->t->type[type].mass;
  if (w->n > 9 && !gromacs_read_real(w, 9, "charge", &charge)) return;
  if (w->n > 10 && !gromacs_read_real(w, 10, "mass", &mass)) return;
  if (type != a->type || charge != a->charge || mass != a->mass || w->n > 11)
    WORDS_ERROR(&r->words,
                "'%.40s': a second state (free energies), unless it equals the first, is not "
                "implemented",
                w->word[8]);
}

/* id type residue-number residue atom charge-group [charge [mass]] */
static void read_atom(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  const struct words *w = &r->words;
  struct gromacs_atom *a = &molecule->atom[molecule->n_atoms];
  int64_t id = 0;
  char *end;
  if (w->n < 6) {
    WORDS_ERROR(&r->words,
                "an atom has at least 6 columns (number, type, residue number, residue, atom, "
                "charge group), here are %d",
                w->n);
    return;
  }
  words_int(w, 0, "number of the atom", molecule->n_atoms + 1, molecule->n_atoms + 1, &id);
  *a = (struct gromacs_atom){
      .where = r->words.where, .residue_name = w->word[3], .name = w->word[4]};
  a->type = name_map_find(&r->t->type_names, w->word[1]);
  molecule->n_atoms++;
  if (a->type < 0) {
    WORDS_ERROR(&r->words, "there is no atom type '%.40s'", w->word[1]);
    return;
  }
  a->residue = strtoll(w->word[2], &end, 10);
  const int none = end == w->word[2];
  end += isalpha((unsigned char)*end) != 0; /* an insertion code */
  if (none || *end || a->residue < -999999999 || a->residue > 999999999)
    WORDS_ERROR(&r->words, "residue number: '%.40s' is no integer", w->word[2]);
  a->charge = r->t->type[a->type].charge;
  a->mass = r->t->type[a->type].mass;
  if (w->n > 6) gromacs_read_real(w, 6, "charge", &a->charge);
  if (w->n > 7) gromacs_read_real(w, 7, "mass", &a->mass);
  if (w->n > 8) check_second_state(r, a);
  if (!(a->mass >= 0 && a->mass < 1e9))
    WORDS_ERROR(&r->words, "a mass of %g amu: expected 0 to 1e9", a->mass);
  if (!(a->charge > -1e3 && a->charge < 1e3))
    WORDS_ERROR(&r->words, "a charge of %g e: expected -1000 to 1000", a->charge);
}

/* The rows of the tables of bonded types for these beads; NULL with an error: none. */
static const struct gromacs_type_row *find_rows(struct gromacs_lines_reader *r, int64_t function,
                                                const int *bead, int *n)
{
  const char *name[4] = {"", "", "", ""};
  for (int k = 0; k < gromacs_directive_info[r->directive].beads; k++) {
    const int type = r->molecule->atom[bead[k]].type;
    if (type < 0) return NULL;
    name[k] = r->t->type[type].bonded;
  }
  const struct gromacs_type_row *row =
      gromacs_types_find(r->types, r->directive, (int)function, name, n);
  if (!row)
    WORDS_ERROR(&r->words,
                "no parameters here, and no table of types has any for %s %s %s %s of function %d",
                name[0], name[1], name[2], name[3], (int)function);
  return row;
}

static void add_term(struct gromacs_lines_reader *r, const struct top_function *form,
                     const int *bead, const double *column)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_term *term;
  molecule->term = grow_array(molecule->term, molecule->n_terms + 1, sizeof *term);
  term = &molecule->term[molecule->n_terms++];
  *term = (struct gromacs_term){
      .where = r->words.where, .function = form->function, .form = form->form};

  memcpy(term->bead, bead, (size_t)bonded_form_info[form->form].beads * sizeof *bead);
  gromacs_form_set(form, column, term->value, &r->words);
}

static void read_term(struct gromacs_lines_reader *r)
{
  const struct words *w = &r->words;
  const char *name = gromacs_directive_info[r->directive].name;
  const int beads = gromacs_directive_info[r->directive].beads;
  struct gromacs_type_row own = {.beads = beads};
  const struct gromacs_type_row *row = &own;
  int bead[4], n = 1;
  int64_t function = 1;
  if (!gromacs_read_beads(r, 0, beads, bead)) return;
  if (!words_int(w, beads, "function", 1, 100, &function)) return;
  const struct top_function *form = top_function_find(name, (int)function);
  if (!form) {
    WORDS_ERROR(w, "[ %s ]: function %lld is not implemented", name, (long long)function);
    return;
  }
  if (w->n <= beads + 1 && form->values > 0) {
    row = find_rows(r, function, bead, &n);
  } else {
    for (int k = 0; k < form->values; k++)
      if (!gromacs_read_real(w, beads + 1 + k, "parameter", &own.value[k])) return;
    if (!gromacs_read_end(w, beads + 1 + form->values, form->values)) return;
  }
  for (int k = 0; row && k < n; k++)
    add_term(r, form, bead, row[k].value);
}

/* V and W of a pair of function 1 that gives none: of pairtypes, or generated. 1, or 0 with an
 * error.
 */
static int find_pair(struct gromacs_lines_reader *r, const int *bead, double c[2])
{
  const struct gromacs_topology *t = r->t;
  const int i = r->molecule->atom[bead[0]].type, j = r->molecule->atom[bead[1]].type;
  const struct gromacs_pair *last = NULL;
  int n;
  if (i < 0 || j < 0) return 0;
  const char *const name[4] = {t->type_names.name[i], t->type_names.name[j], "", ""};
  const struct gromacs_type_row *row = gromacs_types_find(r->types, GROMACS_pairs, 1, name, &n);
  if (row) {
    memcpy(c, row->value, 2 * sizeof *c);
    return 1;
  }
  if (!t->generates_pairs) {
    WORDS_ERROR(&r->words,
                "no parameters here, [ pairtypes ] has none for %s %s, and gen-pairs of "
                "[ defaults ] is not yes",
                name[0], name[1]);
    return 0;
  }
  for (int64_t k = t->n_pairs - 1; k >= 0 && !last; k--)
    if (gromacs_joins_same(t->pair[k].type, (int[2]){i, j})) last = &t->pair[k];
  gromacs_combine(t, last, i, j, c);
  if (t->rule == 1) c[0] *= t->fudge_lj;
  c[1] *= t->fudge_lj;
  return 1;
}

void gromacs_powers(const struct gromacs_topology *t, double c[2])
{
  const double s6 = portable_power(c[0], 6), c6 = 4 * c[1] * s6;
  if (t->rule == 1) return;
  c[1] = c6 * s6;
  c[0] = c[0] < 0 ? 0 : c6;
}

/* Lennard-Jones and charges of two atoms at any distance (GROMACS manual, "Pair interactions").
   Columns of function 2: fudgeQQ qi qj V W; of pairs_nb those from qi on, of function 1 from V on.
 */
static void read_pair(struct gromacs_lines_reader *r)
{
  const struct words *w = &r->words;
  const struct gromacs_topology *t = r->t;
  const int apart = r->directive == GROMACS_pairs_nb;
  double column[TOP_VALUES_MOST] = {apart ? 1 : t->fudge_qq, 0, 0, 0, 0, 1};
  int bead[2];
  int64_t function = 1;
  if (!gromacs_read_beads(r, 0, 2, bead) ||
      !words_int(w, 2, "function", 1, apart ? 1 : 2, &function))
    return;
  const int first = apart ? 1 : function == 2 ? 0 : 3;
  for (int k = 0; k < 2; k++)
    column[1 + k] = r->molecule->atom[bead[k]].charge;
  if (first == 3 && w->n == 3) {
    if (!find_pair(r, bead, column + 3)) return;
  } else {
    for (int k = first; k < 5; k++)
      if (!gromacs_read_real(w, 3 + k - first, "parameter", &column[k])) return;
    if (!gromacs_read_end(w, 8 - first, 5 - first)) return;
  }
  column[1] *= column[0] * column[2];
  gromacs_powers(t, column + 3);
  if (column[3] != 0 || column[4] != 0)
    add_term(r, top_function_of(FORM_bond_lennard_jones), bead, column);
  if (column[1] != 0) add_term(r, top_function_of(FORM_bond_coulomb), bead, column);
}

/* ai aj function label function' low up1 up2 factor: a distance in certain bounds. Each label is
   for one pair: GROMACS averages over those of a label. */
static void read_distance(struct gromacs_lines_reader *r)
{
  const struct words *w = &r->words;
  double column[TOP_VALUES_MOST];
  int bead[2];
  int64_t function, label;
  if (r->t->distance_k == 0 || !gromacs_read_beads(r, 0, 2, bead) ||
      !words_int(w, 2, "function", 1, 1, &function) ||
      !words_int(w, 3, "label", 0, INT32_MAX, &label) ||
      !words_int(w, 4, "average", 1, 2, &function))
    return;
  for (int k = 0; k < 4; k++)
    if (!gromacs_read_real(w, 5 + k, "parameter", &column[k])) return;
  if (!(column[0] <= column[1] && column[1] <= column[2]))
    WORDS_ERROR(w, "%g, %g, %g: expected three bounds in ascending order", column[0], column[1],
                column[2]);
  if (r->has_label && label == r->label)
    WORDS_ERROR(w, "label %lld stands for several pairs: averages over them are not implemented",
                (long long)label);
  r->has_label = 1;
  r->label = label;
  column[3] *= r->t->distance_k;
  add_term(r, top_function_of(FORM_bond_flat_bottomed), bead, column);
}

/* Adds a constraint to those of the molecule, of which two atoms have one. */
static void add_constraint(struct gromacs_lines_reader *r, struct gromacs_constraint c)
{
  struct gromacs_molecule *molecule = r->molecule;
  if (!(c.length > 0 && c.length < 1e3))
    WORDS_ERROR(&r->words, "a constraint of %g nm: expected above 0", c.length);
  if (molecule->n_constraints == CONSTRAINTS_MOST) {
    WORDS_ERROR(&r->words, "more than %d constraints in a molecule", CONSTRAINTS_MOST);
    error_list_check(r->words.m);
  }
  for (int k = 0; k < molecule->n_constraints; k++) {
    const struct gromacs_constraint *o = &molecule->constraint[k];
    if (!gromacs_joins_same(o->bead, c.bead)) continue;
    if (o->length != c.length)
      WORDS_ERROR(&r->words, "this constraint of %g nm contradicts that of %g nm in %s:%d",
                  c.length, o->length, o->where.file, o->where.line);
    molecule->constraint[k].joins |= c.joins;
    return;
  }
  molecule->constraint =
      grow_array(molecule->constraint, molecule->n_constraints + 1, sizeof *molecule->constraint);
  molecule->constraint[molecule->n_constraints++] = c;
}

static void read_constraint(struct gromacs_lines_reader *r)
{
  struct gromacs_constraint c = {.where = r->words.where};
  int64_t function = 1;
  int n;
  if (!gromacs_read_beads(r, 0, 2, c.bead) || !words_int(&r->words, 2, "function", 1, 2, &function))
    return;
  c.joins = function == 1;
  if (r->words.n > 3) {
    if (!gromacs_read_real(&r->words, 3, "length", &c.length)) return;
  } else {
    const struct gromacs_type_row *row = find_rows(r, function, c.bead, &n);
    if (!row) return;
    c.length = row->value[0];
  }
  add_constraint(r, c);
}

/* The first of three atoms of a water, which follow each other, function, its distance from the
   others, and theirs. For GROMACS they make no exclusions. */
static void read_settle(struct gromacs_lines_reader *r)
{
  const int first = gromacs_read_bead(r, 0);
  int64_t function;
  double length[2];
  if (first < 0 || !words_int(&r->words, 1, "function", 1, 1, &function)) return;
  for (int k = 0; k < 2; k++)
    if (!gromacs_read_real(&r->words, 2 + k, "length", &length[k])) return;
  if (first + 2 >= r->molecule->n_atoms) {
    WORDS_ERROR(&r->words, "atom %d is the first of three that follow each other", first + 1);
    return;
  }
  for (int k = 0; k < 3; k++)
    add_constraint(r, (struct gromacs_constraint){.where = r->words.where,
                                                  .bead = {first + k / 2, first + 1 + (k + 1) / 2},
                                                  .length = length[k / 2]});
}

/* atom, and the atoms that it has no pair forces with */
static void read_exclusions(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  const int first = gromacs_read_bead(r, 0), n = r->words.n - 1;
  if (first < 0) return;
  molecule->excluded =
      grow_array(molecule->excluded, molecule->n_excluded + n, sizeof *molecule->excluded);
  for (int k = 1; k <= n; k++) {
    const int other = gromacs_read_bead(r, k);
    if (other < 0 || other == first) continue; /* GROMACS passes over an atom itself, too */
    molecule->excluded[molecule->n_excluded][0] = first;
    molecule->excluded[molecule->n_excluded++][1] = other;
  }
}

/* bead 1 kx ky kz, or flat-bottomed: bead 2 shape radius k. */
static void read_restraint(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_restraint restraint = {.where = r->words.where, .macro = r->set};
  int64_t function, shape = 0;
  restraint.bead = gromacs_read_bead(r, 0);
  if (restraint.bead < 0 || !words_int(&r->words, 1, "function", 1, 2, &function)) return;
  if (function == 2 && !words_int(&r->words, 2, "shape", 1, 8, &shape)) return;
  for (int k = 0; k < RESTRAINT_SHAPES_N && function == 2; k++)
    if (restraint_shapes[k].gromacs == (shape == 2 ? 8 : shape))
      restraint.shape = &restraint_shapes[k];
  for (int d = 0; d < (restraint.shape ? 2 : 3); d++)
    if (!gromacs_read_real(&r->words, 2 + d + (function == 2), "parameter", &restraint.k[d]))
      return;
  molecule->restraint =
      grow_array(molecule->restraint, molecule->n_restraints + 1, sizeof *molecule->restraint);
  molecule->restraint[molecule->n_restraints++] = restraint;
}

/* Who reads a line, by its directive; others have been refused. */
static void (*const read_line[GROMACS_DIRECTIVES])(struct gromacs_lines_reader *) = {
    [GROMACS_atoms] = read_atom,
    [GROMACS_bonds] = read_term,
    [GROMACS_angles] = read_term,
    [GROMACS_dihedrals] = read_term,
    [GROMACS_angle_restraints] = read_term,
    [GROMACS_angle_restraints_z] = read_term,
    [GROMACS_dihedral_restraints] = read_term,
    [GROMACS_distance_restraints] = read_distance,
    [GROMACS_pairs] = read_pair,
    [GROMACS_pairs_nb] = read_pair,
    [GROMACS_constraints] = read_constraint,
    [GROMACS_settles] = read_settle,
    [GROMACS_virtual_sites1] = gromacs_read_site,
    [GROMACS_virtual_sites2] = gromacs_read_site,
    [GROMACS_virtual_sites3] = gromacs_read_site,
    [GROMACS_virtual_sites4] = gromacs_read_site,
    [GROMACS_virtual_sitesn] = gromacs_read_site,
    [GROMACS_exclusions] = read_exclusions,
    [GROMACS_position_restraints] = read_restraint,
};

static void check_atoms(const struct gromacs_molecule *molecule, struct error_list *m)
{
  for (int k = 0; k < molecule->n_atoms; k++) {
    const struct gromacs_atom *a = &molecule->atom[k];
    if (a->mass == 0 && !a->is_site)
      LINE_ERROR(m, a->where, "atom %s has no mass and is no virtual site", a->name);
  }
  for (int k = 0; k < molecule->n_constraints; k++)
    for (int b = 0; b < 2; b++)
      if (molecule->atom[molecule->constraint[k].bead[b]].is_site)
        LINE_ERROR(m, molecule->constraint[k].where, "atom %d of a constraint is a virtual site",
                   molecule->constraint[k].bead[b] + 1);
}

void gromacs_molecule_read(struct gromacs_topology *t, int k, const struct gromacs_types *types,
                           struct gromacs_molecule *out, struct error_list *m)
{
  const struct gromacs_moleculetype *type = &t->molecule[k];
  struct gromacs_lines_reader *r = alloc_array(1, sizeof *r);
  int64_t n_atoms = 0;
  for (int64_t n = type->first_line; n < type->end_line; n++)
    n_atoms += t->molecule_lines.line[n].directive == GROMACS_atoms;
  *out = (struct gromacs_molecule){.name = t->molecule_names.name[k]};
  out->where = type->where;
  out->nrexcl = type->nrexcl;
  if (n_atoms == 0) LINE_ERROR(m, type->where, "molecule type %s has no atoms", out->name);
  if (n_atoms > ATOMS_MOST || type->end_line - type->first_line > TERMS_MOST) {
    LINE_ERROR(m, type->where, "molecule type %s has %lld atoms in %lld lines: at most %d in %d",
               out->name, (long long)n_atoms, (long long)(type->end_line - type->first_line),
               ATOMS_MOST, TERMS_MOST);
    n_atoms = 0;
  }
  out->atom = alloc_array(n_atoms, sizeof *out->atom);
  r->t = t;
  r->types = types;
  r->molecule = out;
  r->words.m = m;
  for (int pass = 0; pass < 2 && n_atoms; pass++)
    for (int64_t n = type->first_line; n < type->end_line; n++) {
      const struct gromacs_line *line = &t->molecule_lines.line[n];
      if ((line->directive == GROMACS_atoms) != (pass == 0)) continue;
      r->words.where = line->where;
      r->directive = line->directive;
      r->set = line->set;
      words_split(&r->words, line->text);
      if (read_line[line->directive]) read_line[line->directive](r);
    }
  gromacs_check_sites(out, m);
  gromacs_check_constraints(out, m);
  gromacs_check_clusters(out, m);
  check_atoms(out, m);
  if (!m->count) gromacs_drop_terms(out);
  free(r);
}

void gromacs_molecule_free(struct gromacs_molecule *molecule)
{
  for (int k = 0; k < molecule->n_sites; k++) {
    free(molecule->site[k].from);
    free(molecule->site[k].weight);
  }
  free(molecule->atom);
  free(molecule->term);
  free(molecule->constraint);
  free(molecule->site);
  free(molecule->restraint);
  free(molecule->stage_k);
  free(molecule->excluded);
}
