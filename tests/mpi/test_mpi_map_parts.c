/* Maps of sources that are divided over ranks against the same map on one rank alone: the same
   bits, in one part and in several, for lattices inside, around and beside the box; on GPUs where
   there are some. And no rank gets many more sources than its share. */
#include "tests/support/agree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "maps/parts.h"
#include "mpi/comm/ranks_mpi.h"

static struct ranks ranks;

enum { SOURCES = 40000 };

struct scene {
  const char *name;
  enum map_method method;
  int periodic, how; /* how: bits for double precision and compensated sums */
  double box[BOX], cutoff, bin;
  int n[3];
  double origin[3], spacing;
};

/* Numbers from 0 to 1. */
static double uniform(int64_t k, int axis)
{
  return (double)rng_words(31, (uint64_t)axis, (uint64_t)k, RNG_BUILD).word[0] / 4294967296.0;
}

/* The sources of one of `size` ranks; more of them at low z. */
static struct map_charges charges_of(const struct scene *s, int rank, int size)
{
  const int64_t first = (int64_t)SOURCES * rank / size;
  struct map_charges c = {(int64_t)SOURCES * (rank + 1) / size - first, NULL};
  c.charge = alloc_array(c.n, sizeof *c.charge);
  for (int64_t k = 0; k < c.n; k++)
    for (int d = 0; d < 3; d++) {
      const double u = uniform(first + k, d);
      c.charge[k].x[d] = (d == 2 ? u * sqrt(u) : u) * s->box[d];
      c.charge[k].q = uniform(first + k, 3) - 0.5;
      c.charge[k].p[d] = 0.1 * (uniform(first + k, 4 + d) - 0.5);
    }
  return c;
}

/* The largest number of sources that ops got at a time, on this rank. */
static int64_t most_sources;
static const struct map_ops *inner;

static void compute_counted(const struct map_job *job, void *value)
{
  if (job->sources->n > most_sources) most_sources = job->sources->n;
  inner->compute(job, value);
}

/* The planes of one of the ranks r, by all of them. The caller frees the values. */
static char *solve(const struct scene *s, const struct ranks *r, size_t *bytes, int *first)
{
  const struct map_ops counted = {"counted", compute_counted, NULL};
  struct map_job job = {.method = s->method, .cutoff = s->cutoff};
  struct map_charges c = charges_of(s, r->rank, r->size);
  const double spacing[3] = {s->spacing, s->spacing, s->spacing};
  double low[3], high[3];
  job.double_precision = s->how & 1;
  job.compensated = s->how >> 1;
  job.device = r->on_node;
  for (int k = 0; k < 3; k++) {
    low[k] = fmin(0, s->origin[k]);
    high[k] = fmax(s->box[k], s->origin[k] + (s->n[k] - 1) * s->spacing);
  }
  job.torus = s->periodic ? lattice_torus_box(s->box)
                          : lattice_torus_open(low, high, s->method ? s->cutoff : 0);
  struct map_lattice *l = lattice_create(&job.torus, s->n, s->origin, spacing, r->rank, r->size);
  const size_t plane = (size_t)s->n[0] * (size_t)s->n[1] * (s->how & 1 ? 8 : 4);
  char *value = alloc_array(l->count + 1, plane);
  job.lattice = l;
  most_sources = 0;
  parts_compute(r, &job, &counted, &c, s->method == MAP_DIRECT ? 0 : s->bin, value);
  *bytes = (size_t)l->count * plane;
  *first = l->first;
  lattice_destroy(l);
  return value;
}

