/* Import of GROMACS files: the preprocessor, each directive by hand, every error with its file and
   line, damaged files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/gromacs_mdp.h"
#include "io/foreign/gro.h"
#include "tests/support/fuzz.h"
#include "tests/support/texts.h"

static const struct gromacs_options no_options = {0};
static struct gromacs_tables no_tables = {0};

/* The lines that the preprocessor passes on, each with its place. */
static char *preprocess(const char *text, const struct gromacs_options *o)
{
  static char all[4096];
  struct error_list m = {0};
  struct file_line where;
  all[0] = 0;
  write_text("text.top", text);
  struct gromacs_text *t = gromacs_text_open("text.top", o, &m);
  for (const char *line; (line = gromacs_text_next(t, &where));)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s:%d %s\n", where.file, where.line,
             line);
  gromacs_text_close(t);
  error_list_check(&m);
  return all;
}

static void preprocessor(void **state)
{
  static const char *const defines[] = {"GIVEN", "NUMBER=42"};
  const struct gromacs_options o = {.n_defines = 2, .define = defines};
  (void)state;
  write_text("part.itp", "in the part ; comment\n#define FROM_PART yes\n");
  assert_string_equal(preprocess("; only a comment\n\n  a  b ; c\r\n#define X 1 2\n X XX _X X*3\n"
                                 "#undef X\nX\nlong \\\n  line\nlast",
                                 &no_options),
                      "text.top:3 a  b\ntext.top:5 1 2 XX _X 1 2*3\ntext.top:7 X\n"
                      "text.top:9 long    line\ntext.top:10 last\n");
  assert_string_equal(preprocess("#include \"part.itp\"\nFROM_PART NUMBER\n", &o),
                      "part.itp:1 in the part\ntext.top:2 yes 42\n");
  assert_string_equal(preprocess("#ifdef GIVEN\na\n#ifdef NONE\nb\n#include \"none\"\n#else\nc\n"
                                 "#endif\n#else\nd\n#endif\n#ifndef NONE\n#define E f\nE\n#endif\n",
                                 &o),
                      "text.top:2 a\ntext.top:7 c\ntext.top:14 f\n");
  assert_string_equal(
      preprocess("#define A B\n#define B C\nA\n#define EMPTY\nEMPTY\nEMPTY x\n", &no_options),
      "text.top:3 C\ntext.top:6 x\n");
}

#define HEAD                                                                                       \
  "[ defaults ]\n1 1\n[ atomtypes ]\nP 72 0 A 0 0\nC 45 0 A 0 0\n[ nonbond_params ]\n"             \
  "P P 1 0.2 0.002\nP C 1 0.1 0.001\nC C 1 0.15 0.0016\n"
#define ATOMS                                                                                      \
  "[ moleculetype ]\nM 1\n[ atoms ]\n1 P 1 RES A 1 1\n2 C 1 RES B 2 -1\n3 P 2 SER A 3\n4 P 2 SER " \
  "D 4 0 0\n"
#define END "[ system ]\nx\n[ molecules ]\nM 2\n"
#define SITE "[ virtual_sites2 ]\n4 1 2 1 0.3\n"

static const char whole[] =
    HEAD ATOMS "[ bonds ]\n1 2 1 0.47 1250\n1 2 1 0.4 100\n[ angles ]\n1 2 3 2 120 25\n"
               "[ constraints ]\n2 3 1 0.3\n1 3 2 0.5\n" SITE
               "[ exclusions ]\n1 3 2\n[ position_restraints ]\n1 1 10 20 30\n" END;

static char *text_of(const char *top)
{
  struct error_list m = {0};
  write_text("topol.top", top);
  struct gromacs *g = gromacs_read_stages("topol.top", 1, &no_options, NULL, &m);
  const struct gromacs_pairs pairs = gromacs_run_pairs(NULL);
  char *text = gromacs_forcefield_text(g, &pairs, &no_tables, &m);
  error_list_check(&m);
  gromacs_destroy(g);
  return text;
}

static char *replaced(const char *from, const char *old, const char *new)
{
  const char *at = strstr(from, old);
  char *text = malloc(strlen(from) + strlen(new) + 1);
  assert_non_null(at);
  sprintf(text, "%.*s%s%s", (int)(at - from), from, new, at + strlen(old));
  return text;
}

