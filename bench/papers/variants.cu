/* Forces, torques and energies of soft sticky dipole water with the pair terms of the program
   (src/pair) in one kind of arithmetic: compiled once for each (VARIANT its name; variants_real.h,
   variants_sums.h). Kernels differ in the memory of coefficients and in how records are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "variants.h"
#include "variants_real.h"
#include "variants_sums.h"

#include "base/units.h"
#include "pair/force_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define WORD(a) #a
#define TEXT(a) WORD(a)
#define CUDA(call) cuda_check(call, #call)

enum { THREADS = 128, CONSTANT_CHUNKS = 2048, SHARED_CHUNKS = 48 * 1024 / 16 };
enum { SET_DIPOLES = PAIR_BIT(lj_switch) | PAIR_BIT(dd_switch), SET_STICKY = PAIR_BIT(sticky) };
enum { CHUNK_REALS = 16 / (int)sizeof(real), AXIS_CHUNKS = (int)sizeof(struct axis_record) / 16 };
enum { CHUNKS_MOST = (PAIR_COEFS + CHUNK_REALS - 1) / CHUNK_REALS };
static_assert(sizeof(struct axis_record) % 16 == 0, "records of axes are read 16 bytes at a time");

/* The coefficients of both passes, one after the other. */
static __constant__ int4 constant_coefficients[CONSTANT_CHUNKS];

/* A pass over the list of every bead; device memory. */
struct pass {
  int n, n_types, most_rows;
  int adds;       /* 1: to the forces of the pass before */
  real factor[3]; /* of real_length */
  double cutoff;
  struct pair_constants constants;
  const int *rows;
  const int4 *index;
  const int4 *record;                 /* struct bead_record */
  const int4 *axis[2];                /* struct axis_record */
  const int4 *coefficients;           /* [n_types][n_types][chunks] */
  int constant_from;                  /* the same in constant_coefficients */
  cudaTextureObject_t record_texture; /* the same arrays as textures of int4 */
  cudaTextureObject_t axis_texture[2];
  cudaTextureObject_t coefficients_texture;
  double *force, *torque; /* [n][3] */
  double *energy;         /* [n] */
};

static void cuda_check(cudaError_t error, const char *call)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "variants: %s: %s\n", call, cudaGetErrorString(error));
  exit(3);
}

/* The coefficients that forces of a set of terms read, of one pair of types. */
HD int coefficient_is_held(unsigned set, int use, unsigned terms)
{
  return use == PAIR_USE_force && (set & terms) != 0;
}

HD int coefficient_reals(unsigned set)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  n += coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family));
#include "pair/pair_list.h"
#undef COEF
  return n;
}

HD int coefficient_chunks(unsigned set)
{
  return (coefficient_reals(set) + CHUNK_REALS - 1) / CHUNK_REALS;
}

HD struct pair_coef coefficients_read(unsigned set, const real *held)
{
  struct pair_coef c;
  int n = 0;
#define COEF(family, member, use)                                                                  \
  c.family.member = R(0);                                                                          \
  if (coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family)))           \
    c.family.member = held[n++];
#include "pair/pair_list.h"
#undef COEF
  return c;
}

static void coefficients_write(unsigned set, const struct pair_coef *c, real *held)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coefficient_is_held(set, PAIR_USE_##use, pair_family_terms(PAIR_FAMILY_##family)))           \
    held[n++] = c->family.member;
#include "pair/pair_list.h"
#undef COEF
}

/* What beads bring to a pair. */
struct candidate {
  struct bead_record record;
  struct pair_bead bead;
};

