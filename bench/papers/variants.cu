/* Forces, torques and energies of soft sticky dipole water with the pair terms of the program
   (src/pair) in one kind of arithmetic: compiled once for each (VARIANT its name; variants_real.h,
   variants_sums.h). Kernels differ in the memory of coefficients and in how records are read. */
#include <cuda_runtime.h>

#include "variants_tables.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define WORD(a) #a
#define TEXT(a) WORD(a)
#define CUDA(call) cuda_check(call, #call)

enum { THREADS = 128, CONSTANT_CHUNKS = 2048, SHARED_CHUNKS = 48 * 1024 / 16 };
enum { AXIS_CHUNKS = (int)sizeof(struct axis_record) / 16 };
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

/* Device memory of a frame, and the tables on the host that it is copied from. */
struct data {
  struct pass pass[PASSES];
  int bytes[PASSES]; /* of the tables of coefficients */
  struct tables tables;
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
  d->tables = tables_create(f);
  const struct pass beads = beads_upload(f, &d->tables);
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
  coefficients_upload(d, f, &d->tables);
  return d;
}

static void move(void *data, const struct frame *f)
{
  struct data *d = (struct data *)data;
  const struct pass *beads = &d->pass[0];
  const size_t n = (size_t)f->n;
  struct tables *t = &d->tables;
  beads_fill(t, f);
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  CUDA(cudaMemcpy((void *)beads->record, t->record, n * sizeof *t->record, cudaMemcpyHostToDevice));
  for (int a = 0; a < 2; a++)
    CUDA(cudaMemcpy((void *)beads->axis[a], t->axis[a], n * sizeof *t->axis[a],
                    cudaMemcpyHostToDevice));
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
  tables_destroy(&d->tables);
  free(d);
}

extern const struct variant NAME(variant_, VARIANT);
const struct variant NAME(variant_, VARIANT) = {
    TEXT(VARIANT), (int)sizeof(real), create, move, launch, result, destroy, host};