/* Cuts the comments off, which name lines. */
static char *without_comments(char *text)
{
  char *to = text;
  for (char *from = text; *from; from++) {
    if (*from == '#') from += strcspn(from, "\n");
    *to++ = *from;
  }
  *to = 0;
  return text;
}

/* The force field has the numbers of the topology, each with its line. */
static void forcefield(void **state)
{
  static const char *const expected[] = {
      "exclude: [1-2]",
      "P: {mass: 72, charge: 1}  # topol.top:4",
      "C: {mass: 45, charge: -1}  # topol.top:5",
      "P_2: {mass: 72}  # topol.top:4",
      "P_3: {mass: 0}  # topol.top:4",
      "lj: {truncation: energy_shift, mixing: none}",
      "electrostatics: {truncation: charge_reaction_field, epsilon_r: 15, epsilon_rf: 0}",
      "- [P, C, {epsilon: 2.5000000000000004, sigma: 0.46415888336127",
      "b1: {form: harmonic, k: 625, r0: 0.47}  # topol.top:18",
      "b2: {form: elastic, k: 50, r0: 0.4}  # topol.top:19",
      "a1: {form: cosine_squared, k: 12.5, theta0: 120}  # topol.top:21",
      "beads: [P, C, P_2, P_3]",
      "names: [A, B, A, D]",
      "residues: [[RES, 1, 1], [SER, 2, 3]]",
      "bonds: [[b1, 1, 2], [b2, 1, 2]]",
      "- [2, 3, 0.3]  # topol.top:23",
      "- [1, 3, 0.5, no_exclusions]  # topol.top:24",
      "- {bead: 4, form: linear, from: [1, 2], a: 0.3}  # topol.top:26",
      "- [1, 2, 3]\n",
      "restraints:\n      - [1, 10, 20, 30]  # topol.top:30",
  };
  (void)state;
  char *text = text_of(whole);
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
    if (!strstr(text, expected[k])) fail_msg("'%s' is not in\n%s", expected[k], text);
  free(text);
}

/* What GROMACS takes for the same: other case, strokes in place of underscores, second states that
   equal the first, a first line that begins with a star, restraints that need a key of the run
   parameters. */
static void spellings(void **state)
{
  static const char *const same[][2] = {
      {"[ bonds ]", "[ BONDS ]"},
      {"[ atoms ]", "[Atoms]"},
      {"[ position_restraints ]", "[ Position-Restraints ]"},
      {"[ moleculetype ]", "[ molecule_type ]"},
      {"[ molecules ]\nM 2", "[ molecules ]\nm 2"},
      {"1 P 1 RES A 1 1\n", "1 P 1 RES A 1 1 72 P 1 72\n"},
      {"4 P 2 SER D 4 0 0\n", "4 P 2 SER D 4 0 0 P 0 0\n"},
      {"3 P 2 SER A 3\n", "3 P 2B SER A 3 0 72 P\n"},
      {"1 2 1 0.47 1250", "1 2 1 0.47 1250 0.470 1.25e3"},
      {"1 2 3 2 120 25", "1 2 3 2 120 25 120 25"},
      {"2 3 1 0.3\n", "2 3 1 0.3 1000000\n"},
      {"1 1 10 20 30", "1 1 10 20 30 10 20 30"},
      {"[ exclusions ]", "[ distance_restraints ]\n1 2 1 0 2 0.3 0.5 0.6 1\n[ exclusions ]"},
      {"[ exclusions ]", "[ orientation_restraints ]\n1 2 1 1 3 3 6 6 1\n[ exclusions ]"},
      {"[ defaults ]", "* made by hand\n[ defaults ]"},
  };
  char *expected = without_comments(text_of(whole));
  (void)state;
  for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
    char *top = replaced(whole, same[k][0], same[k][1]), *text = without_comments(text_of(top));
    assert_string_equal(text, expected);
    free(top);
    free(text);
  }
  free(expected);
}

#define TABLES "[ angletypes ]\nP C P 2 9 5\n[ dihedraltypes ]\nP C P P 1 0 7 2\n"
/* Rows of different tables that begin with the same types. */
static void tables_of_types(void **state)
{
  (void)state;
  char *text = text_of(HEAD TABLES ATOMS SITE "[ dihedrals ]\n1 2 3 4 1\n" END);
  assert_non_null(strstr(text, "d1: {form: periodic, k: 7,"));
  free(text);
}

