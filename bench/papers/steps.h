/* What the programs of steps.cu share on host and GPU: options, the crystal of the start, the sums
   and moves of one atom, and sums over all atoms in double. Sums of products are written as fmaf,
   so that no compiler rounds them otherwise. Reduced units. */
#ifndef STEPS_H
#define STEPS_H

#include <cuda_runtime.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HD __host__ __device__

enum { SAMPLES = 200, REPEAT_MOST = 1000, AHEAD = 4 };
static const double DENSITY = 0.8442;

/* Distances this close to a cutoff, relative to its square, may count as either side of it. */
static const double CLOSE = 1e-5;

/* The most that the energy of an atom may change. */
static const double DRIFT = 2e-4;

static void fail(int status, const char *what, const char *of)
{
  fprintf(stderr, "steps: %s%s\n", what, of);
  exit(status);
}

static void *room(size_t n, size_t size)
{
  void *p = calloc(n, size);
  if (!p) fail(2, "no memory", "");
  return p;
}

static double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- options */

struct options {
  int atoms, steps, batch, repeat, host, csv;
  double cutoff, skin, temperature, dt;
};

static const char help[] =
    "steps: Lennard-Jones dynamics with the kernels of a step submitted in several ways, on one "
    "GPU\n"
    "\n"
    "  --atoms=N        4 x 2^k, 2048 to 1048576 [8192]\n"
    "  --cutoff=R       1 to 6 [2.5]\n"
    "  --skin=R         of the neighbour list, 0.1 to 1 [0.5]\n"
    "  --steps=N        of a run, all with one list, a multiple of --batch; 1 to 10000 [100]\n"
    "  --batch=N        steps of a graph, 1 to 1000 [10]\n"
    "  --repeat=N       measurements of each time, 1 to 1000 [21]\n"
    "  --temperature=T  of the velocities of the start, 0 to 10 [0.05]\n"
    "  --dt=T           1e-5 to 0.02 [0.005]\n"
    "  --host           the same functions on one core: checks without times\n"
    "  --csv            values between commas\n"
    "\n"
    "Ways of a step:\n"
    "  separate      three kernels: first half kick and drift; forces; second half kick\n"
    "  next          two: forces; second half kick with the first half kick and drift of the next "
    "step\n"
    "  kick          two: first half kick and drift; forces with the second half kick\n"
    "  single        one: forces, second half kick, and first half kick and drift of the next "
    "step\n"
    "  waiting       separate; the host waits after each step\n"
    "  graph         separate, as CUDA graphs of --batch steps\n"
    "  graph-single  single, as CUDA graphs of --batch steps\n"
    "  persistent    all steps in one cooperative kernel, with one barrier of the grid a step\n"
    "\n"
    "Times are the median, least and most of the measurements. Status 0: all ways gave the same "
    "bits,\n"
    "and all checks passed; 1: a check failed; 2: wrong options; 3: CUDA failed; 4: there is no "
    "GPU.\n";

static double number_of(const char *name, const char *word, double least, double most)
{
  char *end;
  const double value = strtod(word, &end);
  if (end != word && !*end && value >= least && value <= most) return value;
  fprintf(stderr, "steps: --%s is %g to %g: not %s\n", name, least, most, word);
  exit(2);
}

static int whole_of(const char *name, const char *word, int least, int most)
{
  const double value = number_of(name, word, least, most);
  if (value != floor(value)) fail(2, "not a whole number: ", word);
  return (int)value;
}

/* Unit cells along each axis: powers of two, as equal as can be, the first the smallest. */
static void cells_of(int atoms, int cells[3])
{
  int k = 0;
  while (4 << k < atoms)
    k++;
  for (int d = 0; d < 3; d++)
    cells[d] = 1 << (k + d) / 3;
}

static double cell_edge(void)
{
  return cbrt(4 / DENSITY);
}

