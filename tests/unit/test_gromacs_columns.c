/* Rows of .gro files and heads of .trr files: whatever is cut out of them or put into them, no
   other numbers are read than those that stand there. Boxes of all shapes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xdr.h"
#include "io/foreign/gromacs_box.h"
#include "io/foreign/trr.h"
#include "tests/support/unit.h"

enum { ROWS = 3, LINE = 200, NUMBERS_BEGIN = 20 };
#define BOX_LINE "   9.00000   9.00000   9.00000\n"

/* Three rows each: positions, with velocities, of higher precision, with large numbers that touch.
 */
static const char *const good[][ROWS] = {
    {"    1POPC   NC3    1   1.123   2.234   3.345", "    1POPC   PO4    2   1.456   2.567   3.678",
     "    2W        W    3   4.111   5.222   6.333"},
    {"    1POPC   NC3    1   1.123   2.234   3.345  0.1234 -0.2345  0.3456",
     "    1POPC   PO4    2   1.456  -2.567   3.678 -0.1234  0.2345 -0.3456",
     "    2W        W    3   4.111   5.222   6.333  0.0000  0.0000  0.0000"},
    {"    1POPC   NC3    1    1.1234567    2.2345678    3.3456789",
     "    1POPC   PO4    2   -1.4567890    2.5678901    3.6789012",
     "    2W        W    3    4.1111111    5.2222222    6.3333333"},
    {"99999POPC   NC399998-111.123-112.234-113.345", "99999POPC   PO4999991211.4562212.5673213.678",
     "    0W        W    0 411.111-412.222 413.333"},
};

struct atoms {
  int mistakes;
  char *text; /* of mistakes */
  struct gromacs_gro_atom atom[ROWS];
};

static struct atoms read_rows(const char *const row[ROWS])
{
  struct atoms a = {0};
  struct error_list m = {0};
  FILE *out = fopen("rows.gro", "w");
  assert_non_null(out);
  fprintf(out, "rows\n%d\n%s\n%s\n%s\n" BOX_LINE, ROWS, row[0], row[1], row[2]);
  fclose(out);
  struct gromacs_gro *c = gromacs_gro_read("rows.gro", ROWS, &m);
  a.mistakes = m.count;
  a.text = error_list_text(&m);
  error_list_free(&m);
  memcpy(a.atom, c->atom, sizeof a.atom);
  gromacs_gro_destroy(c);
  return a;
}

static int same_numbers(const struct gromacs_gro_atom *a, const struct gromacs_gro_atom *b)
{
  return !memcmp(a->x, b->x, sizeof a->x) && !memcmp(a->v, b->v, sizeof a->v);
}

/* Reads the file with the row k replaced. 1 if it is refused with its line, or has the numbers of
   the file `right`. */
static int is_right(const char *const from[ROWS], int k, const char *changed,
                    const struct atoms *right, int *refused)
{
  const char *row[ROWS];
  char where[32];
  int fine = 1;
  for (int n = 0; n < ROWS; n++)
    row[n] = n == k ? changed : from[n];
  struct atoms a = read_rows(row);
  snprintf(where, sizeof where, "rows.gro:%d:", k + 3);
  for (int n = 0; n < ROWS && !a.mistakes; n++)
    fine &= same_numbers(&a.atom[n], &right->atom[n]);
  if (a.mistakes) fine = strstr(a.text, where) != NULL;
  *refused += a.mistakes > 0;
  if (!fine) fprintf(stderr, "read with %d mistakes: '%s'\n%s\n", a.mistakes, changed, a.text);
  free(a.text);
  return fine;
}

/* A blank, a digit, a sign or a tab anywhere before the numbers, a blank anywhere in the row, or a
   character less before the numbers. */
static void shifted_rows(void **state)
{
  int wrong = 0, refused = 0;
  (void)state;
  for (size_t f = 0; f < sizeof good / sizeof good[0]; f++) {
    const struct atoms right = read_rows(good[f]);
    assert_int_equal(right.mistakes, 0);
    for (int k = 0; k < ROWS; k++) {
      const char *row = good[f][k];
      for (size_t at = 0; at <= strlen(row); at++)
        for (const char *c = " 1-\t"; *c; c++) {
          char changed[LINE];
          if (at > NUMBERS_BEGIN && *c != ' ') continue;
          snprintf(changed, sizeof changed, "%.*s%c%s", (int)at, row, *c, row + at);
          wrong += !is_right(good[f], k, changed, &right, &refused);
          if (*c == ' ' && at < NUMBERS_BEGIN) {
            snprintf(changed, sizeof changed, "%.*s%s", (int)at, row, row + at + 1);
            wrong += !is_right(good[f], k, changed, &right, &refused);
          }
        }
    }
  }
  assert_int_equal(wrong, 0);
  assert_true(refused > 500);
}

