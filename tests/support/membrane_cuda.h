/* A membrane in backends of both kinds, for tests that need a GPU. */
#ifndef MEMBRANE_CUDA_H
#define MEMBRANE_CUDA_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cpu/backend_cpu.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/lanes.h"
#include "cuda/runtime/streams.h"
#include "cuda/step/step.h"
#include "input/param.h"
#include "md/minimise.h"
#include "mpi/comm/ranks.h"
#include "setup/build.h"
#include "tests/support/unit.h"

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
  const struct minimise_options options = {.max_steps = 300, .force = 1000};
  minimise_system(&ranks, membrane, &options);
  system_thermalise(membrane, 310);
  list_build_set_skin(&membrane->lists, 0.2);
  return 0;
}

static inline int finish(void **state)
{
  (void)state;
  if (membrane) system_destroy(membrane);
  return 0;
}

/* The lanes of the lists that make gives a cuda backend, where kernels are compiled for them; 0:
   those that the backend chooses. */
static int lanes_wanted;

static inline void lanes_set(struct gpu *c)
{
  const struct pair_plan *plan = c->config.plan;
  for (int k = 0; k < plan->n_passes; k++)
    if (LANES_OF_SET(plan->pass[k].set, c->config.precision == PRECISION_DOUBLE) & lanes_wanted)
      OWN(gpu_lists, c->lists)->of[k].lanes = lanes_wanted;
}

/* [type]: 1 if the membrane has beads of the type. Static memory. */
static inline const char *types_present(void)
{
  static char present[FF_TYPES_MOST];
  memset(present, 0, sizeof present);
  for (int64_t k = 0; k < membrane->n; k++)
    present[membrane->beads.type[k]] = 1;
  return present;
}

/* What its neighbour lists cover, nm: pair_range(). */
static inline double range_of_lists(void)
{
  const struct pair_plan plan = pair_plan_of(membrane->ff, types_present());
  return pair_range(&plan, membrane->ff, &membrane->topology);
}