static void options_check(const struct options *o)
{
  int cells[3];
  cells_of(o->atoms, cells);
  if (4 * cells[0] * cells[1] * cells[2] != o->atoms) fail(2, "--atoms is not 4 x 2^k", "");
  if (o->steps % o->batch != 0) fail(2, "--steps is not a multiple of --batch", "");
  if (2 * (o->cutoff + o->skin) > cells[0] * cell_edge())
    fail(2, "the box is shorter than twice the cutoff and the skin: use more atoms", "");
}

static struct options options_of(int argc, char **argv)
{
  static const struct option names[] = {
      {"atoms", 1, NULL, 'a'},       {"cutoff", 1, NULL, 'c'}, {"skin", 1, NULL, 's'},
      {"steps", 1, NULL, 'n'},       {"batch", 1, NULL, 'b'},  {"repeat", 1, NULL, 'r'},
      {"temperature", 1, NULL, 't'}, {"dt", 1, NULL, 'd'},     {"host", 0, NULL, 'H'},
      {"csv", 0, NULL, 'C'},         {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
  struct options o = {8192, 100, 10, 21, 0, 0, 2.5, 0.5, 0.05, 0.005};
  int key, at = 0;
  while ((key = getopt_long(argc, argv, "", names, &at)) != -1) {
    const char *name = names[at].name;
    switch (key) {
    case 'a':
      o.atoms = whole_of(name, optarg, 2048, 1048576);
      break;
    case 'c':
      o.cutoff = number_of(name, optarg, 1, 6);
      break;
    case 's':
      o.skin = number_of(name, optarg, 0.1, 1);
      break;
    case 'n':
      o.steps = whole_of(name, optarg, 1, 10000);
      break;
    case 'b':
      o.batch = whole_of(name, optarg, 1, 1000);
      break;
    case 'r':
      o.repeat = whole_of(name, optarg, 1, REPEAT_MOST);
      break;
    case 't':
      o.temperature = number_of(name, optarg, 0, 10);
      break;
    case 'd':
      o.dt = number_of(name, optarg, 1e-5, 0.02);
      break;
    case 'H':
      o.host = 1;
      break;
    case 'C':
      o.csv = 1;
      break;
    case 'h':
      fputs(help, stdout);
      exit(0);
    default:
      fail(2, "see steps --help", "");
    }
  }
  if (optind < argc) fail(2, "an option begins with --: not ", argv[optind]);
  options_check(&o);
  return o;
}

/* ---------------------------------------------------------------- atoms */

/* Memory of the host or of the GPU. The list of an atom is a column: entries n apart. */
struct state {
  int n, rows;
  float edge[3], inverse[3]; /* of the box */
  float cutoff2, reach2;     /* reach: cutoff and skin */
  float half, dt;            /* half: of the time step */
  double shift;              /* energy of a pair at the cutoff */
  float4 *x[2], *v, *f;      /* two copies of positions: see single */
  int *count, *list;
};

static struct state state_of(const struct options *o)
{
  struct state s;
  int cells[3];
  const double reach = o->cutoff + o->skin, s6 = pow(o->cutoff, -6);
  memset(&s, 0, sizeof s);
  cells_of(o->atoms, cells);
  s.n = o->atoms;
  s.rows = 32 + (int)(1.2 * DENSITY * 4 / 3 * M_PI * reach * reach * reach);
  for (int d = 0; d < 3; d++) {
    s.edge[d] = (float)(cells[d] * cell_edge());
    s.inverse[d] = 1 / s.edge[d];
  }
  s.cutoff2 = (float)(o->cutoff * o->cutoff);
  s.reach2 = (float)(reach * reach);
  s.dt = (float)o->dt;
  s.half = 0.5f * s.dt;
  s.shift = 4 * s6 * (s6 - 1);
  return s;
}

static double uniform(unsigned long long *random)
{
  *random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(*random >> 11) + 0.5) / 9007199254740992.0;
}

static float normal(unsigned long long *random)
{
  const double radius = sqrt(-2 * log(uniform(random)));
  return (float)(radius * cos(2 * M_PI * uniform(random)));
}

/* A face-centred crystal with each atom moved at random by up to 0.01 along each axis, since forces
   of the crystal itself are zero; velocities without a sum. */
static void crystal_set(const struct options *o, float4 *x, float4 *v)
{
  static const int site[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
  unsigned long long random = 1;
  int cells[3];
  double sum[3] = {0, 0, 0};
  cells_of(o->atoms, cells);
  const float width = (float)sqrt(o->temperature);
  for (int i = 0; i < o->atoms; i++) {
    const int c = i / 4, *at = site[i % 4];
    const int cell[3] = {c % cells[0], c / cells[0] % cells[1], c / (cells[0] * cells[1])};
    float place[3], speed[3];
    for (int d = 0; d < 3; d++) {
      place[d] =
          (float)((cell[d] + 0.5 * at[d] + 0.25) * cell_edge() + 0.02 * (uniform(&random) - 0.5));
      speed[d] = width * normal(&random);
      sum[d] += (double)speed[d] / o->atoms;
    }
    x[i] = make_float4(place[0], place[1], place[2], 0);
    v[i] = make_float4(speed[0], speed[1], speed[2], 0);
  }
  for (int i = 0; i < o->atoms; i++) {
    v[i].x -= (float)sum[0];
    v[i].y -= (float)sum[1];
    v[i].z -= (float)sum[2];
  }
}

/* From b to a, to the nearest image; w: the square. */
static HD inline float4 difference_of(const struct state &s, float4 a, float4 b)
{
  float4 d;
  d.x = a.x - b.x;
  d.y = a.y - b.y;
  d.z = a.z - b.z;
  d.x = fmaf(-s.edge[0], rintf(d.x * s.inverse[0]), d.x);
  d.y = fmaf(-s.edge[1], rintf(d.y * s.inverse[1]), d.y);
  d.z = fmaf(-s.edge[2], rintf(d.z * s.inverse[2]), d.z);
  d.w = fmaf(d.x, d.x, fmaf(d.y, d.y, d.z * d.z));
  return d;
}

static HD inline void force_add(const struct state &s, float4 own, float4 other, float4 *f)
{
  const float4 d = difference_of(s, own, other);
  if (d.w >= s.cutoff2) return;
  const float s2 = 1 / d.w, s6 = s2 * s2 * s2, slope = fmaf(48, s6, -24) * s6 * s2;
  f->x = fmaf(slope, d.x, f->x);
  f->y = fmaf(slope, d.y, f->y);
  f->z = fmaf(slope, d.z, f->z);
}

/* The loads of some neighbours go before the forces of the first of them. */
static HD inline float4 force_of(const struct state &s, const float4 *x, int i)
{
  const float4 own = x[i];
  const int *next = s.list + i, count = s.count[i];
  float4 f = make_float4(0, 0, 0, 0);
  for (int k = 0; k < count; k += AHEAD) {
    float4 other[AHEAD];
    for (int a = 0; a < AHEAD; a++, next += s.n)
      other[a] = x[k + a < count ? *next : i];
    for (int a = 0; a < AHEAD; a++)
      if (k + a < count) force_add(s, own, other[a], &f);
  }
  return f;
}

static HD inline float4 added(float4 a, float factor, float4 b)
{
  return make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z), 0);
}

