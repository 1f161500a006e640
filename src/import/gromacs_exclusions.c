/* Pairs without pair forces: see gromacs_excluded in gromacs.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/gromacs.h"

enum { PAIRS_MOST = 4000000 };

/* The neighbours of each atom along bonds and constraints that make exclusions. */
struct graph {
  int n, *start, *neighbour; /* of atom k: neighbour[start[k]] ... */
};

/* Calls for both directions of each joining term: fills in (start of) the neighbours. */
static void graph_add(struct graph *g, int *used, int a, int b)
{
  if (used) {
    g->neighbour[g->start[a] + used[a]++] = b;
    g->neighbour[g->start[b] + used[b]++] = a;
  } else {
    g->start[a + 1]++;
    g->start[b + 1]++;
  }
}

static void graph_visit(struct graph *g, int *used, const struct gromacs_molecule *molecule)
{
  for (int k = 0; k < molecule->n_terms; k++)
    if (bonded_form_info[molecule->term[k].form].joins)
      graph_add(g, used, molecule->term[k].bead[0], molecule->term[k].bead[1]);
  for (int k = 0; k < molecule->n_constraints; k++)
    if (molecule->constraint[k].joins)
      graph_add(g, used, molecule->constraint[k].bead[0], molecule->constraint[k].bead[1]);
}

static struct graph graph_of(const struct gromacs_molecule *molecule)
{
  struct graph g = {.n = molecule->n_atoms};
  int *used = alloc_array(g.n, sizeof *used);
  g.start = alloc_array(g.n + 1, sizeof *g.start);
  graph_visit(&g, NULL, molecule);
  for (int k = 0; k < g.n; k++)
    g.start[k + 1] += g.start[k];
  g.neighbour = alloc_array(g.start[g.n], sizeof *g.neighbour);
  graph_visit(&g, used, molecule);
  free(used);
  return g;
}

struct pair_list {
  int64_t n;
  int (*pair)[2];
};

static void add_pair(struct pair_list *l, int a, int b)
{
  l->pair = extend_array(l->pair, l->n, sizeof *l->pair);
  l->pair[l->n][0] = a < b ? a : b;
  l->pair[l->n++][1] = a < b ? b : a;
}

/* Adds the pairs of atom `from` with later atoms that are at most `most` bonds away. */
static void add_near(const struct graph *g, int from, int most, int *distance, int *queue,
                     struct pair_list *l)
{
  int n = 1;
  queue[0] = from;
  distance[from] = 0;
  for (int k = 0; k < n; k++) {
    const int at = queue[k];
    if (at > from) add_pair(l, from, at);
    if (distance[at] == most) continue;
    for (int e = g->start[at]; e < g->start[at + 1]; e++) {
      const int next = g->neighbour[e];
      if (distance[next] >= 0) continue;
      distance[next] = distance[at] + 1;
      queue[n++] = next;
    }
  }
  for (int k = 0; k < n; k++)
    distance[queue[k]] = -1;
}

/* The atom that an atom always lies on: itself, or what its site is constructed from alone. */
static int lies_on(const struct gromacs_molecule *molecule, int atom)
{
  for (int k = 0; k < molecule->n_sites; k++)
    if (molecule->site[k].bead == atom && molecule->site[k].n_from == 1)
      return lies_on(molecule, molecule->site[k].from[0]);
  return atom;
}

/* Adds the pairs of sites that always lie on one point with their atom and with each other: Go
   sites and others that GROMACS gives no force at a distance of 0. */
static void add_points(const struct gromacs_molecule *molecule, struct pair_list *l)
{
  int n = 0;
  int *site = alloc_array(molecule->n_sites, sizeof *site);
  int *on = alloc_array(molecule->n_sites, sizeof *on);
  for (int k = 0; k < molecule->n_sites; k++) {
    if (molecule->site[k].n_from != 1) continue;
    site[n] = molecule->site[k].bead;
    on[n] = lies_on(molecule, site[n]);
    add_pair(l, on[n], site[n]);
    for (int m = 0; m < n; m++)
      if (on[m] == on[n]) add_pair(l, site[m], site[n]);
    n++;
  }
  free(site);
  free(on);
}

static int compare_pairs(const void *pa, const void *pb)
{
  const int *a = pa, *b = pb;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

int (*gromacs_excluded(const struct gromacs *g, int molecule, struct error_list *m, int64_t *n))[2]
{
  const struct gromacs_molecule *of = &g->molecule[molecule];
  struct pair_list l = {0};
  struct graph graph = graph_of(of);
  int *distance = alloc_array(of->n_atoms, sizeof *distance);
  int *queue = alloc_array(of->n_atoms, sizeof *queue);
  for (int64_t k = 0; k < of->n_excluded; k++)
    add_pair(&l, of->excluded[k][0], of->excluded[k][1]);
  add_points(of, &l);
  memset(distance, -1, (size_t)of->n_atoms * sizeof *distance);
  for (int k = 0; g->exclude < 0 && k < of->n_atoms && l.n < PAIRS_MOST; k++)
    add_near(&graph, k, of->nrexcl, distance, queue, &l);
  if (l.n >= PAIRS_MOST)
    LINE_ERROR(m, of->where, "molecule type %s has more than %d excluded pairs", of->name,
               PAIRS_MOST);
  free(graph.start);
  free(graph.neighbour);
  free(distance);
  free(queue);
  *n = 0;
  if (l.n) qsort(l.pair, (size_t)l.n, sizeof *l.pair, compare_pairs);
  for (int64_t k = 0; k < l.n; k++)
    if (k == 0 || compare_pairs(l.pair[k], l.pair[*n - 1]) != 0)
      memmove(l.pair[(*n)++], l.pair[k], sizeof *l.pair);
  return l.pair;
}
