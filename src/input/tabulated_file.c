/* Reading of tables. The sections are those of LAMMPS, pair_style table; files with several
   potentials beside each other are those of GROMACS, mdrun -table. */
#include "input/forcefield_parser.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

enum { WORDS_MOST = 12, ROWS_MOST = 1000000 };

/* How a section gives distances. */
enum spacing { SPACING_AS_IT_STANDS, SPACING_R, SPACING_RSQ };

struct reader {
  const struct tabulated_source *from;
  struct error_list *errors;
  char *rest; /* of the text, from the next line on */
  int line;   /* of the words, from 1 */
  int n_words;
  char *word[WORDS_MOST];
  int empty; /* rows before the first that has a number other than 0 beside r */
  int failed;
};

/* The first mistake of a table; what follows from it is not told. */
__attribute__((format(printf, 2, 3))) static void fail(struct reader *r, const char *format, ...)
{
  char what[512];
  va_list args;
  if (r->failed++) return;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  error_list_add(r->errors, r->from->origin, r->line, "%s", what);
}

/* Splits the next line that holds more than blanks and comments. 0 at the end of the text. */
static int line_next(struct reader *r)
{
  char *line, *at;
  for (r->n_words = 0; r->n_words == 0 && (line = strsep(&r->rest, "\n"));) {
    r->line += r->rest || *line; /* behind the last line end there is none */
    for (char *word = strtok_r(line, " \t\r", &at);
         word && *word != '#' && *word != '@' && r->n_words < WORDS_MOST;
         word = strtok_r(NULL, " \t\r", &at))
      r->word[r->n_words++] = word;
  }
  return r->n_words > 0;
}

static int has_word(struct reader *r, int k)
{
  if (k >= r->n_words) fail(r, "a number is missing after '%s'", r->word[r->n_words - 1]);
  return k < r->n_words;
}

static double number(struct reader *r, int k)
{
  double value = 0;
  if (has_word(r, k) && !parse_real(r->word[k], &value))
    fail(r, "'%s' is not a number", r->word[k]);
  return value;
}

/* The number of rows. */
static int rows_number(struct reader *r, int k)
{
  int64_t value = 0;
  if (has_word(r, k) && (!parse_int(r->word[k], &value) || value < 2 || value > ROWS_MOST))
    fail(r, "after N stands the number of rows, 2 to a million, not '%s'", r->word[k]);
  return (int)value;
}

struct heading {
  int n;
  enum spacing spacing;
  double low, high; /* distances of the first and the last row, in units of the file */
};

/* The line after the keyword: N rows, and how distances are given. */
static struct heading heading_read(struct reader *r)
{
  struct heading h = {0, SPACING_AS_IT_STANDS, 0, 0};
  for (int k = 0; k < r->n_words && !r->failed; k++) {
    const char *word = r->word[k];
    if (!strcmp(word, "N")) {
      h.n = rows_number(r, ++k);
    } else if (!strcmp(word, "R") || !strcmp(word, "RSQ")) {
      h.spacing = word[1] ? SPACING_RSQ : SPACING_R;
      h.low = number(r, k + 1);
      h.high = number(r, k + 2);
      k += 2;
    } else if (!strcmp(word, "FPRIME")) {
      for (int end = 0; end < 2; end++)
        number(r, ++k); /* slopes of the force: not used, the spline is that of the energy */
    } else if (!strcmp(word, "BITMAP")) {
      fail(r, "BITMAP tables are not read; write the section with R or RSQ");
    } else {
      fail(r, "'%s' is not one of N, R, RSQ and FPRIME", word);
    }
  }
  if (r->n_words == WORDS_MOST) fail(r, "more than %d words", WORDS_MOST - 1);
  if (!h.n) fail(r, "the line after a keyword says N and the number of rows");
  return h;
}

static double distance_at(const struct heading *h, int k)
{
  const double fraction = k / (double)(h->n - 1);
  if (h->spacing == SPACING_R) return h->low + fraction * (h->high - h->low);
  return sqrt(h->low * h->low + fraction * (h->high * h->high - h->low * h->low));
}

/* The distance of row k, from its heading if this gives it: the column may be rounded, but by no
   more than a tenth of the distance to the next row. */
static double distance_read(struct reader *r, const struct heading *h, int k, int column)
{
  const double stands = number(r, column);
  if (h->spacing == SPACING_AS_IT_STANDS) return stands;
  const double right = distance_at(h, k), next = distance_at(h, k ? k - 1 : 1);
  if (!(fabs(stands - right) <= 0.1 * fabs(next - right)))
    fail(r, "the distance %s is not that of R or RSQ", r->word[column]);
  return right;
}

