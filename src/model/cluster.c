#include "model/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/forcefield.h"

#define ROUNDING 1e-9 /* relative, of sums of lengths */

const struct site_form_info site_form_info[SITE_FORMS] = {
#define PARAMETER(name, unit, low, high) {#name, unit, low, high, 0, 0},
#define SITE(form, parents, formula, ...)                                                          \
  {#form, parents, formula, {__VA_ARGS__{NULL, NULL, 0, 0, 0, 0}}},
#include "model/site_list.h"
};

int site_values(const struct ff_site *s)
{
  return s->n > SITE_PARAMETERS_MOST ? s->n : SITE_PARAMETERS_MOST;
}

void site_free(struct ff_site *s)
{
  free(s->from);
  free(s->value);
}

int cluster_beads_beyond(const struct cluster_counts *s)
{
  return s->beads > CLUSTER_BEADS_MOST ? CLUSTER_BEADS_MOST : 0;
}

/* n beads have at most 3 n - 6 independent constraints; the limit is larger, since constraints may
   be redundant. */
int cluster_constraints_beyond(const struct cluster_counts *s)
{
  const int most = s->beads > CLUSTER_FULL_BEADS ? 3 * s->beads : CLUSTER_FULL_CONSTRAINTS;
  return s->constraints > most ? most : 0;
}

int cluster_order_sites(struct ff_molecule *m)
{
  char *waits = alloc_array(m->n_beads, 1); /* 1: a site that is not sorted yet */
  int placed = 0, before = -1;
  for (int k = 0; k < m->n_sites; k++)
    waits[m->site[k].bead] = 1;
  while (placed > before) {
    before = placed;
    for (int k = placed; k < m->n_sites; k++) {
      const struct ff_site s = m->site[k];
      int ready = 1;
      for (int j = 0; j < s.n; j++)
        ready &= !waits[s.from[j]];
      if (!ready) continue;
      memmove(m->site + placed + 1, m->site + placed, (size_t)(k - placed) * sizeof s);
      m->site[placed++] = s;
      waits[s.bead] = 0;
    }
  }
  free(waits);
  return placed == m->n_sites;
}

static int is_constraint(const struct forcefield *ff, const struct ff_term *t)
{
  return forcefield_is_constraint(ff, SECTION_bond, t->type);
}

static int root(const int *parent, int bead)
{
  while (parent[bead] != bead)
    bead = parent[bead];
  return bead;
}

/* The lower root stays, so that a root is the first bead of its cluster. */
int cluster_join(int *first, int a, int b)
{
  a = root(first, a);
  b = root(first, b);
  first[a > b ? a : b] = a > b ? b : a;
  return a != b;
}

void cluster_roots(int *first, int n_beads)
{
  for (int b = 0; b < n_beads; b++)
    first[b] = root(first, b);
}

/* Sets first[bead] to the first bead of its cluster. */
static void connect(const struct forcefield *ff, const struct ff_molecule *m, int *first)
{
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  for (int b = 0; b < m->n_beads; b++)
    first[b] = b;
  for (int k = 0; k < bonds->n; k++)
    if (is_constraint(ff, &bonds->term[k]))
      cluster_join(first, bonds->term[k].bead[0], bonds->term[k].bead[1]);
  for (int k = 0; k < m->n_sites; k++)
    for (int j = 0; j < m->site[k].n; j++)
      cluster_join(first, m->site[k].bead, m->site[k].from[j]);
  cluster_roots(first, m->n_beads);
}

/* The number of independent constraints: the rank, by elimination, of their Jacobian at random
   positions of the beads. */
static int count_independent(const struct cluster_type *t)
{
  const int columns = 3 * t->n_beads;
  double(*x)[4] = alloc_array(t->n_beads, sizeof *x);
  double *row = alloc_array((long long)t->n_constraints * columns, sizeof *row);
  int rank = 0;
  for (int b = 0; b < t->n_beads; b++)
    rng_uniform(0, 0, (uint64_t)b, RNG_START, x[b]);
  for (int k = 0; k < t->n_constraints; k++)
    for (int d = 0; d < 3; d++) {
      const int *bead = t->constraint[k].bead;
      row[k * columns + 3 * bead[0] + d] = x[bead[0]][d] - x[bead[1]][d];
      row[k * columns + 3 * bead[1] + d] = x[bead[1]][d] - x[bead[0]][d];
    }
  for (int k = 0; k < t->n_constraints; k++) {
    double *mine = row + k * columns;
    int pivot = 0;
    for (int c = 1; c < columns; c++)
      if (fabs(mine[c]) > fabs(mine[pivot])) pivot = c;
    if (fabs(mine[pivot]) < 1e-9) continue;
    rank++;
    for (int other = k + 1; other < t->n_constraints; other++) {
      const double factor = row[other * columns + pivot] / mine[pivot];
      if (factor == 0) continue;
      for (int c = 0; c < columns; c++)
        row[other * columns + c] -= factor * mine[c];
    }
  }
  free(x);
  free(row);
  return rank;
}

static void set_incident(struct cluster_type *t)
{
  t->row = alloc_array(t->n_beads + 1, sizeof *t->row);
  t->incident = alloc_array(2LL * t->n_constraints, sizeof *t->incident);
  int n = 0;
  for (int b = 0; b < t->n_beads; b++) {
    t->row[b] = n;
    for (int e = 0; e < 2 * t->n_constraints; e++)
      if (t->constraint[e / 2].bead[e % 2] == b) t->incident[n++] = e;
  }
  t->row[t->n_beads] = n;
}

/* Appends the step between two beads to the walk if it leads to a new one. */
static void walk_add(struct cluster_type *t, char *seen, int *n, int a, int b)
{
  if (seen[a] == seen[b]) return;
  t->walk[2 * *n] = seen[a] ? b : a;
  t->walk[2 * *n + 1] = seen[a] ? a : b;
  seen[a] = seen[b] = 1;
  ++*n;
}

static void set_walk(struct cluster_type *t)
{
  char *seen = alloc_array(t->n_beads, 1);
  t->walk = alloc_array(2LL * (t->n_beads - 1), sizeof *t->walk);
  seen[0] = 1;
  for (int n = 0; n < t->n_beads - 1;) {
    for (int k = 0; k < t->n_constraints; k++)
      walk_add(t, seen, &n, t->constraint[k].bead[0], t->constraint[k].bead[1]);
    for (int k = 0; k < t->n_sites; k++)
      for (int j = 0; j < t->site[k].n; j++)
        walk_add(t, seen, &n, t->site[k].bead, t->site[k].from[j]);
  }
  free(seen);
}

static void add_constraints(struct cluster_type *t, const struct forcefield *ff,
                            const struct ff_molecule *m, const int *first, int from)
{
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  for (int k = 0; k < bonds->n; k++) {
    const struct ff_term *term = &bonds->term[k];
    if (first[term->bead[0]] != from || !is_constraint(ff, term)) continue;
    t->constraint = grow_array(t->constraint, t->n_constraints + 1, sizeof *t->constraint);
    struct cluster_constraint *c = &t->constraint[t->n_constraints++];
    for (int e = 0; e < 2; e++)
      c->bead[e] = m->place[term->bead[e]];
    c->length = ff->bonded[SECTION_bond].type[term->type].value[0];
  }
}

/* The member `shared` of constraints k and l. */
static double shared_mass(const struct cluster_type *t, int k, int l)
{
  const int *a = t->constraint[k].bead, *b = t->constraint[l].bead;
  double sum = 0;
  for (int e = 0; e < 4; e++)
    if (a[e / 2] == b[e % 2]) sum += (e / 2 == e % 2 ? 1 : -1) * t->inverse_mass[a[e / 2]];
  return sum;
}

static void set_shared(struct cluster_type *t)
{
  const struct cluster_pattern *p = &t->pattern;
  const int n = t->n_constraints, full = p->n_levels == 0;
  t->shared = alloc_array(full ? (long long)n * n : n + p->n_entries, sizeof *t->shared);
  for (int k = 0; k < n * (full ? n : 1); k++)
    t->shared[k] = full ? shared_mass(t, k / n, k % n) : shared_mass(t, k, k);
  for (int e = 0; e < p->n_entries; e++)
    t->shared[n + e] = shared_mass(t, p->row_of[e], p->column_of[e]);
}

/* Copies the parents and values of the sites to arrays of the cluster type. */
static void gather_sites(struct cluster_type *t, const struct ff_molecule *m)
{
  for (int k = 0; k < t->n_sites; k++) {
    t->n_parents += t->site[k].n;
    t->n_values += site_values(&t->site[k]);
  }
  t->parent = alloc_array(t->n_parents, sizeof *t->parent);
  t->value = alloc_array(t->n_values, sizeof *t->value);
  for (int k = 0, parent = 0, value = 0; k < t->n_sites; k++) {
    struct ff_site *s = &t->site[k];
    for (int j = 0; j < s->n; j++)
      t->parent[parent + j] = m->place[s->from[j]];
    memcpy(t->value + value, s->value, (size_t)site_values(s) * sizeof *s->value);
    s->from = t->parent + parent;
    s->value = t->value + value;
    parent += s->n;
    value += site_values(s);
  }
}

/* Sets `role`: a bead is no more than once among the parents of a site. */
static void set_roles(struct cluster_type *t)
{
  t->role_row = alloc_array(t->n_beads + 1, sizeof *t->role_row);
  t->role = alloc_array(t->n_parents, sizeof *t->role);
  for (int p = 0; p < t->n_parents; p++)
    t->role_row[t->parent[p] + 1]++;
  for (int b = 0; b < t->n_beads; b++)
    t->role_row[b + 1] += t->role_row[b];
  int *next = alloc_array(t->n_beads, sizeof *next);
  for (int p = t->n_parents - 1; p >= 0; p--)
    t->role[t->role_row[t->parent[p]] + next[t->parent[p]]++] = p;
  free(next);
}

static void add_sites(struct cluster_type *t, const struct ff_molecule *m, const int *first,
                      int from)
{
  for (int k = 0; k < m->n_sites; k++) {
    if (first[m->site[k].bead] != from) continue;
    t->site = grow_array(t->site, t->n_sites + 1, sizeof *t->site);
    t->site[t->n_sites] = m->site[k];
    t->site[t->n_sites++].bead = m->place[m->site[k].bead];
  }
  gather_sites(t, m);
  set_roles(t);
  char *is_site = alloc_array(t->n_beads, 1);
  for (int k = 0; k < t->n_sites; k++)
    is_site[t->site[k].bead] = 1;
  t->sites_apart = 1;
  for (int p = 0; p < t->n_parents; p++)
    if (is_site[t->parent[p]]) t->sites_apart = 0;
  free(is_site);
}

/* The cluster type of the `size` beads whose first is `from`; sets their places and their cluster.
 */
static struct cluster_type make_type(const struct forcefield *ff, struct ff_molecule *m,
                                     const int *first, int from, int size)
{
  struct cluster_type t = {0};
  t.offset = alloc_array(size, sizeof *t.offset);
  t.inverse_mass = alloc_array(size, sizeof *t.inverse_mass);
  for (int b = from; b < m->n_beads; b++) {
    if (first[b] != from) continue;
    const double mass = ff->type[m->bead[b]].mass;
    m->cluster[b] = ff->n_clusters;
    m->place[b] = t.n_beads;
    t.offset[t.n_beads] = b - from;
    t.inverse_mass[t.n_beads++] = mass > 0 ? 1 / mass : 0;
  }
  add_constraints(&t, ff, m, first, from);
  add_sites(&t, m, first, from);
  return t;
}

/* Sets way[n_beads] to the shortest path along constraints from a bead to each bead, nm; infinite
   if there is none. queue, waits: work arrays, [n_beads]. */
static void ways_from(const struct cluster_type *t, int from, double *way, int *queue, char *waits)
{
  int first = 0, n = 1;
  for (int b = 0; b < t->n_beads; b++)
    way[b] = HUGE_VAL;
  way[from] = 0;
  queue[0] = from;
  while (n > 0) {
    const int here = queue[first];
    first = (first + 1) % t->n_beads;
    n--;
    waits[here] = 0;
    for (int e = t->row[here]; e < t->row[here + 1]; e++) {
      const struct cluster_constraint *c = &t->constraint[t->incident[e] / 2];
      const int next = c->bead[1 - t->incident[e] % 2];
      if (!(way[here] + c->length < way[next])) continue;
      way[next] = way[here] + c->length;
      if (!waits[next]) queue[(first + n++) % t->n_beads] = next;
      waits[next] = 1;
    }
  }
}

/* Upper bound of the distance of a site from a bead, nm, from those of its parents: the site is
   their mean with weights that add up to 1. way: [bead][bead] bounds. */
static double site_way(const struct ff_site *s, int n_beads, const double *way, int bead)
{
  const double *from_bead = way + (int64_t)bead * n_beads,
               *from_first = way + (int64_t)s->from[0] * n_beads;
  double sum = 0, rest = 1;
  if (s->form == SITE_distance) return from_bead[s->from[0]] + fabs(s->value[0]);
  if (s->form == SITE_plane_distance) return from_bead[s->from[0]] + fabs(s->value[1]);
  if (s->form == SITE_in_plane)
    return from_bead[s->from[0]] + sqrt(s->value[0] * s->value[0] + s->value[1] * s->value[1]);
  if (s->form == SITE_above_plane) return from_bead[s->from[0]] + fabs(s->value[2]);
  for (int j = 1; j < s->n; j++) {
    const double weight = s->value[s->form == SITE_centre ? j : j - 1];
    rest -= weight;
    sum += fabs(weight) * from_bead[s->from[j]];
  }
  if (s->form == SITE_out_of_plane)
    sum += fabs(s->value[2]) * from_first[s->from[1]] * from_first[s->from[2]];
  return sum + fabs(rest) * from_bead[s->from[0]];
}

/* Chooses the bead with the smallest upper bound of the distance of all others; if the constraints
   give no bound, the middle bead. */
static void set_lead(struct cluster_type *t)
{
  const int n = t->n_beads;
  double *way = alloc_array((long long)n * n, sizeof *way);
  int *queue = alloc_array(n, sizeof *queue);
  char *waits = alloc_array(n, 1);
  for (int b = 0; b < n; b++)
    ways_from(t, b, way + (int64_t)b * n, queue, waits);
  for (int k = 0; k < t->n_sites; k++)
    for (int b = 0; b < n; b++)
      if (b != t->site[k].bead) /* sites that are not constructed yet are infinitely far */
        way[(int64_t)b * n + t->site[k].bead] = way[(int64_t)t->site[k].bead * n + b] =
            site_way(&t->site[k], n, way, b);
  t->lead = n / 2;
  t->reach = HUGE_VAL;
  for (int b = 0; b < n; b++) {
    double most = 0;
    for (int m = 0; m < n; m++)
      most = fmax(most, way[(int64_t)b * n + m]);
    if (!(most < t->reach)) continue;
    t->reach = most;
    t->lead = b;
  }
  free(way);
  free(queue);
  free(waits);
}

/* Appends a cluster type of the right size to the force field. */
static void add_type(struct forcefield *ff, struct cluster_type *t)
{
  if (t->n_beads > CLUSTER_FULL_BEADS) cluster_pattern_set(t);
  set_walk(t);
  set_incident(t);
  set_shared(t);
  set_lead(t);
  t->independent = count_independent(t);
  ff->cluster = grow_array(ff->cluster, ff->n_clusters + 1, sizeof *ff->cluster);
  ff->cluster[ff->n_clusters++] = *t;
}

int cluster_find(struct forcefield *ff, struct ff_molecule *m, struct cluster_counts *large)
{
  int *first = alloc_array(m->n_beads, sizeof *first), good = 1;
  m->cluster = alloc_array(m->n_beads, sizeof *m->cluster);
  m->place = alloc_array(m->n_beads, sizeof *m->place);
  for (int b = 0; b < m->n_beads; b++)
    m->cluster[b] = m->place[b] = -1;
  connect(ff, m, first);
  for (int from = 0; from < m->n_beads && good; from++) {
    int size = 0;
    for (int b = from; b < m->n_beads; b++)
      size += first[b] == from;
    if (size < 2) continue;
    struct cluster_type t = make_type(ff, m, first, from, size);
    *large = (struct cluster_counts){from, t.n_beads, t.n_constraints};
    good = !cluster_beads_beyond(large) && !cluster_constraints_beyond(large);
    if (good)
      add_type(ff, &t);
    else
      cluster_type_free(&t);
  }
  free(first);
  return good;
}

/* The length (nm) of the shortest path along constraints between the beads of constraint k. reach:
   work array, [n_beads]. */
static double way_around(int n_beads, int n, const struct cluster_constraint *c, int k,
                         double *reach)
{
  for (int b = 0; b < n_beads; b++)
    reach[b] = c[k].length;
  reach[c[k].bead[0]] = 0;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int l = 0; l < n; l++)
      for (int e = 0; e < 2; e++) {
        const double way = reach[c[l].bead[e]] + c[l].length;
        if (way >= reach[c[l].bead[1 - e]]) continue;
        reach[c[l].bead[1 - e]] = way;
        changed = 1;
      }
  }
  return reach[c[k].bead[1]];
}

int cluster_contradiction(int n_beads, int n, const struct cluster_constraint *c, double *way)
{
  double *reach = alloc_array(n_beads, sizeof *reach);
  int found = -1;
  for (int k = 0; k < n && found < 0; k++) {
    *way = way_around(n_beads, n, c, k, reach);
    if (*way < c[k].length * (1 - ROUNDING)) found = k;
  }
  free(reach);
  return found;
}

void cluster_type_free(struct cluster_type *t)
{
  free(t->offset);
  free(t->walk);
  free(t->inverse_mass);
  free(t->constraint);
  free(t->row);
  free(t->incident);
  cluster_pattern_free(&t->pattern);
  free(t->shared);
  free(t->site);
  free(t->parent);
  free(t->value);
  free(t->role_row);
  free(t->role);
}
