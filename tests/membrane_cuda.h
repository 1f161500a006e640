/* A membrane in backends of both kinds, for tests that need a GPU. */
#ifndef MEMBRANE_CUDA_H
#define MEMBRANE_CUDA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cuda/runtime/gpu.h"
#include "md/minimise.h"
#include "mpi/comm/ranks.h"
#include "setup/bilayer.h"

extern const struct backend_ops backend_cpu, backend_cuda;

static struct ranks ranks;
static struct system *membrane;

static const char specification[] = "forcefield: elba\n"
                                    "seed: 11\n"
                                    "temperature: 310\n"
                                    "bilayer:\n"
                                    "  upper: {DOPC: 20, DMPC: 16}\n"
                                    "  lower: {DOPE: 18, POPC: 18}\n"
                                    "  water_per_lipid: 25\n"
                                    "  area_per_lipid: 0.68\n";

static inline int has_gpu(void)
{
  struct backend_probe probe = {0};
  backend_cuda.probe(&probe);
  if (!probe.usable) print_message("skipped: %s\n", probe.why);
  return probe.usable;
}

static inline struct build_spec *spec_of(const char *text)
{
  char path[] = "test_membrane_XXXXXX";
  int file = mkstemp(path);
  ssize_t length = (ssize_t)strlen(text);
  assert_true(file >= 0 && write(file, text, (size_t)length) == length);
  close(file);
  struct build_spec *spec = build_spec_load(path);
  unlink(path);
  return spec;
}

static inline int prepare(void **state)
{
  (void)state;
  if (!has_gpu()) return 0;
  struct build_spec *spec = spec_of(specification);
  membrane = bilayer_build(&ranks, spec);
  build_spec_destroy(spec);
  const struct minimise_options options = {300, 1000};
  minimise_system(&ranks, membrane, &options);
  system_thermalise(membrane, 310);
  membrane->skin = 0.2;
  return 0;
}

static inline int finish(void **state)
{
  (void)state;
  if (membrane) system_destroy(membrane);
  return 0;
}

static inline struct backend *make(const struct backend_ops *ops, int precision)
{
  struct system *s = membrane;
  struct backend_config c;
  double radius = s->ff->cutoff + s->skin;
  memset(&c, 0, sizeof c);
  c.precision = precision;
  c.n_total = s->n_total;
  c.ranks = 1;
  c.ff = s->ff;
  c.topology = &s->topology;
  struct backend *b = ops->create(&c);
  int64_t *id = alloc_array(s->n, sizeof *id);
  for (int64_t k = 0; k < s->n; k++)
    id[k] = s->first + k;
  ops->load(b, (int)s->n, id, &s->beads);
  free(id);
  const struct coupling_state now = coupling_state_start(s->box);
  ops->set_box(b, &now, s->box);
  ops->build_begin(b, 0);
  ops->sort(b, radius);
  const struct build_params lists = {radius, -1, 0, {0, 0, 0}};
  ops->build(b, &lists, NULL);
  return b;
}

/* Rows of a field by id. */
struct rows {
  struct beads beads;
  double *force, *torque;
};

static inline void by_id(void *array, size_t bytes, const int64_t *id, int n)
{
  char *copy = alloc_array(n, (unsigned long)bytes);
  memcpy(copy, array, (size_t)n * bytes);
  for (int i = 0; i < n; i++)
    memcpy((char *)array + (size_t)(id[i] - 1) * bytes, copy + (size_t)i * bytes, bytes);
  free(copy);
}

static inline struct rows rows_of(struct backend *b)
{
  struct rows r;
  int64_t *id = alloc_array(b->n, sizeof *id);
  memset(&r, 0, sizeof r);
  beads_reserve(&r.beads, MIGRATE, 0, b->n);
  r.force = alloc_array(3LL * b->n, sizeof *r.force);
  r.torque = alloc_array(3LL * b->n, sizeof *r.torque);
  b->ops->store(b, id, &r.beads);
  b->ops->forces(b, r.force, r.torque);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      by_id(*beads_field(&r.beads, f), (size_t)(field_info[f].components * field_info[f].bytes), id,
            b->n);
  by_id(r.force, 3 * sizeof *r.force, id, b->n);
  by_id(r.torque, 3 * sizeof *r.torque, id, b->n);
  free(id);
  return r;
}

static inline void rows_free(struct rows *r)
{
  beads_free(&r->beads);
  free(r->force);
  free(r->torque);
}

/* Largest difference over the largest value of b. */
static inline double deviation(const double *a, const double *b, int64_t n)
{
  double most = 0, worst = 0;
  for (int64_t k = 0; k < n; k++) {
    most = fmax(most, fabs(b[k]));
    worst = fmax(worst, fabs(a[k] - b[k]));
    if (isnan(a[k])) return INFINITY;
  }
  return worst / (most > 0 ? most : 1);
}

static inline void close_to(const char *what, const double *a, const double *b, int64_t n,
                            double allowed)
{
  double d = deviation(a, b, n);
  print_message("%s: %.2g\n", what, d);
  assert_true(d <= allowed);
}

#endif
