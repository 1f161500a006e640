/* Radial distribution functions g(r) of pairs of bead types or groups of beads, in space, or in the
   plane of the membrane between beads of lipids of the same leaflet (lateral distance). Pairs with
   a bond are left out. Of each sample g is the number of pairs in a shell over what the same pairs
   would give at random in the volume (area) of the box: pairs are those that can count, so without
   a bead with itself and without bonded ones; in the plane those within the upper and within the
   lower leaflet together. The beads around a centre A are found with a grid of cells over all beads
   B; if there are more than SUBSET_MOST beads A, that many of them are centres. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/portable.h"
#include "base/torus.h"
#include "base/units.h"
#include "observe/bilayer.h"
#include "observe/cell_sort.h"
#include "observe/items.h"
#include "observe/observe_group.h"

struct pair {
  char name[2][OBSERVE_NAME];
  char *in[2]; /* [share]: 1 for beads A, B */
  /* Centres, and beads B: of all ranks, and of this one, indices in its share, [n]. */
  int64_t all[2], n[2], *bead[2];
};

struct rdf {
  int pairs, bins, in_plane;
  double range; /* nm */
  struct pair *pair;
  struct bilayer bilayer; /* in_plane */
};

/* The box in which distances are: in_plane that of its plane, endless along z. */
static void box_counted(const struct rdf *s, const double box[BOX], double counted[BOX])
{
  memcpy(counted, box, BOX * sizeof *box);
  if (!s->in_plane) return;
  counted[2] = HUGE_VAL;
  counted[4] = counted[5] = 0;
}

/* Words of a pair: numbers of pairs in the bins, and of all pairs that can count. Values: g and
   coordination of the bins. */

/* Beads B: all of a group, in_plane those of lipids. list: 2 pair + 1; of beads A 2 pair. */
static enum subset_member member(const struct observable *o, int list, int64_t k)
{
  const struct rdf *s = o->own;
  const struct share *share = &o->about->share;
  const int is_listed =
      s->pair[list / 2].in[list % 2][k] &&
      (!s->in_plane || observe_is_lipid(o->about, &share->molecule[share->molecule_of[k]]));
  return is_listed ? LISTED : LISTED_NOT;
}

/* Beads A. */
static enum subset_member member_a(const struct observable *o, int list, int64_t k)
{
  return member(o, list, k) == LISTED ? LISTED_IN_SUBSET : LISTED_NOT;
}

static void read_pair(struct rdf *s, struct observable *o, struct yaml_tree *t, int node)
{
  const struct observe_system *a = o->about;
  struct pair *p = &s->pair[s->pairs];
  int64_t all;
  if (!yaml_expect_list(t, node, 2, 2)) return;
  for (int k = 0; k < 2; k++) {
    snprintf(p->name[k], sizeof p->name[k], "%c%d", "AB"[k], s -> pairs + 1);
    p->in[k] = observe_group_read(o, t, yaml_item(t, node, k), p->name[k], &all);
  }
  if (!p->in[0] || !p->in[1]) return;
  for (int k = 0; k < s->pairs; k++)
    if (!strcmp(s->pair[k].name[0], p->name[0]) && !strcmp(s->pair[k].name[1], p->name[1])) {
      yaml_add_error(t, node, "this pair stands in the list twice");
      return;
    }
  for (int k = 0, list = 2 * s->pairs++; k < 2; k++) {
    p->bead[k] = subset_list(o, a->share.n, k ? member : member_a, list + k, &p->n[k]);
    p->all[k] = share_sum(a->ranks, p->n[k], NULL);
    if (p->all[k] == 0)
      yaml_add_error(t, yaml_item(t, node, k), "no bead of %s is in a lipid", p->name[k]);
  }
}

static void read_range(struct rdf *s, struct observable *o, struct yaml_tree *t, int options)
{
  const int node = yaml_get(t, options, "range");
  double box[BOX];
  box_counted(s, o->about->box, box);
  const double height = box_least_height(box);
  s->range = yaml_real(t, node, 1.5, YAML_POSITIVE, 1e6);
  if (s->range > 0.5 * height && o->about->continued)
    warn("observe: the box has shrunk: the range of '%s', %g nm, is more than half the least "
         "distance of its opposite faces (%g nm), and g is too low beyond",
         o->name, s->range, height);
  else if (s->range > 0.5 * height)
    yaml_add_error(
        t, node ? node : options,
        "range is %g nm, more than half the least distance of opposite faces of the box (%g "
        "nm): say 'range: %.3g' or less",
        s->range, height, floor(0.45 * height * 100) / 100);
}

