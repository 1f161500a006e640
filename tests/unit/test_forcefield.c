/* Force fields: the numbers of ELBA as published (kcal/mol and A), its lipids against the author's
   data file, mixing rules, the search path, and every wrong entry named with its line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/units.h"
#include "model/forcefield.h"
#include "tests/support/fuzz.h"
#include "tests/support/texts.h"

static void assert_near(double a, double b)
{
  if (!(fabs(a - b) <= 1e-12 * fabs(b))) fail_msg("%.17g is not %.17g", a, b);
}

static const struct ff_pair *pair_of(const struct forcefield *ff, char a, char b)
{
  char i[2] = {a, 0}, j[2] = {b, 0};
  return &ff->pair[forcefield_type(ff, i) * ff->n_types + forcefield_type(ff, j)];
}

/* Orsi and Essex 2013, and the author's LAMMPS files. */
static void elba_pairs(void **state)
{
  (void)state;
  static const struct {
    const char *pair;
    double epsilon, sigma; /* kcal/mol, A */
  } published[] = {
      {"WW", .550, 3.050},  {"WC", .725, 4.225},  {"WP", .943, 4.125},  {"WG", .651, 3.825},
      {"WE", .710, 3.825},  {"WT", .554, 3.775},  {"WA", .609, 3.775},  {"CC", 1.434, 5.400},
      {"CP", 1.434, 5.300}, {"CG", 1.171, 5.000}, {"CE", 1.171, 5.000}, {"CT", 1.095, 4.950},
      {"CA", 1.095, 4.950}, {"PP", 1.434, 5.200}, {"PG", 1.171, 4.900}, {"PE", 1.171, 4.900},
      {"PT", 1.095, 4.850}, {"PA", 1.424, 4.850}, {"GG", .956, 4.600},  {"GE", .956, 4.600},
      {"GT", .894, 4.550},  {"GA", .984, 4.550},  {"EE", .956, 4.600},  {"ET", .894, 4.550},
      {"EA", 1.163, 4.550}, {"TT", .837, 4.500},  {"TA", .837, 4.500},  {"AA", .837, 4.500}};
  enum { PUBLISHED = sizeof published / sizeof published[0] };
  struct forcefield *ff = forcefield_load("elba");
  assert_int_equal(PUBLISHED, ff->n_types * (ff->n_types + 1) / 2);
  for (int k = 0; k < PUBLISHED; k++) {
    const char *name = published[k].pair;
    const struct ff_pair *there = pair_of(ff, name[0], name[1]);
    assert_near(there->epsilon, published[k].epsilon * UNITS_KCAL);
    assert_near(there->sigma, published[k].sigma / 10);
    assert_memory_equal(there, pair_of(ff, name[1], name[0]), sizeof *there);
  }
  assert_near(ff->cutoff, 1.2);
  assert_int_equal(ff->treatment[0].lj, LJ_STODDARD_FORD);
  assert_int_equal(ff->treatment[0].electrostatics, ELECTROSTATICS_SHIFTED_FORCE);
  assert_true(ff->exclude[0] && !ff->exclude[1] && !ff->exclude[2]);
  forcefield_destroy(ff);
}

static void elba_types(void **state)
{
  (void)state;
  static const struct ff_type published[] = {
      {"W", 40, {1, 1, 0}, 0, 2.6, 10, 0, 0},   {"C", 90, {0}, 0.7, 0, 50, 0, 0},
      {"P", 90, {0}, -0.7, 0, 47, 0, 0},        {"G", 62, {10, 10, 0}, 0, 1.6, 39, 0, 0},
      {"E", 62, {10, 10, 0}, 0, 2.0, 30, 0, 0}, {"T", 42, {0}, 0, 0, 23.8, 0, 0},
      {"A", 42, {0}, 0.7, 0, 26, 0, 0}};
  struct forcefield *ff = forcefield_load("elba");
  assert_int_equal(ff->n_types, 7);
  for (int k = 0; k < ff->n_types; k++) {
    const struct ff_type *t = &ff->type[k], *p = &published[k];
    assert_string_equal(t->name, p->name);
    assert_true(t->mass == p->mass && t->charge == p->charge && t->electrons == p->electrons);
    assert_memory_equal(t->inertia, p->inertia, sizeof t->inertia);
    /* Published in debye, and in e A with 0.2082 e A a debye. */
    assert_true(fabs(t->dipole - p->dipole * 0.020819434) <= 2e-6);
  }
  forcefield_destroy(ff);
}

