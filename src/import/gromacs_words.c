/* Numbers of a line of a topology, the atoms that it names, and names: see gromacs_molecule.h and
   gromacs.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "import/gromacs.h"

/* The next character of a word that counts, in lower case. */
static int next_of(const char **at)
{
  *at += strspn(*at, "-_");
  return **at ? tolower((unsigned char)*(*at)++) : 0;
}

/* 1 for a number below 0, whose sign is none of the signs that do not matter. */
static int is_negative(const char *word)
{
  return word[0] == '-' && isdigit((unsigned char)word[1]);
}

int gromacs_word_equal(const char *a, const char *b)
{
  int c;
  if (is_negative(a) != is_negative(b)) return 0;
  while ((c = next_of(&a)) == next_of(&b))
    if (!c) return 1;
  return 0;
}

/* A number as "500*1.000": GROMACS reads what is before the sign and no more. */
static int is_product(const struct words *w, const char *word, double *value)
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
    WORDS_ERROR(w,
                "'%.60s': GROMACS reads %s here and ignores the factor; write the product as a "
                "number",
                word, first);
  return 1;
}

int gromacs_read_real(const struct words *w, int k, const char *what, double *value)
{
  return (k < w->n && is_product(w, w->word[k], value)) || words_real(w, k, what, value);
}

int gromacs_read_end(const struct words *w, int k, int n)
{
  double first, second;
  if (w->n <= k) return 1;
  int same = w->n == k + n;
  for (int c = 0; same && c < n; c++)
    same = parse_real(w->word[k - n + c], &first) && parse_real(w->word[k + c], &second) &&
           first == second;
  if (!same)
    WORDS_ERROR(w,
                "'%.40s' is too much here: a second state (free energies), unless it equals the "
                "first, is not implemented",
                w->word[k]);
  return same;
}

int gromacs_joins_same(const int *a, const int *b)
{
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

int gromacs_read_bead(struct gromacs_lines_reader *r, int k)
{
  int64_t id = 0;
  const int n = r->molecule->n_atoms;
  if (n == 0 || !words_int(&r->words, k, "atom", 1, n, &id)) return -1;
  return (int)id - 1;
}

int gromacs_read_beads(struct gromacs_lines_reader *r, int k, int n, int *bead)
{
  for (int b = 0; b < n; b++) {
    bead[b] = gromacs_read_bead(r, k + b);
    if (bead[b] < 0) return 0;
    for (int a = 0; a < b; a++)
      if (bead[a] == bead[b]) {
        WORDS_ERROR(&r->words, "atom %d stands here twice", bead[b] + 1);
        return 0;
      }
  }
  return 1;
}

const char *gromacs_name_clean(const char *text, char name[FF_NAME])
{
  snprintf(name, FF_NAME, "%.*s", FF_NAME - 1, text);
  for (char *c = name; *c; c++)
    if (!isgraph((unsigned char)*c) || strchr("|,\"'\\", *c)) *c = '_';
  return name;
}

void gromacs_name_make(struct name_map *taken, const char *text, char name[FF_NAME])
{
  char base[FF_NAME];
  gromacs_name_clean(text, base);
  snprintf(name, FF_NAME, "%s", base);
  for (int k = 2; name_map_find(taken, name) >= 0; k++) {
    char end[16];
    const int n = snprintf(end, sizeof end, "_%d", k);
    snprintf(name, FF_NAME, "%.*s%s", FF_NAME - 1 - n, base, end);
  }
  name_map_put(taken, name);
}
