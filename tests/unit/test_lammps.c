/* Import of LAMMPS data files: numbers by hand, the same file written in other ways, every error
   with its line, files damaged at random, and the real ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rotation.h"
#include "base/units.h"
#include "import/lammps.h"
#include "input/forcefield_file.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

static const char plain[] = "title\n"
                            "\n"
                            "4 atoms\n"
                            "2 bonds\n"
                            "2 angles\n"
                            "6 atom types\n"
                            "5 bond types\n"
                            "5 angle types\n"
                            "-20 40 xlo xhi\n"
                            "-10 40 ylo yhi\n"
                            "0 60 zlo zhi\n"
                            "\n"
                            "Bond Coeffs\n"
                            "\n"
                            "1 1.506 4.77\n"
                            "2 1.506 4.41\n"
                            "3 1.506 4.14\n"
                            "4 1.506 4.095\n"
                            "5 1.506 4.05\n"
                            "\n"
                            "Atoms\n"
                            "\n"
                            "4 1 -21 5 6 0 0 0 0.54132 0 5 0.6 0 1 -2\n"
                            "1 2 0 0 10 1 0.7 0 0 0 5.4 1.1 0 0 0\n"
                            "2 3 0 0 5 1 -0.7 0 0 0 5.2 1.2 0 0 0\n"
                            "3 4 0 0 1 1 0 0 0.199872 0.266496 4.6 1.2 0 0 0\n"
                            "\n"
                            "Velocities\n"
                            "\n"
                            "1 0.001 0 0 0 0 0\n"
                            "2 0 -0.002 0 0 0 0\n"
                            "3 0 0 0.0005 0.001 0.002 0.003\n"
                            "4 0 0 0 0 0.001 0\n"
                            "\n"
                            "Bonds\n"
                            "\n"
                            "1 1 1 2\n"
                            "2 2 2 3\n"
                            "\n"
                            "Angles\n"
                            "\n"
                            "1 1 1 2 3\n"
                            "2 5 3 2 2\n";

/* The same, as other programs write it. */
static const char fancy[] =
    "# 99 atoms\r\n\r\n  4.0e0\tatoms # four\r\n2 bonds\r\n2 angles\r\n0 dihedrals\r\n"
    "6 atom types\r\n5 bond types\r\n5 angle types\r\n2 extra bond per atom\r\n"
    "-2.0e1 4.0E+01 xlo xhi\r\n-1e1 40. ylo yhi\r\n0 6e1 zlo zhi\r\n0 0 0 xy xz yz\r\n\r\n"
    "Masses # by type\r\n\r\n1 40\r\n2 90\r\n3 90\r\n4 62\r\n5 62\r\n6 42\r\n\r\n"
    "Angles\r\n\r\n7 5 3 2 1 # any dummy\r\n1 1 3 2 1\r\n\r\n# a comment\r\n"
    "Bonds\r\n\r\n\r\n2 2 3 2\r\n1 1 1 2\r\n\r\n"
    "Angle Coeffs # hybrid\r\n\r\n1 cosine/squared 3.585 115\r\n2 cosine/squared 3.585 90\r\n"
    "3 cosine/squared 3.585 180\r\n4 cosine/squared 3.585 120\r\n5 dipole 1.195 0\r\n\r\n"
    "Pair Coeffs # lj/sf/dipole/sf\r\n\r\n1 0.55 3.05\r\n2 1.434 5.4\r\n3 1.434 5.2 12.0\r\n"
    "4 lj/sf/dipole/sf/omp 0.956 4.6\r\n5 0.956 4.6\r\n6 0.837 4.5\r\n\r\n"
    "Velocities\r\n\r\n4 0 0 0 0 1.0e-3 0\r\n1 1e-3 0 0 0 0 0\r\n2 0 -2e-3 0 0 0 0\r\n"
    "3 0 0 5e-4 1e-3 2e-3 3e-3\r\n\r\n"
    "Atoms # hybrid\r\n\r\n1 2 0 0 10 7 0.69999 0 0 0 5.4 1.1\r\n"
    "2 3 0 0 5 7 -0.70001 0 0 0 5.2 1.2 0 0 0\r\n"
    "3 4 0 0 1 7 0 0 1.99872e-1 2.66496e-1 4.6 1.2\r\n"
    "4 1 3.9e1 5.5e1 -114 0 0 0 0.54132 0 5 0.6 -1 0 0";