/* Adds candidate j to the sums of bead i. SET is a constant. */
template <unsigned SET, int WITH_ENERGY>
HD void pair_add(struct bead_sums *sums, const struct pair_constants &constants,
                 const struct pair_coef &c, const real factor[3], const struct candidate &me,
                 const struct candidate &other, int self)
{
  const int axes = pair_set_axes(SET);
  real u = R(0);
  struct vec3 r =
      vec3_make(real_length(torus_difference(me.record.x[0], other.record.x[0]), factor[0]),
                real_length(torus_difference(me.record.x[1], other.record.x[1]), factor[1]),
                real_length(torus_difference(me.record.x[2], other.record.x[2]), factor[2]));
  const struct pair_arg p = pair_arguments(r, me.bead, other.bead, self, axes);
  const struct pair_value v = pair_evaluate(SET, constants, c, p);
  if (WITH_ENERGY)
    for (int k = 0; k < ENERGIES; k++)
      if (set_channels(SET) >> k & 1) u += v.energy[k];
  sums_add(sums, v.slope, u, r, me.bead, other.bead, axes);
}

/* Host memory: what kernels are given, in their types. */
struct tables {
  struct pair_constants constants;
  struct bead_record *record;
  struct axis_record *axis[2];
  real *coefficients[PASSES]; /* [n_types][n_types][chunks * CHUNK_REALS] */
  int chunks[PASSES];
};

static const unsigned set_of_pass[PASSES] = {SET_DIPOLES, SET_STICKY};

static void *filled(size_t count, size_t size)
{
  void *p = calloc(count + 1, size);
  if (!p) {
    fprintf(stderr, "variants: no memory for %zu bytes\n", count * size);
    exit(4);
  }
  return p;
}

/* The coefficients of two water beads, lengths in cutoffs of a pass. */
static struct pair_coef water_coefficients(const struct water_model *m, double cutoff, double unit)
{
  struct pair_coef c;
  const double v0[2] = {m->v0, m->v0_prime};
  const double on[2] = {m->on / cutoff, m->on_prime / cutoff};
  const double end[2] = {m->end / cutoff, m->end_prime / cutoff};
  memset((void *)&c, 0, sizeof c);
  pair_lj_set(&c.lj, m->epsilon, m->sigma / cutoff);
  pair_sticky_set(&c.sticky, v0, m->w0, on, end, unit, unit);
  return c;
}

static struct pair_constants water_constants(const struct water_model *m)
{
  struct pair_constants k;
  const double from = m->switch_from / m->cutoff;
  k.switch_from = R(from);
  k.switch_factor = R(pow(1 - from, -3));
  k.field = R(0.0);
  k.dipoles = R(1.0);
  k.gb_mu = k.gb_nu = 1;
  return k;
}

static struct tables tables_create(const struct frame *f)
{
  struct tables t;
  const size_t pairs = (size_t)f->n_types * (size_t)f->n_types;
  const double length = pair_dipole_scale(UNITS_COULOMB, f->model.cutoff) * f->model.dipole;
  t.constants = water_constants(&f->model);
  t.record = (struct bead_record *)filled((size_t)f->n, sizeof *t.record);
  for (int a = 0; a < 2; a++)
    t.axis[a] = (struct axis_record *)filled((size_t)f->n, sizeof *t.axis[a]);
  for (int i = 0; i < f->n; i++) {
    t.record[i].type = f->type[i];
    for (int k = 0; k < 3; k++) {
      t.record[i].x[k] = f->x[3 * i + k];
      t.axis[0][i].u[k] = R(length * f->axis[0][3 * i + k]);
      t.axis[1][i].u[k] = R(f->axis[1][3 * i + k]);
    }
    t.axis[0][i].q = t.axis[1][i].q = R(0.0);
  }
  for (int p = 0; p < PASSES; p++) {
    const struct pair_coef c =
        water_coefficients(&f->model, f->list[p].cutoff, (double)R(1 / length));
    const size_t reals = (size_t)coefficient_chunks(set_of_pass[p]) * CHUNK_REALS;
    t.chunks[p] = coefficient_chunks(set_of_pass[p]);
    t.coefficients[p] = (real *)filled(pairs * reals, sizeof(real));
    for (size_t k = 0; k < pairs; k++)
      coefficients_write(set_of_pass[p], &c, t.coefficients[p] + k * reals);
  }
  return t;
}

