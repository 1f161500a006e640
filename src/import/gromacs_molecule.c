/* Reading of molecule types: see gromacs_molecule.h. */
#include "import/gromacs_molecule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

enum { ATOMS_MOST = 10000, TERMS_MOST = 1000000, CONSTRAINTS_MOST = 3 * ATOMS_MOST };

/* Type, charge and mass of a second state: those that are not given are of its type. */
static void check_second_state(struct gromacs_lines_reader *r, const struct gromacs_atom *a)
{
  const struct gromacs_words *w = &r->words;
  const int type = name_map_find(&r->t->type_names, w->word[8]);
  double charge = type < 0 ? 0 : r->t->type[type].charge;
  double mass = type < 0 ? 0 : r->t->type[type].mass;
  if (w->n > 9 && !gromacs_words_real(w, 9, "charge", &charge)) return;
  if (w->n > 10 && !gromacs_words_real(w, 10, "mass", &mass)) return;
  if (type != a->type || charge != a->charge || mass != a->mass || w->n > 11)
    GROMACS_ERROR(r->m, r->place,
                  "'%.40s': a second state (free energies), unless it equals the first, is not "
                  "implemented",
                  w->word[8]);
}

/* id type residue-number residue atom charge-group [charge [mass]] */
static void read_atom(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  const struct gromacs_words *w = &r->words;
  struct gromacs_atom *a = &molecule->atom[molecule->n_atoms];
  long long id = 0;
  char *end;
  if (w->n < 6) {
    GROMACS_ERROR(r->m, r->place,
                  "an atom has at least 6 columns (number, type, residue number, residue, atom, "
                  "charge group), here are %d",
                  w->n);
    return;
  }
  gromacs_words_int(w, 0, "number of the atom", molecule->n_atoms + 1, molecule->n_atoms + 1, &id);
  *a = (struct gromacs_atom){.place = r->place, .residue_name = w->word[3], .name = w->word[4]};
  a->type = name_map_find(&r->t->type_names, w->word[1]);
  molecule->n_atoms++;
  if (a->type < 0) {
    GROMACS_ERROR(r->m, r->place, "there is no atom type '%.40s'", w->word[1]);
    return;
  }
  a->residue = strtoll(w->word[2], &end, 10);
  const int none = end == w->word[2];
  end += isalpha((unsigned char)*end) != 0; /* an insertion code */
  if (none || *end || a->residue < -999999999 || a->residue > 999999999)
    GROMACS_ERROR(r->m, r->place, "residue number: '%.40s' is no integer", w->word[2]);
  a->charge = r->t->type[a->type].charge;
  a->mass = r->t->type[a->type].mass;
  if (w->n > 6) gromacs_words_real(w, 6, "charge", &a->charge);
  if (w->n > 7) gromacs_words_real(w, 7, "mass", &a->mass);
  if (w->n > 8) check_second_state(r, a);
  if (!(a->mass >= 0 && a->mass < 1e9))
    GROMACS_ERROR(r->m, r->place, "a mass of %g amu: expected 0 to 1e9", a->mass);
  if (!(a->charge > -1e3 && a->charge < 1e3))
    GROMACS_ERROR(r->m, r->place, "a charge of %g e: expected -1000 to 1000", a->charge);
}

/* Looks up the parameters of the beads in the tables of bonded types. */
static int find_values(struct gromacs_lines_reader *r, int function, int beads, const int *bead,
                       const double (**values)[TOP_VALUES_MOST])
{
  const char *name[4] = {"", "", "", ""};
  for (int k = 0; k < beads; k++) {
    const int type = r->molecule->atom[bead[k]].type;
    if (type < 0) return 0;
    name[k] = r->t->type[type].bonded;
  }
  const int n = gromacs_types_find(r->types, r->directive, function, beads, name, values);
  if (n == 0)
    GROMACS_ERROR(r->m, r->place,
                  "no parameters here, and no table of types has any for %s %s %s %s of function "
                  "%d",
                  name[0], name[1], name[2], name[3], function);
  return n;
}

static void add_term(struct gromacs_lines_reader *r, const struct top_function *form,
                     const int *bead, const double *column)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_term *term;
  molecule->term = grow_array(molecule->term, molecule->n_terms + 1, sizeof *term);
  term = &molecule->term[molecule->n_terms++];
  *term = (struct gromacs_term){.place = r->place, .function = form->function, .form = form->form};

  memcpy(term->bead, bead, (size_t)bonded_form_info[form->form].beads * sizeof *bead);
  gromacs_form_set(form, column, term->value, r->place, r->m);
}

static void read_term(struct gromacs_lines_reader *r, int beads)
{
  int bead[4];
  long long function = 1;
  const double(*values)[TOP_VALUES_MOST];
  double column[1][TOP_VALUES_MOST] = {{0}};
  if (!gromacs_read_beads(r, 0, beads, bead)) return;
  if (!gromacs_words_int(&r->words, beads, "function", 1, 100, &function)) return;
  const struct top_function *form =
      top_function_find(gromacs_directive_name[r->directive], (int)function);
  if (!form) {
    GROMACS_ERROR(r->m, r->place, "[ %s ]: function %lld is not implemented",
                  gromacs_directive_name[r->directive], function);
    return;
  }
  int n = 1;
  if (r->words.n <= beads + 1) {
    n = find_values(r, (int)function, beads, bead, &values);
  } else {
    values = (const double(*)[TOP_VALUES_MOST])column;
    for (int k = 0; k < form->values; k++)
      if (!gromacs_words_real(&r->words, beads + 1 + k, "parameter", &column[0][k])) return;
    if (!gromacs_words_end(&r->words, beads + 1 + form->values, form->values)) return;
  }
  for (int k = 0; k < n; k++)
    add_term(r, form, bead, values[k]);
}