static void row_read(struct reader *r, const struct heading *h, struct tabulated_rows *to)
{
  static const char *const columns[] = {"three columns, r U F", "five columns, r U F U F",
                                        "seven columns, r U F U F U F"};
  const int column = r->from->section ? 1 : 0, k = to->n, n = r->from->n_factors;
  const double length = r->from->length, energy = r->from->energy;
  int is_empty = 1;
  if (r->n_words != column + 1 + 2 * n) {
    fail(r, "a row has %s", column ? "four columns, number r U F" : columns[n - 1]);
    return;
  }
  if (column) number(r, 0);
  to->r[k] = length * distance_read(r, h, k, column);
  to->u[k] = to->f[k] = 0;
  for (int p = 0; p < n; p++) {
    const double u = number(r, column + 1 + 2 * p), f = number(r, column + 2 + 2 * p);
    to->u[k] += r->from->factor[p] * (energy * u);
    to->f[k] += r->from->factor[p] * (energy / length * f);
    is_empty &= u == 0 && f == 0;
  }
  if (!r->failed && k > 0 && !(to->r[k] > to->r[k - 1]))
    fail(r, "distances ascend from row to row, but here stands %s", r->word[column]);
  r->empty += is_empty && r->empty == k;
  to->line[to->n++] = r->line;
}

static void rows_reserve(struct tabulated_rows *rows, int n)
{
  rows->r = grow_array(rows->r, n, sizeof *rows->r);
  rows->u = grow_array(rows->u, n, sizeof *rows->u);
  rows->f = grow_array(rows->f, n, sizeof *rows->f);
  rows->line = grow_array(rows->line, n, sizeof *rows->line);
}

/* Goes to the line after the keyword of the section, which begins with N. A keyword stands alone or
   before other words. */
static void section_find(struct reader *r)
{
  for (int found = 0; line_next(r); found = !strcmp(r->word[0], r->from->section))
    if (found && !strcmp(r->word[0], "N")) return;
  r->line = 0;
  fail(r, "there is no section '%s'", r->from->section);
}

/* Leaves out rows without a potential where several begin, and those beyond the cutoff. */
static void rows_trim(struct reader *r, struct tabulated_rows *rows)
{
  const int empty = r->from->n_factors > 1 ? r->empty : 0;
  const int first = empty < rows->n - 2 ? empty : rows->n - 2; /* two rows are left */
  const double cutoff = r->from->cutoff, near = 1e-6 * cutoff;
  rows->n -= first;
  for (int k = 0; first > 0 && k < rows->n; k++) {
    rows->r[k] = rows->r[k + first];
    rows->u[k] = rows->u[k + first];
    rows->f[k] = rows->f[k + first];
    rows->line[k] = rows->line[k + first];
  }
  while (cutoff > 0 && rows->n > 2 && rows->r[rows->n - 1] > cutoff + near)
    rows->n--;
  if (cutoff > 0 && fabs(rows->r[rows->n - 1] - cutoff) > near)
    fail(r, "no row stands at the cutoff of %.8g nm; the last before it is at %.8g nm", cutoff,
         rows->r[rows->n - 1]);
}

/* What pieces between each two rows need. */
static void check_hermite(const struct tabulated_source *from, const struct tabulated_rows *rows,
                          struct error_list *m)
{
  const double off = tabulated_deviation(rows);
  if (!tabulated_is_even(rows))
    error_list_add(m, from->origin, rows->line[0],
                   "the rows are not equally spaced, which interpolation hermite needs");
  if (off > 1)
    error_list_add(m, from->origin, rows->line[0],
                   "F contradicts U: it differs from the slopes of U by %.0f %% on average; F is "
                   "-dU/dr, in the units of U over that of r",
                   100 * off);
}

static void check_forces(const struct tabulated_source *from, const struct tabulated_rows *rows,
                         struct error_list *m)
{
  const int k = tabulated_contradiction(rows);
  if (k < 0) return;
  const double *u = rows->u + k, *r = rows->r + k, *f = rows->f + k;
  error_list_add(
      m, from->origin, rows->line[k + 1],
      "F contradicts U: from r = %.8g to %.8g nm U falls by %.6g kJ/mol, by a mean force "
      "of %.6g kJ/mol/nm, but F is %.6g and %.6g; F is -dU/dr, in the units of U over "
      "that of r",
      r[0], r[1], u[0] - u[1], (u[0] - u[1]) / (r[1] - r[0]), f[0], f[1]);
}

struct tabulated_rows tabulated_read(const struct tabulated_source *from, struct error_list *m)
{
  char *text = text_copy(from->text);
  struct reader r = {.from = from, .errors = m, .rest = text};
  struct tabulated_rows rows = {0};
  struct heading h = {ROWS_MOST, SPACING_AS_IT_STANDS, 0, 0};
  if (from->section) section_find(&r);
  if (from->section && !r.failed) h = heading_read(&r);
  for (int room = 0; !r.failed && rows.n < h.n && line_next(&r);) {
    if (rows.n == room) rows_reserve(&rows, room = room ? 2 * room : 256);
    row_read(&r, &h, &rows);
  }
  if (!r.failed && (rows.n < 2 || (from->section && rows.n < h.n)))
    fail(&r, "the table ends here, after %d rows", rows.n);
  if (!r.failed && rows.n >= 2) rows_trim(&r, &rows);
  if (!r.failed && rows.n >= 2)
    (from->interpolation == INTERPOLATION_HERMITE ? check_hermite : check_forces)(from, &rows, m);
  free(text);
  return rows;
}

void tabulated_rows_free(struct tabulated_rows *rows)
{
  free(rows->r);
  free(rows->u);
  free(rows->f);
  free(rows->line);
}