#define IN_PLANE "[ virtual_sites3 ]\n4 1 2 3 1 0.3 0.3\n"
#define HELD "[ constraints ]\n1 2 1 0.4\n"

/* Terms that grompp leaves out, since sites and the atoms that they are built on keep their shape,
   and terms like them that it keeps. tests/physics/test_gromacs.py compares many with GROMACS. */
static void dropped_terms(void **state)
{
  static const struct {
    const char *lines, *words;
    int kept;
  } terms[] = {
      {SITE "[ angles ]\n1 4 2 1 150 7\n", "k: 3.5,", 1},
      {SITE HELD "[ angles ]\n1 4 2 1 150 7\n", "k: 3.5,", 0},
      {SITE HELD "[ angles ]\n1 4 3 1 150 7\n", "k: 3.5,", 1},
      {"[ virtual_sitesn ]\n4 1 1 2\n" HELD "[ angles ]\n1 4 2 1 150 7\n", "k: 3.5,", 1},
      {IN_PLANE "[ dihedrals ]\n1 2 3 4 1 0 7 2\n", "k: 7,", 0},
      {IN_PLANE "[ dihedrals ]\n1 2 3 4 9 0 7 2\n", "k: 7,", 0},
      {IN_PLANE "[ dihedrals ]\n1 2 3 4 4 0 7 2\n", "k: 7,", 1},
      {SITE "[ dihedrals ]\n1 2 3 4 1 0 7 2\n", "k: 7,", 1},
      {SITE HELD "[ bonds ]\n1 4 1 0.2 70\n", "k: 35,", 0},
      {SITE HELD "[ bonds ]\n1 4 1 0.2 70\n", "{form: harmonic, k: 0, r0: 0.2}", 1},
      {SITE HELD "[ bonds ]\n1 4 6 0.2 70\n", "k: 35,", 1},
      {SITE "[ bonds ]\n1 4 1 0.2 70\n", "k: 35,", 1},
      {"[ virtual_sites3 ]\n4 1 2 3 2 0.4 0.3\n[ bonds ]\n1 4 1 0.2 70\n", "k: 35,", 0},
      {"[ virtual_sites3 ]\n4 1 2 3 2 0.4 0.3\n[ bonds ]\n3 4 1 0.2 70\n", "k: 35,", 1},
  };
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
    char top[1024];
    snprintf(top, sizeof top, HEAD ATOMS "%s" END, terms[k].lines);
    char *text = text_of(top);
    if ((strstr(text, terms[k].words) != NULL) != terms[k].kept)
      fail_msg("%s: %s is %s", terms[k].lines, terms[k].words, terms[k].kept ? "missing" : "kept");
    free(text);
  }
}

/* Molecule types that the system does not use may hold anything. */
static void unused_molecules(void **state)
{
  (void)state;
  char *text =
      text_of(HEAD "[ moleculetype ]\nOTHER 1\n[ atoms ]\n1 NONE 1 X X 1\n[ settles ]\n1 2 3\n"
                   "[ pairs ]\n1 2\n[ moleculetype ]\nW 1\n[ atoms ]\n1 P 1 W W 1\n"
                   "[ system ]\nx\n[ molecules ]\nW 1\nOTHER 0\n");
  assert_non_null(strstr(text, "  W:"));
  assert_null(strstr(text, "OTHER"));
  assert_null(strstr(text, "C:"));
  assert_non_null(strstr(text, "electrostatics: {truncation: none}"));
  free(text);
}

struct wrong {
  const char *top, *words;
};

static void read_wrong(void *argument)
{
  free(text_of(argument));
}

#define WITH(lines) HEAD ATOMS SITE lines END