static void read_constraint(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_constraint c = {.place = r->place};
  long long function = 1;
  const double(*values)[TOP_VALUES_MOST];
  if (!gromacs_read_beads(r, 0, 2, c.bead) ||
      !gromacs_words_int(&r->words, 2, "function", 1, 2, &function))
    return;
  c.joins = function == 1;
  if (r->words.n > 3) {
    if (!gromacs_words_real(&r->words, 3, "length", &c.length)) return;
  } else if (find_values(r, (int)function, 2, c.bead, &values)) {
    c.length = values[0][0];
  } else {
    return;
  }
  if (!(c.length > 0 && c.length < 1e3))
    GROMACS_ERROR(r->m, r->place, "a constraint of %g nm: expected above 0", c.length);
  if (molecule->n_constraints == CONSTRAINTS_MOST) {
    GROMACS_ERROR(r->m, r->place, "more than %d constraints in a molecule", CONSTRAINTS_MOST);
    error_list_check(r->m);
  }
  for (int k = 0; k < molecule->n_constraints; k++) {
    const struct gromacs_constraint *o = &molecule->constraint[k];
    if ((o->bead[0] != c.bead[0] || o->bead[1] != c.bead[1]) &&
        (o->bead[0] != c.bead[1] || o->bead[1] != c.bead[0]))
      continue;
    if (o->length != c.length)
      GROMACS_ERROR(r->m, r->place, "this constraint of %g nm contradicts that of %g nm in %s:%d",
                    c.length, o->length, o->place.file, o->place.line);
    molecule->constraint[k].joins |= c.joins;
    return;
  }
  molecule->constraint =
      grow_array(molecule->constraint, molecule->n_constraints + 1, sizeof *molecule->constraint);
  molecule->constraint[molecule->n_constraints++] = c;
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

static void read_restraint(struct gromacs_lines_reader *r)
{
  struct gromacs_molecule *molecule = r->molecule;
  struct gromacs_restraint restraint = {.place = r->place};
  long long function;
  restraint.bead = gromacs_read_bead(r, 0);
  if (restraint.bead < 0 || !gromacs_words_int(&r->words, 1, "function", 1, 2, &function)) return;
  if (function == 2)
    GROMACS_ERROR(r->m, r->place, "function 2: flat-bottomed restraints are not implemented");
  for (int d = 0; d < 3; d++)
    gromacs_words_real(&r->words, 2 + d, "force constant", &restraint.k[d]);
  molecule->restraint =
      grow_array(molecule->restraint, molecule->n_restraints + 1, sizeof *molecule->restraint);
  molecule->restraint[molecule->n_restraints++] = restraint;
}

static void read_line(struct gromacs_lines_reader *r)
{
  switch (r->directive) {
  case GROMACS_bonds:
    read_term(r, 2);
    break;
  case GROMACS_angles:
    read_term(r, 3);
    break;
  case GROMACS_dihedrals:
    read_term(r, 4);
    break;
  case GROMACS_constraints:
    read_constraint(r);
    break;
  case GROMACS_virtual_sites1:
  case GROMACS_virtual_sites2:
  case GROMACS_virtual_sites3:
  case GROMACS_virtual_sitesn:
    gromacs_read_site(r);
    break;
  case GROMACS_exclusions:
    read_exclusions(r);
    break;
  case GROMACS_position_restraints:
    read_restraint(r);
    break;
  default: /* atoms are read before; others have been refused */
    break;
  }
}

static void check_atoms(const struct gromacs_molecule *molecule, struct error_list *m)
{
  for (int k = 0; k < molecule->n_atoms; k++) {
    const struct gromacs_atom *a = &molecule->atom[k];
    if (a->mass == 0 && !a->is_site)
      GROMACS_ERROR(m, a->place, "atom %s has no mass and is no virtual site", a->name);
  }
  for (int k = 0; k < molecule->n_constraints; k++)
    for (int b = 0; b < 2; b++)
      if (molecule->atom[molecule->constraint[k].bead[b]].is_site)
        GROMACS_ERROR(m, molecule->constraint[k].place, "atom %d of a constraint is a virtual site",
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
  out->place = type->place;
  out->nrexcl = type->nrexcl;
  if (n_atoms == 0) GROMACS_ERROR(m, type->place, "molecule type %s has no atoms", out->name);
  if (n_atoms > ATOMS_MOST || type->end_line - type->first_line > TERMS_MOST) {
    GROMACS_ERROR(m, type->place, "molecule type %s has %lld atoms in %lld lines: at most %d in %d",
                  out->name, (long long)n_atoms, (long long)(type->end_line - type->first_line),
                  ATOMS_MOST, TERMS_MOST);
    n_atoms = 0;
  }
  out->atom = alloc_array(n_atoms, sizeof *out->atom);
  r->t = t;
  r->types = types;
  r->molecule = out;
  r->m = m;
  for (int pass = 0; pass < 2 && n_atoms; pass++)
    for (int64_t n = type->first_line; n < type->end_line; n++) {
      const struct gromacs_line *line = &t->molecule_lines.line[n];
      if ((line->directive == GROMACS_atoms) != (pass == 0)) continue;
      r->place = line->place;
      r->directive = line->directive;
      gromacs_words_split(&r->words, line->text, line->place, m);
      if (pass == 0)
        read_atom(r);
      else
        read_line(r);
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
  free(molecule->excluded);
}
