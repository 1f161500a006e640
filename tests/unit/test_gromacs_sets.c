/* Sets of position restraints: which macro a restraint stands in, and what stages with other macros
   have of a topology. Each stage is compared with what it has when it is read alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "model/restraints.h"
#include "tests/support/texts.h"

#define HEAD                                                                                       \
  "[ defaults ]\n1 1\n[ atomtypes ]\nP 72 0 A 0.1 0.001\n[ moleculetype ]\nM 1\n[ atoms ]\n"       \
  "1 P 1 R A 1\n2 P 1 R B 2\n3 P 1 R C 3\n4 P 1 R D 4\n"
#define SECOND "[ moleculetype ]\nN 1\n[ atoms ]\n1 P 1 R A 1\n"
#define END "[ system ]\nx\n[ molecules ]\nM 2\nN 1\n"

static struct gromacs_tables no_tables = {0};

enum { STAGES = 4 };

/* The topology, in `n` stages that have the macros of a text each, with blanks between them. */
static struct gromacs *read_stages(const char *top, int n, const char *const *macros)
{
  static const char *const name[STAGES] = {"a.mdp", "b.mdp", "c.mdp", "d.mdp"};
  struct gromacs_options o[STAGES] = {{0}};
  const char *define[STAGES][8];
  char text[STAGES][200];
  struct error_list m = {0};
  write_text("topol.top", top);
  for (int k = 0; k < n; k++) {
    snprintf(text[k], sizeof text[k], "%s", macros[k]);
    for (char *word = strtok(text[k], " "); word; word = strtok(NULL, " "))
      define[k][o[k].n_defines++] = word;
    o[k].define = define[k];
  }
  struct gromacs *g = gromacs_read_stages("topol.top", n, o, name, &m);
  error_list_check(&m);
  return g;
}

/* Adds up the constants of the restraints of a stage, of each molecule type, bead and direction. */
static void sum_stage(const struct gromacs *g, int stage, double sum[2][4][3])
{
  memset(sum, 0, 24 * sizeof(double));
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_restraints; k++) {
      const struct gromacs_restraint *r = &g->molecule[n].restraint[k];
      const double strength =
          r->set == SET_ALWAYS ? (double)NAN : g->strength[r->set * g->n_stages + stage];
      for (int d = r->shape != NULL; d < (r->shape ? 2 : 3); d++)
        sum[n][r->bead][d] += r->k[d] == 0 ? 0 : isnan(strength) ? r->k[d] : strength;
      if (r->shape && sum[n][r->bead][1] != 0) sum[n][r->bead][0] += r->k[0];
    }
}

/* The constants of all stages are those of each alone; the sets have these names. */
static void compare(const char *top, int n, const char *const *macros, const char *names)
{
  char found[200] = "";
  double all[2][4][3], alone[2][4][3];
  struct gromacs *g = read_stages(top, n, macros);
  for (int s = 0; s < g->n_sets; s++)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", s ? " " : "", g->set[s]);
  assert_string_equal(found, names);
  for (int k = 0; k < n; k++) {
    struct gromacs *one = read_stages(top, 1, macros + k);
    sum_stage(g, k, all);
    sum_stage(one, 0, alone);
    assert_memory_equal(all, alone, sizeof all);
    for (int s = 0; s < one->n_sets; s++)
      assert_true(isnan(one->strength[s]));
    gromacs_destroy(one);
  }
  gromacs_destroy(g);
}

/* Constants that are numbers, one macro for all, two macros that change apart, and other
   directions. */
static void stages_agree(void **state)
{
  static const char *const on_off[] = {"POSRES", "", "POSRES", "TAILS"},
                           *const scaled[] = {"POSRES FC=1000", "POSRES FC=100", "", "POSRES FC=0"},
                           *const apart[] = {"POSRES BB=4000 SC=2000", "POSRES BB=2000 SC=0",
                                             "POSRES BB=1000 SC=500", ""},
                           *const turned[] = {"POSRES X=0 Z=100", "POSRES X=100 Z=0",
                                              "POSRES X=7 Z=8", "POSRES X=5 Z=5"};
  (void)state;
  compare(HEAD "#ifdef POSRES\n[ position_restraints ]\n1 1 5 0 70\n2 1 9 9 9\n#endif\n"
               "#ifdef TAILS\n[ position_restraints ]\n1 1 3 3 3\n4 1 3 3 3\n#endif\n" SECOND
               "#ifdef POSRES\n[ position_restraints ]\n1 1 1 1 1\n#endif\n" END,
          4, on_off, "POSRES TAILS");
  compare(HEAD "#ifdef POSRES\n[ position_restraints ]\n1 1 FC 0 FC\n2 1 FC FC FC\n3 2 1 0.5 "
               "FC\n#endif\n" SECOND
               "#ifdef POSRES\n[ position_restraints ]\n1 1 FC FC 0\n#endif\n" END,
          4, scaled, "POSRES");
  compare(HEAD "#ifdef POSRES\n[ position_restraints ]\n1 1 BB BB BB\n2 1 SC SC SC\n3 1 BB 0 BB\n"
               "4 1 SC SC 0\n#endif\n" SECOND END,
          4, apart, "POSRES POSRES_2");
  compare(HEAD "#ifdef POSRES\n[ position_restraints ]\n1 1 X 0 Z\n2 1 Z 0 X\n#endif\n" SECOND END,
          4, turned, "POSRES POSRES_2 POSRES_3");
}

