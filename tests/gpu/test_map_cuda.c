/* Maps of the potential on a GPU against those of the CPU: every method, precision and sum, open
   and periodic boundaries, charges and dipoles; the same bits however planes are divided over
   ranks; and lattices of several batches. Skipped where there is no GPU. */
#include "config.h"

#ifdef HAVE_CUDA
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "maps/sources.h"
#include "tests/support/sorted_sources.h"
#include "tests/support/unit.h"

enum { CHARGES = 1, DIPOLES = 2 };

/* Sources at random places of a box, and points from origin on. */
struct scene {
  enum map_method method;
  int amounts; /* CHARGES, DIPOLES */
  int periodic, n_sources, n[3];
  double cutoff, bin, box[BOX], origin[3], spacing[3];
};

struct made {
  struct map_job job;
  struct map_cost cost;
  struct map_charges all;
  struct map_sources *sources;
  struct map_lattice *lattice;
};

static double uniform(int k, int axis)
{
  return (double)rng_words(7, (uint64_t)axis, (uint64_t)k, RNG_BUILD).word[0] / 4294967296.0;
}

static struct map_charges charges_make(const struct scene *s)
{
  struct map_charges all = {s->n_sources, calloc((size_t)s->n_sources, sizeof *all.charge)};
  for (int k = 0; k < s->n_sources; k++) {
    struct map_charge *c = &all.charge[k];
    if (s->amounts & CHARGES) c->q = uniform(k, 3) - 0.5;
    for (int d = 0; d < 3; d++) {
      /* some on a point */
      c->x[d] = k % 50 ? uniform(k, d) * s->box[d] : s->origin[d] + k % s->n[d] * s->spacing[d];
      if (s->amounts & DIPOLES) c->p[d] = 0.1 * (uniform(k, 4 + d) - 0.5);
    }
  }
  return all;
}

static void make(struct made *m, const struct scene *s, int rank, int size)
{
  double low[3], high[3];
  memset(m, 0, sizeof *m);
  for (int k = 0; k < 3; k++) {
    low[k] = fmin(0, s->origin[k]);
    high[k] = fmax(s->box[k], s->origin[k] + (s->n[k] - 1) * s->spacing[k]);
  }
  m->job.method = s->method;
  m->job.cutoff = s->cutoff;
  m->job.torus = s->periodic ? lattice_torus_box(s->box)
                             : lattice_torus_open(low, high, s->method ? s->cutoff : 0);
  m->all = charges_make(s);
  m->sources = sorted_sources(&m->all, &m->job.torus, s->method ? s->bin : 0);
  m->lattice = lattice_create(&m->job.torus, s->n, s->origin, s->spacing, rank, size);
  m->job.sources = m->sources;
  m->job.lattice = m->lattice;
  m->job.cost = &m->cost;
}

static void made_free(struct made *m)
{
  free(m->all.charge);
  sources_destroy(m->sources);
  lattice_destroy(m->lattice);
}

static void how_set(struct map_job *job, int how)
{
  job->double_precision = how & 1;
  job->compensated = how >> 1;
}

static int has_gpu(void)
{
  const char *why = map_cuda.why_not();
  if (why) print_message("skipped: %s\n", why);
  return !why;
}

static int64_t points_of(const struct map_lattice *l)
{
  return (int64_t)l->n[0] * l->n[1] * l->count;
}

static void *computed(const struct map_ops *ops, const struct map_job *job)
{
  const size_t points = (size_t)points_of(job->lattice);
  void *value = malloc(points * sizeof(double));
  memset(value, 0xff, points * sizeof(double)); /* NaN where nothing is set */
  ops->compute(job, value);
  return value;
}

static double value_at(const struct map_job *job, const void *value, int64_t k)
{
  return job->double_precision ? ((const double *)value)[k] : (double)((const float *)value)[k];
}

/* The sum of the sizes of all terms within the cutoff of point k, without the factors that make
   them vanish at the cutoff: roundings go by that. Counts the sources there. */
