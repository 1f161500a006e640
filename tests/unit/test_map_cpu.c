/* Maps of the potential on the CPU, every kernel that this processor runs, against sums over all
   pairs with formulas written out here; and the same bits however planes are divided over ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cpu/force_cpu.h"
#include "maps/map.h"
#include "maps/sources.h"
#include "tests/support/sorted_sources.h"
#include "tests/support/unit.h"

#define COULOMB 138.93545764

enum { SOURCES = 90, CHARGES = 1, DIPOLES = 2 };

/* A map of some sources. Points from origin on. */
struct scene {
  enum map_method method;
  double cutoff;
  int periodic;
  double box[BOX];
  int n[3];
  double origin[3], spacing[3];
  int amounts; /* CHARGES, DIPOLES */
  int n_sources;
  struct map_charge source[SOURCES];
};

static double uniform(int k, int axis)
{
  return (double)rng_words(29, (uint64_t)axis, (uint64_t)k, RNG_BUILD).word[0] / 4294967296.0;
}

/* Sources anywhere in the box, some of them on its faces or on points of the lattice. */
static void sources_make(struct scene *s)
{
  s->n_sources = SOURCES;
  for (int k = 0; k < SOURCES; k++) {
    struct map_charge *c = &s->source[k];
    memset(c, 0, sizeof *c);
    if (s->amounts & CHARGES) c->q = uniform(k, 3) - 0.5;
    for (int d = 0; d < 3; d++) {
      const double point = s->origin[d] + k % s->n[d] * s->spacing[d];
      c->x[d] = k % 5 == 0 ? point : k % 7 == 0 ? 0 : uniform(k, d) * s->box[d];
      if (s->amounts & DIPOLES) c->p[d] = 0.1 * (uniform(k, 4 + d) - 0.5);
    }
  }
}

/* Sources and lattice of a scene as the kernels take them. */
struct made {
  struct map_job job;
  struct map_sources *sources;
  struct map_lattice *lattice;
};

static struct made make(const struct scene *s, double bin, int rank, int size)
{
  struct made m = {{.method = s->method, .cutoff = s->cutoff}, NULL, NULL};
  struct map_charges all = {s->n_sources, NULL};
  double low[3], high[3];
  all.charge = malloc(sizeof s->source);
  memcpy(all.charge, s->source, sizeof s->source);
  for (int k = 0; k < 3; k++) {
    low[k] = fmin(0, s->origin[k]);
    high[k] = fmax(s->box[k], s->origin[k] + (s->n[k] - 1) * s->spacing[k]);
  }
  m.job.torus = s->periodic ? lattice_torus_box(s->box)
                            : lattice_torus_open(low, high, s->method ? s->cutoff : 0);
  m.sources = sorted_sources(&all, &m.job.torus, bin);
  m.lattice = lattice_create(&m.job.torus, s->n, s->origin, s->spacing, rank, size);
  m.job.sources = m.sources;
  m.job.lattice = m.lattice;
  free(all.charge);
  return m;
}

static void made_free(struct made *m)
{
  sources_destroy(m->sources);
  lattice_destroy(m->lattice);
}

/* The potential of one source at separation d. Adds to size what it would be without the factors of
   the cutoff: rounding goes by that. */
static double potential(const struct scene *s, const struct map_charge *c, const double d[3],
                        double *size)
{
  const double r = fmax(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), MAP_NEAREST);
  const double x = r / s->cutoff, pd = c->p[0] * d[0] + c->p[1] * d[1] + c->p[2] * d[2];
  const double p = sqrt(c->p[0] * c->p[0] + c->p[1] * c->p[1] + c->p[2] * c->p[2]);
  double charge = COULOMB * c->q / r, dipole = COULOMB * pd / (r * r * r);
  if (s->method != MAP_DIRECT && x >= 1) return 0;
  *size += fabs(charge) + COULOMB * p / (r * r);
  if (s->method == MAP_CUTOFF) {
    charge *= pow(1 - x * x, 2);
    dipole *= (1 - x * x) * (1 + 3 * x * x);
  }
  if (s->method == MAP_FORCE_FIELD) {
    charge *= pow(1 - x, 2);
    dipole *= 1 - 3 * x * x + 2 * x * x * x;
  }
  return charge + dipole;
}