/* #else, #ifndef, files, a bead that is restrained twice, and restraints that always act. */
static void names_are_those_of_macros(void **state)
{
  static const char *const macros[] = {"ONE", "TWO ONE", ""};
  (void)state;
  write_text("posre.itp", "[ position_restraints ]\n2 1 1 2 3\n");
  write_text("guarded.itp", "#ifndef GUARD\n#define GUARD\n[ position_restraints ]\n1 1 4 4 4\n"
                            "#endif\n");
  compare(HEAD "#ifdef ONE\n#include \"posre.itp\"\n#else\n#include \"guarded.itp\"\n#endif\n"
               "#ifndef TWO\n[ position_restraints ]\n3 1 6 6 6\n3 1 1 1 1\n#else\n"
               "[ position_restraints ]\n3 1 2 2 2\n#endif\n" SECOND
               "[ position_restraints ]\n1 1 8 0 8\n" END,
          3, macros, "ONE topol topol_2 TWO guarded");
}

/* The force field has lists by sets, which the parser of force fields reads back. */
static void forcefield(void **state)
{
  static const char *const macros[] = {"WITH_A_NAME_THAT_IS_TOO_LONG=7 on", "on"};
  struct error_list m = {0};
  struct text_stream all;
  (void)state;
  struct gromacs *g = read_stages(
      HEAD "#ifdef WITH_A_NAME_THAT_IS_TOO_LONG\n[ position_restraints ]\n"
           "1 1 WITH_A_NAME_THAT_IS_TOO_LONG 0 0\n#endif\n#ifdef on\n[ position_restraints ]\n1 1 "
           "10 20 30\n#endif\n" SECOND END,
      2, macros);
  const struct gromacs_pairs pairs = gromacs_run_pairs(NULL);
  char *text = gromacs_forcefield_text(g, &pairs, &no_tables, &m);
  error_list_check(&m);
  assert_non_null(strstr(text, "    restraints:\n      WITH_A_NAME_THAT_IS_TOO:\n"
                               "        - [1, 7, 0, 0]  # topol.top:14\n      \"on\":\n"
                               "        - [1, 10, 20, 30]  # topol.top:18\n"));
  FILE *out = text_begin(&all);
  gromacs_sets_write(out, g, 1);
  char *sets = text_end(&all);
  assert_string_equal(sets, "{WITH_A_NAME_THAT_IS_TOO: no, \"on\": yes}");
  struct forcefield *ff = forcefield_parse(text, "ff.yaml");
  assert_int_equal(ff->n_sets, 2);
  assert_int_equal(restraints_find_set(ff, "on"), 1);
  const struct ff_section *s = &ff->bonded[SECTION_restraint];
  assert_int_equal(s->n, 2);
  assert_int_equal(s->type[0].set, 1);
  assert_int_equal(s->type[1].set, 2);
  forcefield_destroy(ff);
  free(sets);
  free(text);
  gromacs_destroy(g);
}

static void read_differing(void *top)
{
  static const char *const macros[] = {"ONE", "ONE", "TWO"};
  read_stages(top, 3, macros);
}

/* Stages may differ in nothing else. */
static void others_are_refused(void **state)
{
  static struct {
    char *top, *message;
  } row[] = {
      {HEAD "#ifdef TWO\n[ bonds ]\n1 2 1 0.4 100\n#endif\n" SECOND END,
       "topol.top:14: this line, with the macros of c.mdp, differs from topol.top:6 with those of "
       "a.mdp: stages may differ in [ position_restraints ] alone"},
      {HEAD "[ bonds ]\n#ifdef TWO\n1 2 1 0.4 100\n#else\n1 2 1 0.4 200\n#endif\n" SECOND END,
       "topol.top:14: this line, with the macros of c.mdp, differs from topol.top:16"},
      {HEAD SECOND "[ system ]\nx\n[ molecules ]\nM 2\n#ifdef TWO\nN 1\n#else\nN 2\n#endif\n",
       "topol.top:21: this line, with the macros of c.mdp, differs from topol.top:23"},
      {HEAD SECOND END "#ifdef TWO\nN 1\n#endif\n", "topol.top: with the macros of c.mdp"},
  };
  (void)state;
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
    assert_true(dies_saying(read_differing, row[k].top, 2, row[k].message));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages_agree),
      cmocka_unit_test(names_are_those_of_macros),
      cmocka_unit_test(forcefield),
      cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