static void tables_destroy(struct tables *t)
{
  free(t->record);
  for (int a = 0; a < 2; a++)
    free(t->axis[a]);
  for (int p = 0; p < PASSES; p++)
    free(t->coefficients[p]);
}

static struct candidate host_candidate(const struct tables *t, int i, int axes)
{
  struct candidate c;
  c.record = t->record[i];
  c.bead = bead_of(&t->axis[0][i], &t->axis[1][i], axes);
  return c;
}

/* The sums of a pass, added to those before it. */
template <unsigned SET>
static void host_pass(const struct frame *f, const struct tables *t, int pass, struct outcome *to)
{
  const struct full_list *list = &f->list[pass];
  const int axes = pair_set_axes(SET);
  const int reals = t->chunks[pass] * CHUNK_REALS;
  real factor[3];
  for (int k = 0; k < 3; k++)
    factor[k] = real_length_factor(f->box[k] / list->cutoff);
  to->energy[pass] = 0;
  for (int i = 0; i < f->n; i++) {
    const int32_t *index = list->index + (int64_t)i * list->most_rows * ROW;
    const struct candidate me = host_candidate(t, i, axes);
    struct bead_sums sums = sums_none();
    for (int k = 0; k < list->rows[i] * ROW; k++) {
      const struct candidate other = host_candidate(t, index[k], axes);
      const int types = me.record.type * f->n_types + other.record.type;
      pair_add<SET, 1>(&sums, t->constants,
                       coefficients_read(SET, t->coefficients[pass] + types * reals), factor, me,
                       other, index[k] == i);
      if (k % 4 == 3) sums_end_row(&sums);
    }
    const struct bead_total total = sums_total(sums, me.bead, axes);
    for (int k = 0; k < 3; k++) {
      to->force[3 * i + k] += total.force[k] / list->cutoff;
      to->torque[3 * i + k] += total.torque[k];
    }
    to->energy[pass] += 0.5 * total.energy;
  }
}

static void host(const struct frame *f, struct outcome *to)
{
  struct tables t = tables_create(f);
  memset(to->force, 0, 3 * (size_t)f->n * sizeof *to->force);
  memset(to->torque, 0, 3 * (size_t)f->n * sizeof *to->torque);
  host_pass<SET_DIPOLES>(f, &t, 0, to);
  host_pass<SET_STICKY>(f, &t, 1, to);
  tables_destroy(&t);
}

/* 16 bytes of a record in global memory. */
template <int RECORDS>
static __device__ __forceinline__ int4 chunk_load(const int4 *from, cudaTextureObject_t texture,
                                                  int at)
{
  if (RECORDS == RECORDS_plain) return from[at];
  if (RECORDS == RECORDS_ldg) return __ldg(from + at);
  return tex1Dfetch<int4>(texture, at);
}

template <int RECORDS>
static __device__ __forceinline__ struct axis_record axis_load(const struct pass &p, int axis,
                                                               int j)
{
  int4 chunk[AXIS_CHUNKS];
  struct axis_record out;
#pragma unroll
  for (int k = 0; k < AXIS_CHUNKS; k++)
    chunk[k] = chunk_load<RECORDS>(p.axis[axis], p.axis_texture[axis], j * AXIS_CHUNKS + k);
  memcpy((void *)&out, chunk, sizeof out);
  return out;
}

template <int RECORDS>
static __device__ __forceinline__ struct candidate candidate_load(const struct pass &p, int j,
                                                                  int axes)
{
  const int4 r = chunk_load<RECORDS>(p.record, p.record_texture, j);
  struct candidate c = {{{r.x, r.y, r.z}, r.w}, {}};
  const struct axis_record first = axis_load<RECORDS>(p, 0, j);
  const struct axis_record second = axes > 1 ? axis_load<RECORDS>(p, 1, j) : first;
  c.bead = bead_of(&first, &second, axes);
  return c;
}