enum { FORCES = 1, SECOND = 2, FIRST = 4 }; /* FIRST: with the drift */

/* Parts of a step for one atom, from positions x[at] to x[to]. */
template <int PARTS>
static HD inline void atom_advance(const struct state &s, int at, int to, int i)
{
  const float4 *x = at ? s.x[1] : s.x[0];
  const float4 f = PARTS & FORCES ? force_of(s, x, i) : s.f[i];
  if (PARTS & FORCES && !(PARTS & FIRST)) s.f[i] = f;
  if (!(PARTS & (FIRST | SECOND))) return;
  float4 v = s.v[i];
  if (PARTS & SECOND) v = added(v, s.half, f);
  if (PARTS & FIRST) {
    v = added(v, s.half, f);
    (to ? s.x[1] : s.x[0])[i] = added(x[i], s.dt, v);
  }
  s.v[i] = v;
}

/* Kinetic energy, and half of the energies of its pairs, each 0 at the cutoff. */
static HD inline double energy_of(const struct state &s, int i)
{
  const float4 own = s.x[0][i], v = s.v[i];
  const int *next = s.list + i, count = s.count[i];
  double sum = (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z;
  for (int k = 0; k < count; k++, next += s.n) {
    const float4 d = difference_of(s, own, s.x[0][*next]);
    if (d.w >= s.cutoff2) continue;
    const double s2 = 1 / (double)d.w, s6 = s2 * s2 * s2;
    sum += 4 * s6 * (s6 - 1) - s.shift;
  }
  return 0.5 * sum;
}

/* ---------------------------------------------------------------- sums over all atoms */

/* Of one atom, in double. bound: what rounding and pairs close to the cutoff may change. */
struct exact {
  double f[3], bound;
  int least, most; /* atoms in reach: without and with those close to it */
};

/* A force is off by at most about 32 roundings of its two terms, and by 14 times the relative error
   of a distance, whose difference is rounded as an edge of the box. */
static struct exact exact_of(const struct state *s, const float4 *x, int i)
{
  struct exact e = {{0, 0, 0}, 0, 0, 0};
  for (int j = 0; j < s->n; j++) {
    const double raw[3] = {(double)x[i].x - x[j].x, (double)x[i].y - x[j].y,
                           (double)x[i].z - x[j].z};
    double d[3], r2 = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = raw[k] - (double)s->edge[k] * rint(raw[k] / (double)s->edge[k]);
      r2 += d[k] * d[k];
    }
    if (j == i) continue;
    e.least += r2 < (double)s->reach2 * (1 - CLOSE);
    e.most += r2 < (double)s->reach2 * (1 + CLOSE);
    if (r2 >= (double)s->cutoff2 * (1 + CLOSE)) continue;
    const double s6 = 1 / (r2 * r2 * r2), slope = (48 * s6 - 24) * s6 / r2, r = sqrt(r2);
    const double size = (48 * s6 + 24) * s6 / r;
    e.bound += (double)FLT_EPSILON * size * (32 + 14 * 0.5 * (double)s->edge[2] / r);
    if (r2 > (double)s->cutoff2 * (1 - CLOSE)) e.bound += fabs(slope) * r;
    for (int k = 0; k < 3 && r2 < (double)s->cutoff2; k++)
      e.f[k] += slope * d[k];
  }
  return e;
}

