/* Radial distribution functions g(r) of pairs of bead types, in space, or in the plane of the
   membrane between beads of lipids of the same leaflet (lateral distance). Pairs with a bond are
   left out. Of each sample g is the number of pairs in a shell over what the same pairs would give
   at random in the volume (area) of the box: pairs are those that can count, so without a bead with
   itself and without bonded ones; in the plane those within the upper and within the lower leaflet
   together. The beads around a centre A are found with a grid of cells over all beads B; if there
   are more than SUBSET_MOST beads A, that many of them are centres. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/torus.h"
#include "base/units.h"
#include "observe/bilayer.h"
#include "observe/kinds.h"
#include "observe/subset.h"

/* a, b: indices in this rank's share. */
struct pair {
  int type[2];
  int64_t all_a, all_b; /* centres, and beads B, of all ranks */
  int64_t n_a, n_b;
  int64_t *a, *b; /* [n_a] centres, [n_b] */
};

struct rdf {
  int pairs, bins, in_plane;
  double range; /* nm */
  struct pair *pair;
  struct bilayer bilayer; /* in_plane */
  int most_terms;         /* of a bonded environment */
};

/* Words of a pair of types: numbers of pairs in the bins, and of all pairs that can count. Values:
   g and coordination of the bins. */
static int64_t words_of(const struct rdf *s)
{
  return s->bins + 1;
}

/* Opening */

/* Sets *list to the beads of a type in the share, in_plane those of lipids, and *n to their number;
   subset: only those of the subset. Returns the number on all ranks. Collective. */
static int64_t list_beads(const struct rdf *s, const struct observe_system *a, int type, int subset,
                          int64_t **list, int64_t *n)
{
  const struct share *share = &a->share;
  int64_t own = 0, at;
  int64_t *found = alloc_array(share->n, sizeof *found);
  for (int64_t k = 0; k < share->n; k++)
    if (share->type[k] == type &&
        (!s->in_plane || observe_is_lipid(a, &share->molecule[share->molecule_of[k]])))
      found[own++] = k;
  const int64_t all = share_sum(a->ranks, own, &at);
  *n = 0;
  for (int64_t k = 0; k < own; k++)
    if (!subset || subset_has(all, at + k)) found[(*n)++] = found[k];
  *list = grow_array(found, *n, sizeof *found);
  return subset ? subset_size(all) : all;
}

static void read_pair(struct rdf *s, struct observable *o, struct yaml_tree *t, int node)
{
  const struct observe_system *a = o->about;
  int type[2];
  if (!yaml_expect_list(t, node, 2, 2) || observe_read_types(o, t, node, type, 2) < 2) return;
  for (int k = 0; k < s->pairs; k++)
    if (!memcmp(s->pair[k].type, type, sizeof type)) {
      yaml_add_error(t, node, "this pair stands in the list twice");
      return;
    }
  s->pair = grow_array(s->pair, s->pairs + 1, sizeof *s->pair);
  struct pair *p = &s->pair[s->pairs++];
  memcpy(p->type, type, sizeof type);
  p->all_a = list_beads(s, a, type[0], 1, &p->a, &p->n_a);
  p->all_b = list_beads(s, a, type[1], 0, &p->b, &p->n_b);
  for (int k = 0; k < 2; k++)
    if ((k ? p->all_b : p->all_a) == 0)
      yaml_add_error(t, yaml_item(t, node, k), "the system has no beads of type %s%s",
                     a->ff->type[type[k]].name, s->in_plane ? " in lipids" : "");
}

static void read_range(struct rdf *s, struct observable *o, struct yaml_tree *t, int options)
{
  const int node = yaml_get(t, options, "range");
  const double *box = o->about->box;
  double edge = fmin(box[0], box[1]);
  if (!s->in_plane) edge = fmin(edge, box[2]);
  s->range = yaml_real(t, node, 1.5, YAML_POSITIVE, 1e6);
  if (s->range > 0.5 * edge && o->about->continued)
    warn("observe: the box has shrunk: the range of '%s', %g nm, is more than half its shortest "
         "edge (%g nm), and g is too low beyond",
         o->name, s->range, edge);
  else if (s->range > 0.5 * edge)
    yaml_add_error(
        t, node ? node : options,
        "range is %g nm, more than half the shortest box edge (%g nm): say 'range: %.3g' "
        "or less",
        s->range, edge, floor(0.45 * edge * 100) / 100);
}