static double size_at(const struct made *m, const struct scene *s, int64_t k, int64_t *inside)
{
  const struct map_lattice *l = m->lattice;
  const int at[3] = {(int)(k % l->n[0]), (int)(k / l->n[0] % l->n[1]),
                     (int)(k / l->n[0] / l->n[1])};
  double size = 0;
  for (int i = 0; i < s->n_sources; i++) {
    const struct map_charge *c = &m->all.charge[i];
    double r2 = 0, p2 = 0;
    for (int d = 0; d < 3; d++) {
      double x = s->origin[d] + at[d] * s->spacing[d] - c->x[d];
      if (s->periodic) x -= s->box[d] * floor(x / s->box[d] + 0.5);
      r2 += x * x;
      p2 += c->p[d] * c->p[d];
    }
    if (s->method != MAP_DIRECT && r2 >= s->cutoff * s->cutoff) continue;
    const double r = fmax(sqrt(r2), MAP_NEAREST);
    size += UNITS_COULOMB * (fabs(c->q) / r + sqrt(p2) / (r * r));
    ++*inside;
  }
  return size;
}

static void compare(const struct scene *s)
{
  struct made m;
  int64_t inside = 0;
  make(&m, s, 0, 1);
  const int64_t points = points_of(m.lattice);
  double *size = malloc((size_t)points * sizeof *size);
  for (int64_t k = 0; k < points; k++)
    size[k] = size_at(&m, s, k, &inside);
  for (int how = 0; how < 4; how++) {
    double worst = 0;
    how_set(&m.job, how);
    m.cost.pairs = 0;
    void *on_cpu = computed(&map_cpu, &m.job), *on_gpu = computed(&map_cuda, &m.job);
    for (int64_t k = 0; k < points; k++) {
      const double difference = fabs(value_at(&m.job, on_cpu, k) - value_at(&m.job, on_gpu, k));
      const double part = difference / (size[k] + 1e-9);
      if (!(part <= worst)) worst = part; /* NaN too */
    }
    if (!(worst < (how & 1 ? 1e-13 : 3e-6)))
      fail_msg("method %d, cutoff %g, periodic %d, amounts %d, how %d: difference %g",
               (int)s->method, s->cutoff, s->periodic, s->amounts, how, worst);
    assert_true(m.cost.pairs >= inside && m.cost.kernels > 0);
    free(on_cpu);
    free(on_gpu);
  }
  free(size);
  made_free(&m);
}

/* Points of the whole box; or a few that cross its face. */
static struct scene scene_of(enum map_method method, int amounts, double cutoff, int periodic,
                             int whole)
{
  struct scene s = {.method = method,
                    .amounts = amounts,
                    .periodic = periodic,
                    .n_sources = 200,
                    .n = {37, 13, 21},
                    .cutoff = cutoff,
                    .bin = cutoff / 3,
                    .box = {5.1, 2.41, 2.7}};
  for (int k = 0; k < 3; k++) {
    s.spacing[k] = s.box[k] / s.n[k];
    if (!whole) s.origin[k] = -1.7 + 0.3 * k;
    if (!whole) s.n[k] = 9 - 3 * k;
  }
  return s;
}

static void against_cpu(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  for (int method = MAP_DIRECT; method <= MAP_FORCE_FIELD; method++)
    for (int amounts = 1; amounts <= 3; amounts++)
      for (int kind = 0; kind < 4; kind++) {
        const struct scene s =
            scene_of((enum map_method)method, amounts, kind < 2 ? 1.2 : 0.37, kind & 1, kind != 1);
        compare(&s);
      }
}

/* A lattice of so many blocks that no warps share one. */
static void refine(struct scene *s)
{
  for (int k = 0; k < 3; k++) {
    s->n[k] = 136;
    s->spacing[k] = s->box[k] / s->n[k];
  }
}

static void many_blocks(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  for (int method = MAP_DIRECT; method <= MAP_FORCE_FIELD; method++)
    for (int amounts = 1; amounts <= 3; amounts++) {
      struct scene s = scene_of((enum map_method)method, amounts, 1.2, amounts == 3, 1);
      s.n_sources = 20;
      refine(&s);
      compare(&s);
    }
}

/* So many sources that each warp of a block takes several groups of a row of bins. */
static void many_sources(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  for (int method = MAP_CUTOFF; method <= MAP_FORCE_FIELD; method++)
    for (int periodic = 0; periodic < 2; periodic++) {
      struct scene s =
          scene_of((enum map_method)method, CHARGES | DIPOLES, 1.2, periodic, periodic);
      s.n_sources = 12000;
      compare(&s);
    }
}