/* The most that an atom is away from where it was, and the second most, added. */
static double displacement_of(int n, const float4 *x, const float4 *before)
{
  double most = 0, second = 0;
  for (int i = 0; i < n; i++) {
    const double d[3] = {(double)x[i].x - before[i].x, (double)x[i].y - before[i].y,
                         (double)x[i].z - before[i].z};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(r2 <= most)) {
      second = most;
      most = r2;
    } else if (r2 > second) {
      second = r2;
    }
  }
  return sqrt(most) + sqrt(second);
}

/* ---------------------------------------------------------------- output */

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void head_print(int csv)
{
  printf(csv ? "part,what,block,unit,median,least,most\n" : "%-8s %-44s %5s %4s %12s %12s %12s\n",
         "part", "what", "block", "unit", "median", "least", "most");
}

/* Sorts the samples. Returns their median. */
static double row_print(const struct options *o, const char *part, const char *what, int block,
                        const char *unit, double *sample)
{
  qsort(sample, (size_t)o->repeat, sizeof *sample, ascending);
  const double median = sample[o->repeat / 2];
  printf(o->csv ? "%s,%s,%d,%s,%.5g,%.5g,%.5g\n" : "%-8s %-44s %5d %4s %12.5g %12.5g %12.5g\n",
         part, what, block, unit, median, sample[0], sample[o->repeat - 1]);
  return median;
}

#endif
