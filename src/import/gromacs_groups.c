/* Groups of atoms without an index file: those of --group, those that `gmx make_ndx` makes of
   residue names by default, and molecule types. See gromacs_index.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "import/gromacs_index.h"

/* Kinds of residues, as bits. */
enum { PROTEIN = 1, DNA = 2, RNA = 4, WATER = 8, ION = 16, OTHER = 32 };

static int kind_of(const char *residue)
{
#define RESIDUES(kind, names)                                                                      \
  if (word_list_find(names, residue) >= 0) return kind;
#include "import/gromacs_residues.h"
#undef RESIDUES
  return OTHER;
}

/* The kinds of residues that a default group has; 0: it is none of kinds. */
static int kinds_of(const char *name, int kinds)
{
  static const struct {
    const char *name;
    int kinds, needs;
  } group[] = {{"System", ~0, 0},
               {"Protein", PROTEIN, 0},
               {"non-Protein", ~PROTEIN, PROTEIN},
               {"DNA", DNA, 0},
               {"RNA", RNA, 0},
               {"Water", WATER, 0},
               {"SOL", WATER, 0},
               {"non-Water", ~WATER, WATER},
               {"Ion", ION, 0},
               {"Water_and_ions", WATER | ION, WATER | ION},
               {"Other", OTHER, 0}};
  for (size_t k = 0; k < sizeof group / sizeof group[0]; k++)
    if (!strcasecmp(name, group[k].name) && (kinds & group[k].needs) == group[k].needs)
      return kinds & group[k].kinds;
  return 0;
}

static const struct gromacs_molecule *molecule_of(const struct gromacs *g, int block)
{
  return &g->molecule[g->index_of[g->topology->block[block].molecule]];
}

int64_t gromacs_block_atoms(const struct gromacs *g, int block)
{
  return g->topology->block[block].count * molecule_of(g, block)->n_atoms;
}

/* The kinds of all residues; *first: those that come before the first of no kind. make_ndx makes
   groups in the order of appearance, and those of single names with the first of no kind. */
static int kinds_in(const struct gromacs *g, int *first)
{
  int kinds = 0;
  *first = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = molecule_of(g, b);
    for (int i = 0; i < molecule->n_atoms; i++)
      kinds |= kind_of(molecule->atom[i].residue_name);
    if (!(kinds & (DNA | RNA | OTHER))) *first = kinds;
  }
  return kinds;
}

/* Marks the atoms of residues of some kinds, or where kinds is 0 of a name; returns how many atoms
   of molecule types these are. */
static int mark_residues(const struct gromacs *g, int kinds, const char *name, char *in)
{
  int found = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = molecule_of(g, b);
    const int64_t n = gromacs_block_atoms(g, b);
    for (int i = 0; i < molecule->n_atoms; i++) {
      const char *residue = molecule->atom[i].residue_name;
      const int has = kinds ? (kinds & kind_of(residue)) != 0 : !strcasecmp(residue, name);
      for (int64_t k = i; has && k < n; k += molecule->n_atoms)
        in[k] = 1;
      found += has;
    }
    in += n;
  }
  return found;
}

/* Marks the atoms of the first group of a name that make_ndx makes; 0: there is none. */
static int mark_default(const struct gromacs *g, const char *name, char *in)
{
  int first;
  const int kinds = kinds_of(name, kinds_in(g, &first));
  if (kinds & first) return mark_residues(g, kinds, name, in) > 0;
  if (mark_residues(g, 0, name, in)) return 1;
  return kinds && mark_residues(g, kinds, name, in) > 0;
}

/* 1 if a list "A,B" has a name. */
static int is_among(const char *names, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = names;; at++) {
    const size_t n = strcspn(at, ",");
    if (n == length && !strncasecmp(at, name, n)) return 1;
    at += n;
    if (!*at) return 0;
  }
}

/* Marks the atoms of the molecule types of a list "A,B"; returns how many blocks they have. */
static int mark_molecules(const struct gromacs *g, const char *names, char *in)
{
  int found = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const int64_t n = gromacs_block_atoms(g, b);
    const int has = is_among(names, molecule_of(g, b)->name);
    if (has) memset(in, 1, (size_t)n);
    found += has;
    in += n;
  }
  return found;
}

/* 1 if a molecule type of the name has atoms that are not marked. */
static int has_more(const struct gromacs *g, const char *name, const char *in)
{
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const int64_t n = gromacs_block_atoms(g, b);
    if (!strcasecmp(name, molecule_of(g, b)->name) && memchr(in, 0, (size_t)n)) return 1;
    in += n;
  }
  return 0;
}

/* The molecule types of a group of --group, NULL: there is none of the name. */
static const char *find_given(const struct gromacs_index *x, const char *name)
{
  for (int k = 0; k < x->n_given; k++) {
    const char *equal = strchr(x->given[k], '=');
    if (equal && strlen(name) == (size_t)(equal - x->given[k]) &&
        !strncasecmp(x->given[k], name, strlen(name)))
      return equal + 1;
  }
  return NULL;
}

int gromacs_groups_mark(const struct gromacs_index *x, const char *name, char *in)
{
  const char *given = find_given(x, name);
  if (given) return mark_molecules(x->g, given, in) > 0;
  const int found = mark_default(x->g, name, in);
  if (!has_more(x->g, name, in)) return found;
  memset(in, 0, (size_t)x->n);
  return mark_molecules(x->g, name, in) > 0;
}

/* 1 if the system has the molecule type that the first n letters of a text name. */
static int is_molecule(const struct gromacs *g, const char *name, size_t n)
{
  for (int k = 0; k < g->n_molecules; k++)
    if (strlen(g->molecule[k].name) == n && !strncasecmp(g->molecule[k].name, name, n)) return 1;
  return 0;
}

void gromacs_groups_check(const struct gromacs_index *x, struct error_list *m)
{
  for (int k = 0; k < x->n_given; k++) {
    const char *equal = strchr(x->given[k], '=');
    if (!equal || equal == x->given[k]) {
      error_list_add(m, "--group", 0, "'%.80s': expected NAME=MOLECULE,...", x->given[k]);
      continue;
    }
    for (const char *at = equal + 1;; at++) {
      const size_t n = strcspn(at, ",");
      if (!is_molecule(x->g, at, n))
        error_list_add(m, "--group", 0, "%.80s: the system has no molecule type '%.*s'",
                       x->given[k], n < 80 ? (int)n : 80, at);
      at += n;
      if (!*at) break;
    }
  }
}