static void elba_bonded(void **state)
{
  (void)state;
  static const char *const angles[] = {"CPG", "PGE", "saturated", "cis", "restraint", "APG"};
  static const double degrees[] = {115, 90, 180, 120, 0, 115};
  struct forcefield *ff = forcefield_load("elba");
  const struct ff_section *bond = &ff->bonded[SECTION_bond], *angle = &ff->bonded[SECTION_angle];
  assert_int_equal(bond->n, 6);
  for (int k = 0; k < bond->n; k++) {
    const struct ff_bonded *b = &bond->type[k];
    assert_int_equal(b->form, FORM_bond_harmonic);
    assert_near(b->value[0], 1.506 * UNITS_KCAL * 100);
    assert_near(b->value[1], 0.9 * pair_of(ff, b->name[0], b->name[1])->sigma);
  }
  assert_string_equal(bond->type[0].name, "CP");
  assert_string_equal(bond->type[4].name, "TT");
  assert_int_equal(angle->n, 6);
  for (int k = 0; k < angle->n; k++) {
    int dipole = angle->type[k].form == FORM_angle_dipole;
    assert_string_equal(angle->type[k].name, angles[k]);
    assert_true(dipole == (k == 4) && angle->type[k].value[1] == degrees[k]);
    assert_near(angle->type[k].value[0], (dipole ? 1.195 : 3.585) * UNITS_KCAL);
  }
  forcefield_destroy(ff);
}

/* Each lipid is a chain of names: every bond and angle is of the type that its beads ask for. */
static void elba_lipids(void **state)
{
  (void)state;
  static const struct {
    const char *name, *beads;
    int cis, saturated;
  } lipids[] = {{"DOPC", "CPGETTTTTETTTTT", 2, 8},
                {"DOPE", "APGETTTTTETTTTT", 2, 8},
                {"DMPC", "CPGETTTTETTTT", 0, 8},
                {"POPC", "CPGETTTTTETTTT", 1, 8},
                {"DSPC", "CPGETTTTTETTTTT", 0, 10}};
  struct forcefield *ff = forcefield_load("elba");
  assert_int_equal(ff->n_molecules, 6);
  assert_int_equal(forcefield_molecule(ff, "W"), 0);
  for (int l = 0; l < 5; l++) {
    const struct ff_molecule *m = &ff->molecule[forcefield_molecule(ff, lipids[l].name)];
    int count[6] = {0}, n = (int)strlen(lipids[l].beads);
    assert_int_equal(m->n_beads, n);
    const struct ff_terms *bonds = &m->bonded[SECTION_bond], *bent = &m->bonded[SECTION_angle];
    assert_int_equal(bonds->n, n - 1);
    for (int b = 0; b < n; b++)
      assert_int_equal(ff->type[m->bead[b]].name[0], lipids[l].beads[b]);
    for (int b = 0; b < bonds->n; b++) {
      const char *name = ff->bonded[SECTION_bond].type[bonds->term[b].type].name;
      assert_int_equal(name[0], lipids[l].beads[bonds->term[b].bead[0]]);
      assert_int_equal(name[1], lipids[l].beads[bonds->term[b].bead[1]]);
    }
    for (int a = 0; a < bent->n; a++)
      count[bent->term[a].type]++;
    int amine = lipids[l].beads[0] == 'A';
    assert_int_equal(count[amine ? 5 : 0], 1);
    assert_int_equal(count[1], 2);
    assert_int_equal(count[2], lipids[l].saturated);
    assert_int_equal(count[3], lipids[l].cis);
    assert_int_equal(count[4], 3);
    assert_int_equal(bent->n, 6 + lipids[l].saturated + lipids[l].cis);
  }
  forcefield_destroy(ff);
}