static void read_pairs(struct rdf *s, struct observable *o, struct yaml_tree *t, int options)
{
  const int node = yaml_get(t, options, "pairs");
  const int known = yaml_is_list(t, node) && yaml_count(t, node) > 0;
  if (!known)
    yaml_add_error(t, node ? node : options,
                   "'rdf' needs pairs of bead types or groups: 'rdf: {pairs: [[P, P], [P, W]]}'");
  s->pair = observe_memory(o, yaml_count(t, node), sizeof *s->pair);
  for (int k = 0; known && k < yaml_count(t, node); k++)
    read_pair(s, o, t, yaml_item(t, node, k));
}

void observe_rdf_open(struct observable *o, struct yaml_tree *t, int options)
{
  char name[OBSERVE_NAME];
  struct rdf *s = o->own = observe_memory(o, 1, sizeof *s);
  s->in_plane = yaml_choice(t, yaml_get(t, options, "in_plane"), 0, "no|yes");
  s->bins = (int)yaml_int(t, yaml_get(t, options, "bins"), 150, 1, 100000);
  read_range(s, o, t, options);
  read_pairs(s, o, t, options);
  observable_chose(o, "range: %g", s->range);
  observable_chose(o, "bins: %d", s->bins);
  observable_chose(o, "in_plane: %s", s->in_plane ? "yes" : "no");
  if (s->in_plane) bilayer_open(&s->bilayer, o, t, options);
  if (s->in_plane) observe_needs_lateral(o, t, options);
  o->words = (int64_t)(s->bins + 1) * s->pairs;
  double *at = observe_memory(o, s->bins, sizeof *at);
  for (int k = 0; k < s->bins; k++)
    at[k] = (k + 0.5) * s->range / s->bins;
  for (int k = 0; k < s->pairs; k++) {
    snprintf(name, sizeof name, "%.31s_%.31s", s->pair[k].name[0], s->pair[k].name[1]);
    observable_add_table(o, name, "r", "nm", s->bins)->at = at;
    observable_add_column(o, "g", "1", OBSERVE_NEXT);
    observable_add_column(o, "coordination", "1", OBSERVE_NEXT);
  }
}

/* A bead, as a record of cell_sort.h. */
struct record {
  uint32_t x[3];
  int32_t side; /* leaflet; 0: any */
  int32_t env;  /* bonded environment */
  int64_t id;
};

/* The records of beads of this rank. The caller frees them. */
static struct record *records_of(const struct observe_frame *f, const struct observable *o,
                                 const int64_t *bead, int64_t n)
{
  const struct rdf *s = o->own;
  const struct share *share = &o->about->share;
  struct record *record = alloc_array(n, sizeof *record);
  for (int64_t k = 0; k < n; k++) {
    const int64_t at = bead[k];
    record[k].id = share->first + at;
    record[k].env = share->env[at];
    for (int d = 0; d < 3; d++)
      record[k].x[d] = (uint32_t)f->position[3 * at + d];
    if (!s->in_plane) continue;
    record[k].side = s->bilayer.leaflet[share->molecule_of[at]];
    uint32_t lateral[2];
    observe_lateral(f, record[k].x, lateral);
    memcpy(record[k].x, lateral, sizeof lateral);
  }
  return record;
}

/* Sorts records by cells that are at least as wide as the range. */
static void sort(const struct rdf *s, const double box[BOX], const struct record *record, int64_t n,
                 struct cell_sort *c)
{
  const double along = fmax(1, portable_cbrt((double)n)),
               most = s->in_plane ? along * along : 2 * along;
  for (int d = 0; d < 3; d++)
    c->n[d] =
        s->in_plane && d == 2 ? 1 : cells_along(box_height(box, d), s->range, fmin(most, 1000));
  cell_sort_create(c, record, sizeof *record, n);
}

/* Sets bonded[] to the ids of the beads of this rank's share that are in a group and have a bond
   with a bead; returns their number. */
static int bonded_to(const struct observe_system *a, const struct record *of, const char *in,
                     int64_t *bonded)
{
  const struct topology *t = a->topology;
  const struct share *share = &a->share;
  const int env = of->env;
  int n = 0;
  for (int j = env < 0 ? 0 : t->term_start[env]; env >= 0 && j < t->term_start[env + 1]; j++) {
    const int64_t other = of->id + t->term[j].partner[0], k = other - share->first;
    int known = !topology_joins(a->ff, &t->term[j]) || k < 0 || k >= share->n || !in[k];
    for (int i = 0; i < n; i++)
      known |= bonded[i] == other;
    if (!known) bonded[n++] = other;
  }
  return n;
}

