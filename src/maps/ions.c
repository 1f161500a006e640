/* Placement of ions: see ions.h. Places are kept by rows of the lattice along x: the best place of
   a row is searched again only if the map or the places of the row have changed. */
#define REAL_DOUBLE /* the working precision of this file */
#include "maps/ions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "maps/map_body.h"
#include "molecules/remote.h"

/* The best place of a row; key: id of the bead, or index of the point in the whole lattice;
   INT64_MAX: the row has no place left. */
struct best {
  double energy; /* kJ/mol */
  int64_t key;
  int64_t place; /* index of the place */
  int known;     /* 0: to be searched */
};

struct site {
  int32_t x[3];
  int column; /* index along x of the nearest point */
  int64_t id;
};

struct ions {
  const struct ranks *ranks;
  const struct map_job *job;
  const struct map_lattice *lattice;
  double *value;
  double charge;     /* e, for which the best places are known */
  struct site *site; /* by rows, then by id; NULL: places are the points of this rank */
  int64_t *first;    /* [rows + 1]: first place of each row */
  char *open;        /* [places] */
  int n_rows, n_near;
  struct best *best; /* [rows] */
  int *near;         /* [rows]: work space */
};

/* Index of the nearest point along an axis. */
static int nearest_point(int32_t x, int n)
{
  return (int)((((uint64_t)(uint32_t)x * (uint64_t)n + (UINT64_C(1) << 31)) >> 32) % (uint64_t)n);
}

/* Along an axis, the points within reach (nm) of a position: n of them from `first`, modulo the
   number of points. Reaches one point farther. */
struct span {
  int first, n;
};

static struct span span_of(const struct map_lattice *l, int axis, int32_t x, double reach)
{
  const int all = l->n[axis];
  const double half = ceil(reach / l->spacing[axis]) + 1;
  struct span s = {0, all};
  if (2 * half + 1 >= all) return s;
  s.n = 2 * (int)half + 1;
  s.first = (nearest_point(x, all) + all - (int)half) % all;
  return s;
}

/* Lists the rows of this rank near a position in p->near. */
static void find_rows(struct ions *p, const int32_t x[3], double reach)
{
  const struct map_lattice *l = p->lattice;
  const struct span y = span_of(l, 1, x[1], reach), z = span_of(l, 2, x[2], reach);
  p->n_near = 0;
  for (int i = 0; i < z.n; i++) {
    const int plane = (z.first + i) % l->n[2] - l->first;
    if (plane < 0 || plane >= l->count) continue;
    for (int j = 0; j < y.n; j++)
      p->near[p->n_near++] = plane * l->n[1] + (y.first + j) % l->n[1];
  }
}

static void place_position(const struct ions *p, int row, int64_t place, int32_t x[3])
{
  const struct map_lattice *l = p->lattice;
  if (p->site) {
    memcpy(x, p->site[place].x, 3 * sizeof *x);
    return;
  }
  x[0] = l->at[0][place - p->first[row]];
  x[1] = l->at[1][row % l->n[1]];
  x[2] = l->at[2][l->first + row / l->n[1]];
}

static void close_place(struct ions *p, int row, int64_t place, const int32_t x[3], double distance)
{
  const double *edge = p->job->torus.edge, box[BOX] = {edge[0], edge[1], edge[2]};
  int32_t at[3];
  double h[BOX];
  if (!p->open[place]) return;
  place_position(p, row, place, at);
  torus_units(box, h);
  if (torus_distance2(at, x, h) >= distance * distance) return;
  p->open[place] = 0;
  p->best[row].known = 0;
}

void ions_close(struct ions *p, const int32_t x[3], double distance)
{
  const struct map_lattice *l = p->lattice;
  const struct span s = span_of(l, 0, x[0], distance);
  find_rows(p, x, distance);
  for (int k = 0; k < p->n_near; k++) {
    const int row = p->near[k];
    if (p->site)
      for (int64_t place = p->first[row]; place < p->first[row + 1]; place++)
        close_place(p, row, place, x, distance);
    else
      for (int i = 0; i < s.n; i++)
        close_place(p, row, p->first[row] + (s.first + i) % l->n[0], x, distance);
  }
}

/* 1 if a rank has one of the planes of a span. */
static int has_planes(const struct map_lattice *l, struct span s, int rank, int size)
{
  const int all = l->n[2], first = lattice_first(all, rank, size);
  const int n = lattice_first(all, rank + 1, size) - first;
  return n > 0 && ((first - s.first + all) % all < s.n || (s.first - first + all) % all < n);
}

