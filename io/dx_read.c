/* Reading of OpenDX files: see dx.h. Rows that are not known are passed over, as other programs
   write them. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "io/dx.h"

enum { WORDS_MOST = 1024 };
#define NM_PER_ANGSTROM 0.1

struct dx_reader {
  FILE *in;
  const char *path;
  char *line;
  size_t room;
  int number, n_words, deltas, origins;
  char *word[WORDS_MOST];
  char *why;
};

__attribute__((format(printf, 2, 3))) static void fail(struct dx_reader *r, const char *format, ...)
{
  char what[160];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (!r->why[0]) snprintf(r->why, DX_WHY, "line %d: %s", r->number, what);
}

/* Splits the next line that is neither empty nor a comment. 0 at the end of the file, and after an
   error. */
static int line_next(struct dx_reader *r)
{
  char *at;
  for (r->n_words = 0; r->n_words == 0 && !r->why[0];) {
    if (!text_line(r->in, r->path, &r->line, &r->room)) return 0;
    r->number++;
    for (char *word = strtok_r(r->line, " \t", &at);
         word && *word != '#' && r->n_words < WORDS_MOST; word = strtok_r(NULL, " \t", &at))
      r->word[r->n_words++] = word;
    if (r->n_words == WORDS_MOST) fail(r, "a row of %d words or more", WORDS_MOST);
  }
  return r->n_words > 0;
}

static double number(struct dx_reader *r, int k)
{
  double value = 0;
  if (k >= r->n_words)
    fail(r, "a number is missing");
  else if (!parse_real(r->word[k], &value))
    fail(r, "'%.40s' is not a number", r->word[k]);
  return value;
}

/* object 1 class gridpositions counts NX NY NZ */
static void read_counts(struct dx_reader *r, struct map_grid *g)
{
  double points = 1;
  for (int k = 0; k < 3; k++) {
    int64_t n = 0;
    const int word = r->n_words - 3 + k;
    if (word < 0 || !parse_int(r->word[word], &n) || n < 1 || n > MAP_POINTS_MOST)
      fail(r, "expected the numbers of points along x, y and z");
    g->n[k] = (int)n;
    points *= (double)n;
  }
  if (points > MAP_POINTS_MOST)
    fail(r, "%.4g points; at most %d can be read", points, MAP_POINTS_MOST);
}

/* delta DX DY DZ, of one direction */
static void read_delta(struct dx_reader *r, struct map_grid *g)
{
  const int axis = r->deltas++;
  if (axis > 2) {
    fail(r, "a fourth row 'delta'");
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double d = number(r, 1 + k) * NM_PER_ANGSTROM;
    if (k == axis) g->spacing[k] = d;
    if (k == axis ? !(d > 0) : fabs(d) > 1e-9)
      fail(r, "points must be in rows along x, y and z, in this order, at distances above 0");
  }
}

static int64_t points_of(const struct map_grid *g)
{
  return (int64_t)g->n[0] * g->n[1] * g->n[2];
}

/* object 3 class array type double rank 0 items N data follows */
static void check_array(struct dx_reader *r, const struct map_grid *g)
{
  int64_t n = points_of(g);
  for (int k = 4; k + 1 < r->n_words; k++) {
    const char *word = r->word[k], *value = r->word[k + 1];
    if (!strcmp(word, "rank") && strcmp(value, "0") != 0)
      fail(r, "rank %.40s: a point has one value", value);
    if (!strcmp(word, "data") && strcmp(value, "follows") != 0)
      fail(r, "the values are in another file or coded: expected 'data follows'");
    if (!strcmp(word, "items") && (!parse_int(value, &n) || n != points_of(g)))
      fail(r, "%.40s items, and the grid has %lld points", value, (long long)points_of(g));
  }
}

/* The rows before the values. */
static void read_head(struct dx_reader *r, struct map_grid *g)
{
  int items = 0;
  while (!items && line_next(r)) {
    const char *first = r->word[0];
    if (!strcmp(first, "object") && r->n_words > 6 && !strcmp(r->word[3], "gridpositions"))
      read_counts(r, g);
    for (int k = 0; !strcmp(first, "origin") && k < 3; k++)
      g->origin[k] = number(r, 1 + k) * NM_PER_ANGSTROM;
    r->origins += !strcmp(first, "origin");
    if (!strcmp(first, "delta")) read_delta(r, g);
    items = !strcmp(first, "object") && r->n_words > 4 && !strcmp(r->word[3], "array");
  }
  if (!items) fail(r, "the file ends before 'object 3 class array', its values");
  if (g->n[0] < 1 || r->deltas != 3 || r->origins != 1)
    fail(r, "rows 'object 1 class gridpositions counts', 'origin', 'delta' are missing before the "
            "values, or stand twice");
  check_array(r, g);
}

/* Refuses more values than the grid has points: words from w on, or another row. */
static void refuse_more(struct dx_reader *r, int w)
{
  double value;
  if (!r->why[0] && (w < r->n_words || (line_next(r) && parse_real(r->word[0], &value))))
    fail(r, "more values than the grid has points");
}

double *dx_read(const char *path, struct map_grid *g, char why[DX_WHY])
{
  struct dx_reader r = {.path = path, .why = why};
  double *value = NULL;
  why[0] = 0;
  memset(g, 0, sizeof *g);
  char reason[160];
  r.in = text_open(path, SIZE_MAX, reason);
  if (!r.in) {
    snprintf(why, DX_WHY, "%s", reason);
    return NULL;
  }
  read_head(&r, g);
  const int64_t n = why[0] ? 0 : points_of(g);
  if (n > 0) value = alloc_array(n, sizeof *value);
  int w = 0;
  for (int64_t k = 0; k < n && !why[0];) {
    if (!line_next(&r))
      fail(&r, "the file ends after %lld of %lld values", (long long)k, (long long)n);
    for (w = 0; w < r.n_words && k < n; w++, k++) {
      const int64_t z = k % g->n[2], y = k / g->n[2] % g->n[1], x = k / g->n[2] / g->n[1];
      value[(z * g->n[1] + y) * g->n[0] + x] = number(&r, w);
    }
  }
  refuse_more(&r, w);
  g->count = g->n[2];
  g->bytes = 8;
  fclose(r.in);
  free(r.line);
  if (!why[0]) return value;
  free(value);
  return NULL;
}
