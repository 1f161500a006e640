/* Maps of sources that are divided over ranks: see parts.h. Sources travel by whole bins, so that
 * the sums of a point have the sources and the order that they have on one rank.
 */
#include "maps/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "maps/full.h"

/* The sources that this rank gives, in the order of the input. */
struct stock {
  const struct ranks *ranks;
  int64_t n, n_all; /* here; of all ranks */
  struct map_source *source;
  int has_dipoles; /* of all ranks */
  int bins[3];
};

/* The bins that a rank needs, as struct map_sources has them. */
struct window {
  int low[3], held[3];
};

/* Points [first, end) along an axis. */
struct stretch {
  int first, end;
};

/* Frees the charges. The bins are left to the caller. Collective. */
static struct stock stock_make(const struct ranks *r, const struct map_torus *t,
                               struct map_charges *c)
{
  struct stock s = {.ranks = r, .n = c->n, .n_all = c->n};
  int64_t has_dipoles = 0;
  ranks_sum_int64(r, &s.n_all, 1);
  s.source = alloc_array(c->n, sizeof *s.source);
  for (int64_t k = 0; k < c->n; k++) {
    const struct map_source *one = &s.source[k];
    s.source[k] = sources_on_torus(&c->charge[k], t);
    has_dipoles |= one->p[0] != 0 || one->p[1] != 0 || one->p[2] != 0;
  }
  free(c->charge);
  c->charge = NULL;
  ranks_max_int64(r, &has_dipoles, 1);
  s.has_dipoles = (int)has_dipoles;
  return s;
}

/* Sets along an axis the bins within reach (nm) of points. All that kernels look at are among
   them: their roundings are far below the margin. */
static void window_set(struct window *w, const struct map_job *job, const int bins[3], int axis,
                       struct stretch points, double reach)
{
  const double margin = 1e-8, edge = job->torus.edge[axis];
  const double far = reach / edge + margin; /* turns around the torus */
  const struct map_lattice *l = job->lattice;
  const int n = bins[axis], last = points.end - 1;
  w->low[axis] = w->held[axis] = 0;
  if (points.end <= points.first) return;
  const double low = torus_fraction(l->at[axis][points.first]);
  const double high = low + (last - points.first) * l->spacing[axis] / edge;
  const double from = floor((low - far) * n), to = floor((high + far) * n);
  w->held[axis] = n;
  if (to - from + 1 >= n) return;
  w->held[axis] = (int)(to - from) + 1;
  w->low[axis] = ((int)from % n + n) % n;
}

/* Planes of a rank with the rest of their blocks of points, which kernels gather sources for. */
static struct stretch planes_of(const struct map_job *job, int rank, int size)
{
  const int n = job->lattice->n[2], block = job->method == MAP_FULL ? 1 : MAP_BLOCK;
  struct stretch s = {lattice_first(n, rank, size), lattice_first(n, rank + 1, size)};
  if (s.end == s.first) return s;
  s.first = s.first / block * block;
  s.end = (s.end - 1) / block * block + block;
  if (s.end > n) s.end = n;
  return s;
}

static double reach_of(const struct map_job *job, int axis)
{
  if (job->method == MAP_DIRECT) return job->torus.edge[axis];
  return job->method == MAP_FULL ? 2 * job->lattice->spacing[axis] : job->cutoff;
}

/* The windows of all ranks along z, and whole along x and y. The caller frees them. */
static struct window *windows_of(const struct stock *s, const struct map_job *job)
{
  const int size = s->ranks->size;
  struct window *w = alloc_array(size, sizeof *w);
  for (int k = 0; k < size; k++) {
    window_set(&w[k], job, s->bins, 2, planes_of(job, k, size), reach_of(job, 2));
    for (int axis = 0; axis < 2; axis++)
      w[k].held[axis] = s->bins[axis];
  }
  return w;
}

static int is_in(const struct window *w, const int bins[3], const struct map_source *s)
{
  for (int k = 2; k >= 0; k--) {
    const int at = sources_bin_at(s->x[k], bins[k]) - w->low[k];
    if ((at < 0 ? at + bins[k] : at) >= w->held[k]) return 0;
  }
  return 1;
}