/* Lists n positions for the ranks that have rows near them, in the order of ranks, and sets how
   many each gets. The caller frees them. */
static int32_t (*positions_for(const struct ions *p, int64_t n, const int32_t (*x)[3],
                               double distance, int64_t *count))[3]
{
  int32_t(*out)[3] = alloc_array(n, sizeof *out);
  int64_t all = 0, room = n;
  for (int k = 0; k < p->ranks->size; k++) {
    const int64_t before = all;
    for (int64_t i = 0; i < n; i++) {
      const struct span z = span_of(p->lattice, 2, x[i][2], distance);
      if (!has_planes(p->lattice, z, k, p->ranks->size)) continue;
      if (all == room) out = grow_array(out, room *= 2, sizeof *out);
      memcpy(out[all++], x[i], sizeof *out);
    }
    count[k] = all - before;
  }
  return out;
}

void ions_close_all(struct ions *p, int64_t n, const int32_t (*x)[3], double distance)
{
  int64_t *count = alloc_array(p->ranks->size, sizeof *count), received;
  int32_t(*sent)[3] = positions_for(p, n, x, distance, count);
  int32_t(*got)[3] = ranks_exchange(p->ranks, sizeof *sent, sent, count, NULL, &received);
  for (int64_t i = 0; i < received; i++)
    ions_close(p, got[i], distance);
  free(sent);
  free(got);
  free(count);
}

/* Adds the potential of an ion to the points of this rank. */
static void add_potential(struct ions *p, const int32_t x[3], double charge)
{
  const struct map_lattice *l = p->lattice;
  const struct map_constants c = map_constants_of(p->job);
  const struct map_source ion = {{x[0], x[1], x[2]}, 0, charge, {0, 0, 0}};
  const double q = map_amount_of(&ion, c).q;
  const struct span s = span_of(l, 0, x[0], p->job->cutoff);
  find_rows(p, x, p->job->cutoff);
  for (int k = 0; k < p->n_near; k++) {
    const int row = p->near[k];
    const double dy = map_difference(l->at[1][row % l->n[1]], x[1], c.h[1]),
                 dz = map_difference(l->at[2][l->first + row / l->n[1]], x[2], c.h[2]);
    double *value = p->value + (int64_t)row * l->n[0];
    p->best[row].known = 0;
    for (int i = 0; i < s.n; i++) {
      const int column = (s.first + i) % l->n[0];
      const double dx = map_difference(l->at[0][column], x[0], c.h[0]);
      value[column] +=
          map_value((int)p->job->method, 0, dx * dx + dy * dy + dz * dz, q, 0, c.least);
    }
  }
}

/* Sends sites to the ranks that have the planes next to them: returns those of this rank, in the
   order of ids, and their number. The caller frees them. Collective. */
static struct site *deal_sites(const struct ions *p, const struct ion_sites *sites, int64_t *n)
{
  const struct map_lattice *l = p->lattice;
  struct site *own = alloc_array(sites->n, sizeof *own);
  int *rank = alloc_array(sites->n, sizeof *rank);
  struct remote m;
  for (int64_t k = 0; k < sites->n; k++) {
    memcpy(own[k].x, sites->x[k], sizeof own[k].x);
    own[k].id = sites->id[k];
    own[k].column = nearest_point(own[k].x[0], l->n[0]);
    rank[k] = lattice_rank(l->n[2], nearest_point(own[k].x[2], l->n[2]), p->ranks->size);
  }
  remote_to(&m, p->ranks, rank, sites->n);
  struct site *got = remote_push(&m, own, sizeof *own);
  *n = m.n_asked;
  remote_free(&m);
  free(rank);
  free(own);
  return got;
}

static int row_of(const struct map_lattice *l, const struct site *s)
{
  return (nearest_point(s->x[2], l->n[2]) - l->first) * l->n[1] + nearest_point(s->x[1], l->n[1]);
}

/* Places by rows: counts, then fills. Sites of a row keep the order of their ids. */
static void sort_sites(struct ions *p, const struct site *site, int64_t n)
{
  const struct map_lattice *l = p->lattice;
  for (int64_t k = 0; k < n; k++)
    p->first[row_of(l, &site[k]) + 1]++;
  for (int k = 0; k < p->n_rows; k++)
    p->first[k + 1] += p->first[k];
  int64_t *next = alloc_array(p->n_rows, sizeof *next);
  if (p->n_rows) memcpy(next, p->first, (size_t)p->n_rows * sizeof *next);
  p->site = alloc_array(n, sizeof *p->site);
  for (int64_t k = 0; k < n; k++)
    p->site[next[row_of(l, &site[k])]++] = site[k];
  free(next);
}