static void read_pairs(struct rdf *s, struct observable *o, struct yaml_tree *t, int options)
{
  const int node = yaml_get(t, options, "pairs");
  const int known = yaml_is_list(t, node) && yaml_count(t, node) > 0;
  if (!known)
    yaml_add_error(t, node ? node : options,
                   "'rdf' needs pairs of bead types: 'rdf: {pairs: [[P, P], [P, W]]}'");
  for (int k = 0; known && k < yaml_count(t, node); k++)
    read_pair(s, o, t, yaml_item(t, node, k));
}

static void open(struct observable *o, struct yaml_tree *t, int options)
{
  char name[OBSERVE_NAME];
  const struct topology *topology = o->about->topology;
  const struct ff_type *type = o->about->ff->type;
  struct rdf *s = alloc_array(1, sizeof *s);
  o->own = s;
  s->in_plane = yaml_choice(t, yaml_get(t, options, "in_plane"), 0, "no|yes");
  s->bins = (int)yaml_int(t, yaml_get(t, options, "bins"), 150, 1, 100000);
  read_range(s, o, t, options);
  read_pairs(s, o, t, options);
  observable_chose(o, "range: %g", s->range);
  observable_chose(o, "bins: %d", s->bins);
  observable_chose(o, "in_plane: %s", s->in_plane ? "yes" : "no");
  if (s->in_plane) bilayer_open(&s->bilayer, o, t, options);
  for (int k = 0; k < topology->n_envs; k++) {
    const int terms = topology->term_start[k + 1] - topology->term_start[k];
    if (terms > s->most_terms) s->most_terms = terms;
  }
  o->words = words_of(s) * s->pairs;
  for (int k = 0; k < s->pairs; k++, o->values += 2 * s->bins) {
    snprintf(name, sizeof name, "%s_%s", type[s->pair[k].type[0]].name,
             type[s->pair[k].type[1]].name);
    observable_add_table(o, name, "r", "nm", s->bins);
    observable_add_column(o, "g", "1", o->values);
    observable_add_column(o, "coordination", "1", o->values + s->bins);
  }
}

/* Cells */

struct place {
  int64_t id;
  uint32_t x[3];
  int32_t side; /* leaflet; 0: any */
  int32_t env;  /* bonded environment */
};

/* Beads B of this rank sorted by cell. Cells have at least the range as edge; an axis has either
   three or more of them, or one. */
struct grid {
  int n[3];
  int64_t *start; /* [cells + 1] */
  struct place *place;
};

static void choose_cells(struct grid *g, const struct rdf *s, const double box[3], int64_t beads)
{
  const double most = fmax(1, cbrt((double)beads));
  for (int d = 0; d < 3; d++) {
    const double fit = fmin(floor(box[d] / s->range), s->in_plane ? most * most : 2 * most);
    g->n[d] = fit < 3 || (s->in_plane && d == 2) ? 1 : (int)fmin(fit, 1000);
  }
}

static int cell_along(const struct grid *g, int d, uint32_t x)
{
  return (int)((uint64_t)x * (uint64_t)g->n[d] >> 32);
}

static int64_t cell_of(const struct grid *g, const uint32_t x[3])
{
  return ((int64_t)cell_along(g, 2, x[2]) * g->n[1] + cell_along(g, 1, x[1])) * g->n[0] +
         cell_along(g, 0, x[0]);
}

static struct place place_of(const struct observe_frame *f, const struct observe_system *a,
                             const int *leaflet, int64_t bead)
{
  struct place p = {.id = a->share.first + bead, .env = a->share.env[bead]};
  for (int d = 0; d < 3; d++)
    p.x[d] = (uint32_t)f->position[3 * bead + d];
  if (leaflet) p.side = leaflet[a->share.molecule_of[bead]];
  return p;
}