static void other_rows(void **state)
{
  static const char *const refused[] = {
      "    1POPC   PO4    2   1.456   2.567",
      "    1POPC   PO4    2   1.456   2.567        ",
      "    1POPC   PO4    2   1.456   2.567   3.678  0.1000",
      "    1POPC   PO4    2   1.456   2.567   3.678  0.1000  0.2000        x",
      "    1POPC   PO4    2   1.456   2.567   3.678  0.1000  0.2000  0.3000   1",
      "    1POPC   PO4    2   1.456   2.567   3.678 ; a comment",
      "    1POPC   PO4    2   1.456   2.567     nan",
      "    1POPC   PO4    2 1.456   2.567   3.678",
      "    1POPC   PO4    2   1.4 2   2.567   3.678",
      "    1POPC   PO4   21100.4562100.5673100.678",
      "100000POPC   PO4    2   1.456   2.567   3.678",
      "    1POPC   PO4 1000002   1.456   2.567   3.678",
      "1 POPC PO4 2 1.456 2.567 3.678",
      "",
  };
  static const char *const read[] = {
      "    1POPC   PO4    2   1.456   2.567   3.678                        ",
      "    1POPC   PO4    2   1.456   2.567   3.678     \r",
      "    1POPC   PO4*****  1.4560  2.5670   3.678 ",
      "     POPC   PO4        1.456   2.567   3.678   0.000   0.000   0.000",
  };
  struct atoms right = read_rows(good[0]);
  int wrong = 0, n = 0;
  (void)state;
  for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
    wrong += !is_right(good[0], 1, refused[k], &right, &n);
    if (n != (int)k + 1) fprintf(stderr, "not refused: '%s'\n", refused[k]);
  }
  assert_int_equal(n, sizeof refused / sizeof refused[0]);
  for (size_t k = 0; k < sizeof read / sizeof read[0]; k++)
    wrong += !is_right(good[0], 1, read[k], &right, &n);
  assert_int_equal(n, sizeof refused / sizeof refused[0]);
  assert_int_equal(wrong, 0);
}

/* Vectors of files, and the box of the same lattice or words of the refusal. */
static const struct {
  double v[3][3], box[BOX];
  const char *words;
} boxes[] = {
    {{{8, 0, 0}, {0, 7, 0}, {0, 0, 6}}, {8, 7, 6, 0, 0, 0}, NULL},
    {{{8, 0, 0}, {4, 6.92820, 0}, {0, 0, 6}}, {8, 6.92820, 6, 4, 0, 0}, NULL},
    {{{8, 0, 0}, {-4, 6.92820, 0}, {0, 0, 6}}, {8, 6.92820, 6, -4, 0, 0}, NULL},
    {{{7.99999, 0, 0}, {4, 6.92820, 0}, {0, 0, 6}}, {7.99999, 6.92820, 6, 4, 0, 0}, NULL},
    {{{8, 0, 0}, {0, 8, 0}, {4, 4, 5.65685}}, {8, 8, 5.65685, 0, 4, 4}, NULL},
    {{{8, 0, 0}, {5, 7, 0}, {0, 0, 6}}, {8, 7, 6, -3, 0, 0}, NULL},
    {{{8, 0, 0}, {0, 7, 0}, {-16, 0, 6}}, {8, 7, 6, 0, 0, 0}, NULL},
    {{{8, 0, 0}, {11, 7, 0}, {10, 20, 6}}, {8, 7, 6, 3, 1, -1}, NULL},
    {{{8, 1, 0}, {0, 7, 0}, {0, 0, 6}}, {0}, "the first along x"},
    {{{8, 0, 0}, {1, 7, 1}, {0, 0, 6}}, {0}, "the second in the xy plane"},
    {{{8, 0, 0}, {NAN, 7, 0}, {0, 0, 6}}, {0}, "the vectors are 8 0 0, nan 7 0, 0 0 6"},
    {{{8, 0, 0}, {0, 7, 0}, {0, 0, 0.001}}, {0}, "an edge of 0.001 nm along z"},
    {{{8, 0, 0}, {0, NAN, 0}, {0, 0, 6}}, {0}, "an edge of nan nm along y"},
};

