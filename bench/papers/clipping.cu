/* Potentials q (1 - d2/rc2)^2 / d of charges on a lattice, on a GPU in float, by kernels in the
   manner of Rodrigues et al. (Computing Frontiers 2008). Usage: clipping [--host] FILE.pqr EDGE
   REPEAT, with charges (angstrom, e) in the cube [0, EDGE]. --host: the same functions, thread by
   thread, on one core, without times. Errors are those of all points, beside the same kernel in
   double, which in turn agrees at some points with sums over all atoms.
   Status 1: a kernel misses a pair or differs from double precision by more than rounding, or
   compensation does not make errors smaller; 3: CUDA fails; 4: there is no GPU.

   A block of threads has 8^3 points, and a thread 4 of these on a line along y. The block walks
   the rows of bins that its region of points needs, and takes their atoms through shared memory.
   All kernels share this, so that they differ in the pairs that they test, and in their sums. Bins
   lie one after the other in memory and hold any number of atoms, where the paper has 8 places in
   a small bin and leaves the other atoms to the CPU. The paper's large-bin kernel reads atoms from
   constant memory, with a launch for each region. */
#include <cuda_runtime.h>

#include "clipping.h"

#define CUDA(call) cuda_check(call, #call)

enum {
  SIDE = 8,   /* points of a block along each axis */
  POINTS = 4, /* of a thread, along y */
  STEP = 2,   /* from one to the next; threads between them have the others */
  THREADS = SIDE * SIDE * STEP,
  TILE = THREADS, /* atoms in shared memory */
  WIDE = 6,       /* blocks of a large region along each axis */
  REACH = 3,      /* small bins in reach to each side */
  ROWS = (2 * REACH + 1) * (2 * REACH + 1)
};
static_assert(SIDE == POINTS * STEP, "threads along y and their points make a block");

/* The bins that the points of a region need. */
enum needs {
  LARGE_BINS, /* regions of 24 angstroms, bins as long that begin 12 angstroms before: 2^3 */
  SMALL_BINS, /* regions and bins of 4 angstroms: the paper's 335, of 7^3 all but the corners */
  NEAR_BINS   /* of these, the bins that have a point within the cutoff of a point of the region */
};

/* Bins relative to that of a region: of one y and z, from first to last along x. */
struct row {
  int y, z, first, last;
};

struct task {
  int n;                   /* points along each axis */
  int region;              /* blocks of a region along each axis */
  int bins;                /* along each axis */
  const int *start;        /* [bins^3 + 1]: first atom of each bin */
  const struct atom *atom; /* by bins, x fastest */
  int rows;
  struct row row[ROWS];
};

/* ---------------------------------------------------------------- sums over the atoms of a point
 */

template <class T> static HD inline T inverse_root(T s)
{
#ifdef __CUDA_ARCH__
  return rsqrt(s);
#else
  return 1 / sqrt(s);
#endif
}

/* q (1 - d2/rc2)^2 */
template <class T> static HD inline T amount_of(T q, T d2)
{
  const T t = fma(d2, -1 / (T)RC2, (T)1);
  return q * t * t;
}

template <class T> struct plain {
  typedef T real;
  T value = 0;
  HD void add(T q, T d2)
  {
    if (d2 < (T)RC2) value = fma(amount_of(q, d2), inverse_root(d2), value);
  }
};

/* After Kahan: what rounding has lost from the sum is added with the next term. */
struct compensated {
  typedef float real;
  float value = 0, lost = 0;
  HD void add(float q, float d2)
  {
    if (!(d2 < RC2)) return;
    const float term = fmaf(amount_of(q, d2), inverse_root(d2), -lost), next = value + term;
    lost = (next - value) - term;
    value = next;
  }
};

struct tested {
  typedef float real;
  float value = 0;
  HD void add(float, float) { value += 1; }
};

struct inside {
  typedef float real;
  float value = 0;
  HD void add(float, float d2) { value += d2 < RC2; }
};

/* ---------------------------------------------------------------- a block of points */

/* The points of a thread: the first, and its coordinates. */
struct line {
  int at[3];
  float x, y, z;
};

/* Blocks are numbered as points are. */
static HD inline struct line line_of(const struct task &t, int block, int thread)
{
  const int blocks = t.n / SIDE;
  struct line l;
  l.at[0] = block % blocks * SIDE + thread % SIDE;
  l.at[1] = block / blocks % blocks * SIDE + thread / SIDE % STEP;
  l.at[2] = block / (blocks * blocks) * SIDE + thread / (SIDE * STEP);
  l.x = (float)l.at[0] * SPACING;
  l.y = (float)l.at[1] * SPACING;
  l.z = (float)l.at[2] * SPACING;
  return l;
}

