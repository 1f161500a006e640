/* Pairs without pair forces: see gromacs_excluded in gromacs.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/gromacs.h"

enum { PAIRS_MOST = 4000000 };

struct pair_list {
  int64_t n;
  int (*pair)[2];
};

static void add_pair(struct pair_list *l, int a, int b)
{
  l->pair = extend_array(l->pair, l->n, sizeof *l->pair);
  l->pair[l->n][0] = a;
  l->pair[l->n++][1] = b;
}

/* In ascending order. */
static void add_excluded(struct pair_list *l, int a, int b)
{
  add_pair(l, a < b ? a : b, a < b ? b : a);
}

static int compare_pairs(const void *pa, const void *pb)
{
  const int *a = pa, *b = pb;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void sort(struct pair_list *l)
{
  if (l->n) qsort(l->pair, (size_t)l->n, sizeof *l->pair, compare_pairs);
}

/* Bonds and constraints that make exclusions, in both directions, sorted: pair[start[k]] ... of
   atom k. */
struct graph {
  struct pair_list edges;
  int64_t *start;
};

static void add_edge(struct graph *g, const int *bead)
{
  add_pair(&g->edges, bead[0], bead[1]);
  add_pair(&g->edges, bead[1], bead[0]);
}

static struct graph graph_make(const struct gromacs_molecule *molecule)
{
  struct graph g = {.start = alloc_array(molecule->n_atoms + 1, sizeof *g.start)};
  for (int k = 0; k < molecule->n_terms; k++)
    if (bonded_form_info[molecule->term[k].form].joins) add_edge(&g, molecule->term[k].bead);
  for (int k = 0; k < molecule->n_constraints; k++)
    if (molecule->constraint[k].joins) add_edge(&g, molecule->constraint[k].bead);
  sort(&g.edges);
  for (int64_t e = 0; e < g.edges.n; e++)
    g.start[g.edges.pair[e][0] + 1] = e + 1;
  for (int k = 0; k < molecule->n_atoms; k++)
    if (g.start[k + 1] < g.start[k]) g.start[k + 1] = g.start[k];
  return g;
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
    for (int64_t e = g->start[at]; e < g->start[at + 1]; e++) {
      const int next = g->edges.pair[e][1];
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
    add_excluded(l, on[n], site[n]);
    for (int m = 0; m < n; m++)
      if (on[m] == on[n]) add_excluded(l, site[m], site[n]);
    n++;
  }
  free(site);
  free(on);
}

int (*gromacs_excluded(const struct gromacs *g, int molecule, struct error_list *m, int64_t *n))[2]
{
  const struct gromacs_molecule *of = &g->molecule[molecule];
  struct pair_list l = {0};
  struct graph graph = graph_make(of);
  int *distance = alloc_array(of->n_atoms, sizeof *distance);
  int *queue = alloc_array(of->n_atoms, sizeof *queue);
  for (int64_t k = 0; k < of->n_excluded; k++)
    add_excluded(&l, of->excluded[k][0], of->excluded[k][1]);
  add_points(of, &l);
  memset(distance, -1, (size_t)of->n_atoms * sizeof *distance);
  for (int k = 0; g->exclude < 0 && k < of->n_atoms && l.n < PAIRS_MOST; k++)
    add_near(&graph, k, of->nrexcl, distance, queue, &l);
  if (l.n >= PAIRS_MOST)
    LINE_ERROR(m, of->where, "molecule type %s has more than %d excluded pairs", of->name,
               PAIRS_MOST);
  free(graph.start);
  free(graph.edges.pair);
  free(distance);
  free(queue);
  *n = 0;
  sort(&l);
  for (int64_t k = 0; k < l.n; k++)
    if (k == 0 || compare_pairs(l.pair[k], l.pair[*n - 1]) != 0)
      memmove(l.pair[(*n)++], l.pair[k], sizeof *l.pair);
  return l.pair;
}