/* How often a section has a term of this type and these beads; -1 for those that the form has
   not. */
static int has_term(const struct ff_terms *t, int type, int i, int j, int k)
{
  int found = 0;
  for (int n = 0; n < t->n; n++) {
    const struct ff_term *m = &t->term[n];
    found += m->type == type && m->bead[0] == i && m->bead[1] == j && (k < 0 || m->bead[2] == k);
  }
  return found;
}

static int has_bond(const struct ff_molecule *m, int type, int i, int j)
{
  return has_term(&m->bonded[SECTION_bond], type, i, j, -1);
}

static int has_angle(const struct ff_molecule *m, int type, int i, int j, int k)
{
  return has_term(&m->bonded[SECTION_angle], type, i, j, k);
}

/* Head, then two chains of an ester and five tails at the glycerol: a bond from bead to bead, an
   angle at every bead between two others, cis at the double bond in the middle of each chain, and
   dipoles that point along the chain: the glycerol's to the head. */
static void dopc_by_rule(void **state)
{
  (void)state;
  enum { CHAIN = 6 };
  enum { CP, PG, GE, ET, TT };
  enum { CPG, PGE, SATURATED, CIS, RESTRAINT };
  struct forcefield *ff = forcefield_load("elba");
  const struct ff_molecule *m = &ff->molecule[forcefield_molecule(ff, "DOPC")];
  assert_int_equal(m->bonded[SECTION_bond].n, 2 + 2 * CHAIN);
  assert_int_equal(m->bonded[SECTION_angle].n, 1 + 2 * (CHAIN + 1) + 1);
  assert_true(has_bond(m, CP, 0, 1) && has_bond(m, PG, 1, 2));
  assert_true(has_angle(m, CPG, 0, 1, 2) && has_angle(m, RESTRAINT, 2, 1, -1));
  for (int chain = 0; chain < 2; chain++) {
    int at[2 + CHAIN] = {1, 2}; /* phosphate and glycerol, then the chain */
    for (int k = 0; k < CHAIN; k++)
      at[2 + k] = 3 + chain * CHAIN + k;
    for (int k = 1; k <= CHAIN; k++) {
      int bond = k == 1 ? GE : k == 2 ? ET : TT;
      int angle = k == 1 ? PGE : k == 4 ? CIS : SATURATED;
      assert_true(has_bond(m, bond, at[k], at[k + 1]));
      assert_true(has_angle(m, angle, at[k - 1], at[k], at[k + 1]));
    }
    assert_true(has_angle(m, RESTRAINT, at[2], at[3], -1));
  }
  forcefield_destroy(ff);
}

/* The rows of a section of the author's file, each with so many numbers after the row's own. */
static int read_rows(const char *text, const char *section, int width, int row[][4])
{
  int n = 0;
  const char *at = strstr(text, section);
  assert_non_null(at);
  for (at = strchr(at, '\n'); at; n++) {
    char *end;
    strtol(at, &end, 10);
    if (end == at) break;
    for (int k = 0; k < width; k++)
      row[n][k] = (int)strtol(end, &end, 10);
    at = end;
  }
  return n;
}

static int has_row(int n, int row[][4], int width, int type, const int *bead)
{
  int found = 0;
  for (int k = 0; k < n; k++) {
    int same = row[k][0] == type + 1;
    for (int b = 1; b < width; b++)
      same = same && row[k][b] == bead[b - 1] + 1;
    found += same;
  }
  return found;
}