/* Of a pair of types. shared: the table of the pass in shared memory, or not read. */
template <unsigned SET, int COEFFICIENTS>
static __device__ __forceinline__ struct pair_coef coefficients_load(const struct pass &p,
                                                                     const int4 *shared, int types)
{
  const int chunks = coefficient_chunks(SET);
  int4 chunk[CHUNKS_MOST];
  real held[CHUNKS_MOST * CHUNK_REALS];
#pragma unroll
  for (int k = 0; k < CHUNKS_MOST; k++) {
    if (k >= chunks) continue;
    const int at = types * chunks + k;
    if (COEFFICIENTS == COEFFICIENTS_global) chunk[k] = p.coefficients[at];
    if (COEFFICIENTS == COEFFICIENTS_constant)
      chunk[k] = constant_coefficients[p.constant_from + at];
    if (COEFFICIENTS == COEFFICIENTS_shared) chunk[k] = shared[at];
    if (COEFFICIENTS == COEFFICIENTS_texture)
      chunk[k] = tex1Dfetch<int4>(p.coefficients_texture, at);
  }
  memcpy((void *)held, chunk, sizeof held); /* what the set does not read is not set, nor used */
  return coefficients_read(SET, held);
}

/* Adds the rows of one lane of bead i. index: its first row. */
template <unsigned SET, int COEFFICIENTS, int RECORDS, int WITH_ENERGY>
static __device__ __forceinline__ void rows_add(const struct pass &p, const int4 *shared,
                                                const struct candidate &me, int i, int rows,
                                                const int4 *index, struct bead_sums *sums)
{
  const int axes = pair_set_axes(SET);
  int4 next = make_int4(i, i, i, i);
  if (rows > 0) next = __ldcs(index);
  for (int row = 0; row < rows; row++) {
    const int j[4] = {next.x, next.y, next.z, next.w};
    struct candidate other[4];
    if (row + 1 < rows) next = __ldcs(index + (row + 1) * LANES);
#pragma unroll
    for (int k = 0; k < 4; k++)
      other[k] = candidate_load<RECORDS>(p, j[k], axes);
#pragma unroll
    for (int k = 0; k < 4; k++)
      pair_add<SET, WITH_ENERGY>(sums, p.constants,
                                 coefficients_load<SET, COEFFICIENTS>(
                                     p, shared, me.record.type * p.n_types + other[k].record.type),
                                 p.factor, me, other[k], j[k] == i);
    if (WITH_ENERGY) sums_end_row(sums);
  }
}

/* Blocks on a multiprocessor that there are to be registers for. */
static constexpr int blocks_wanted(unsigned set, int energy)
{
  if (sizeof(real) == 8) return 2;
  return energy ? 4 : set == SET_STICKY ? 5 : 7;
}

template <unsigned SET, int COEFFICIENTS, int RECORDS, int WITH_ENERGY>
static __global__ __launch_bounds__(THREADS, blocks_wanted(SET, WITH_ENERGY)) void force_rows(
    const __grid_constant__ struct pass p)
{
  extern __shared__ int4 shared[];
  const int axes = pair_set_axes(SET);
  const int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  const int lane = (int)(t % LANES), here = t / LANES < p.n, i = here ? (int)(t / LANES) : 0;
  if (COEFFICIENTS == COEFFICIENTS_shared) {
    const int chunks = p.n_types * p.n_types * coefficient_chunks(SET);
    for (int k = (int)threadIdx.x; k < chunks; k += THREADS)
      shared[k] = p.coefficients[k];
    __syncthreads();
  }
  const struct candidate me = candidate_load<RECORDS>(p, i, axes);
  struct bead_sums sums = sums_none();
  rows_add<SET, COEFFICIENTS, RECORDS, WITH_ENERGY>(
      p, shared, me, i, here ? p.rows[i] : 0, p.index + (int64_t)i * p.most_rows * LANES + lane,
      &sums);
  sums_reduce(&sums, axes);
  if (!here || lane != 0) return;
  const struct bead_total total = sums_total(sums, me.bead, axes);
  for (int k = 0; k < 3; k++) {
    const int64_t at = 3 * (int64_t)i + k;
    p.force[at] = total.force[k] / p.cutoff + (p.adds ? p.force[at] : 0.0);
    p.torque[at] = total.torque[k] + (p.adds ? p.torque[at] : 0.0);
  }
  if (WITH_ENERGY) p.energy[i] = 0.5 * total.energy;
}