static void write_file(char path[32], const char *text)
{
  strcpy(path, "/tmp/lamella_lammps_XXXXXX");
  int file = mkstemp(path);
  size_t n = strlen(text);
  assert_true(file >= 0 && write(file, text, n) == (ssize_t)n);
  close(file);
}

/* The types of these files, in the order of the force field. */
static const struct lammps_options elba_names = {"W,C,P,G,E,T", "CP,PG,GE,ET,TT",
                                                 "CPG,PGE,saturated,cis,restraint"};

/* Of the file that is read next; NULL: it has labels. */
static const struct lammps_options *names = &elba_names;

static struct system *import_text(const char *text)
{
  char path[32];
  write_file(path, text);
  struct system *s = lammps_import(path, forcefield_load("elba"), names, NULL);
  unlink(path);
  return s;
}

static void numbers_by_hand(void **state)
{
  (void)state;
  struct system *s = import_text(plain);
  double x[3], u[3];
  assert_true(s->n == 4 && s->n_total == 4 && s->first == 1);
  assert_true(fabs(s->box[0] - 6) < 1e-15 && fabs(s->box[1] - 5) < 1e-15);
  /* (-21 + 20, 5 + 10, 6) A, one box up in y, two down in z. */
  const double want[3] = {-0.1, 1.5 + 5, 0.6 - 12};
  system_get_position(s, 3, 1, x);
  for (int d = 0; d < 3; d++)
    assert_true(fabs(x[d] - want[d]) < 1e-14);
  rotation_axis(s->beads.orientation + 8, u);
  assert_true(fabs(u[0]) < 1e-15 && fabs(u[1] - 0.6) < 1e-15 && fabs(u[2] - 0.8) < 1e-15);
  /* 0.001 A/fs = 0.1 nm/ps */
  assert_true(fabs(s->beads.momentum[0] - 90 * 0.1) < 1e-12);
  assert_true(fabs(s->beads.momentum[4] + 90 * 0.2) < 1e-12);
  assert_true(fabs(s->beads.momentum[8] - 62 * 0.05) < 1e-12);
  /* w = (1, 2, 3)/ps on u = (0, .6, .8): w.u = 3.6; across it w^2 - 3.6^2 = 1.04; I = 10. */
  const double *j = s->beads.angular_momentum + 6;
  assert_true(fabs(j[0] * j[0] + j[1] * j[1] - 100 * 1.04) < 1e-10 && j[2] == 0);
  /* About its own dipole: dropped. */
  assert_true(fabs(s->beads.angular_momentum[9]) < 1e-14);
  assert_true(fabs(s->beads.angular_momentum[10]) < 1e-14);
  assert_true(s->beads.molecule[0] == 1 && s->beads.molecule[2] == 1 && s->beads.molecule[3] == 2);
  assert_true(s->beads.molecule_type[0] == -1 &&
              s->beads.molecule_type[3] == forcefield_molecule(s->ff, "W"));
  assert_true(s->beads.bonded_env[3] == -1 && s->topology.n_envs == 3);
  system_destroy(s);
}