static double expected(const struct scene *s, const int at[3], double *size)
{
  double sum = 0;
  *size = 0;
  for (int k = 0; k < s->n_sources; k++) {
    double d[3];
    for (int a = 0; a < 3; a++) {
      d[a] = s->origin[a] + at[a] * s->spacing[a] - s->source[k].x[a];
      if (s->periodic) d[a] -= s->box[a] * floor(d[a] / s->box[a] + 0.5);
    }
    sum += potential(s, &s->source[k], d, size);
  }
  return sum;
}

static double value_at(const struct map_job *job, const void *value, int64_t k)
{
  return job->double_precision ? ((const double *)value)[k] : (double)((const float *)value)[k];
}

/* The largest error, as a part of the sum of sizes. The integers of sources and points round at
   1e-10 of the torus, so that next to a source the potential may differ more. */
static double error_of(const struct scene *s, const struct map_job *job, const void *value)
{
  const struct map_lattice *l = job->lattice;
  double worst = 0;
  for (int z = 0; z < s->n[2]; z++)
    for (int y = 0; y < s->n[1]; y++)
      for (int x = 0; x < s->n[0]; x++) {
        double size;
        const double is = expected(s, (int[3]){x, y, z}, &size);
        const double got = value_at(job, value, ((int64_t)z * l->n[1] + y) * l->n[0] + x);
        worst = fmax(worst, fabs(got - is) / (size + 1e-9));
      }
  return worst;
}

static void compare(const struct scene *s)
{
  const int64_t points = (int64_t)s->n[0] * s->n[1] * s->n[2];
  struct made m = make(s, s->method == MAP_DIRECT ? 0 : s->cutoff / 2.5, 0, 1);
  for (int level = 0; level <= force_kernel_level(); level++)
    for (int how = 0; how < 4; how++) {
      if (!map_kernel_get(how & 1, level)) continue;
      m.job.double_precision = how & 1;
      m.job.compensated = how >> 1;
      void *value = calloc((size_t)points, sizeof(double));
      map_kernel_get(how & 1, level)(&m.job, value);
      const double error = error_of(s, &m.job, value);
      if (!(error < (how & 1 ? 1e-7 : 3e-6)))
        fail_msg("method %d, cutoff %g, periodic %d, amounts %d, level %d, how %d: error %g",
                 (int)s->method, s->cutoff, s->periodic, s->amounts, level, how, error);
      free(value);
    }
  made_free(&m);
}

/* A scene of the whole box, or of a part of it that crosses its face. */
static struct scene scene_of(enum map_method method, int amounts, double cutoff, int periodic,
                             int whole)
{
  struct scene s = {.method = method,
                    .cutoff = cutoff,
                    .periodic = periodic,
                    .amounts = amounts,
                    .box = {5.1, 2.4, 2.7},
                    .n = {83, 11, 9}};
  for (int k = 0; k < 3; k++) {
    s.spacing[k] = s.box[k] / s.n[k];
    if (!whole) s.origin[k] = -1.7 + 0.3 * k;
  }
  if (!whole) s.n[0] = 61;
  if (!whole) s.n[2] = 3;
  sources_make(&s);
  return s;
}

static void all_pairs(void **state)
{
  (void)state;
  for (int method = MAP_DIRECT; method <= MAP_FORCE_FIELD; method++)
    for (int amounts = 1; amounts <= 3; amounts++)
      for (int kind = 0; kind < 4; kind++) {
        const struct scene s =
            scene_of((enum map_method)method, amounts, kind < 2 ? 1.2 : 0.37, kind & 1, kind != 1);
        compare(&s);
      }
}

/* With open boundaries the cutoff may be larger than everything. */
static void long_cutoff(void **state)
{
  (void)state;
  for (int method = MAP_CUTOFF; method <= MAP_FORCE_FIELD; method++) {
    const struct scene s = scene_of((enum map_method)method, CHARGES | DIPOLES, 20, 0, 0);
    compare(&s);
  }
}