static const struct wrong wrongs[] = {
    {"#include \"none.itp\"\n", "topol.top:1: 'none.itp' is not in the folder"},
    {"a\n#include \"topol.top\"\n", "topol.top:2: 'topol.top' includes itself"},
    {"#include none\n", "topol.top:1: expected #include \"FILE\""},
    {"\n#ifdef A\n", "topol.top:2: this #ifdef has no #endif"},
    {"#endif\n", "topol.top:1: #endif without #ifdef"},
    {"#ifdef A\n#else\n#else\n#endif\n", "topol.top:3: a second #else for the #ifdef of line 1"},
    {"#if A\n", "topol.top:1: unknown directive '#if'"},
    {"#define\n", "topol.top:1: #define without a name"},
    {"#define A A A\n[ A ]\n", "topol.top:2: a macro in this line is defined by itself"},
    {"1 2\n", "topol.top:1: a line before any [ directive ]"},
    {"[ defaults\n", "topol.top:1: expected [ DIRECTIVE ]"},
    {"[ bnds ]\n", "topol.top:1: unknown directive [ bnds ]; did you mean 'bonds'?"},
    {"[ atomtypes ]\n", "topol.top:1: [ atomtypes ] before [ defaults ]"},
    {"[ defaults ]\n2 1\n", "topol.top:2: nbfunc 2: Buckingham"},
    {"[ defaults ]\n1 4\n", "topol.top:2: the combination rule: '4'"},
    {HEAD "[ bonds ]\n", "topol.top:10: [ bonds ] before any [ moleculetype ]"},
    {HEAD "[ atomtypes ]\nQ 1 0 A 0\n", "topol.top:11: an atom type has at least 6 columns"},
    {HEAD "[ atomtypes ]\nQ 1 x A 0 0\n", "topol.top:11: charge: 'x' is not a finite number"},
    {HEAD "[ atomtypes ]\nQ 1 0 S 0 0\n", "topol.top:11: particle type S: shells"},
    {HEAD "[ nonbond_params ]\nP N 1 0 0\n", "topol.top:11: there is no atom type 'N'"},
    {HEAD "[ nonbond_params ]\nP P 2 0 0 0\n", "topol.top:11: function 2: Buckingham"},
    {HEAD "[ nonbond_params ]\nP P 1 nan 0\n", "topol.top:11: V: 'nan' is not a finite number"},
    {HEAD "[ nonbond_params ]\nP P 1 0 0.1\n" ATOMS SITE END, "topol.top:11: the pair P P is no"},
    {HEAD "[ dihedraltypes ]\nP C C P 9 0 1 1\nP P P P 9 0 1 1\nP C C P 9 0 1 2\n" ATOMS SITE END,
     "topol.top:13: dihedrals of function 9 of these types stand already from topol.top:11 on"},
    {HEAD ATOMS ATOMS END, "topol.top:18: molecule type M is given again"},
    {HEAD ATOMS "[ atomtypes ]\n", "topol.top:17: [ atomtypes ] must stand before"},
    {HEAD ATOMS END "N 1\n", "topol.top:21: there is no molecule type 'N'"},
    {HEAD ATOMS END "M x\n", "topol.top:21: number of molecules: 'x'"},
    {HEAD ATOMS "[ system ]\nx\n", "topol.top: no molecules"},
    {HEAD ATOMS END "[ bonds ]\n", "topol.top:21: [ bonds ] after [ system ]"},
    {HEAD ATOMS END, "topol.top:16: atom D has no mass and is no virtual site"},
    {HEAD "[ moleculetype ]\nM 1\n" END, "topol.top:11: molecule type M has no atoms"},
    {HEAD "[ moleculetype ]\nM\n" END, "topol.top:11: nrexcl is missing"},
    {WITH("[ atoms ]\n6 P 1 R A 1\n"), "topol.top:20: number of the atom: '6'"},
    {WITH("[ atoms ]\n5 N 1 R A 1\n"), "topol.top:20: there is no atom type 'N'"},
    {WITH("[ atoms ]\n5 P x R A 1\n"), "topol.top:20: residue number: 'x'"},
    {WITH("[ atoms ]\n5 P 1 R A\n"), "topol.top:20: an atom has at least 6 columns"},
    {WITH("[ atoms ]\n5 P 1 R A 1 0 72 C\n"), "topol.top:20: 'C': a second state"},
    {WITH("[ bonds ]\n1 9 1 0.4 1\n"), "topol.top:20: atom: '9' is not an integer from 1 to 4"},
    {WITH("[ bonds ]\n1 1 1 0.4 1\n"), "topol.top:20: atom 1 stands here twice"},
    {WITH("[ bonds ]\n1 2 11 0.4 1\n"), "topol.top:20: [ bonds ]: function 11 is not implemented"},
    {WITH("[ bonds ]\n1 2 1 0.4\n"), "topol.top:20: parameter is missing"},
    {WITH("[ bonds ]\n1 2 1 0.4 1 0.4 2\n"), "topol.top:20: '0.4' is too much here"},
    {WITH("[ bonds ]\n1 2 1 0.4 1 0.4\n"), "topol.top:20: '0.4' is too much here"},
    {WITH("[ atoms ]\n5 P 1 R A 1 0 72 P 1\n"), "topol.top:20: 'P': a second state"},
    {WITH("[ atoms ]\n5 P 1 R A 1 0 72 P 0 45\n"), "topol.top:20: 'P': a second state"},
    {WITH("[ atoms ]\n5 P 1x2 R A 1\n"), "topol.top:20: residue number: '1x2'"},
    {WITH("[ bonds ]\n1 2 1\n"), "topol.top:20: no parameters here, and no table"},
    {WITH("[ bonds ]\n1 2 1 0.4 -1\n"), "topol.top:20: -1 is out of range: it gives k of"},
    {WITH("[ bonds ]\n1 2 1 0.4 2*3\n"), "topol.top:20: '2*3': GROMACS reads 2 here"},
    {WITH("[ bonds ]\n1 2 2 0.4 1\n1 2 2 0.4 1\n"), "topol.top:21: atoms 1 and 2 are bonded"},
    {WITH("[ angles ]\n1 2 3 7 1 1\n"), "topol.top:20: [ angles ]: function 7"},
    {WITH("[ dihedrals ]\n1 2 3 4 1 0 1 1.5\n"), "topol.top:20: the multiplicity 1.5"},
    {WITH("[ constraints ]\n1 2 1 0.4\n2 1 1 0.5\n"),
     "topol.top:21: this constraint of 0.5 nm contradicts that of 0.4 nm in topol.top:20"},
    {WITH("[ constraints ]\n1 2 1 0\n"), "topol.top:20: a constraint of 0 nm"},
    {WITH("[ constraints ]\n1 4 1 0.4\n"), "topol.top:20: atom 4 of a constraint is a virtual"},
    {WITH("[ virtual_sites2 ]\n4 1 2 1 0.4\n"),
     "topol.top:20: atom 4 is a virtual site already, another one"},
    {WITH("[ virtual_sites2 ]\n1 2 3 1 0.3\n"), "topol.top:13: atom A has a mass of 72 amu"},
    {WITH("[ virtual_sites3 ]\n1 2 3 4 5 1 1\n"), "topol.top:20: [ virtual_sites3 ]: function 5"},
    {HEAD ATOMS "[ virtual_sitesn ]\n4 1 4 1\n" END, "topol.top:18: atom 4 is constructed from"},
    {WITH("[ virtual_sitesn ]\n3 3 1 0.5 2\n"), "topol.top:20: the weight of the last atom"},
    {WITH("[ virtual_sitesn ]\n3 3 1 1 2 -1\n"),
     "topol.top:20: the weights of the site add up to 0"},
    {WITH("[ settles ]\n3 1 0.1 0.1\n"), "topol.top:20: atom 3 is the first of three"},
    {WITH("[ pairs ]\n1 2 1\n"), "topol.top:20: no parameters here, [ pairtypes ] has none"},
    {WITH("[ pairs ]\n1 2 2 0.5\n"), "topol.top:20: parameter is missing"},
    {WITH("[ pairs_nb ]\n1 2 2 1 1 0 0\n"), "topol.top:20: function: '2'"},
    {"[ defaults ]\n1 1 no 1 1 9\n", "topol.top:2: a repulsion of r^-9"},
    {WITH("[ cmap ]\n1 2 3 4 5 1\n"), "topol.top:20: [ cmap ] of molecule type M"},
    {WITH("[ position_restraints ]\n1 2 9 1 1\n"), "topol.top:20: shape"},
    {WITH("[ position_restraints ]\n1 2 1 1\n"), "topol.top:20: parameter"},
    {WITH("[ exclusions ]\n1 7\n"), "topol.top:20: atom: '7'"},
    {WITH("") "[ intermolecular_interactions ]\n[ bonds ]\n1 2 6 1 1\n",
     "lamella: topol.top:23: [ intermolecular_interactions ]: bonds between molecules"},
    {WITH("") "[ Intermolecular-Interactions ]\n[ angles ]\n1 2 6 1 1 1\n[ bonds ]\n1 2 6 1 1\n",
     "lamella: topol.top:23: [ intermolecular_interactions ]: bonds between molecules"},
    {HEAD ATOMS SITE "[ moleculetype ]\nm 1\n[ atoms ]\n1 P 1 R A 1\n[ moleculetype ]\nNN 1\n"
                     "[ atoms ]\n1 P 1 R A 1\n[ moleculetype ]\nnN 1\n[ atoms ]\n1 P 1 R A 1\n" END
                     "nn 1\n",
     "topol.top:35: 'nn' is the name of 2 molecule types in other case"},
};