struct ions *ions_create(const struct ranks *r, const struct map_job *job, double *value,
                         const struct ion_sites *sites)
{
  struct ions *p = alloc_array(1, sizeof *p);
  p->ranks = r;
  p->job = job;
  p->lattice = job->lattice;
  p->value = value;
  p->n_rows = p->lattice->count * p->lattice->n[1];
  p->best = alloc_array(p->n_rows, sizeof *p->best);
  p->near = alloc_array(p->n_rows, sizeof *p->near);
  p->first = alloc_array((int64_t)p->n_rows + 1, sizeof *p->first);
  if (sites) {
    int64_t n;
    struct site *site = deal_sites(p, sites, &n);
    sort_sites(p, site, n);
    free(site);
  } else {
    for (int k = 0; k < p->n_rows; k++)
      p->first[k + 1] = p->first[k] + p->lattice->n[0];
  }
  p->open = alloc_array(p->first[p->n_rows], 1);
  memset(p->open, 1, (size_t)p->first[p->n_rows]);
  return p;
}

void ions_destroy(struct ions *p)
{
  if (!p) return;
  free(p->site);
  free(p->first);
  free(p->open);
  free(p->best);
  free(p->near);
  free(p);
}

int64_t ions_left(const struct ions *p)
{
  int64_t left = 0;
  for (int64_t k = 0; k < p->first[p->n_rows]; k++)
    left += p->open[k];
  ranks_sum_int64(p->ranks, &left, 1);
  return left;
}

static int is_better(const struct best *a, const struct best *b)
{
  return a->energy < b->energy || (a->energy == b->energy && a->key < b->key);
}

static struct best search_row(const struct ions *p, int row)
{
  struct best best = {.energy = HUGE_VAL, .key = INT64_MAX, .known = 1};
  const int columns = p->lattice->n[0];
  const double *value = p->value + (int64_t)row * columns;
  for (int64_t k = p->first[row]; k < p->first[row + 1]; k++) {
    if (!p->open[k]) continue;
    const int64_t point = k + (int64_t)p->lattice->first * p->lattice->n[1] * columns;
    const struct best at = {p->charge * value[p->site ? p->site[k].column : k - p->first[row]],
                            p->site ? p->site[k].id : point, k, 1};
    if (is_better(&at, &best)) best = at;
  }
  return best;
}

/* The best place of this rank, as other ranks get it. */
struct offer {
  struct best best;
  struct ion_place place;
};

static struct offer find_offer(struct ions *p)
{
  struct offer offer;
  int row = -1;
  memset(&offer, 0, sizeof offer);
  offer.best.energy = HUGE_VAL;
  offer.best.key = INT64_MAX;
  for (int k = 0; k < p->n_rows; k++) {
    if (!p->best[k].known) p->best[k] = search_row(p, k);
    if (!is_better(&p->best[k], &offer.best)) continue;
    offer.best = p->best[k];
    row = k;
  }
  if (row < 0) return offer;
  place_position(p, row, offer.best.place, offer.place.x);
  offer.place.id = p->site ? offer.best.key : 0;
  offer.place.energy = offer.best.energy;
  offer.place.rank = p->ranks->rank;
  offer.place.place = offer.best.place;
  return offer;
}

int ions_find(struct ions *p, double charge, struct ion_place *out)
{
  if (charge != p->charge)
    for (int k = 0; k < p->n_rows; k++)
      p->best[k].known = 0;
  p->charge = charge;
  struct offer mine = find_offer(p);
  int64_t bytes;
  struct offer *all = ranks_allgather(p->ranks, &mine, sizeof mine, &bytes), *best = all;
  for (int k = 1; k < p->ranks->size; k++)
    if (is_better(&all[k].best, &best->best)) best = &all[k];
  const int found = best->best.key < INT64_MAX;
  if (found) *out = best->place;
  free(all);
  return found;
}

void ions_put(struct ions *p, double charge, const struct ion_place *place)
{
  if (place->rank == p->ranks->rank) p->open[place->place] = 0;
  add_potential(p, place->x, charge);
}
