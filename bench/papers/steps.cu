/* Lennard-Jones dynamics on a GPU, with the kernels of a step apart, joined, submitted as CUDA
   graphs, and in one cooperative kernel for all steps, as in Liu et al. (Comput. Phys. Commun. 179,
   634, 2008); `steps --help`. Float, one thread an atom, full neighbour lists, velocity Verlet. The
   list is made once by a loop over all atoms, as in the paper. The start is a crystal cool enough
   to stay one, so that a list can last.

   Checks: list and forces of some atoms beside sums over all atoms in double, at the start and at
   the end; that no two atoms have moved as far as the skin together, at any step; the change of the
   energy; that all ways and all sizes of blocks give the same bits. */
#include "steps_ways.h"

#include "steps_largest.h"

/* Of a run by steps: positions and velocities at its end, and the largest displacements. */
struct reference {
  float4 *x, *v;
  double displacement, energy[2]; /* energy: of an atom, at the start and at the end */
};

static double energy_find(const struct run *r)
{
  const size_t n = (size_t)r->s.n;
  double *host = (double *)room(n, sizeof *host), sum = 0;
  if (r->host) {
    for (size_t i = 0; i < n; i++)
      host[i] = energy_of(r->s, (int)i);
  } else {
    double *made = (double *)place(n * sizeof *made, 0);
    energy_kernel<<<blocks_of(r), (unsigned)r->block, 0, r->stream>>>(r->s, made);
    CUDA(cudaGetLastError());
    copy(r, host, made, n * sizeof *made);
    release(made, 0);
  }
  for (size_t i = 0; i < n; i++)
    sum += host[i];
  free(host);
  return sum / (double)n;
}

/* Mean number of neighbours of an atom. */
static double list_check(const struct run *r)
{
  const size_t n = (size_t)r->s.n;
  int *count = (int *)room(n, sizeof *count);
  double mean = 0;
  copy(r, count, r->s.count, n * sizeof *count);
  for (size_t i = 0; i < n; i++) {
    if (count[i] > r->s.rows) fail(1, "an atom has more neighbours than its list has room for", "");
    mean += count[i] / (double)n;
  }
  free(count);
  return mean;
}

/* Atoms of the samples whose force, or with lists also the number of neighbours, is wrong. */
static int forces_check(const struct run *r, const char *when, int lists)
{
  const size_t n = (size_t)r->s.n;
  float4 *x = (float4 *)room(n, sizeof *x), *f = (float4 *)room(n, sizeof *f);
  int *count = (int *)room(n, sizeof *count), wrong = 0;
  double share = 0;
  copy(r, x, r->s.x[0], n * sizeof *x);
  copy(r, f, r->s.f, n * sizeof *f);
  copy(r, count, r->s.count, n * sizeof *count);
  for (size_t k = 0; k < SAMPLES; k++) {
    const size_t i = k * (n - 1) / (SAMPLES - 1);
    const struct exact e = exact_of(&r->s, x, (int)i);
    const double found[3] = {(double)f[i].x, (double)f[i].y, (double)f[i].z};
    double off = 0;
    for (int d = 0; d < 3; d++)
      off = isfinite(found[d]) ? fmax(off, fabs(found[d] - e.f[d])) : (double)INFINITY;
    share = fmax(share, off / e.bound);
    wrong += off > e.bound || (lists && (count[i] < e.least || count[i] > e.most));
  }
  printf("# forces at the %s: %d of %d atoms wrong, errors at most %.2g of their bound\n", when,
         wrong, SAMPLES, share);
  free(x);
  free(f);
  free(count);
  return wrong;
}

/* The start, its list and its forces; saved for run_restore. Returns what the checks found. */
static int run_start(const struct options *o, const struct run *r)
{
  const size_t n = (size_t)r->s.n, bytes = n * sizeof(float4);
  float4 *x = (float4 *)room(n, sizeof *x), *v = (float4 *)room(n, sizeof *v);
  crystal_set(o, x, v);
  copy(r, r->s.x[0], x, bytes);
  copy(r, r->s.v, v, bytes);
  list_run(r);
  const double mean = list_check(r);
  part_run<FORCES>(r, 0, 0);
  copy(r, r->x, r->s.x[0], bytes);
  copy(r, r->v, r->s.v, bytes);
  copy(r, r->f, r->s.f, bytes);
  printf("# %d atoms, cutoff %g, skin %g, temperature %g, time step %g, %d steps; %.1f entries of "
         "the list an atom, room for %d\n",
         o->atoms, o->cutoff, o->skin, o->temperature, o->dt, o->steps, mean, r->s.rows);
  free(x);
  free(v);
  return forces_check(r, "start", 1);
}