/* A bead A whose surroundings are counted. */
struct centre {
  struct record at;
  const int64_t *bonded;
  int n_bonded;
  double scale[BOX]; /* torus_units; 0: the axis does not count */
};

static void count_cell(const struct rdf *s, const struct cell_sort *g, int64_t cell,
                       const struct centre *c, int64_t *word)
{
  const double range2 = s->range * s->range, per_nm = s->bins / s->range;
  const struct record *record = g->record;
  for (int64_t k = g->start[cell]; k < g->start[cell + 1]; k++) {
    const struct record *b = &record[k];
    double f[3], r[3], r2 = 0;
    for (int d = 0; d < 3; d++)
      f[d] = (double)(int32_t)(b->x[d] - c->at.x[d]);
    box_vector(c->scale, f, r);
    for (int d = 0; d < 3; d++)
      r2 += r[d] * r[d];
    if (r2 >= range2 || b->side != c->at.side || b->id == c->at.id) continue;
    int known = 0;
    for (int j = 0; j < c->n_bonded; j++)
      known |= c->bonded[j] == b->id;
    const int bin = (int)(sqrt(r2) * per_nm);
    if (!known && bin < s->bins) word[bin]++;
  }
}

/* Counts the beads B of this rank around the centres of all ranks. */
static void count_pair(const struct observable *o, const struct observe_frame *f,
                       const struct pair *p, int64_t *word)
{
  const struct rdf *s = o->own;
  const struct observe_system *a = o->about;
  const struct topology *t = a->topology;
  int64_t *bonded = alloc_array(t->n_envs ? t->term_start[t->n_envs] : 0, sizeof *bonded),
          on_side[3] = {0}, bytes;
  struct record *own = records_of(f, o, p->bead[0], p->n[0]);
  struct record *b = records_of(f, o, p->bead[1], p->n[1]);
  struct record *centre = ranks_allgather(a->ranks, own, p->n[0] * (int64_t)sizeof *own, &bytes);
  struct centre c = {.bonded = bonded};
  struct cell_sort g;
  double box[BOX];
  box_counted(s, f->box, box);
  torus_units(box, c.scale);
  if (s->in_plane) c.scale[2] = 0;
  sort(s, box, b, p->n[1], &g);
  for (int64_t j = 0; j < p->n[1]; j++)
    on_side[1 + b[j].side]++;
  for (int64_t k = 0; k < p->all[0]; k++) {
    int64_t cell[CELLS_NEAR];
    c.at = centre[k];
    c.n_bonded = bonded_to(a, &c.at, p->in[1], bonded);
    const int64_t at = c.at.id - a->share.first;
    const int itself = at >= 0 && at < a->share.n && p->in[1][at];
    for (int j = p->n[1] > 0 ? cells_near(&g, c.at.x, cell) : 0; j > 0; j--)
      count_cell(s, &g, cell[j - 1], &c, word);
    word[s->bins] += on_side[1 + c.at.side] - itself - c.n_bonded;
  }
  cell_sort_destroy(&g);
  free(centre);
  free(b);
  free(own);
  free(bonded);
}

void observe_rdf_collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct rdf *s = o->own;
  if (s->in_plane) bilayer_poses(&s->bilayer, o, f, observe_flat_words(o, word));
  for (int k = 0; k < s->pairs; k++)
    count_pair(o, f, &s->pair[k], word + (int64_t)(s->bins + 1) * k);
}

void observe_rdf_sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                        double *value)
{
  const struct rdf *s = o->own;
  const double width = s->range / s->bins, area = f->box[0] * f->box[1];
  const double extent = s->in_plane ? area : area * f->box[2];
  for (int k = 0; k < s->pairs; k++, word += s->bins + 1, value += 2 * s->bins) {
    const double pairs = (double)word[s->bins];
    double sum = 0;
    for (int j = 0; j < s->bins; j++) {
      const double r = j * width, next = (j + 1) * width;
      const double shell =
          s->in_plane ? UNITS_PI * (next * next - r * r)
                      : 4.0 / 3 * UNITS_PI * (portable_power(next, 3) - portable_power(r, 3));
      sum += (double)word[j];
      if (pairs > 0) value[j] = (double)word[j] * extent / (pairs * shell);
      value[s->bins + j] = sum / (double)s->pair[k].all[0];
    }
  }
}