static void other_ways_of_writing(void **state)
{
  (void)state;
  struct system *a = import_text(plain), *b = import_text(fancy);
  for (int f = 0; f < FIELDS; f++) {
    /* Decimals are the same but for rounding. */
    if (f == FIELD_residual || f == FIELD_orientation || f == FIELD_angular_momentum) continue;
    size_t bytes = 4 * (size_t)(field_info[f].components * field_info[f].bytes);
    assert_memory_equal(*beads_field(&a->beads, f), *beads_field(&b->beads, f), bytes);
  }
  assert_int_equal(a->topology.n_envs, b->topology.n_envs);
  assert_memory_equal(a->topology.term, b->topology.term,
                      (size_t)a->topology.term_start[3] * sizeof *a->topology.term);
  system_destroy(a);
  system_destroy(b);
}

/* The plain file with one text replaced by another. */
static void change(char *out, size_t size, const char *from, const char *to)
{
  const char *at = strstr(plain, from);
  assert_non_null(at);
  snprintf(out, size, "%.*s%s%s", (int)(at - plain), plain, to, at + strlen(from));
}

static void import_bad(void *path)
{
  lammps_import(path, forcefield_load("elba"), names, NULL);
}

static int refused(const char *text, const char *words)
{
  char path[32], expected[256];
  write_file(path, text);
  /* The place comes first: "FILE:LINE: ..." or "FILE: ...". */
  snprintf(expected, sizeof expected, "%s%s%s", path, *words == ':' ? "" : ": ", words);
  int good = dies_saying(import_bad, path, 2, expected);
  unlink(path);
  return good;
}