/* share: the most that a rank may have, in parts of the sources over the ranks; 0: all. */
static void compare(const struct scene *s, double share)
{
  struct ranks alone = {.size = 1, .local_size = 1};
  size_t bytes, all;
  int first, zero;
  ranks_mpi_create(&alone, MPI_COMM_SELF);
  char *whole = solve(s, &alone, &all, &zero);
  ranks_mpi_destroy(&alone);
  char *mine = solve(s, &ranks, &bytes, &first);
  const size_t plane = (size_t)s->n[0] * (size_t)s->n[1] * (s->how & 1 ? 8 : 4);
  const int same = memcmp(mine, whole + (size_t)first * plane, bytes) == 0;
  const double had = (double)most_sources * ranks.size / SOURCES;
  if (!same || (share > 0 && had > share))
    print_error("%s: rank %d, same bits %d, share of sources %.3g\n", s->name, ranks.rank, same,
                had);
  AGREE(&ranks, same);
  AGREE(&ranks, ranks.size == 1 || share == 0 || had <= share);
  free(mine);
  free(whole);
}

static const struct scene scenes[] = {
    {"planes", MAP_CUTOFF, 1, 0, {4, 5, 30}, 1.1, 0.4, {10, 12, 75}, {0, 0, 0}, 0.4},
    {"membrane", MAP_CUTOFF, 1, 1, {5, 60, 6}, 1.1, 0.4, {10, 120, 12}, {0, 0, 0}, 0.5},
    {"long along x", MAP_CUTOFF, 1, 0, {60, 5, 6}, 1.1, 0.4, {300, 12, 12}, {0, 0, 0}, 0.2},
    {"both ways", MAP_CUTOFF, 1, 1, {30, 25, 3}, 1.0, 0.4, {150, 50, 5}, {0, 0, 0}, 0.2},
    {"x across faces", MAP_CUTOFF, 1, 0, {60, 5, 6}, 1.1, 0.4, {280, 9, 9}, {-7, -2, -3}, 0.2},
    {"one layer of blocks", MAP_CUTOFF, 1, 2, {5, 60, 4}, 1, 0.3, {6, 75, 5}, {0, 0, 0}, 0.8},
    {"compensated", MAP_CUTOFF, 1, 3, {5, 60, 6}, 1.1, 1.1, {10, 120, 12}, {0, 0, 0}, 0.5},
    {"force field", MAP_FORCE_FIELD, 1, 0, {5, 60, 6}, 1.2, 0.15, {9, 109, 11}, {0, 0, 0}, 0.55},
    {"across faces", MAP_CUTOFF, 1, 0, {5, 60, 6}, 1.1, 0.4, {9, 80, 9}, {-2, -7, -3}, 0.6},
    {"around the box", MAP_CUTOFF, 1, 0, {5, 30, 6}, 1.1, 0.4, {9, 80, 20}, {-2, -7, -3}, 0.6},
    {"a few points", MAP_CUTOFF, 1, 1, {5, 60, 6}, 1.1, 0.4, {4, 3, 2}, {1, 59, 5}, 0.7},
    {"open", MAP_CUTOFF, 0, 0, {5, 60, 6}, 1.1, 0.4, {10, 130, 14}, {-1, -2, -0.3}, 0.5},
    {"long cutoff", MAP_CUTOFF, 0, 1, {5, 60, 6}, 90, 60, {3, 12, 9}, {0, 0, 0}, 5},
    {"all pairs", MAP_DIRECT, 1, 0, {5, 60, 6}, 0, 0, {3, 12, 9}, {0, 0, 0}, 0.7},
};

static void compare_all(void)
{
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
    compare(&scenes[k], 0);
}

static void same_bits(void **state)
{
  (void)state;
  inner = map_ops_get(&ranks, "cpu");
  compare_all();
}

static void no_rank_has_all(void **state)
{
  (void)state;
  inner = map_ops_get(&ranks, "cpu");
  for (int k = 1; k < 4; k++)
    compare(&scenes[k], 1);
}

static void gpus(void **state)
{
  (void)state;
  inner = map_ops_get(&ranks, "auto");
  if (!strcmp(inner->name, "cpu")) skip();
  compare_all();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(no_rank_has_all),
                                     cmocka_unit_test(gpus)};
  ranks_open(&ranks, &argc, &argv);
  return ranks_close(&ranks, cmocka_run_group_tests(tests, NULL, NULL));
}