/* Mistakes that say the same share a line; others have lines of their own. */
static void mistakes_are_folded(void **state)
{
  static const char expected[] = "a.top:3: no type 'X' (and 97 more, to line 100)\n"
                                 "a.top:101: no type 'Y'\nb.top:3: no type 'X'\n"
                                 "--define: no name (and 2 more)";
  struct error_list m = {0};
  (void)state;
  for (int line = 3; line <= 101; line++)
    error_list_add(&m, "a.top", line, "no type '%s'", line > 100 ? "Y" : "X");
  error_list_add(&m, "b.top", 3, "no type '%s'", "X");
  for (int k = 0; k < 3; k++)
    error_list_add(&m, "--define", 0, "no name");
  char *text = error_list_text(&m);
  assert_string_equal(text, expected);
  assert_int_equal(m.count, 103);
  free(text);
  error_list_free(&m);
}

static void errors(void **state)
{
  int failed = 0;
  (void)state;
  for (size_t k = 0; k < sizeof wrongs / sizeof wrongs[0]; k++)
    failed += !dies_saying(read_wrong, (void *)(uintptr_t)wrongs[k].top, 2, wrongs[k].words);
  assert_int_equal(failed, 0);
}

static const char gro[] = "title\n8\n"
                          "    1RES      A    1   1.000   2.000   3.000  0.1000  0.2000 -0.3000\n"
                          "    1RES      B    2   1.100   2.000   3.000  0.0000  0.0000  0.0000\n"
                          "    2SER      A    3  -1.000   2.500   9.000  0.0000  0.0000  0.0000\n"
                          "    2SER      D    4   1.000   2.000   3.500  0.0000  0.0000  0.0000\n"
                          "    1RES      A    5   1.000   2.000   4.000\n"
                          "    1RES      B    6   1.000   2.000   4.500\n"
                          "    2SER      A    7   1.000   2.000   5.000\n"
                          "    2SER      D    8   1.000   2.000   5.500\n"
                          "   5.00000   6.00000   7.00000\n";