/* The walk of a block over rows of bins. begin, end: atoms of the row, from those of the tile on.
 */
struct walk {
  int bin[3];
  int row, begin, end;
};

static HD inline struct walk walk_of(const struct task &t, int block)
{
  const int blocks = t.n / SIDE;
  struct walk w;
  w.bin[0] = block % blocks / t.region;
  w.bin[1] = block / blocks % blocks / t.region;
  w.bin[2] = block / (blocks * blocks) / t.region;
  w.row = 0;
  w.begin = -TILE;
  w.end = 0;
  return w;
}

/* Goes to the next tile. Returns the number of its atoms, 0 after the last tile. */
static HD inline int walk_on(const struct task &t, struct walk &w)
{
  w.begin += TILE;
  while (w.begin >= w.end) {
    if (w.row == t.rows) return 0;
    const struct row r = t.row[w.row++];
    const int y = w.bin[1] + r.y, z = w.bin[2] + r.z;
    if (y < 0 || y >= t.bins || z < 0 || z >= t.bins) continue;
    const int first = w.bin[0] + r.first, last = w.bin[0] + r.last;
    const int *start = t.start + (z * t.bins + y) * t.bins;
    w.begin = start[first > 0 ? first : 0];
    w.end = start[last < t.bins ? last + 1 : t.bins];
  }
  return w.end - w.begin < TILE ? w.end - w.begin : TILE;
}

/* Adds n atoms to the points of a thread. CLIP: only those within the cutoff of its line, that is,
   the line is in a cylinder around the atom. */
template <class SUM, int CLIP>
static HD inline void tile_add(const struct atom *tile, int n, const struct line &l, SUM *sum)
{
  typedef typename SUM::real T;
  for (int k = 0; k < n; k++) {
    const struct atom a = tile[k];
    const T dx = (T)l.x - (T)a.x, dz = (T)l.z - (T)a.z, r2 = fma(dx, dx, dz * dz);
    if (CLIP && r2 >= (T)RC2) continue;
    for (int j = 0; j < POINTS; j++) {
      const T dy = (T)(l.y + (float)(j * STEP) * SPACING) - (T)a.y;
      sum[j].add((T)a.q, fma(dy, dy, r2));
    }
  }
}

template <class SUM>
static HD inline void line_store(const struct task &t, const struct line &l, const SUM *sum,
                                 typename SUM::real *map)
{
  for (int j = 0; j < POINTS; j++)
    map[point_index(t.n, l.at[0], l.at[1] + j * STEP, l.at[2])] = sum[j].value;
}

template <class SUM, int CLIP>
static __global__ void __launch_bounds__(THREADS)
    block_kernel(const __grid_constant__ struct task t, typename SUM::real *map)
{
  __shared__ struct atom tile[TILE];
  const int block = (int)blockIdx.x, thread = (int)threadIdx.x;
  const struct line l = line_of(t, block, thread);
  struct walk w = walk_of(t, block);
  SUM sum[POINTS];
  for (int n; (n = walk_on(t, w)) > 0;) {
    if (thread < n) tile[thread] = t.atom[w.begin + thread];
    __syncthreads();
    tile_add<SUM, CLIP>(tile, n, l, sum);
    __syncthreads();
  }
  line_store(t, l, sum, map);
}

/* The same on one core. */
template <class SUM, int CLIP>
static void block_host(const struct task &t, int block, typename SUM::real *map)
{
  struct walk w = walk_of(t, block);
  SUM sum[THREADS][POINTS];
  for (int n; (n = walk_on(t, w)) > 0;)
    for (int thread = 0; thread < THREADS; thread++)
      tile_add<SUM, CLIP>(t.atom + w.begin, n, line_of(t, block, thread), sum[thread]);
  for (int thread = 0; thread < THREADS; thread++)
    line_store(t, line_of(t, block, thread), sum[thread], map);
}

static void cuda_check(cudaError_t error, const char *call)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "clipping: %s: %s\n", call, cudaGetErrorString(error));
  exit(3);
}

template <class SUM, int CLIP>
static void run(const struct task &t, int host, typename SUM::real *map)
{
  const int blocks = t.n / SIDE * (t.n / SIDE) * (t.n / SIDE);
  if (host) {
    for (int block = 0; block < blocks; block++)
      block_host<SUM, CLIP>(t, block, map);
    return;
  }
  block_kernel<SUM, CLIP><<<(unsigned)blocks, THREADS>>>(t, map);
  CUDA(cudaGetLastError());
}