/* Device memory of a frame. */
struct data {
  struct pass pass[PASSES];
  int bytes[PASSES]; /* of the tables of coefficients */
};

/* Device memory with a copy of an array; zeros for NULL. */
static void *uploaded(const void *from, size_t bytes)
{
  void *to;
  CUDA(cudaMalloc(&to, bytes + 16));
  CUDA(cudaMemset(to, 0, bytes + 16));
  if (from) CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  return to;
}

static cudaTextureObject_t texture_of(const int4 *array, size_t bytes)
{
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
  cudaTextureObject_t object;
  memset(&resource, 0, sizeof resource);
  memset(&texture, 0, sizeof texture);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = (void *)array;
  resource.res.linear.desc = cudaCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = bytes;
  texture.readMode = cudaReadModeElementType;
  CUDA(cudaCreateTextureObject(&object, &resource, &texture, NULL));
  return object;
}

static void coefficients_upload(struct data *d, const struct frame *f, const struct tables *t)
{
  int from = 0;
  for (int k = 0; k < PASSES; k++) {
    struct pass *p = &d->pass[k];
    const int chunks = f->n_types * f->n_types * t->chunks[k];
    d->bytes[k] = chunks * 16;
    if (chunks > SHARED_CHUNKS || from + chunks > CONSTANT_CHUNKS) {
      fprintf(stderr, "variants: too many types: %d\n", f->n_types);
      exit(2);
    }
    p->coefficients = (const int4 *)uploaded(t->coefficients[k], (size_t)d->bytes[k]);
    p->coefficients_texture = texture_of(p->coefficients, (size_t)d->bytes[k]);
    p->constant_from = from;
    CUDA(cudaMemcpyToSymbol(constant_coefficients, t->coefficients[k], (size_t)d->bytes[k],
                            (size_t)from * 16));
    from += chunks;
  }
}

/* What both passes share. */
static struct pass beads_upload(const struct frame *f, const struct tables *t)
{
  struct pass p;
  const size_t n = (size_t)f->n;
  memset((void *)&p, 0, sizeof p);
  p.n = f->n;
  p.n_types = f->n_types;
  p.constants = t->constants;
  p.record = (const int4 *)uploaded(t->record, n * sizeof *t->record);
  p.record_texture = texture_of(p.record, n * sizeof *t->record);
  for (int a = 0; a < 2; a++) {
    p.axis[a] = (const int4 *)uploaded(t->axis[a], n * sizeof *t->axis[a]);
    p.axis_texture[a] = texture_of(p.axis[a], n * sizeof *t->axis[a]);
  }
  p.force = (double *)uploaded(NULL, 3 * n * sizeof *p.force);
  p.torque = (double *)uploaded(NULL, 3 * n * sizeof *p.torque);
  return p;
}

static void *create(const struct frame *f)
{
  struct data *d = (struct data *)filled(1, sizeof *d);
  struct tables t = tables_create(f);
  const struct pass beads = beads_upload(f, &t);
  for (int k = 0; k < PASSES; k++) {
    const struct full_list *list = &f->list[k];
    struct pass *p = &d->pass[k];
    *p = beads;
    p->adds = k > 0;
    p->cutoff = list->cutoff;
    p->most_rows = list->most_rows;
    for (int c = 0; c < 3; c++)
      p->factor[c] = real_length_factor(f->box[c] / list->cutoff);
    p->rows = (const int *)uploaded(list->rows, (size_t)f->n * sizeof *list->rows);
    p->index = (const int4 *)uploaded(list->index, (size_t)f->n * (size_t)list->most_rows * ROW *
                                                       sizeof *list->index);
    p->energy = (double *)uploaded(NULL, (size_t)f->n * sizeof *p->energy);
  }
  coefficients_upload(d, f, &t);
  tables_destroy(&t);
  return d;
}