static void dopc_is_the_authors(void **state)
{
  (void)state;
  char name[4096];
  const char *data = getenv("DATA");
  static int bonds[64][4], angles[64][4];
  snprintf(name, sizeof name, "%s/elba-single-lipid.data", data ? data : ".");
  if (access(name, R_OK) != 0) {
    print_message("%s is not here\n", name);
    skip();
  }
  char *text = text_read_file(name, 1 << 20);
  struct forcefield *ff = forcefield_load("elba");
  const struct ff_molecule *m = &ff->molecule[forcefield_molecule(ff, "DOPC")];
  const struct ff_terms *bond = &m->bonded[SECTION_bond], *angle = &m->bonded[SECTION_angle];
  assert_int_equal(read_rows(text, "Bonds", 3, bonds), bond->n);
  assert_int_equal(read_rows(text, "Angles", 4, angles), angle->n);
  for (int k = 0; k < bond->n; k++)
    assert_int_equal(has_row(bond->n, bonds, 3, bond->term[k].type, bond->term[k].bead), 1);
  for (int k = 0; k < angle->n; k++) {
    const int columns = 1 + forcefield_form(ff, SECTION_angle, angle->term[k].type)->beads;
    assert_int_equal(has_row(angle->n, angles, columns, angle->term[k].type, angle->term[k].bead),
                     1);
  }
  forcefield_destroy(ff);
  free(text);
}

static const char small[] =
    "format: 1\n"                                         /* 1 */
    "name: small\n"                                       /* 2 */
    "cutoff: 1.2\n"                                       /* 3 */
    "types:\n"                                            /* 4 */
    "  Q: {mass: 4, charge: 1}\n"                         /* 5 */
    "  D: {mass: 9, inertia: [2, 2, 0], dipole: 0.05}\n"  /* 6 */
    "pair:\n"                                             /* 7 */
    "  lj: {truncation: force_shift, mixing: none}\n"     /* 8 */
    "  electrostatics: {truncation: shifted_force}\n"     /* 9 */
    "  table:\n"                                          /* 10 */
    "    - [Q, Q, {epsilon: 1, sigma: 0.4}]\n"            /* 11 */
    "    - [Q, D, {epsilon: 3, sigma: 0.5}]\n"            /* 12 */
    "    - [D, D, {epsilon: 4, sigma: 0.9}]\n"            /* 13 */
    "bonds:\n"                                            /* 14 */
    "  stick: {form: harmonic, k: 10, r0: 0.5}\n"         /* 15 */
    "angles:\n"                                           /* 16 */
    "  bend: {form: cosine_squared, k: 5, theta0: 120}\n" /* 17 */
    "  point: {form: dipole, k: 6, gamma0: 0}\n"          /* 18 */
    "molecules:\n"                                        /* 19 */
    "  M:\n"                                              /* 20 */
    "    beads: [D, Q, D]\n"                              /* 21 */
    "    bonds: [[stick, 1, 2], [stick, 2, 3]]\n"         /* 22 */
    "    angles: [[bend, 1, 2, 3], [point, 3, 2]]\n"      /* 23 */
    "reference:\n"                                        /* 24 */
    "  - {observable: o, table: t, column: c, row: \"\", value: 1, error: 0.1, "
    "unit: nm2, system: s, source: x}\n"; /* 25 */

static void small_is_read(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(small, "small");
  const struct ff_molecule *m = &ff->molecule[0];
  static const struct ff_term bonds[2] = {{0, {0, 1}}, {0, {1, 2}}};
  static const struct ff_term angles[2] = {{0, {0, 1, 2}}, {1, {2, 1}}};
  assert_string_equal(ff->text, small);
  assert_true(ff->exclude[0] && !ff->exclude[1]);
  assert_memory_equal(m->bonded[SECTION_bond].term, bonds, sizeof bonds);
  assert_memory_equal(m->bonded[SECTION_angle].term, angles, sizeof angles);
  assert_int_equal(forcefield_type(ff, "D"), 1);
  assert_int_equal(forcefield_type(ff, "X"), -1);
  assert_int_equal(forcefield_molecule(ff, "X"), -1);
  forcefield_destroy(ff);
  forcefield_destroy(NULL);
}

