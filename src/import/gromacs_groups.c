/* Groups of atoms without an index file: those of --group, those that `gmx make_ndx` makes of
   residue names by default, and molecule types. See gromacs_index.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "import/gromacs_index.h"

/* Classes of residues, as bits. */
enum { PROTEIN = 1, DNA = 2, RNA = 4, WATER = 8, ION = 16, OTHER = 32 };

/* Classes of residues by name, as GROMACS has them (its residuetypes.dat); all others are OTHER.
   Case matters. */
static const struct {
  int class;
  const char *names;
} residues[] = {
    {PROTEIN,
     "ABU|ACE|AIB|ALA|ARG|ARGN|ASN|ASN1|ASP|ASP1|ASPH|ASPP|ASH|CT3|CYS|CYS1|CYS2|CYSH|DALA|GLN|"
     "GLU|GLUH|GLUP|GLH|GLY|HIS|HIS1|HISA|HISB|HISH|HISD|HISE|HISP|HSD|HSE|HSP|HYP|ILE|LEU|LSN|"
     "LYS|LYSN|LYSH|MELEU|MET|MEVAL|NAC|NME|NHE|NH2|PHE|PHEH|PHEU|PHL|PRO|SER|THR|TRP|TRPH|"
     "TRPU|TYR|TYRH|TYRU|VAL|PGLU|HID|HIE|HIP|LYP|LYN|CYN|CYM|CYX|DAB|ORN|NALA|NGLY|NSER|NTHR|"
     "NLEU|NILE|NVAL|NASN|NGLN|NARG|NHID|NHIE|NHIP|NHISD|NHISE|NHISH|NTRP|NPHE|NTYR|NGLU|NASP|"
     "NLYS|NORN|NDAB|NLYSN|NPRO|NHYP|NCYS|NCYS2|NMET|NASPH|NGLUH|CALA|CGLY|CSER|CTHR|CLEU|CILE|"
     "CVAL|CASN|CGLN|CARG|CHID|CHIE|CHIP|CHISD|CHISE|CHISH|CTRP|CPHE|CTYR|CGLU|CASP|CLYS|CORN|"
     "CDAB|CLYSN|CPRO|CHYP|CCYS|CCYS2|CMET|CASPH|CGLUH"},
    {DNA, "DA|DG|DC|DT|DA5|DG5|DC5|DT5|DA3|DG3|DC3|DT3|DAN|DGN|DCN|DTN"},
    {RNA, "A|U|C|G|RA|RU|RC|RG|RA5|RT5|RU5|RC5|RG5|RA3|RT3|RU3|RC3|RG3|RAN|RTN|RUN|RCN|RGN"},
    {WATER, "SOL|WAT|HOH|OHH|TIP|T3P|T4P|T5P|T3H"},
    {ION, "K|NA|CA|MG|CL|ZN|CU1|CU|LI|NA+|RB|CS|F|CL-|BR|I|OH|Cal|IB+"},
};

static int residue_class(const char *residue)
{
  for (size_t k = 0; k < sizeof residues / sizeof residues[0]; k++)
    if (word_list_find(residues[k].names, residue) >= 0) return residues[k].class;
  return OTHER;
}

/* The classes of residues that a default group has; 0: it is none of classes. */
static int classes_of_group(const char *name, int classes)
{
  static const struct {
    const char *name;
    int classes, needs;
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
    if (!strcasecmp(name, group[k].name) && (classes & group[k].needs) == group[k].needs)
      return classes & group[k].classes;
  return 0;
}

/* The classes of all residues; *first: those that come before the first of no class. make_ndx makes
   groups in the order of appearance, and those of single names with the first of no class. */
static int find_classes(const struct gromacs *g, int *first)
{
  int classes = 0;
  *first = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    for (int i = 0; i < molecule->n_atoms; i++)
      classes |= residue_class(molecule->atom[i].residue_name);
    if (!(classes & (DNA | RNA | OTHER))) *first = classes;
  }
  return classes;
}

/* Marks the atoms of residues of some classes, or where classes is 0 of a name; returns how many
   atoms of molecule types these are. */
static int mark_residues(const struct gromacs *g, int classes, const char *name, char *in)
{
  int found = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    const int64_t n = gromacs_block_atoms(g, b);
    for (int i = 0; i < molecule->n_atoms; i++) {
      const char *residue = molecule->atom[i].residue_name;
      const int has =
          classes ? (classes & residue_class(residue)) != 0 : !strcasecmp(residue, name);
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
  const int classes = classes_of_group(name, find_classes(g, &first));
  if (classes & first) return mark_residues(g, classes, name, in) > 0;
  if (mark_residues(g, 0, name, in)) return 1;
  return classes && mark_residues(g, classes, name, in) > 0;
}

/* The next name of a list "A,B", of *n letters; NULL at the end. *at: the rest of the list, or
 * NULL.
 */
static const char *next_name(const char **at, size_t *n)
{
  const char *name = *at;
  if (!name) return NULL;
  *n = strcspn(name, ",");
  *at = name[*n] ? name + *n + 1 : NULL;
  return name;
}

/* 1 if the first n letters of a text are a name. */
static int is_name(const char *name, const char *text, size_t n)
{
  return strlen(name) == n && !strncasecmp(text, name, n);
}

/* Marks the atoms of the molecule types of a list "A,B"; returns how many blocks they have. */
static int mark_molecules(const struct gromacs *g, const char *names, char *in)
{
  int found = 0;
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const int64_t n = gromacs_block_atoms(g, b);
    int has = 0;
    size_t length;
    for (const char *at = names, *name; (name = next_name(&at, &length));)
      has |= is_name(gromacs_block_molecule(g, b)->name, name, length);
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
    if (!strcasecmp(name, gromacs_block_molecule(g, b)->name) && memchr(in, 0, (size_t)n)) return 1;
    in += n;
  }
  return 0;
}

/* The molecule types of a group of --group, NULL: there is none of the name. */
static const char *find_given(const struct gromacs_index *x, const char *name)
{
  for (int k = 0; k < x->n_given; k++) {
    const char *equal = strchr(x->given[k], '=');
    if (equal && is_name(name, x->given[k], (size_t)(equal - x->given[k]))) return equal + 1;
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

void gromacs_groups_check(const struct gromacs_index *x, struct error_list *m)
{
  for (int k = 0; k < x->n_given; k++) {
    const char *equal = strchr(x->given[k], '='), *name;
    size_t n;
    if (!equal || equal == x->given[k]) {
      error_list_add(m, "--group", 0, "'%.80s': expected NAME=MOLECULE,...", x->given[k]);
      continue;
    }
    for (const char *at = equal + 1; (name = next_name(&at, &n));) {
      int known = 0;
      for (int j = 0; j < x->g->n_molecules; j++)
        known |= is_name(x->g->molecule[j].name, name, n);
      if (!known)
        error_list_add(m, "--group", 0, "%.80s: the system has no molecule type '%.*s'",
                       x->given[k], n < 80 ? (int)n : 80, name);
    }
  }
}