static void grid_create(struct grid *g, const struct rdf *s, const struct observe_system *a,
                        const struct observe_frame *f, const int *leaflet, const struct pair *p)
{
  choose_cells(g, s, f->box, p->n_b);
  const int64_t cells = (int64_t)g->n[0] * g->n[1] * g->n[2];
  g->start = alloc_array(cells + 2, sizeof *g->start);
  g->place = alloc_array(p->n_b, sizeof *g->place);
  int64_t *next = g->start + 1; /* counts, then where the next bead goes, in the end the ends */
  for (int64_t k = 0; k < p->n_b; k++)
    next[1 + cell_of(g, place_of(f, a, NULL, p->b[k]).x)]++;
  for (int64_t c = 1; c <= cells; c++)
    next[c] += next[c - 1];
  for (int64_t k = 0; k < p->n_b; k++) {
    const struct place at = place_of(f, a, leaflet, p->b[k]);
    g->place[next[cell_of(g, at.x)]++] = at;
  }
}

static void grid_destroy(struct grid *g)
{
  free(g->start);
  free(g->place);
}

/* Counting */

/* Sets bonded[] to the ids of the beads of a type, of this rank's share, that have a bond with a
   bead; returns their number. */
static int bonded_to(const struct observe_system *a, const struct place *of, int type,
                     int64_t *bonded)
{
  const struct topology *t = a->topology;
  const struct share *share = &a->share;
  const int env = of->env;
  int n = 0;
  for (int j = env < 0 ? 0 : t->term_start[env]; env >= 0 && j < t->term_start[env + 1]; j++) {
    const int64_t other = of->id + t->term[j].partner[0], k = other - share->first;
    int known =
        !topology_joins(a->ff, &t->term[j]) || k < 0 || k >= share->n || share->type[k] != type;
    for (int i = 0; i < n; i++)
      known |= bonded[i] == other;
    if (!known) bonded[n++] = other;
  }
  return n;
}

/* A bead A whose surroundings are counted. */
struct centre {
  struct place at;
  const int64_t *bonded;
  int n_bonded;
  double scale[3]; /* nm in a unit of position; 0: the axis does not count */
};

static void count_cell(const struct rdf *s, const struct grid *g, int64_t cell,
                       const struct centre *c, int64_t *word)
{
  const double range2 = s->range * s->range, per_nm = s->bins / s->range;
  for (int64_t k = g->start[cell]; k < g->start[cell + 1]; k++) {
    const struct place *b = &g->place[k];
    double r2 = 0;
    for (int d = 0; d < 3; d++) {
      const double x = (double)(int32_t)(b->x[d] - c->at.x[d]) * c->scale[d];
      r2 += x * x;
    }
    if (r2 >= range2 || b->side != c->at.side || b->id == c->at.id) continue;
    int known = 0;
    for (int j = 0; j < c->n_bonded; j++)
      known |= c->bonded[j] == b->id;
    const int bin = (int)(sqrt(r2) * per_nm);
    if (!known && bin < s->bins) word[bin]++;
  }
}

static void count_around(const struct rdf *s, const struct grid *g, const struct centre *c,
                         int64_t *word)
{
  int from[3], reach[3];
  for (int d = 0; d < 3; d++) {
    reach[d] = g->n[d] < 3 ? 1 : 3;
    from[d] = cell_along(g, d, c->at.x[d]) + (g->n[d] < 3 ? 0 : g->n[d] - 1);
  }
  for (int k = 0; k < reach[2]; k++)
    for (int j = 0; j < reach[1]; j++)
      for (int i = 0; i < reach[0]; i++)
        count_cell(s, g,
                   ((int64_t)((from[2] + k) % g->n[2]) * g->n[1] + (from[1] + j) % g->n[1]) *
                           g->n[0] +
                       (from[0] + i) % g->n[0],
                   c, word);
}

/* The leaflets of the molecules of this rank, 0 for others than lipids. The caller frees them. NULL
   if not in_plane. */
static int *leaflets_of(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct rdf *s = o->own;
  if (!s->in_plane) return NULL;
  int *leaflet = alloc_array(o->about->share.molecules, sizeof *leaflet);
  double(*x)[3] = alloc_array(s->bilayer.most, sizeof *x);
  for (int64_t k = 0; k < s->bilayer.lipids; k++)
    leaflet[s->bilayer.lipid[k]] =
        bilayer_pose(&s->bilayer, o, f, k, x, observe_flat_words(o, word)).leaflet;
  free(x);
  return leaflet;
}