static void mixing(void **state)
{
  (void)state;
  static const char *const rule[] = {"lorentz_berthelot", "geometric"};
  const double sigma[] = {0.65, 0.6}; /* of 0.4 and 0.9 */
  for (int k = 0; k < 2; k++) {
    char *text = changed(small, "none", rule[k]);
    struct forcefield *given = forcefield_parse(text, "given");
    char *row = strstr(text, "    - [Q, D");
    memmove(row, strstr(text, "    - [D, D"), strlen(strstr(text, "    - [D, D")) + 1);
    struct forcefield *mixed = forcefield_parse(text, "mixed");
    assert_true(pair_of(given, 'Q', 'D')->sigma == 0.5 && pair_of(given, 'D', 'Q')->epsilon == 3);
    assert_near(pair_of(mixed, 'Q', 'D')->sigma, sigma[k]);
    assert_near(pair_of(mixed, 'D', 'Q')->sigma, sigma[k]);
    assert_near(pair_of(mixed, 'D', 'Q')->epsilon, 2);
    assert_true(pair_of(mixed, 'D', 'D')->sigma == 0.9);
    forcefield_destroy(given);
    forcefield_destroy(mixed);
    free(text);
  }
}

static void wrong_entries(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"format: 1", "format: 2", "ff.yaml:1: format"},
      {"name: small", "name: a name that is far too long", "ff.yaml:2: name"},
      {"name: small", "nmae: small", "unknown key 'nmae'; did you mean 'name'?"},
      {"cutoff: 1.2", "cutoff: 0", "ff.yaml:3: cutoff: 0 is less than 0.001"},
      {"cutoff: 1.2", "cutoff: 1.2 nm", "ff.yaml:3: cutoff: '1.2 nm' is not a number"},
      {"cutoff: 1.2\n", "", "'cutoff' is missing"},
      {"cutoff: 1.2", "cutoff: 1.2\nexclude: [1-5]", "ff.yaml:4: exclude[1]: '1-5' is none of"},
      {"mass: 4", "mass: -4", "ff.yaml:5: types.Q.mass: -4 is less than 0"},
      {"mass: 4, ", "", "ff.yaml:5: types.Q: 'mass' is missing"},
      {"charge: 1", "chrage: 1",
       "ff.yaml:5: types.Q: unknown key 'chrage'; did you mean 'charge'?"},
      {"inertia: [2, 2, 0], ", "", "ff.yaml:6: types.D: a type with a dipole needs inertia"},
      {"[2, 2, 0]", "[2, 3, 0]", "ff.yaml:6: types.D: inertia is"},
      {"[2, 2, 0]", "[0, 0, 2]", "ff.yaml:6: types.D: inertia is"},
      {"[2, 2, 0]", "[2, 2]", "lamella: ff.yaml:6: types.D.inertia: 2 items"},
      {"  D: {mass: 9", "  Q: {mass: 9", "ff.yaml:6: types: 'Q' is given twice, first in line 5"},
      {"  D: {mass: 9", "  a b: {mass: 9", "ff.yaml:6: types.a b: a name has"},
      {"force_shift", "shift", "ff.yaml:8: pair.lj.truncation: 'shift' is none of"},
      {"mixing: none", "mixing: arithmetic", "ff.yaml:8: pair.lj.mixing"},
      {"  electrostatics: {truncation: shifted_force}\n", "", "'electrostatics' is missing"},
      {"    - [Q, D, {epsilon: 3, sigma: 0.5}]\n", "", "the pair [Q, D] is missing"},
      {"[Q, D, {", "[Q, X, {", "ff.yaml:12: pair.table[2][2]: there is no type 'X'"},
      {"[Q, D, {", "[Q, Q, {",
       "ff.yaml:12: pair.table[2]: the pair Q Q stands here for the second"},
      {"epsilon: 3, ", "", "ff.yaml:12: pair.table[2][3]: 'epsilon' is missing"},
      {"epsilon: 3", "epsilon: -3", "ff.yaml:12: pair.table[2][3].epsilon: -3 is less than 0"},
      {"sigma: 0.5", "sigma: 0", "ff.yaml:12: pair.table[2][3].sigma: 0 is less than 0.0001"},
      {"[Q, D, {epsilon: 3, sigma: 0.5}]", "[Q, D]", "ff.yaml:12: pair.table[2]: 2 items"},
      {"harmonic", "stretchy", "ff.yaml:15: bonds.stick.form: 'stretchy'"},
      {"k: 10, ", "", "ff.yaml:15: bonds.stick: 'k' is missing"},
      {"theta0: 120", "theta0: 181", "ff.yaml:17: angles.bend.theta0: 181 is more than 180"},
      {"theta0: 120", "gamma0: 120", "ff.yaml:17: angles.bend: unknown key 'gamma0'"},
      {"gamma0: 0", "theta0: 0", "ff.yaml:18: angles.point: 'gamma0' is missing"},
      {"[D, Q, D]", "[D, Z, D]", "ff.yaml:21: molecules.M.beads[2]: there is no type 'Z'"},
      {"[D, Q, D]", "[]", "ff.yaml:21: molecules.M.beads: 0 items"},
      {"[stick, 2, 3]", "[stock, 2, 3]",
       "ff.yaml:22: molecules.M.bonds[2][1]: there is no bond type"},
      {"[stick, 2, 3]", "[stick, 2, 4]", "ff.yaml:22: molecules.M.bonds[2][3]: 4 is more than 3"},
      {"[stick, 2, 3]", "[stick, 0, 3]", "ff.yaml:22: molecules.M.bonds[2][2]: 0 is less than 1"},
      {"[stick, 2, 3]", "[stick, 2, 2]",
       "ff.yaml:22: molecules.M.bonds[2]: a bead stands here twice"},
      {"[stick, 2, 3]", "[stick, 2, 1]",
       "ff.yaml:22: molecules.M.bonds[2]: these beads are bonded"},
      {"[stick, 2, 3]", "[stick, 2]", "ff.yaml:22: molecules.M.bonds[2]: 2 items"},
      {"[bend, 1, 2, 3]", "[bend, 1, 2]", "ff.yaml:23: molecules.M.angles[1]: this angle takes 3"},
      {"[bend, 1, 2, 3]", "[bend, 1, 2, 1]", "ff.yaml:23: molecules.M.angles[1]: a bead stands"},
      {"[point, 3, 2]", "[point, 3, 2, 1]",
       "ff.yaml:23: molecules.M.angles[2]: this angle takes 2"},
      {"[point, 3, 2]", "[point, 2, 3]", "ff.yaml:23: molecules.M.angles[2]: bead 1 of this angle"},
      {"harmonic, k: 10, r0: 0.5", "site_harmonic, k: 10, r0: 0.5, d1: 0.1", "bead 2 of this bond"},
      {"[point, 3, 2]", "[pinot, 3, 2]", "there is no angle type 'pinot'"},
      {"column: c, ", "", "ff.yaml:25: reference[1]: 'column' is missing"},
      {"row: \"\"", "rwo: 3", "ff.yaml:25: reference[1]: unknown key 'rwo'; did you mean 'row'?"},
      {"value: 1", "value: one", "ff.yaml:25: reference[1].value: 'one' is not a number"},
      {"error: 0.1", "error: -1", "ff.yaml:25: reference[1].error: -1 is less than 0"},
      {"source: x", "source: [x]", "ff.yaml:25: reference[1].source: this is a list"},
      {"reference:\n  - ", "reference:\n  a: ", "ff.yaml:25: reference: "}};
  assert_refused(small, cases, sizeof cases / sizeof cases[0]);
}

