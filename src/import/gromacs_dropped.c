/* Bonded terms that grompp leaves out as constant, because virtual sites and the beads that they
   are built on keep the same shape: its rules (version 2022, without -normvsbds) are followed to
   the letter, so that energies are those of GROMACS. See gromacs_molecule.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "import/gromacs_molecule.h"

struct sites {
  const struct gromacs_molecule *molecule;
  const struct gromacs_site **site; /* [n_atoms]; NULL: no site */
};

/* The index of an atom among those that a site is built on; -1: none of them. */
static int parent_index(const struct gromacs_site *s, int atom)
{
  for (int k = 0; s && k < s->n_from; k++)
    if (s->from[k] == atom) return k;
  return -1;
}

/* 1 if all atoms that `other` is built on are among those of s, and as many. */
static int has_same_atoms(const struct gromacs_site *s, const struct gromacs_site *other)
{
  for (int k = 0; k < other->n_from; k++)
    if (parent_index(s, other->from[k]) < 0) return 0;
  return s->n_from == other->n_from;
}

static int is_constrained(const struct gromacs_molecule *molecule, int a, int b)
{
  for (int k = 0; k < molecule->n_constraints; k++)
    if (gromacs_joins_same(molecule->constraint[k].bead, (int[2]){a, b})) return 1;
  return 0;
}

/* 1 if constraints hold the atoms of a site in a ring. */
static int is_rigid(const struct gromacs_molecule *molecule, const struct gromacs_site *s)
{
  for (int k = 0; k < s->n_from; k++)
    if (!is_constrained(molecule, s->from[k], s->from[(k + 1) % s->n_from])) return 0;
  return 1;
}

/* Sites of virtual_sitesn are sites, but not compared. */
static int is_compared(const struct gromacs_site *s)
{
  return s && s->directive != GROMACS_virtual_sitesn;
}

/* 1 for a site whose distance from its first atom (of a bond), or angle with its first two, is
 * fixed.
 */
static int is_fixed(const struct gromacs_site *s, int section)
{
  return s->form == SITE_in_plane || (section == SECTION_bond && (s->form == SITE_plane_distance ||
                                                                  s->form == SITE_above_plane));
}

/* 1 for a bond between a site at a fixed distance from its first atom, and that atom. */
static int is_fixed_distance(const struct sites *sites, const int *bead)
{
  for (int k = 0; k < 2; k++) {
    const struct gromacs_site *s = sites->site[bead[k]];
    if (s && is_fixed(s, SECTION_bond) && !sites->site[bead[1 - k]] && bead[1 - k] == s->from[0])
      return 1;
  }
  return 0;
}

static int is_dropped(const struct sites *sites, const struct gromacs_term *t, int section, int n)
{
  const struct gromacs_site *first = NULL;
  int all_fixed = 1, of_first_two = 1;
  if (section == SECTION_bond && is_fixed_distance(sites, t->bead)) return 1;
  for (int k = 0; k < n; k++) {
    const struct gromacs_site *s = sites->site[t->bead[k]];
    if (!is_compared(s)) continue;
    all_fixed &= is_fixed(s, section);
    if (!first) first = s;
    const int differ = section == SECTION_dihedral && s->n_from != first->n_from;
    if (!differ && !has_same_atoms(first, s)) return 0;
  }
  if (!first && section != SECTION_angle) return 0;
  for (int k = 0; k < n; k++) {
    if (sites->site[t->bead[k]]) continue;
    const int index = parent_index(first, t->bead[k]);
    if (index < 0) return 0;
    of_first_two &= index < 2;
  }
  if (!first || section == SECTION_dihedral) return 1;
  if (all_fixed && of_first_two) return 1;
  return is_rigid(sites->molecule, first);
}

/* 1 for functions whose terms grompp looks at. */
static int is_looked_at(const struct gromacs_term *t, int section)
{
  const struct bonded_form_info *form = &bonded_form_info[t->form];
  if (section == SECTION_bond) return form->joins && t->function <= 4;
  if (section == SECTION_angle)
    return form->beads == 3 && (t->function < 3 || t->function > 4) && t->function != 8;
  return section == SECTION_dihedral && t->form != FORM_dihedral_flat_bottomed &&
         (t->function == 1 || t->function == 2 || t->function == 9);
}

static void report(const struct gromacs_molecule *molecule, const struct gromacs_term *first,
                   int section, int n)
{
  const int beads = bonded_form_info[first->form].beads;
  char atoms[64] = "", more[64] = "";
  for (int k = 0, used = 0; k < beads; k++)
    used += snprintf(atoms + used, sizeof atoms - (size_t)used, " %d", first->bead[k] + 1);
  if (n > 1) snprintf(more, sizeof more, " (and %d more below)", n - 1);
  warn("%s:%d: the %s of atoms%s of molecule type %s is left out%s, as grompp does: its atoms are "
       "virtual sites, or the atoms that they are built on (gmx grompp -normvsbds keeps it)",
       first->where.file, first->where.line, bonded_section_name[section], atoms, molecule->name,
       more);
}

void gromacs_drop_terms(struct gromacs_molecule *molecule)
{
  struct sites sites = {molecule, alloc_array(molecule->n_atoms, sizeof *sites.site)};
  struct gromacs_term first[SECTIONS];
  int n[SECTIONS] = {0}, kept = 0;
  for (int k = 0; k < molecule->n_sites; k++)
    sites.site[molecule->site[k].bead] = &molecule->site[k];
  for (int k = 0; k < molecule->n_terms && molecule->n_sites; k++) {
    struct gromacs_term t = molecule->term[k];
    const int section = (int)bonded_form_info[t.form].section;
    const int drop = is_looked_at(&t, section) &&
                     is_dropped(&sites, &t, section, bonded_form_info[t.form].beads);
    if (drop && n[section]++ == 0) first[section] = t;
    /* A bond goes on to make exclusions. */
    if (drop && section == SECTION_bond) {
      t.form = FORM_bond_harmonic;
      t.value[0] = 0;
    }
    if (!drop || section == SECTION_bond) molecule->term[kept++] = t;
  }
  if (molecule->n_sites) molecule->n_terms = kept;
  for (int s = 0; s < SECTIONS; s++)
    if (n[s]) report(molecule, &first[s], s, n[s]);
  free(sites.site);
}
