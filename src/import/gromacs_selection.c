/* Marked atoms as a selection of the run file, in the fewest words that are exact: molecule types,
   a range of ids, names of beads in molecule types, names in a range of ids, or ranges of ids. See
   gromacs_index.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_map.h"
#include "base/text.h"
#include "import/gromacs_index.h"
#include "import/gromacs_yaml.h"

/* Atoms of the system one after the other. */
struct walk {
  const struct gromacs *g;
  int block;
  int64_t id, in_block; /* of the present atom, from 0 */
};

/* The present atom; NULL: there are no more. *molecule: its type. */
static const struct gromacs_atom *walk_atom(struct walk *w, int *molecule)
{
  while (w->block < w->g->topology->n_blocks &&
         w->in_block == gromacs_block_atoms(w->g, w->block)) {
    w->block++;
    w->in_block = 0;
  }
  if (w->block == w->g->topology->n_blocks) return NULL;
  *molecule = w->g->topology->block[w->block].molecule;
  return &w->g->molecule[*molecule].atom[w->in_block % w->g->molecule[*molecule].n_atoms];
}

static void walk_on(struct walk *w)
{
  w->id++;
  w->in_block++;
}

/* Names of beads in molecule types, with the number of marked and of all beads that have them. */
struct names {
  struct name_map name;
  int types;
  int64_t *marked, *all; /* [name.n][types] */
};

static struct names count_names(const struct gromacs *g, const char *in, int64_t first,
                                int64_t last)
{
  struct names n = {.types = g->n_molecules};
  struct walk w = {g, 0, 0, 0};
  char name[FF_NAME];
  int type;
  for (const struct gromacs_atom *a; (a = walk_atom(&w, &type)); walk_on(&w)) {
    if (w.id < first || w.id > last) continue;
    const int before = n.name.n, k = name_map_put(&n.name, gromacs_name_clean(a->name, name));
    if (n.name.n > before) {
      n.marked = grow_array(n.marked, (int64_t)n.name.n * n.types, sizeof *n.marked);
      n.all = grow_array(n.all, (int64_t)n.name.n * n.types, sizeof *n.all);
      memset(n.marked + (int64_t)k * n.types, 0, (size_t)n.types * sizeof *n.marked);
      memset(n.all + (int64_t)k * n.types, 0, (size_t)n.types * sizeof *n.all);
    }
    n.marked[(int64_t)k * n.types + type] += in[w.id];
    n.all[(int64_t)k * n.types + type]++;
  }
  return n;
}

static void free_names(struct names *n)
{
  name_map_free(&n->name);
  free(n->marked);
  free(n->all);
}

/* "[A, B]": the names of marked beads of a type; of all types below 0. NULL: not all beads of a
   name are marked. "": none is. "all": all are. Caller frees. */
static char *names_text(const struct names *n, int type)
{
  struct text_stream text;
  FILE *out = text_begin(&text);
  int exact = 1, found = 0, lacks = 0;
  for (int k = 0; k < n->name.n; k++) {
    int64_t marked = 0, all = 0;
    for (int t = 0; t < n->types; t++) {
      if (type >= 0 && t != type) continue;
      marked += n->marked[(int64_t)k * n->types + t];
      all += n->all[(int64_t)k * n->types + t];
    }
    exact &= marked == 0 || marked == all;
    lacks |= marked < all;
    if (marked > 0) fprintf(out, "%s%s", found++ ? ", " : "[", YAML_NAME(n->name.name[k]));
  }
  if (found) fputs("]", out);
  char *made = text_end(&text);
  if (exact && (lacks || !found || type < 0)) return made;
  free(made);
  return exact ? text_copy("all") : NULL;
}

/* A selection of the molecule types from t on that have the same list of names. */
static void put_molecules(FILE *out, const struct gromacs *g, char *const *list, int t)
{
  const char *between = "{molecules: [";
  for (int u = t; u < g->n_molecules; u++) {
    if (strcmp(list[u], list[t])) continue;
    fprintf(out, "%s%s", between, YAML_NAME(g->molecule_name[u]));
    between = ", ";
  }
  fputs("]", out);
  if (strcmp(list[t], "all")) fprintf(out, ", names: %s", list[t]);
  fputs("}", out);
}

/* Molecule types, whole ones or their beads of some names: types of the same names in one. NULL: it
   is not exact, or names are needed and not allowed. */
static char *by_molecules(const struct gromacs *g, const char *in, int64_t n, int with_names)
{
  struct names names = count_names(g, in, 0, n - 1);
  struct text_stream text;
  FILE *out = text_begin(&text);
  char **list = alloc_array(names.types, sizeof *list);
  int exact = 1, parts = 0;
  for (int t = 0; t < names.types; t++) {
    list[t] = names_text(&names, t);
    exact &= list[t] && (with_names || *list[t] != '[');
  }
  for (int t = 0; t < names.types && exact; t++) {
    int before = !*list[t];
    for (int u = 0; u < t; u++)
      before |= !strcmp(list[u], list[t]);
    if (before) continue;
    if (parts++) fputs(", ", out);
    put_molecules(out, g, list, t);
  }
  char *made = text_end(&text), *result = exact ? made : NULL;
  if (exact && parts > 1) result = text_format("{any: [%s]}", made);
  if (result != made) free(made);
  for (int t = 0; t < names.types; t++)
    free(list[t]);
  free(list);
  free_names(&names);
  return result;
}

/* The first and the last marked atom, from 0; how many are marked. */
static int64_t find_ends(const char *in, int64_t n, int64_t *first, int64_t *last)
{
  int64_t marked = 0;
  for (int64_t k = 0; k < n; k++) {
    if (!in[k]) continue;
    if (marked++ == 0) *first = k;
    *last = k;
  }
  return marked;
}

/* Names of beads between the first and the last marked atom. NULL: it is not exact. */
static char *by_range(const struct gromacs *g, const char *in, int64_t first, int64_t last)
{
  struct names names = count_names(g, in, first, last);
  char *list = names_text(&names, -1);
  char *made = list ? text_format("{ids: [%lld, %lld], names: %s}", (long long)first + 1,
                                  (long long)last + 1, list)
                    : NULL;
  free(list);
  free_names(&names);
  return made;
}

static char *by_ids(const char *in, int64_t n)
{
  struct text_stream text;
  const char *between = "{ids: [";
  FILE *out = text_begin(&text);
  for (int64_t first = 0, end; first < n; first = end + 1) {
    while (first < n && !in[first])
      first++;
    for (end = first; end < n && in[end];)
      end++;
    if (first == end) break;
    fprintf(out, "%s[%lld, %lld]", between, (long long)first + 1, (long long)end);
    between = ", ";
  }
  fputs("]}", out);
  return text_end(&text);
}

char *gromacs_index_selection(const struct gromacs_index *x, const char *in)
{
  int64_t first = 0, last = 0;
  const int64_t marked = find_ends(in, x->n, &first, &last);
  char *text = by_molecules(x->g, in, x->n, 0);
  if (!text && last - first + 1 == marked)
    text = text_format("{ids: [%lld, %lld]}", (long long)first + 1, (long long)last + 1);
  if (!text) text = by_molecules(x->g, in, x->n, 1);
  if (!text) text = by_range(x->g, in, first, last);
  return text ? text : by_ids(in, x->n);
}