static void boxes_of_all_shapes(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
    char text[GROMACS_BOX_WHY];
    double box[BOX] = {0};
    const char *why = gromacs_box_read(boxes[k].v, "file", box, text);
    assert_true(!why == !boxes[k].words);
    if (why && !strstr(why, boxes[k].words)) fail_msg("'%s' is not in: %s", boxes[k].words, why);
    for (int d = 0; d < BOX; d++)
      if (!(fabs(box[d] - boxes[k].box[d]) < 1e-12)) fail_msg("box %zu: %d is %g", k, d, box[d]);
  }
}

/* A frame of one atom at 1, 2, 3 nm, with a word of its head replaced. Words are numbered from 0;
   the version is a text of 12 bytes. */
static void write_trr(int word, int32_t value)
{
  const double numbers[] = {9, 0, 0, 0, 9, 0, 0, 0, 9, 1, 2, 3}, times[] = {5, 0};
  int32_t head[] = {1993, 13, 12, 0, 0, 0, 0, 0, 36, 0, 0, 0, 0, 12, 0, 0, 1, 7, 0};
  memcpy(&head[3], "GMX_trn_file", 12);
  FILE *out = fopen("frame.trr", "wb");
  assert_non_null(out);
  if (word >= 0 && (word < 3 || word > 5)) head[word] = value;
  for (int k = 0; k < (int)(sizeof head / sizeof head[0]); k++)
    if (k < 3 || k > 5)
      xdr_put_int(out, head[k]);
    else
      fwrite(&head[k], 4, 1, out);
  xdr_put_reals(out, 0, times, 2);
  xdr_put_reals(out, 0, numbers, 12);
  for (int k = 0; k < 100; k++) /* what a part of a wrong size reaches into */
    xdr_put_int(out, 0);
  fclose(out);
}

/* The mistakes of the first frame. */
static int read_trr(void)
{
  struct error_list m = {0};
  struct gromacs_trr_frame frame;
  struct gromacs_gro_atom atom = {{0}, {0}, ""};
  struct gromacs_trr_file *f = gromacs_trr_open("frame.trr", 1, -HUGE_VAL, HUGE_VAL, &frame, &m);
  /* the zeros at the end are no frame */
  char *text = error_list_text(&m);
  const int of_first = strstr(text, "frame 1:") ? m.count : 0;
  if (!of_first) {
    m.count = 0;
    gromacs_trr_next(f, &atom, 1);
    assert_true(atom.x[0] == 1 && atom.x[1] == 2 && atom.x[2] == 3);
  }
  gromacs_trr_close(f);
  free(text);
  error_list_free(&m);
  return of_first;
}

/* Sizes of a .trr frame that do not fit each other. */
static void sizes_of_frames(void **state)
{
  static const struct {
    int word;
    int32_t value;
  } wrong[] = {{0, 1994}, {1, 12},  {2, 300}, {8, 40},  {8, 35},   {8, 72},     {9, 4},   {9, 40},
               {10, 35},  {13, 16}, {13, 11}, {13, 24}, {14, 16},  {15, 4},     {15, 24}, {16, 2},
               {16, 0},   {16, -1}, {6, -4},  {8, -36}, {13, -12}, {6, 1 << 30}};
  (void)state;
  write_trr(-1, 0);
  assert_int_equal(read_trr(), 0);
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    write_trr(wrong[k].word, wrong[k].value);
    if (!read_trr()) fail_msg("word %d = %d is accepted", wrong[k].word, wrong[k].value);
  }
}

static int go_to_folder(void **state)
{
  static char folder[] = "/tmp/test_gromacs_columns_XXXXXX";
  *state = mkdtemp(folder);
  return *state && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
  unlink("rows.gro");
  unlink("frame.trr");
  return chdir("/") == 0 ? rmdir(*state) : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shifted_rows),
      cmocka_unit_test(other_rows),
      cmocka_unit_test(boxes_of_all_shapes),
      cmocka_unit_test(sizes_of_frames),
  };
  return cmocka_run_group_tests(tests, go_to_folder, remove_folder);
}