static void read_gro(void *argument)
{
  struct error_list m = {0};
  write_text("topol.top", whole);
  write_text("conf.gro", argument);
  struct gromacs *g = gromacs_read_stages("topol.top", 1, &no_options, NULL, &m);
  struct gromacs_gro *c = gromacs_gro_read("conf.gro", gromacs_atoms(g), &m);
  error_list_check(&m);
  gromacs_gro_compare(c, g, 0, &m);
  error_list_check(&m);
  gromacs_gro_destroy(c);
  gromacs_destroy(g);
}

static void configuration(void **state)
{
  static const char *const wrong[][3] = {
      {"\n8\n", "\n7\n", "conf.gro:2: 7 atoms, but the topology has 8"},
      {"\n8\n", "\nx\n", "conf.gro:2: number of atoms: 'x'"},
      {"   1.100", "     nan", "conf.gro:4: the numbers are not in their columns"},
      {"   1.100", "   1.1x0", "the numbers are not in their columns"},
      {"\n8\n", "\n8 9\n", "conf.gro:2: number of atoms: '8 9'"},
      {"B    2", "X    2", "conf.gro:4: atom X, but B in the topology"},
      {"   5.00000   6", "   0.00000   6", "conf.gro:11: box: an edge of 0 nm along x"},
      {"7.00000\n", "7 1 0 0 0 0 0\n",
       "conf.gro:11: box: the vectors are 5 1 0, 0 6 0, 0 0 7; expected the first along x"},
      {"   5.00000   6.00000   7.00000\n", "", "conf.gro:10: the file ends before the box"},
      {"   7.00000", "", "conf.gro:11: box: expected 3 or 9 numbers"},
  };
  struct error_list m = {0};
  int failed = 0;
  (void)state;
  read_gro((void *)(uintptr_t)gro);
  struct gromacs_gro *c = gromacs_gro_read("conf.gro", 8, &m);
  assert_int_equal(m.count, 0);
  const double *x = c->atom[2].x;
  assert_true(x[0] == -1 && x[1] == 2.5 && x[2] == 9 && c->atom[0].v[2] == -0.3);
  assert_true(c->box[0] == 5 && c->box[1] == 6 && c->box[2] == 7 && c->has_velocities);
  gromacs_gro_destroy(c);
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    char *text = replaced(gro, wrong[k][0], wrong[k][1]);
    failed += !dies_saying(read_gro, text, 2, wrong[k][2]);
    free(text);
  }
  assert_int_equal(failed, 0);
}