static void all_mistakes_at_once(void **state)
{
  (void)state;
  char text[] = "format: 1\nname: x\ncutoff: -1\ntypes: {A: {mass: -1}}\npair: {lj: {truncation: "
                "none},\n table: []}\nbonds: 3\n";
  static const char *const said[] = {"5 mistakes",  ":3: cutoff",     ":4: types.A.mass",
                                     ":5: pair.lj", ":6: pair.table", ":7: bonds"};
  for (size_t k = 0; k < sizeof said / sizeof said[0]; k++)
    assert_true(dies_saying(parse_text, text, 2, said[k]));
  assert_true(dies_saying(parse_text, (char[]){""}, 2, "'types' is missing"));
}

static void load_name(void *name)
{
  forcefield_destroy(forcefield_load(name));
}

/* In the order of the search path; a path is taken as it is. */
static void search_path(void **state)
{
  (void)state;
  char folder[] = "/tmp/lamella_test_XXXXXX", file[64], empty[64], list[4400];
  const char *before = getenv("LAMELLA_FORCEFIELDS");
  char *kept = strdup(before ? before : "");
  assert_non_null(mkdtemp(folder));
  snprintf(file, sizeof file, "%s/elba.yaml", folder);
  snprintf(empty, sizeof empty, "%s/empty", folder);
  FILE *out = fopen(file, "w");
  fputs(small, out);
  fclose(out);
  assert_int_equal(mkdir(empty, 0700), 0);
  snprintf(list, sizeof list, "%s::%s:%s", empty, folder, kept);
  setenv("LAMELLA_FORCEFIELDS", list, 1);
  struct forcefield *first = forcefield_load("elba"), *next = forcefield_load("lj");
  assert_string_equal(first->name, "small");
  assert_string_equal(next->name, "lj");
  struct forcefield *by_path = forcefield_load(file);
  assert_string_equal(by_path->name, "small");
  assert_true(dies_saying(load_name, (char[]){"nix"}, 2, empty));
  assert_true(dies_saying(load_name, (char[]){"./nix.yaml"}, 2, "./nix.yaml"));
  setenv("LAMELLA_FORCEFIELDS", kept, 1);
  forcefield_destroy(first);
  forcefield_destroy(next);
  forcefield_destroy(by_path);
  unlink(file);
  rmdir(empty);
  rmdir(folder);
  free(kept);
}

static void reduced_units(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_load("lj");
  assert_true(ff->n_types == 1 && ff->type[0].mass == 1 && ff->cutoff == 2.5);
  assert_true(ff->pair[0].epsilon == 1 && ff->pair[0].sigma == 1);
  assert_int_equal(ff->treatment[0].lj, LJ_CUT);
  assert_int_equal(ff->treatment[0].electrostatics, ELECTROSTATICS_NONE);
  assert_int_equal(ff->molecule[forcefield_molecule(ff, "A")].n_beads, 1);
  forcefield_destroy(ff);
}

static void damaged_files(void **state)
{
  (void)state;
  assert_int_equal(fuzz_failures(parse_text, small, 1000), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elba_pairs),
      cmocka_unit_test(elba_types),
      cmocka_unit_test(elba_bonded),
      cmocka_unit_test(elba_lipids),
      cmocka_unit_test(dopc_by_rule),
      cmocka_unit_test(dopc_is_the_authors),
      cmocka_unit_test(reduced_units),
      cmocka_unit_test(small_is_read),
      cmocka_unit_test(mixing),
      cmocka_unit_test(wrong_entries),
      cmocka_unit_test(all_mistakes_at_once),
      cmocka_unit_test(search_path),
      cmocka_unit_test(damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