/* Rounding aside, sources at equal places add up: bins of any size give the same. */
static void bins_do_not_matter(void **state)
{
  (void)state;
  const struct scene s = scene_of(MAP_CUTOFF, CHARGES | DIPOLES, 1.1, 1, 1);
  const int64_t points = (int64_t)s.n[0] * s.n[1] * s.n[2];
  double *value = calloc((size_t)points, sizeof *value);
  for (int k = 0; k < 4; k++) {
    const double bin[] = {0, 1.1, 0.4, 0.09};
    struct made m = make(&s, bin[k], 0, 1);
    m.job.double_precision = 1;
    map_kernel_get(1, force_kernel_level())(&m.job, value);
    assert_true(error_of(&s, &m.job, value) < 1e-7);
    made_free(&m);
  }
  free(value);
}

static void planes_of_ranks(void **state)
{
  (void)state;
  const struct {
    int n, size;
  } trial[] = {{1, 1}, {1, 5}, {9, 2}, {64, 8}, {65, 8}, {100, 7}, {17, 16}, {1000, 3}};
  for (int k = 0; k < (int)(sizeof trial / sizeof trial[0]); k++) {
    const int n = trial[k].n, size = trial[k].size;
    assert_int_equal(lattice_first(n, 0, size), 0);
    assert_int_equal(lattice_first(n, size, size), n);
    for (int rank = 0; rank < size; rank++) {
      assert_true(lattice_first(n, rank, size) <= lattice_first(n, rank + 1, size));
      if (n >= size * MAP_BLOCK) assert_int_equal(lattice_first(n, rank, size) % MAP_BLOCK, 0);
    }
  }
}

static void divided(const struct scene *s, int how, int size, const char *whole, size_t bytes)
{
  const int64_t plane = (int64_t)s->n[0] * s->n[1];
  const size_t one = how & 1 ? sizeof(double) : sizeof(float);
  char *value = malloc(bytes);
  for (int rank = 0; rank < size; rank++) {
    struct made m = make(s, 0.4, rank, size);
    m.job.double_precision = how & 1;
    m.job.compensated = how >> 1;
    map_kernel_get(how & 1, force_kernel_level())(&m.job,
                                                  value + (size_t)(plane * m.lattice->first) * one);
    made_free(&m);
  }
  assert_memory_equal(value, whole, bytes);
  free(value);
}

static void any_division(void **state)
{
  (void)state;
  for (int how = 0; how < 4; how++) {
    struct scene s = scene_of(MAP_CUTOFF, CHARGES | DIPOLES, 1.2, 1, 1);
    s.n[2] = 21;
    s.spacing[2] = s.box[2] / s.n[2];
    const size_t one = how & 1 ? sizeof(double) : sizeof(float);
    const size_t bytes = one * (size_t)s.n[0] * (size_t)s.n[1] * (size_t)s.n[2];
    char *whole = malloc(bytes);
    struct made m = make(&s, 0.4, 0, 1);
    m.job.double_precision = how & 1;
    m.job.compensated = how >> 1;
    map_kernel_get(how & 1, force_kernel_level())(&m.job, whole);
    made_free(&m);
    for (int size = 2; size <= 23; size += 3)
      divided(&s, how, size, whole, bytes);
    free(whole);
  }
}

/* A point on a charge: C q / MAP_NEAREST, but for the factor of the cutoff. */
static void on_a_charge(void **state)
{
  (void)state;
  struct scene s = {.method = MAP_DIRECT,
                    .cutoff = 1,
                    .box = {2, 2, 2},
                    .n = {1, 1, 1},
                    .origin = {1, 1, 1},
                    .spacing = {1, 1, 1},
                    .n_sources = 1,
                    .source = {{{1, 1, 1}, 0.7, {0.1, 0.2, 0.3}}}};
  for (int method = MAP_DIRECT; method <= MAP_FORCE_FIELD; method++) {
    double value;
    s.method = (enum map_method)method;
    struct made m = make(&s, 1, 0, 1);
    m.job.double_precision = 1;
    map_kernel_get(1, force_kernel_level())(&m.job, &value);
    assert_true(fabs(value / (COULOMB * 0.7 / MAP_NEAREST) - 1) < 3e-3);
    made_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pairs),          cmocka_unit_test(long_cutoff),
      cmocka_unit_test(bins_do_not_matter), cmocka_unit_test(planes_of_ranks),
      cmocka_unit_test(any_division),       cmocka_unit_test(on_a_charge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
