/* The words of a line of a topology, and the atoms that they name: see gromacs_text.h and
   gromacs_molecule.h. */
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "import/gromacs_molecule.h"

void gromacs_words_split(struct gromacs_words *w, char *line, struct gromacs_place place,
                         struct error_list *m)
{
  char *rest;
  w->n = 0;
  w->place = place;
  w->m = m;
  for (char *word = strtok_r(line, " \t\r\f\v", &rest); word;
       word = strtok_r(NULL, " \t\r\f\v", &rest)) {
    if (w->n == GROMACS_WORDS_MOST) {
      GROMACS_ERROR(m, place, "more than %d words in a line", GROMACS_WORDS_MOST);
      return;
    }
    w->word[w->n++] = word;
  }
}

/* A number as "500*1.000": GROMACS reads what is before the sign and no more. */
static int is_product(const struct gromacs_words *w, const char *word, double *value)
{
  char first[64];
  const char *sign = strchr(word, '*');
  double factor;
  const size_t n = sign ? (size_t)(sign - word) : 0;
  if (!sign || n >= sizeof first) return 0;
  memcpy(first, word, n);
  first[n] = 0;
  if (!parse_real(first, value) || !parse_real(sign + 1, &factor)) return 0;
  if (factor != 1)
    GROMACS_ERROR(w->m, w->place,
                  "'%.60s': GROMACS reads %s here and ignores the factor; write the product as a "
                  "number",
                  word, first);
  return 1;
}

int gromacs_words_real(const struct gromacs_words *w, int k, const char *what, double *value)
{
  if (k >= w->n)
    GROMACS_ERROR(w->m, w->place, "%s is missing", what);
  else if (parse_real(w->word[k], value) || is_product(w, w->word[k], value))
    return 1;
  else
    GROMACS_ERROR(w->m, w->place, "%s: '%.60s' is not a number", what, w->word[k]);
  return 0;
}

int gromacs_words_end(const struct gromacs_words *w, int k, int n)
{
  double first, second;
  if (w->n <= k) return 1;
  int same = w->n == k + n;
  for (int c = 0; same && c < n; c++)
    same = parse_real(w->word[k - n + c], &first) && parse_real(w->word[k + c], &second) &&
           first == second;
  if (!same)
    GROMACS_ERROR(w->m, w->place,
                  "'%.40s' is too much here: a second state (free energies), unless it equals the "
                  "first, is not implemented",
                  w->word[k]);
  return same;
}

int gromacs_words_int(const struct gromacs_words *w, int k, const char *what, long long low,
                      long long high, long long *value)
{
  int64_t got;
  if (k >= w->n)
    GROMACS_ERROR(w->m, w->place, "%s is missing", what);
  else if (!parse_int(w->word[k], &got) || got < low || got > high)
    GROMACS_ERROR(w->m, w->place, "%s: '%.60s' is not an integer from %lld to %lld", what,
                  w->word[k], low, high);
  else {
    *value = got;
    return 1;
  }
  return 0;
}

int gromacs_read_bead(struct gromacs_lines_reader *r, int k)
{
  long long id = 0;
  const int n = r->molecule->n_atoms;
  if (n == 0 || !gromacs_words_int(&r->words, k, "atom", 1, n, &id)) return -1;
  return (int)id - 1;
}

int gromacs_read_beads(struct gromacs_lines_reader *r, int k, int n, int *bead)
{
  for (int b = 0; b < n; b++) {
    bead[b] = gromacs_read_bead(r, k + b);
    if (bead[b] < 0) return 0;
    for (int a = 0; a < b; a++)
      if (bead[a] == bead[b]) {
        GROMACS_ERROR(r->m, r->place, "atom %d stands here twice", bead[b] + 1);
        return 0;
      }
  }
  return 1;
}