struct variant {
  const char *name;
  enum needs needs;
  void (*map)(const struct task &t, int host, float *map);
  void (*tested)(const struct task &t, int host, float *map);
  void (*inside)(const struct task &t, int host, float *map);
};
static const struct variant variants[] = {
    {"large", LARGE_BINS, run<plain<float>, 0>, run<tested, 0>, run<inside, 0>},
    {"small", SMALL_BINS, run<plain<float>, 0>, run<tested, 0>, run<inside, 0>},
    {"near", NEAR_BINS, run<plain<float>, 0>, run<tested, 0>, run<inside, 0>},
    {"cylinder", SMALL_BINS, run<plain<float>, 1>, run<tested, 1>, run<inside, 1>},
    {"compensated", SMALL_BINS, run<compensated, 1>, run<tested, 1>, run<inside, 1>},
};
enum { VARIANTS = (int)(sizeof variants / sizeof *variants), CYLINDER = 3, COMPENSATED = 4 };

/* ---------------------------------------------------------------- bins */

/* Least distance of a coordinate of a small bin from one of the points of a region; the points end
   before the next bin. */
static float gap(int bin)
{
  if (bin > 0) return (float)bin * BIN - (SIDE - 1) * SPACING;
  return bin < 0 ? (float)(-bin - 1) * BIN : 0;
}

/* The paper's radius is the cutoff and the diagonal of a bin. */
static int is_needed(enum needs needs, int x, int y, int z)
{
  const float radius = CUTOFF + BIN * sqrtf(3);
  const float d2 = gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z);
  if (needs == NEAR_BINS) return d2 < RC2;
  return (float)(x * x + y * y + z * z) * BIN * BIN < radius * radius;
}

static void rows_find(enum needs needs, struct task *t)
{
  if (needs == LARGE_BINS) {
    for (int z = 0; z < 2; z++)
      for (int y = 0; y < 2; y++)
        t->row[t->rows++] = {y, z, 0, 1};
    return;
  }
  for (int z = -REACH; z <= REACH; z++)
    for (int y = -REACH; y <= REACH; y++) {
      struct row r = {y, z, -REACH, REACH};
      while (r.first <= r.last && !is_needed(needs, r.first, y, z))
        r.first++;
      while (r.first <= r.last && !is_needed(needs, r.last, y, z))
        r.last--;
      if (r.first <= r.last) t->row[t->rows++] = r;
    }
}

/* before: where the first bin begins. */
static int bin_of(int bins, float edge, float before, const struct atom *a)
{
  const float x[3] = {a->x, a->y, a->z};
  int b[3];
  for (int k = 0; k < 3; k++) {
    b[k] = (int)((x[k] + before) / edge);
    b[k] = b[k] < bins ? b[k] : bins - 1; /* on the far face */
  }
  return (b[2] * bins + b[1]) * bins + b[0];
}

/* Memory of the GPU or, with host, of the host. */
static void *place(const void *from, size_t bytes, int host)
{
  void *to;
  if (host) {
    to = room(bytes, 1);
    if (from) memcpy(to, from, bytes);
    return to;
  }
  CUDA(cudaMalloc(&to, bytes));
  if (from) CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  return to;
}

static void release(const void *p, int host)
{
  if (host)
    free((void *)p);
  else
    CUDA(cudaFree((void *)p));
}

static struct task task_create(enum needs needs, const struct atom *atom, int n_atoms,
                               const struct options *o, int host)
{
  const int large = needs == LARGE_BINS;
  const float edge = large ? WIDE * BIN : BIN, before = large ? CUTOFF : 0;
  struct task t = {};
  t.n = (int)((float)o->edge / SPACING);
  t.region = large ? WIDE : 1;
  t.bins = (int)ceilf(((float)o->edge + before) / edge);
  const int bins = t.bins * t.bins * t.bins;
  int *start = (int *)room((size_t)bins + 1, sizeof *start);
  int *next = (int *)room((size_t)bins + 1, sizeof *next);
  struct atom *sorted = (struct atom *)room((size_t)n_atoms, sizeof *sorted);
  for (int k = 0; k < n_atoms; k++)
    start[bin_of(t.bins, edge, before, &atom[k]) + 1]++;
  for (int b = 0; b < bins; b++)
    start[b + 1] += start[b];
  memcpy(next, start, ((size_t)bins + 1) * sizeof *next);
  for (int k = 0; k < n_atoms; k++)
    sorted[next[bin_of(t.bins, edge, before, &atom[k])]++] = atom[k];
  t.start = (int *)place(start, ((size_t)bins + 1) * sizeof *start, host);
  t.atom = (struct atom *)place(sorted, (size_t)n_atoms * sizeof *sorted, host);
  rows_find(needs, &t);
  free(start);
  free(next);
  free(sorted);
  return t;
}

/* ---------------------------------------------------------------- checks and times */