/* The centres of all ranks, at most SUBSET_MOST. The caller frees them. Collective. */
static struct place *centres_gather(const struct observe_system *a, const struct observe_frame *f,
                                    const struct pair *p, const int *leaflet)
{
  int64_t bytes;
  struct place *own = alloc_array(p->n_a, sizeof *own);
  for (int64_t k = 0; k < p->n_a; k++)
    own[k] = place_of(f, a, leaflet, p->a[k]);
  struct place *all = ranks_allgather(a->ranks, own, p->n_a * (int64_t)sizeof *own, &bytes);
  free(own);
  return all;
}

/* Counts the beads B of this rank around the centres of all ranks. */
static void count_pair(const struct observable *o, const struct observe_frame *f,
                       const struct pair *p, const int *leaflet, int64_t *word)
{
  const struct rdf *s = o->own;
  const struct share *share = &o->about->share;
  struct grid g = {.start = NULL};
  int64_t *bonded = alloc_array(s->most_terms, sizeof *bonded), on_side[3] = {0};
  struct place *centre = centres_gather(o->about, f, p, leaflet);
  struct centre c = {.bonded = bonded};
  for (int d = 0; d < 3; d++)
    c.scale[d] = s->in_plane && d == 2 ? 0 : f->box[d] / TORUS_EDGE;
  grid_create(&g, s, o->about, f, leaflet, p);
  for (int64_t j = 0; j < p->n_b; j++)
    on_side[1 + g.place[j].side]++;
  for (int64_t k = 0; k < p->all_a; k++) {
    c.at = centre[k];
    c.n_bonded = bonded_to(o->about, &c.at, p->type[1], bonded);
    const int64_t at = c.at.id - share->first;
    const int itself = p->type[0] == p->type[1] && at >= 0 && at < share->n;
    if (p->n_b > 0) count_around(s, &g, &c, word);
    word[s->bins] += on_side[1 + c.at.side] - itself - c.n_bonded;
  }
  grid_destroy(&g);
  free(centre);
  free(bonded);
}

static void collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct rdf *s = o->own;
  int *leaflet = leaflets_of(o, f, word);
  for (int k = 0; k < s->pairs; k++)
    count_pair(o, f, &s->pair[k], leaflet, word + words_of(s) * k);
  free(leaflet);
}

/* Results */

static void sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                   double *value)
{
  const struct rdf *s = o->own;
  const double width = s->range / s->bins, area = f->box[0] * f->box[1];
  const double extent = s->in_plane ? area : area * f->box[2];
  for (int k = 0; k < s->pairs; k++, word += words_of(s), value += 2 * s->bins) {
    const double pairs = (double)word[s->bins];
    double sum = 0;
    for (int j = 0; j < s->bins; j++) {
      const double r = j * width, next = (j + 1) * width;
      const double shell = s->in_plane ? UNITS_PI * (next * next - r * r)
                                       : 4.0 / 3 * UNITS_PI * (pow(next, 3) - pow(r, 3));
      sum += (double)word[j];
      if (pairs > 0) value[j] = (double)word[j] * extent / (pairs * shell);
      value[s->bins + j] = sum / (double)s->pair[k].all_a;
    }
  }
}

static void derive(const struct observable *o, const double *mean, double *result)
{
  const struct rdf *s = o->own;
  for (int k = 0; k < s->pairs; k++) {
    double *axis = observe_axis_of(o, result, k);
    for (int j = 0; j < s->bins; j++)
      axis[j] = (j + 0.5) * s->range / s->bins;
    memcpy(observe_column_of(o, result, k, 0), mean + (int64_t)2 * s->bins * k,
           2 * (size_t)s->bins * sizeof *result);
  }
}

static void close(struct observable *o)
{
  struct rdf *s = o->own;
  bilayer_close(&s->bilayer);
  for (int k = 0; k < s->pairs; k++) {
    free(s->pair[k].a);
    free(s->pair[k].b);
  }
  free(s->pair);
  free(s);
}

const struct observable_kind kind_rdf = {
    .name = "rdf",
    .summary = "radial distribution functions of pairs of bead types",
    .options = "pairs|range|bins|in_plane",
    .every = 1000,
    .needs = NEEDS_POSITIONS,
    .open = open,
    .collect = collect,
    .sample = sample,
    .derive = derive,
    .close = close,
};