/* With open boundaries the cutoff may be larger than everything; bins may be too. */
static void long_cutoff(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  for (int method = MAP_CUTOFF; method <= MAP_FORCE_FIELD; method++) {
    struct scene s = scene_of((enum map_method)method, CHARGES | DIPOLES, 20, 0, 0);
    compare(&s);
    s.bin = 0;
    compare(&s);
  }
}

/* The same bits from any number of ranks up to `most`. */
static void divide(const struct scene *s, int how, int most)
{
  const size_t one = how & 1 ? sizeof(double) : sizeof(float);
  const size_t plane = one * (size_t)s->n[0] * (size_t)s->n[1];
  struct made m;
  make(&m, s, 0, 1);
  how_set(&m.job, how);
  char *whole = computed(&map_cuda, &m.job);
  made_free(&m);
  for (int size = 2; size <= most; size += 7)
    for (int rank = 0; rank < size; rank++) {
      make(&m, s, rank, size);
      how_set(&m.job, how);
      m.job.device = rank;
      char *part = computed(&map_cuda, &m.job);
      assert_memory_equal(part, whole + plane * (size_t)m.lattice->first,
                          plane * (size_t)m.lattice->count);
      made_free(&m);
      free(part);
    }
  free(whole);
}

/* A lattice whose blocks are shared by warps, and one of so many blocks that they are not. */
static void any_division(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  for (int method = MAP_DIRECT; method <= MAP_FORCE_FIELD; method++)
    for (int how = 0; how < 4; how++) {
      struct scene s = scene_of((enum map_method)method, CHARGES | DIPOLES, 1.2, 1, 1);
      divide(&s, how, 23);
      refine(&s);
      divide(&s, how, 9);
    }
}

/* Root mean square difference from a map in double. */
static double error_of(struct made *m, int how, const double *exact)
{
  const int64_t points = points_of(m->lattice);
  double sum = 0;
  how_set(&m->job, how);
  void *value = computed(&map_cuda, &m->job);
  for (int64_t k = 0; k < points; k++)
    sum += pow(value_at(&m->job, value, k) - exact[k], 2);
  free(value);
  return sqrt(sum / (double)points);
}

/* Of many terms, plain sums in float lose more than the terms themselves do, but less than without
   groups: 0.12 kJ/mol/e. */
static void compensated_sums(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  struct scene s = scene_of(MAP_DIRECT, CHARGES, 0, 0, 0);
  struct made m;
  s.n_sources = 20000;
  for (int k = 0; k < 3; k++) {
    s.box[k] = 9;
    s.origin[k] = 10;
  }
  make(&m, &s, 0, 1);
  how_set(&m.job, 1);
  double *exact = computed(&map_cuda, &m.job);
  const double plain = error_of(&m, 0, exact), compensated = error_of(&m, 2, exact);
  print_message("errors of plain and compensated sums in float: %.3g, %.3g kJ/mol/e\n", plain,
                compensated);
  assert_true(plain < 0.05 && compensated < 0.5 * plain);
  free(exact);
  made_free(&m);
}

static void several_batches(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  struct scene s = {.method = MAP_CUTOFF,
                    .amounts = CHARGES,
                    .periodic = 1,
                    .n_sources = 40,
                    .n = {256, 250, 530},
                    .cutoff = 0.7,
                    .bin = 0.35};
  struct made m;
  for (int k = 0; k < 3; k++) {
    s.spacing[k] = 0.05;
    s.box[k] = 0.05 * s.n[k];
  }
  make(&m, &s, 0, 1);
  float *on_cpu = computed(&map_cpu, &m.job), *on_gpu = computed(&map_cuda, &m.job);
  float largest = 0, difference = 0;
  for (int64_t k = 0; k < points_of(m.lattice); k++) {
    largest = fmaxf(largest, fabsf(on_cpu[k]));
    const float d = fabsf(on_cpu[k] - on_gpu[k]);
    if (!(d <= difference)) difference = d;
  }
  assert_true(largest > 1000 && difference < 1e-6F * largest);
  free(on_cpu);
  free(on_gpu);
  made_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_cpu),     cmocka_unit_test(long_cutoff),
      cmocka_unit_test(any_division),    cmocka_unit_test(compensated_sums),
      cmocka_unit_test(several_batches), cmocka_unit_test(many_blocks),
      cmocka_unit_test(many_sources),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "tests/support/without_cuda.h"
#endif