static const char mdp[] =
    "integrator = md ; comment\ndt = 0.02\nnsteps = 500\nnstxout = 10\n"
    "nstlist = 20\ncoulombtype = reaction-field\nrcoulomb = 1.1\nrvdw = 1.1\n"
    "epsilon_r = 15\nepsilon_rf = 0\ntcoupl = v-rescale\ntau_t = 1 1\n"
    "ref_t = 300 300\npcoupl = berendsen\npcoupltype = semiisotropic\ntau_p = 4\n"
    "compressibility = 3e-4 3e-4\nref_p = 1 1\ngen_vel = yes\n";

static void read_mdp(void *argument)
{
  struct error_list m = {0};
  write_text("md.mdp", argument);
  struct gromacs_mdp *of = gromacs_mdp_read("md.mdp", &(struct gromacs_substitutes){0}, &m);
  gromacs_run_pairs(of);
  struct gromacs *g = gromacs_read_stages("topol.top", 1, &no_options, NULL, &m);
  const struct gromacs_index index = {.g = g, .n = gromacs_atoms(g)};
  free(gromacs_run_keys(of, &index, 0));
  gromacs_destroy(g);
  gromacs_mdp_destroy(of);
  error_list_check(&m);
}

/* Damaged files come back or end with status 2, and then name the file. */
static int says_where(void (*read)(void *), const char *text, const char *name, int cases)
{
  int failures = 0, refused = 0;
  for (int k = 0; k < cases; k++) {
    char *damaged = fuzz_text(text, (uint64_t)k), message[8192];
    const int status = death_of(read, damaged, message, sizeof message);
    refused += status == 2;
    if ((status != 0 && status != 2) || (status == 2 && !strstr(message, name))) {
      failures++;
      fprintf(stderr, "case %d: status %d: %s\n%s\n", k, status, message, damaged);
    }
    free(damaged);
  }
  return failures + (refused < cases / 4);
}

static void damaged(void **state)
{
  (void)state;
  assert_int_equal(says_where(read_wrong, whole, "topol.top", 500), 0);
  assert_int_equal(says_where(read_gro, gro, "conf.gro", 500), 0);
  read_mdp((void *)(uintptr_t)mdp);
  assert_int_equal(says_where(read_mdp, mdp, "md.mdp", 500), 0);
}

static int go_to_folder(void **state)
{
  static char folder[] = "/tmp/test_gromacs_files_XXXXXX";
  *state = mkdtemp(folder);
  return *state && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
  static const char *const files[] = {"text.top", "part.itp", "topol.top", "conf.gro", "md.mdp"};
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
    unlink(files[k]);
  return chdir("/") == 0 ? rmdir(*state) : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preprocessor),  cmocka_unit_test(forcefield),
      cmocka_unit_test(spellings),     cmocka_unit_test(tables_of_types),
      cmocka_unit_test(dropped_terms), cmocka_unit_test(unused_molecules),
      cmocka_unit_test(errors),        cmocka_unit_test(mistakes_are_folded),
      cmocka_unit_test(configuration), cmocka_unit_test(damaged),
  };
  return cmocka_run_group_tests(tests, go_to_folder, remove_folder);
}
