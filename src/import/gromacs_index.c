/* Groups of index files, and groups as run files have them. See gromacs_index.h. */
#include "import/gromacs_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

int gromacs_index_mark(const struct gromacs_index *x, const char *name, char *in,
                       struct error_list *m)
{
  int64_t *atom = NULL;
  const int64_t n = x->path ? index_file_read(x->path, name, x->n, &atom, m) : -1;
  memset(in, 0, (size_t)x->n);
  for (int64_t k = 0; k < n; k++)
    in[atom[k] - 1] = 1;
  free(atom);
  if (n >= 0) return 1;
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