template <unsigned SET, int COEFFICIENTS, int RECORDS, int WITH_ENERGY>
static void launch_kernel(const struct pass &p, int bytes)
{
  const unsigned blocks = (unsigned)(((int64_t)p.n * LANES + THREADS - 1) / THREADS);
  const size_t shared = COEFFICIENTS == COEFFICIENTS_shared ? (size_t)bytes : 0;
  force_rows<SET, COEFFICIENTS, RECORDS, WITH_ENERGY>
      <<<blocks, THREADS, shared, cudaStreamPerThread>>>(p);
  CUDA(cudaGetLastError());
}

template <unsigned SET, int COEFFICIENTS>
static void launch_records(const struct pass &p, int bytes, int records)
{
#define M(name)                                                                                    \
  if (records == RECORDS_##name) launch_kernel<SET, COEFFICIENTS, RECORDS_##name, 0>(p, bytes);
  RECORD_MEMORY(M)
#undef M
}

template <unsigned SET>
static void launch_pass(const struct pass &p, int bytes, const struct choice &choice)
{
  if (choice.energies) {
    launch_kernel<SET, COEFFICIENTS_shared, RECORDS_ldg, 1>(p, bytes);
    return;
  }
#define M(name)                                                                                    \
  if (choice.coefficients == COEFFICIENTS_##name)                                                  \
    launch_records<SET, COEFFICIENTS_##name>(p, bytes, choice.records);
  COEFFICIENT_MEMORY(M)
#undef M
}

static void launch(void *data, struct choice choice)
{
  const struct data *d = (const struct data *)data;
  if (choice.first_pass <= 0 && choice.end_pass > 0)
    launch_pass<SET_DIPOLES>(d->pass[0], d->bytes[0], choice);
  if (choice.first_pass <= 1 && choice.end_pass > 1)
    launch_pass<SET_STICKY>(d->pass[1], d->bytes[1], choice);
}

static void result(void *data, struct outcome *to)
{
  const struct data *d = (const struct data *)data;
  const size_t n = (size_t)d->pass[0].n;
  double *energy = (double *)filled(n, sizeof *energy);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(to->force, d->pass[0].force, 3 * n * sizeof(double), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(to->torque, d->pass[0].torque, 3 * n * sizeof(double), cudaMemcpyDeviceToHost));
  for (int k = 0; k < PASSES; k++) {
    CUDA(cudaMemcpy(energy, d->pass[k].energy, n * sizeof(double), cudaMemcpyDeviceToHost));
    to->energy[k] = 0;
    for (size_t i = 0; i < n; i++)
      to->energy[k] += energy[i];
  }
  free(energy);
}

static void destroy(void *data)
{
  struct data *d = (struct data *)data;
  struct pass *beads = &d->pass[0];
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaDestroyTextureObject(beads->record_texture));
  CUDA(cudaFree((void *)beads->record));
  for (int a = 0; a < 2; a++) {
    CUDA(cudaDestroyTextureObject(beads->axis_texture[a]));
    CUDA(cudaFree((void *)beads->axis[a]));
  }
  CUDA(cudaFree(beads->force));
  CUDA(cudaFree(beads->torque));
  for (int k = 0; k < PASSES; k++) {
    CUDA(cudaDestroyTextureObject(d->pass[k].coefficients_texture));
    CUDA(cudaFree((void *)d->pass[k].coefficients));
    CUDA(cudaFree((void *)d->pass[k].rows));
    CUDA(cudaFree((void *)d->pass[k].index));
    CUDA(cudaFree(d->pass[k].energy));
  }
  free(d);
}

extern const struct variant NAME(variant_, VARIANT);
const struct variant NAME(variant_, VARIANT) = {TEXT(VARIANT), (int)sizeof(real), create, launch,
                                                result,        destroy,           host};