/* A map on the host. */
template <class T>
static T *map_take(void (*make)(const struct task &, int, T *), const struct task &t, int host)
{
  const size_t points = point_index(t.n, 0, 0, t.n);
  T *map = (T *)room(points, sizeof *map),
    *made = host ? map : (T *)place(NULL, points * sizeof *map, 0);
  make(t, host, made);
  if (host) return map;
  CUDA(cudaMemcpy(map, made, points * sizeof *map, cudaMemcpyDeviceToHost));
  release(made, 0);
  return map;
}

static long long total_of(int n, const float *count)
{
  const size_t points = point_index(n, 0, 0, n);
  long long total = 0;
  for (size_t i = 0; i < points; i++)
    total += (long long)count[i];
  return total;
}

/* Points of the samples at which the number of atoms inside the cutoff is wrong. */
static int miscounted(const struct exact *exact, const float *count)
{
  int wrong = 0;
  for (int k = 0; k < SAMPLES; k++) {
    const int found = (int)count[exact[k].index];
    wrong += found < exact[k].least || found > exact[k].most;
  }
  return wrong;
}

/* The map in double. */
static double *double_create(const struct task &t, const struct exact *exact, int host)
{
  double *map = map_take(run<plain<double>, 0>, t, host);
  for (int k = 0; k < SAMPLES; k++)
    if (error_of(map[exact[k].index], exact[k].value) > 1e-12 * exact[k].size)
      fail(1, "the map in double is wrong", "");
  return map;
}

/* Returns 0 if the kernel finds the pairs of the samples. */
static int check(const struct variant *v, const struct task &t, const struct exact *exact,
                 const double *reference, int host, struct result *r)
{
  const size_t points = point_index(t.n, 0, 0, t.n);
  float *map = map_take(v->map, t, host), *tested = map_take(v->tested, t, host),
        *inside = map_take(v->inside, t, host);
  const int wrong = miscounted(exact, inside);
  map_compare(exact, t.n, map, r);
  for (size_t i = 0; i < points; i++)
    error_add(r, (double)map[i], reference[i]);
  r->tested = total_of(t.n, tested);
  r->inside = total_of(t.n, inside);
  if (wrong) fprintf(stderr, "clipping: %s: wrong pairs of %d points\n", v->name, wrong);
  free(map);
  free(tested);
  free(inside);
  return wrong;
}

/* Seconds of kernels alone, the variants in turn. */
static void measure(const struct task *task, int repeat, struct result *result)
{
  float *made = (float *)place(NULL, point_index(task[0].n, 0, 0, task[0].n) * sizeof *made, 0);
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int k = 0; k < repeat; k++)
    for (int v = 0; v < VARIANTS; v++) {
      float ms = 0;
      CUDA(cudaEventRecord(begin, 0));
      variants[v].map(task[v], 0, made);
      CUDA(cudaEventRecord(end, 0));
      CUDA(cudaEventSynchronize(end));
      CUDA(cudaEventElapsedTime(&ms, begin, end));
      result[v].seconds[k] = 1e-3 * (double)ms;
    }
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  release(made, 0);
}

static int measure_all(const struct options *o, int host)
{
  static struct result result[VARIANTS];
  struct task task[VARIANTS];
  int n_atoms, wrong = 0;
  struct atom *atom = atoms_read(o->path, (float)o->edge, &n_atoms);
  for (int v = 0; v < VARIANTS; v++)
    task[v] = task_create(variants[v].needs, atom, n_atoms, o, host);
  struct exact *exact = exact_create(atom, n_atoms, task[0].n);
  double *reference = double_create(task[0], exact, host);
  for (int v = 0; v < VARIANTS; v++)
    wrong |= check(&variants[v], task[v], exact, reference, host, &result[v]) != 0;
  if (!host) measure(task, o->repeat, result);
  head_print();
  for (int v = 0; v < VARIANTS; v++)
    wrong |= result_print(variants[v].name, &result[v], o->repeat, result[0].inside);
  if (!(result[COMPENSATED].squares < result[CYLINDER].squares)) {
    fprintf(stderr, "clipping: compensated sums are not better\n");
    wrong = 1;
  }
  for (int v = 0; v < VARIANTS; v++) {
    release(task[v].start, host);
    release(task[v].atom, host);
  }
  free(reference);
  free(exact);
  free(atom);
  return wrong;
}

int main(int argc, char **argv)
{
  const int host = argc > 1 && strcmp(argv[1], "--host") == 0;
  int gpus = 0;
  if (argc != 4 + host) fail(2, "usage: clipping [--host] FILE.pqr EDGE REPEAT", "");
  const struct options o = options_of(argv + 1 + host);
  if (!host && (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)) fail(4, "no GPU", "");
  return measure_all(&o, host);
}