/* The number of sources of a window. */
static int64_t count_in(const struct stock *s, const struct window *w)
{
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++)
    n += is_in(w, s->bins, &s->source[k]);
  return n;
}

/* Sends each rank the sources of its window, and returns those of this rank in the order of the
   input, and their number. The caller frees them. Collective. */
static struct map_source *deal(const struct stock *s, const struct window *w, int64_t *received)
{
  const int size = s->ranks->size;
  int64_t *count = alloc_array(size, sizeof *count), all = 0;
  for (int k = 0; k < size; k++)
    all += count[k] = count_in(s, &w[k]);
  struct map_source *sent = alloc_array(all, sizeof *sent), *to = sent;
  for (int k = 0; k < size; k++)
    for (int64_t i = 0; i < s->n; i++)
      if (is_in(&w[k], s->bins, &s->source[i])) *to++ = s->source[i];
  struct map_source *got = ranks_exchange(s->ranks, sizeof *sent, sent, count, NULL, received);
  free(sent);
  free(count);
  return got;
}

/* The sources of this rank's window, sorted. last: frees the stock. Collective. */
static struct map_sources *sources_get(struct stock *s, const struct window *w, int last)
{
  const struct window *own = &w[s->ranks->rank];
  int64_t n;
  struct map_source *got = deal(s, w, &n);
  if (last) free(s->source);
  struct map_sources *sources = sources_sort(got, n, s->bins, own->low, own->held);
  free(got);
  sources->has_dipoles = s->has_dipoles;
  return sources;
}

/* The largest number of sources in a window of a rank. Collective. */
static int64_t most_in(const struct stock *s, const struct window *w)
{
  const struct ranks *r = s->ranks;
  int64_t *count = alloc_array(r->size, sizeof *count), most = 0;
  for (int k = 0; k < r->size; k++)
    count[k] = count_in(s, &w[k]);
  ranks_sum_int64(r, count, r->size);
  for (int k = 0; k < r->size; k++)
    if (count[k] > most) most = count[k];
  free(count);
  return most;
}

/* Blocks of points along x and y, at whose borders a lattice may be cut. */
static int blocks_along(const struct map_lattice *l, int axis)
{
  const int block = axis == 0 ? MAP_ROW : MAP_BLOCK;
  return (l->n[axis] + block - 1) / block;
}

/* How many parts along x and y: so many that no rank has more than half its share of the sources
   beside those that it gives, or FEW. The longest side is cut first. A part is at least two cutoffs
   wide, so that not many sources are sent for several parts. Collective. */
static void parts_choose(const struct stock *s, const struct map_job *job, const struct window *w,
                         int parts[2])
{
  enum { FEW = 4096 };
  const struct map_lattice *l = job->lattice;
  const double *edge = job->torus.edge;
  parts[0] = parts[1] = 1;
  if (job->method == MAP_DIRECT || s->ranks->size == 1) return;
  const double share = fmax(FEW, 0.5 * (double)s->n_all / s->ranks->size);
  const double most = (double)most_in(s, w);
  for (;;) {
    double have = most, longest = 0;
    int cut = -1;
    for (int k = 0; k < 2; k++) {
      const double extent = l->n[k] * l->spacing[k], side = extent / parts[k];
      have *= fmin(1, (side + 2 * job->cutoff + edge[k] / s->bins[k]) / edge[k]);
      if (side <= longest || parts[k] == blocks_along(l, k) ||
          extent / (parts[k] + 1) < 2 * job->cutoff)
        continue;
      longest = side;
      cut = k;
    }
    if (have <= share || cut < 0) return;
    parts[cut]++;
  }
}

/* The points of part k of n along an axis. */
static struct stretch part_of(const struct map_lattice *l, int axis, int k, int n)
{
  const int block = axis == 0 ? MAP_ROW : MAP_BLOCK;
  const int64_t blocks = blocks_along(l, axis);
  const int64_t first = blocks * k / n * block, end = blocks * (k + 1) / n * block;
  return (struct stretch){(int)first, (int)(end < l->n[axis] ? end : l->n[axis])};
}

