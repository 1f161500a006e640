/* Reading of .ndx files: `[ name ]`, then numbers of atoms from 1. See gromacs_index.h. */
#include "import/gromacs_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

static const size_t file_most = (size_t)1 << 40;
enum { DIGITS_MOST = 24 }; /* more are no integer, though they may round to one */

/* How many groups of the index file have the name; marks their atoms. */
static int mark_listed(const struct gromacs_index *x, const char *name, char *in,
                       struct error_list *m)
{
  int found = 0, inside = 0, headers = 0, number = 0, again = 0; /* the line of the second */
  char *all = text_read_file(x->path, file_most), *next = all, *line, *rest;
  while ((line = line_next(&next, &number, ';', NULL))) {
    char *begin = line + 1;
    if (*line == '[') {
      char *end = line + strcspn(line, "]");
      if (!*end)
        error_list_add(m, x->path, number, "expected [ GROUP ]: the bracket is not closed");
      headers++;
      line = end + (*end != 0); /* atoms may follow */
      *end = 0;
      inside = !strcasecmp(text_trim(begin), name);
      found += inside;
      if (inside && found == 2) again = number;
    }
    for (char *word = strtok_r(line, WORDS_BLANKS, &rest); word;
         word = strtok_r(NULL, WORDS_BLANKS, &rest)) {
      int64_t atom;
      if (headers == 0)
        error_list_add(m, x->path, number, "'%.20s' stands before the first [ GROUP ]", word);
      else if (inside && strlen(word) < DIGITS_MOST && parse_int(word, &atom) && atom >= 1 &&
               atom <= x->n)
        in[atom - 1] = 1;
      else if (inside)
        error_list_add(m, x->path, number,
                       "group '%.60s': '%.20s' is no atom of the topology, 1 to %lld", name, word,
                       (long long)x->n);
    }
  }
  if (found > 1)
    error_list_add(m, x->path, again, "there are %d groups of the name '%.60s'", found, name);
  free(all);
  return found;
}

int gromacs_index_mark(const struct gromacs_index *x, const char *name, char *in,
                       struct error_list *m)
{
  memset(in, 0, (size_t)x->n);
  if (x->path && mark_listed(x, name, in, m)) return 1;
  return gromacs_groups_mark(x, name, in);
}

/* Counts the marked atoms of each molecule type, and all of it. */
static void count_molecules(const struct gromacs *g, const char *in, int64_t *marked, int64_t *all)
{
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const int type = g->topology->block[b].molecule;
    const int64_t n = gromacs_block_atoms(g, b);
    for (int64_t k = 0; k < n; k++)
      marked[type] += in[k];
    all[type] += n;
    in += n;
  }
}

/* The group of marked atoms if they follow each other. */
static char *ids_text(const struct gromacs_index *x, const char *in)
{
  const char *first = memchr(in, 1, (size_t)x->n);
  const int64_t from = first ? first - in : 0;
  int64_t end = from, n = 0;
  char text[80];
  while (end < x->n && in[end])
    end++;
  for (int64_t k = 0; k < x->n; k++)
    n += in[k];
  if (n == 0 || n != end - from) return NULL;
  snprintf(text, sizeof text, "{ids: [%lld, %lld]}", (long long)from + 1, (long long)end);
  return text_copy(text);
}

/* The group of the molecule types that are marked. */
static char *molecules_text(const struct gromacs *g, const int64_t *marked)
{
  struct text_stream text;
  const char *between = "{molecules: [";
  FILE *out = text_begin(&text);
  for (int k = 0; k < g->n_molecules; k++) {
    if (marked[k] == 0) continue;
    char *name = format_yaml_string(g->molecule_name[k]);
    fprintf(out, "%s%s", between, name);
    between = ", ";
    free(name);
  }
  fputs("]}", out);
  return text_end(&text);
}

char *gromacs_index_group(const struct gromacs_index *x, const char *in)
{
  const int types = x->g->n_molecules;
  int64_t *marked = alloc_array(2LL * types, sizeof *marked), *all = marked + types;
  int some = 0, partial = 0;
  count_molecules(x->g, in, marked, all);
  for (int k = 0; k < types; k++) {
    some |= marked[k] > 0;
    partial |= marked[k] > 0 && marked[k] < all[k];
  }
  char *text = some && !partial ? molecules_text(x->g, marked) : ids_text(x, in);
  free(marked);
  return text;
}