static inline struct backend *make(const struct backend_ops *ops, int precision)
{
  static struct pair_plan plan; /* the same for all backends of a membrane */
  struct system *s = membrane;
  struct backend_config c;
  const double radius = range_of_lists() + s->lists.skin;
  memset(&c, 0, sizeof c);
  plan = pair_plan_of(s->ff, types_present());
  c.plan = &plan;
  c.precision = precision;
  c.level = force_kernel_level();
  c.n_total = s->n_total;
  c.ranks = 1;
  c.ff = s->ff;
  c.topology = &s->topology;
  struct backend *b = ops->create(&c);
  if (ops == &backend_cuda) lanes_set((struct gpu *)b);
  int64_t *id = alloc_array(s->n, sizeof *id);
  for (int64_t k = 0; k < s->n; k++)
    id[k] = s->first + k;
  ops->load(b, (int)s->n, id, &s->beads);
  free(id);
  const struct coupling_state now = coupling_state_start(s->box);
  ops->set_box(b, &now, s->box);
  ops->build_begin(b, 0);
  ops->sort(b, radius);
  const struct build_params lists = {.radius = radius, .term_length = radius};
  ops->build(b, &lists);
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

struct pair {
  int64_t id[2];
};

static inline int pair_compare(const void *a, const void *b)
{
  const struct pair *p = a, *q = b;
  for (int k = 0; k < 2; k++)
    if (p->id[k] != q->id[k]) return p->id[k] < q->id[k] ? -1 : 1;
  return 0;
}

static inline struct pair *pairs_cpu(struct backend *b, int list, int64_t *n)
{
  const struct cpu *c = (const struct cpu *)b;
  const struct neighbor_list *l = &c->list[list];
  int64_t room = 1;
  for (int i = 0; i < b->n; i++)
    room += l->n[i];
  struct pair *p = alloc_array(room, sizeof *p);
  *n = 0;
  for (int i = 0; i < b->n; i++)
    for (int k = 0; k < l->n[i]; k++) {
      int j = l->row[i][k];
      if (j != i) p[(*n)++] = (struct pair){{c->id[i], c->id[j]}};
    }
  qsort(p, (size_t)*n, sizeof *p, pair_compare);
  return p;
}

static inline void *fetched(const void *device, int64_t bytes)
{
  void *host = alloc_array(bytes, 1);
  CUDA(cudaMemcpy(host, device, (size_t)bytes, cudaMemcpyDeviceToHost));
  return host;
}

static inline struct pair *pairs_cuda(struct backend *b, int list, int64_t *n)
{
  const struct gpu *c = (const struct gpu *)b;
  const struct cuda_list *l = &c->lists->of[list];
  int lanes = l->lanes;
  int64_t *id = fetched(c->arrays->id, b->n * (int64_t)sizeof *id);
  struct list_head *head = fetched(l->head, b->n * (int64_t)sizeof *head);
  int *index = fetched(l->index, (int64_t)b->n * l->most_rows * 4 * lanes * 4);
  struct pair *p = alloc_array(b->n_listed + 1, sizeof *p);
  *n = 0;
  for (int i = 0; i < b->n; i++) {
    const int plain = list_rows(head[i].halves[0]), rows = plain + list_rows(head[i].halves[1]);
    for (int k = 0; k < rows * 4 * lanes; k++) {
      int row = k / (4 * lanes), apart = row - plain;
      if (apart >= 0) row = l->most_rows - 1 - apart;
      int j = index[((int64_t)i * l->most_rows + row) * 4 * lanes + k % (4 * lanes)];
      if (j != i) p[(*n)++] = (struct pair){{id[i], id[j]}};
    }
  }
  qsort(p, (size_t)*n, sizeof *p, pair_compare);
  free(id);
  free(head);
  free(index);
  return p;
}

/* How many of the n pairs of p the m of q lack. */
static inline int64_t lacking(const struct pair *p, int64_t n, const struct pair *q, int64_t m)
{
  int64_t k = 0, lacks = 0;
  for (int64_t i = 0; i < n; i++) {
    while (k < m && pair_compare(&q[k], &p[i]) < 0)
      k++;
    lacks += k == m || pair_compare(&q[k], &p[i]) != 0;
  }
  return lacks;
}

/* Every list of the plan; least: entries of a bead in all. Tests of pairs on the GPU are coarser,
   and let a few more in. */
static inline void lists_compare(int64_t least)
{
  struct backend *a = make(&backend_cpu, PRECISION_MIXED);
  struct backend *b = make(&backend_cuda, PRECISION_MIXED);
  int64_t n, m, all = 0;
  for (int l = 0; l < ((const struct cpu *)a)->config.plan->n_passes; l++) {
    struct pair *p = pairs_cpu(a, l, &n), *q = pairs_cuda(b, l, &m);
    assert_int_equal(lacking(p, n, q, m), 0);
    assert_in_range(lacking(q, m, p, n), 0, n / 100000 + 2);
    all += n;
    free(p);
    free(q);
  }
  assert_true(all >= least * membrane->n);
  a->ops->destroy(a);
  b->ops->destroy(b);
}

static inline void sums_compare(struct backend *a, struct backend *b, double allowed)
{
  struct sums x, y;
  double ux[ENERGIES], uy[ENERGIES], wx[SUM_WORDS], wy[SUM_WORDS];
  int bits = sum_bits(membrane->n_total);
  backend_sums(a, &x);
  backend_sums(b, &y);
  assert_int_equal(y.overflow, 0);
  for (int k = 0; k < ENERGIES; k++) {
    ux[k] = sum_energy(&x, k);
    uy[k] = sum_energy(&y, k);
    print_message("%d: %.10g %.10g\n", k, ux[k], uy[k]);
  }
  for (int k = 0; k < SUM_WORDS; k++) {
    wx[k] = sum_word(&x, k, bits);
    wy[k] = sum_word(&y, k, bits);
  }
  close_to("energies", uy, ux, ENERGIES, allowed);
  close_to("virial", wy + SUM_VIRIAL, wx + SUM_VIRIAL, 9, 10 * allowed);
  close_to("kinetic", wy, wx, SUM_VIRIAL, 1e-12);
}

/* The backends against each other, and the same bits with and without energies. */
static inline void forces_compare(int precision, double force, double energy)
{
  int64_t n = 3 * membrane->n;
  struct backend *a = make(&backend_cpu, precision), *b = make(&backend_cuda, precision);
  a->ops->force(a, FORCE_ALL, FORCE_ENERGY);
  b->ops->force(b, FORCE_ALL, FORCE_ENERGY);
  struct rows x = rows_of(a), y = rows_of(b);
  close_to("forces", y.force, x.force, n, force);
  close_to("torques", y.torque, x.torque, n, force);
  sums_compare(a, b, energy);
  b->ops->force(b, FORCE_ALL, 0);
  struct rows z = rows_of(b);
  assert_memory_equal(y.force, z.force, (size_t)n * sizeof *y.force);
  assert_memory_equal(y.torque, z.torque, (size_t)n * sizeof *y.torque);
  rows_free(&x);
  rows_free(&y);
  rows_free(&z);
  a->ops->destroy(a);
  b->ops->destroy(b);
}

/* Fractions of the box, unwrapped, from the first 53 bits. */
static inline void places(const struct beads *b, int64_t n, double *out)
{
  for (int64_t k = 0; k < 3 * n; k++)
    out[k] = (double)b->image[k] + (double)(uint32_t)b->position[k] / 4294967296.0 +
             (double)b->residual[k] / 18446744073709551616.0;
}

static inline int32_t (*fetched_places(const int32_t *position, int n))[3]
{
  return fetched(position, 3 * (int64_t)n * (int64_t)sizeof *position);
}

static inline double apart2(const int32_t x[3], const int32_t y[3])
{
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    double d = (double)(int32_t)((uint32_t)x[k] - (uint32_t)y[k]) / 4294967296.0 * membrane->box[k];
    d2 += d * d;
  }
  return d2;
}

#endif