/* Computes the points of a part along x and y, with job->sources. */
static void part_compute(const struct map_job *job, const struct map_ops *ops,
                         const struct stretch points[2], void *value)
{
  const struct map_lattice *l = job->lattice;
  struct map_lattice part = *l;
  struct map_job job_part = *job;
  const size_t size = job->double_precision ? sizeof(double) : sizeof(float);
  for (int k = 0; k < 2; k++) {
    part.n[k] = points[k].end - points[k].first;
    part.at[k] = l->at[k] + points[k].first;
    part.origin[k] += points[k].first * l->spacing[k];
  }
  job_part.lattice = &part;
  const size_t row = (size_t)part.n[0] * size;
  char *computed = alloc_array((int64_t)l->count * part.n[1], row), *from = computed;
  ops->compute(&job_part, computed);
  for (int z = 0; z < l->count; z++)
    for (int y = points[1].first; y < points[1].end; y++, from += row) {
      const int64_t to = ((int64_t)z * l->n[1] + y) * l->n[0] + points[0].first;
      memcpy((char *)value + (size_t)to * size, from, row);
    }
  free(computed);
}

double parts_compute(const struct ranks *r, struct map_job *job, const struct map_ops *ops,
                     struct map_charges *c, double bin, void *value)
{
  struct stock s = stock_make(r, &job->torus, c);
  const struct map_lattice *l = job->lattice;
  int n[2];
  sources_bins(&job->torus, s.n_all, bin, s.bins);
  struct window *w = windows_of(&s, job);
  parts_choose(&s, job, w, n);
  const int parts = n[0] * n[1];
  double seconds = 0;
  for (int k = 0; k < parts; k++) {
    const struct stretch points[2] = {part_of(l, 0, k % n[0], n[0]), part_of(l, 1, k / n[0], n[1])};
    for (int rank = 0; rank < r->size; rank++)
      for (int axis = 0; axis < 2; axis++)
        window_set(&w[rank], job, s.bins, axis, points[axis], reach_of(job, axis));
    struct map_sources *sources = sources_get(&s, w, k == parts - 1);
    job->sources = sources;
    const double start = ranks_time();
    if (parts == 1)
      ops->compute(job, value);
    else
      part_compute(job, ops, points, value);
    seconds += ranks_time() - start;
    job->sources = NULL;
    sources_destroy(sources);
  }
  free(w);
  return seconds;
}

/* The bound of full.h over all ranks, in their order. Collective. */
static double bound_of(const struct stock *s, const struct map_job *job)
{
  double sum = 1e-30;
  for (int k = 0; k < s->ranks->size; k++) {
    sum = s->ranks->rank == k ? map_full_bound(job, s->source, s->n, sum) : 0;
    ranks_max_double(s->ranks, &sum, 1);
  }
  return sum;
}

double parts_full(const struct ranks *r, const struct map_job *job, int cuda, struct map_charges *c,
                  void *value)
{
  enum { LAYERS = 2048, SLICE = 1 << 15 };
  struct stock s = stock_make(r, &job->torus, c);
  const int planes = job->lattice->n[2];
  const int64_t each = r->size > 1 ? SLICE : s.n + 1; /* sources that a rank gives at a time */
  int64_t slices = (s.n + each - 1) / each;
  s.bins[0] = s.bins[1] = 1;
  s.bins[2] = planes < LAYERS ? planes : LAYERS;
  struct window *w = windows_of(&s, job);
  const double bound = bound_of(&s, job);
  ranks_max_int64(r, &slices, 1);
  const double start = ranks_time();
  struct map_full *full = map_full_begin(job, r, cuda, bound);
  double exchanges = 0;
  for (int64_t k = 0; k < slices; k++) {
    struct stock slice = s;
    int64_t n;
    slice.n = k * each < s.n ? s.n - k * each : 0;
    if (slice.n > 0) slice.source += k * each;
    if (slice.n > each) slice.n = each;
    const double sent = ranks_time();
    struct map_source *got = deal(&slice, w, &n);
    exchanges += ranks_time() - sent;
    map_full_add(full, got, n);
    free(got);
  }
  free(s.source);
  free(w);
  map_full_end(full, value);
  return ranks_time() - start - exchanges;
}