static void mistakes_have_lines(void **state)
{
  (void)state;
  static const char *const bad[][3] = {
      {"4 atoms", "5 atoms", ":21: section Atoms has 4 lines, but the header promises 5"},
      {"4 atoms", "3 atoms", ":26: section Atoms has more than the 3 lines"},
      {"4 atoms", "9223372036854775807 atoms", ":3: "},
      {"4 atoms", "1000000000000 atoms", "the header promises 1000000000000 atoms, but the file"},
      {"4 atoms", "-4 atoms", ":3: atoms: '-4' is not an integer from 0"},
      {"4 atoms\n", "", "no 'N atoms' in the header"},
      {"2 bonds", "3 bonds", ":35: section Bonds has 2 lines, but the header promises 3"},
      {"2 bonds", "1 bonds", ":38: section Bonds has more than the 1 lines"},
      {"2 angles", "2 angles\n1 dihedrals", ":6: 1 dihedrals: only atoms"},
      {"-20 40 xlo xhi\n", "", "no box in the header along x"},
      {"-20 40 xlo xhi", "40 -20 xlo xhi", "no box in the header along x"},
      {"-20 40 xlo xhi", "-20 inf xlo xhi", ":9: xhi: 'inf' is not a finite number"},
      {"0 60 zlo zhi", "0 60 zlo zhi\n1 nan 0 xy xz yz", ":12: xz: 'nan' is not a finite number"},
      {"0 60 zlo zhi", "0 60 zlo zhi\n1 0 501 xy xz yz", "the tilt yz of the box is 501 A"},
      {"0 60 zlo zhi", "0 60 zlo zhi\n1 0 0 xy xz zx", ":12: unknown line of the header"},
      {"6 atom types", "6 atom typos", ":6: unknown line of the header"},
      {"6 atom types", "2000 atom types",
       ":6: number of types: '2000' is not an integer from 0 to 1000"},
      {"1 2 0 0 10", "1 6 0 0 10", ":24: atom 1 has a charge of 0.7 e, but type T"},
      {"6 atom types", "3 atom types", ":26: atom type: '4' is not an integer from 1 to 3"},
      {"1 1.506 4.77", "1 1.506 4.5", ":15: bond type is 1.506 4.5 here, but harmonic 1.506 4.77"},
      {"Atoms", "Atome", ":21: unknown section 'Atome'"},
      {"Bonds\n\n1 1 1 2\n2 2 2 3\n", "", "section Bonds is missing"},
      {"Angles\n", "Bonds\n", ":40: a second section Bonds"},
      {"1 2 0 0 10", "1 2 0 nan 10", ":24: position: 'nan' is not a finite number"},
      {"1 2 0 0 10", "2 2 0 0 10", ":25: atom 2 is given twice, first in line 24"},
      {"1 2 0 0 10", "0 2 0 0 10", ":24: atom: '0' is not an integer from 1 on"},
      {"1 2 0 0 10", "1 2 0 10", ":24: 14 columns; expected 12 or 15"},
      {"1 2 0 0 10", "1 2 0 0 1e300", ":24: position: 1e300; expected"},
      {"1 2 0 0 10", "1 2 0 0 -7e7", ":24: position: -7e7; expected -6e+07 to 6.00001e+07 A"},
      {"5 0.6 0 1 -2", "5 0.6 0 1 -1000001",
       ":23: image: '-1000001' is not an integer from -1000000 to 1000000"},
      {"5.4 1.1", "-5.4 1.1", ":24: diameter: -5.4; expected 0 to"},
      {"5.4 1.1", "5.4 -1.1", ":24: density: -1.1; expected 0 to"},
      {"5.4 1.1", "5.4 inf", ":24: density: 'inf' is not a finite number"},
      {"5.4 1.1", "5.4 1.4", ":24: atom 1 has a mass of 115.427 amu by diameter and density, but"},
      {"0.54132", "1e300", ":23: dipole: 1e300; expected -10000 to 10000 e A"},
      {"10 1 0.7", "10 1 1e9", ":24: charge: 1e9; expected"},
      {"-20 40 xlo xhi", "-20 1e299 xlo xhi", ":9: xhi: 1e299; expected"},
      {"-20 40 xlo xhi", "-20 -19.999 xlo xhi", "no box in the header along x"},
      {"1 0.001 0 0", "1 1e300 0 0", ":30: velocity: 1e300; expected -10 to 10 A/fs"},
      {"0.001 0.002 0.003", "0.001 0.002 -1e7", ":32: angular velocity: -1e7; expected"},
      {"2 2 2 3", "2 1 2 1", ":38: the same bond as in line 37"},
      {"2 5 3 2 2", "2 1 3 2 1", ":43: the same angle as in line 42"},
      {"10 1 0.7", "10 1 0.5", ":24: atom 1 has a charge of 0.5 e, but type C"},
      {"0.54132", "0.5", ":23: atom 4 has a dipole of 0.05 e nm, but type W"},
      {"0.54132", "0", ":23: atom 4 has a dipole of 0 e nm"},
      {"0.7 0 0 0", "0.7 0 0 1", ":24: atom 1 has a dipole of 0.1 e nm, but type C"},
      {"4 0 0 0 0 0.001 0", "3 0 0 0 0 0.001 0",
       ":33: the velocity of atom 3 is given twice, first in line 32"},
      {"4 0 0 0 0 0.001 0", "4 0 0 0", ":33: 4 columns; expected 7"},
      {"2 2 2 3", "2 2 2 5", ":38: atom 5 does not exist"},
      {"2 2 2 3", "2 2 3 3", ":38: atom 3 is its own partner"},
      {"2 2 2 3", "2 6 2 3", ":38: bond type: '6' is not an integer from 1 to 5"},
      {"1 1 1 2 3", "1 1 1 2 1", ":42: atom 1 stands twice in an angle"},
      {"2 5 3 2 2", "2 5 2 3 3", ":43: atom 2 (P) has no dipole to restrain"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[2 * sizeof plain];
    change(text, sizeof text, bad[k][0], bad[k][1]);
    assert_true(refused(text, bad[k][2]));
  }
}

static void several_mistakes_at_once(void **state)
{
  (void)state;
  char text[2 * sizeof plain];
  change(text, sizeof text, "1 2 0 0 10 1 0.7", "1 9 0 x 10 1 0.7");
  char path[32], message[4096];
  write_file(path, text);
  assert_int_equal(death_of(import_bad, path, message, sizeof message), 2);
  assert_non_null(strstr(message, "2 mistakes"));
  assert_non_null(strstr(message, ":24: atom type: '9' is not an integer"));
  assert_non_null(strstr(message, ":24: position: 'x'"));
  unlink(path);
}

/* With labels, as newer versions write it. */
static const char labelled[] =
    "title\n\n4 atoms\n2 bonds\n1 angles\n5 atom types\n2 bond types\n1 angle types\n"
    "0 60 xlo xhi\n0 60 ylo yhi\n0 60 zlo zhi\n\n"
    "Atom Type Labels\n\n1 G\n2 W\n3 P\n4 C\n5 nobody\n\nBond Type Labels\n\n1 PG\n2 CP\n\n"
    "Angle Type Labels\n\n1 CPG\n\nMasses\n\nG 62\nW 40\nP 90\nC 90\nnobody 1\n\n"
    "PairIJ Coeffs # lj/sf/dipole/sf\n\nG G 0.956 4.6\nG W .651 3.825\nG P 1.171 4.9\n"
    "G C 1.171 5 12\nG nobody 1 1\n2 2 .55 3.05\nW P .943 4.125\n2 4 .725 4.225\n2 5 1 1\n"
    "3 3 1.434 5.2\nP C 1.434 5.3\n3 5 1 1\nC C 1.434 5.4\n4 5 1 1\n5 5 1 1\n\n"
    "Bond Coeffs # hybrid\n\nPG harmonic 1.506 4.41\nCP harmonic 1.506 4.77\n\n"
    "Atoms # hybrid\n\n400 W 30 30 30 0 0 0 0.54132 0 5 0.6\n70 C 1 1 10 1 0.7 0 0 0 5.4 1.1\n"
    "5 P 1 1 5 1 -0.7 0 0 0 5.2 1.2\n9 G 1 1 1 1 0 0 0.199872 0.266496 12.7 0.0578\n\n"
    "Bonds\n\n1 CP 70 5\n2 PG 5 9\n\nAngles\n\n1 CPG 70 5 9\n";

static void no_names(void **state)
{
  (void)state;
  names = NULL;
  assert_true(refused(plain,
                      ": it has no labels of its 6 atom types: name them in their order with "
                      "--types; force field elba has W,C,P,G,E,T,A"));
  names = &elba_names;
}

static void labels_and_gaps(void **state)
{
  (void)state;
  names = NULL;
  struct system *s = import_text(labelled);
  names = &elba_names;
  static const char *const want[] = {"P", "G", "C", "W"}; /* by ascending id */
  for (int k = 0; k < 4; k++)
    assert_string_equal(s->ff->type[s->beads.type[k]].name, want[k]);
  assert_true(s->beads.molecule[0] == 1 && s->beads.molecule[2] == 1 && s->beads.molecule[3] == 2);
  system_destroy(s);
}

/* Cut anywhere, or with some bytes changed: accepted or refused, nothing else. */
static void damaged_files(void **state)
{
  (void)state;
  uint32_t seed = 12345;
  int trials = getenv("LAMELLA_LONG") ? 6000 : 600;
  for (int trial = 0; trial < trials; trial++) {
    static const char *const from[] = {plain, fancy, labelled};
    char text[sizeof plain + sizeof fancy + sizeof labelled], path[32], message[16384];
    size_t size = strlen(from[trial % 3]);
    names = trial % 3 == 2 ? NULL : &elba_names;
    memcpy(text, from[trial % 3], size + 1);
    for (int k = 0; k < 1 + trial % 4; k++) {
      static const char alphabet[] = "0123456789 -+.e#\n\tAx";
      seed = seed * 1664525u + 1013904223u;
      size_t at = (seed >> 8) % size;
      seed = seed * 1664525u + 1013904223u;
      text[at] = trial % 2 ? alphabet[(seed >> 8) % (sizeof alphabet - 1)] : 0;
    }
    write_file(path, text);
    int status = death_of(import_bad, path, message, sizeof message);
    unlink(path);
    if (status != 0 && status != 2) fail_msg("status %d for:\n%s", status, text);
  }
  names = &elba_names;
}

static char *data_file(const char *name)
{
  static char path[4096];
  const char *folder = getenv("DATA");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", name);
  if (access(path, R_OK) == 0) return path;
  print_message("%s is not there\n", path);
  return NULL;
}

/* A force field without bonds, angles and dipoles. */
static void lennard_jones(void **state)
{
  (void)state;
  char path[32];
  write_file(path, "title\n2 atoms\n1 atom types\n0 100 xlo xhi\n0 100 ylo yhi\n0 100 zlo zhi\n"
                   "Pair Coeffs # lj/cut\n\n1 lj/cut 0.2390057 10\n\n"
                   "Atoms\n\n8 1 1 2 3 0 0 0 0 0 10 0.0019098593\n"
                   "3 1 9 8 7 0 0 0 0 0 0 1\n");
  const struct lammps_options only = {.types = "A"};
  struct system *s = lammps_import(path, forcefield_load("lj"), &only, NULL);
  assert_true(s->n == 2 && s->topology.n_envs == 0 && s->beads.molecule_type[0] == 0);
  unlink(path);
  system_destroy(s);
}

static void real_bilayer(void **state)
{
  (void)state;
  const char *path = data_file("elba-dopc.data");
  if (!path) skip();
  struct system *s = lammps_import(path, forcefield_load("elba"), names, NULL);
  int64_t lipids = 0, waters = 0;
  int dopc = forcefield_molecule(s->ff, "DOPC"), water = forcefield_molecule(s->ff, "W");
  double kinetic = 0;
  for (int64_t k = 0; k < s->n; k++) {
    lipids += s->beads.molecule_type[k] == dopc;
    waters += s->beads.molecule_type[k] == water;
    for (int d = 0; d < 3; d++)
      kinetic += 0.5 * pow(s->beads.momentum[3 * k + d], 2) / s->ff->type[s->beads.type[k]].mass;
  }
  assert_int_equal(lipids, 128 * 15);
  assert_int_equal(waters, 5120);
  /* Beads in the middle of both chains have equal surroundings. */
  assert_int_equal(s->topology.n_envs, 11);
  assert_int_equal(s->beads.molecule[s->n - 1], 128 + 5120);
  assert_true(fabs(s->box[2] - 7.0740319058150154) < 1e-14);
  assert_true(fabs(2 * kinetic / (3 * 7040 * UNITS_BOLTZMANN) - 318) < 0.5);
  system_destroy(s);
}

static void real_lipid(void **state)
{
  (void)state;
  const char *path = data_file("elba-single-lipid.data");
  if (!path) skip();
  struct system *s = lammps_import(path, forcefield_load("elba"), names, NULL);
  assert_int_equal(s->n, 15);
  int terms = 0;
  for (int k = 0; k < 15; k++) {
    const int *start = s->topology.term_start + s->beads.bonded_env[k];
    terms += start[1] - start[0];
  }
  assert_int_equal(terms, 2 * 14 + 3 * 13 + 2 * 3);
  assert_int_equal(s->beads.molecule_type[14], forcefield_molecule(s->ff, "DOPC"));
  for (int64_t k = 0; k < 45; k++)
    assert_true(s->beads.momentum[k] == 0);
  system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_by_hand),
      cmocka_unit_test(other_ways_of_writing),
      cmocka_unit_test(mistakes_have_lines),
      cmocka_unit_test(several_mistakes_at_once),
      cmocka_unit_test(damaged_files),
      cmocka_unit_test(labels_and_gaps),
      cmocka_unit_test(no_names),
      cmocka_unit_test(lennard_jones),
      cmocka_unit_test(real_bilayer),
      cmocka_unit_test(real_lipid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