/* Returns 0 if the list has lasted and the energy has stayed. */
static int reference_find(const struct options *o, const struct run *r, struct reference *e)
{
  const size_t n = (size_t)r->s.n, bytes = n * sizeof(float4);
  float4 *before = (float4 *)room(n, sizeof *before);
  e->x = (float4 *)room(n, sizeof *e->x);
  e->v = (float4 *)room(n, sizeof *e->v);
  run_restore(r);
  copy(r, before, r->x, bytes);
  e->energy[0] = energy_find(r);
  for (int k = 0; k < r->steps; k++) {
    separate(r, 1);
    copy(r, e->x, r->s.x[0], bytes);
    e->displacement = fmax(e->displacement, displacement_of(r->s.n, e->x, before));
  }
  copy(r, e->v, r->s.v, bytes);
  e->energy[1] = energy_find(r);
  free(before);
  const double change = e->energy[1] - e->energy[0];
  printf("# the two largest displacements: %.3f together, the skin is %g\n", e->displacement,
         o->skin);
  printf("# energy of an atom: %.6f, at the end %+.2g\n", e->energy[0], change);
  if (!(e->displacement < o->skin)) {
    fprintf(stderr, "steps: the list does not last: use fewer steps, a wider skin, or a lower "
                    "temperature\n");
    return 1;
  }
  if (fabs(change) < DRIFT) return 0;
  fprintf(stderr, "steps: the energy of an atom changes by more than %g\n", DRIFT);
  return 1;
}

static unsigned long long bits_of(unsigned long long sum, const float4 *a, size_t n)
{
  const unsigned char *byte = (const unsigned char *)a;
  for (size_t k = 0; k < n * sizeof *a; k++)
    sum = (sum ^ byte[k]) * 1099511628211ULL;
  return sum;
}

/* Returns the number of atoms whose positions or velocities differ from the reference. */
static int way_differs(const struct run *r, const struct way *way, const struct reference *e)
{
  const size_t n = (size_t)r->s.n, bytes = n * sizeof(float4);
  float4 *x = (float4 *)room(n, sizeof *x), *v = (float4 *)room(n, sizeof *v);
  int differ = 0;
  double most = 0;
  run_restore(r);
  way->submit(r, r->steps);
  copy(r, x, r->s.x[0], bytes);
  copy(r, v, r->s.v, bytes);
  for (size_t i = 0; i < n; i++)
    if (memcmp(&x[i], &e->x[i], sizeof *x) != 0 || memcmp(&v[i], &e->v[i], sizeof *v) != 0) {
      differ++;
      most = fmax(most, fmax(fabs((double)x[i].x - (double)e->x[i].x),
                             fmax(fabs((double)x[i].y - (double)e->x[i].y),
                                  fabs((double)x[i].z - (double)e->x[i].z))));
    }
  if (differ)
    fprintf(stderr, "steps: %s, blocks of %d: other bits at %d atoms, positions by up to %g\n",
            way->name, r->block, differ, most);
  free(x);
  free(v);
  return differ;
}

static int ways_check(struct run *r, const struct reference *e)
{
  const size_t n = (size_t)r->s.n;
  int wrong = 0, tried = 0;
  for (int b = 0; b < (r->host ? 1 : BLOCK_SIZES); b++) {
    block_set(r, block_sizes[b]);
    for (const struct way &way : ways) {
      if (r->host && !way.on_host) continue;
      wrong += way_differs(r, &way, e) != 0;
      tried++;
    }
  }
  printf("# bits: %d of %d differ from those of single steps; sum of the bits %016llx\n", wrong,
         tried, bits_of(bits_of(14695981039346656037ULL, e->x, n), e->v, n));
  return wrong;
}

/* All ways in turn, with each size of blocks. */
static void ways_measure(const struct options *o, struct run *r)
{
  static double sample[WAYS][REPEAT_MOST];
  for (const int block : block_sizes) {
    block_set(r, block);
    for (int k = -1; k < o->repeat; k++) /* the first does not count */
      for (int w = 0; w < WAYS; w++) {
        run_restore(r);
        const double begin = seconds_now();
        ways[w].submit(r, r->steps);
        run_wait(r);
        if (k >= 0) sample[w][k] = 1e3 * (seconds_now() - begin);
      }
    for (int w = 0; w < WAYS; w++)
      row_print(o, "steps", ways[w].name, block, "ms", sample[w]);
  }
}

static void gpu_print(void)
{
  struct cudaDeviceProp p;
  int runtime, cooperative;
  CUDA(cudaGetDeviceProperties(&p, 0));
  CUDA(cudaRuntimeGetVersion(&runtime));
  CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  if (!cooperative) fail(4, "a GPU without cooperative kernels: ", p.name);
  printf("# %s, %d multiprocessors, CUDA %d.%d\n", p.name, p.multiProcessorCount, runtime / 1000,
         runtime / 10 % 100);
}

int main(int argc, char **argv)
{
  const struct options o = options_of(argc, argv);
  struct reference e = {};
  int gpus = 0;
  setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* no kernel is loaded within a time or a graph */
  if (!o.host && (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)) fail(4, "no GPU", "");
  if (!o.host) gpu_print();
  struct run r = run_create(&o);
  int wrong = run_start(&o, &r);
  wrong += reference_find(&o, &r, &e);
  wrong += forces_check(&r, "end", 0);
  wrong += ways_check(&r, &e);
  fflush(stdout);
  if (!wrong && !o.host) {
    head_print(o.csv);
    ways_measure(&o, &r);
    costs_measure(&o, &r);
    largest_measure(&o, &r);
  }
  free(e.x);
  free(e.v);
  run_destroy(&r);
  return wrong != 0;
}
