/* What clipping.c and clipping.cu share: charges from a PQR file, sums over all atoms in double at
   some points of the lattice, and the lines of results. Both compile with C11 and C++17. */
#ifndef CLIPPING_H
#define CLIPPING_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

enum { SAMPLES = 2000, REPEAT_MOST = 1000 };

/* Angstroms and their squares. */
static const float SPACING = 0.5f, BIN = 4.0f, CUTOFF = 12.0f, RC2 = 144.0f;

/* Potentials, in e per angstrom: those below SMALL have no relative error, as in the paper; those
   above LARGE, of points on an atom, no absolute one. */
static const double SMALL = 1e-4, LARGE = 100;

/* Distances this close to the cutoff, relative to its square, may count as either side of it. */
static const double CLOSE = 1e-6;

struct atom {
  float x, y, z, q;
} __attribute__((aligned(16)));

static void fail(int status, const char *what, const char *of)
{
  fprintf(stderr, "clipping: %s%s\n", what, of);
  exit(status);
}

static void *room(size_t n, size_t size)
{
  void *p = calloc(n, size);
  if (!p) fail(2, "no memory", "");
  return p;
}

/* Where a point is in a map of n^3 points. */
static HD inline size_t point_index(int n, int x, int y, int z)
{
  return ((size_t)z * (size_t)n + (size_t)y) * (size_t)n + (size_t)x;
}

/* All atoms of a PQR file, in its order. */
static struct atom *atoms_read(const char *path, float edge, int *n)
{
  FILE *file = fopen(path, "r");
  char line[512];
  int most = 1024;
  struct atom *atom = (struct atom *)room((size_t)most, sizeof *atom);
  if (!file) fail(2, "cannot read ", path);
  for (*n = 0; fgets(line, sizeof line, file);) {
    struct atom *a = &atom[*n];
    if (strncmp(line, "ATOM", 4) != 0) continue;
    if (sscanf(line, "%*s %*s %*s %*s %*s %f %f %f %f", &a->x, &a->y, &a->z, &a->q) != 4)
      fail(2, "not an atom: ", line);
    if (!(fminf(a->x, fminf(a->y, a->z)) >= 0 && fmaxf(a->x, fmaxf(a->y, a->z)) <= edge))
      fail(2, "outside of the cube: ", line);
    if (++*n == most) {
      most *= 2;
      atom = (struct atom *)realloc(atom, (size_t)most * sizeof *atom);
      if (!atom) fail(2, "no memory", "");
    }
  }
  fclose(file);
  if (*n == 0) fail(2, "no atoms in ", path);
  return atom;
}

struct options {
  const char *path;
  int edge, repeat;
};

/* From the words FILE.pqr EDGE REPEAT. */
static struct options options_of(char **words)
{
  const struct options o = {words[0], atoi(words[1]), atoi(words[2])};
  if (o.edge < 4 || o.edge > 1000 || o.edge % 4 != 0)
    fail(2, "EDGE is a multiple of 4, at most 1000: not ", words[1]);
  if (o.repeat < 1 || o.repeat > REPEAT_MOST) fail(2, "REPEAT is 1 to 1000: not ", words[2]);
  return o;
}

/* A point of the lattice, and sums over all atoms there, in double. */
struct exact {
  size_t index;
  double value, size; /* of the potential; of |q| / d */
  int least, most;    /* atoms inside the cutoff: without and with those close to it */
};

static struct exact exact_at(const struct atom *atom, int n_atoms, int n, const int at[3])
{
  struct exact e = {point_index(n, at[0], at[1], at[2]), 0, 0, 0, 0};
  const double rc2 = (double)RC2, spacing = (double)SPACING;
  for (int k = 0; k < n_atoms; k++) {
    const struct atom *a = &atom[k];
    const double dx = at[0] * spacing - (double)a->x, dy = at[1] * spacing - (double)a->y,
                 dz = at[2] * spacing - (double)a->z;
    const double d2 = dx * dx + dy * dy + dz * dz, t = 1 - d2 / rc2;
    e.least += t > CLOSE;
    e.most += t > -CLOSE;
    if (t <= 0) continue;
    e.value += (double)a->q * t * t / sqrt(d2);
    e.size += fabs((double)a->q) / sqrt(d2);
  }
  return e;
}

/* The corners of the lattice and points at random. */
static struct exact *exact_create(const struct atom *atom, int n_atoms, int n)
{
  struct exact *exact = (struct exact *)room(SAMPLES, sizeof *exact);
  unsigned long long random = 1;
  for (int k = 0; k < SAMPLES; k++) {
    int at[3];
    for (int d = 0; d < 3; d++) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      at[d] = k < 8 ? (k >> d & 1) * (n - 1) : (int)((random >> 33) % (unsigned long long)n);
    }
    exact[k] = exact_at(atom, n_atoms, n, at);
  }
  return exact;
}

struct result {
  double seconds[REPEAT_MOST];
  long long tested, inside;    /* pairs */
  double sum;                  /* of the map */
  double difference, relative; /* largest errors at the points compared */
  double squares, compared;    /* of absolute errors; their number */
  double share;                /* largest share of what rounding explains */
};

/* How far a value is off. */
static double error_of(double value, double exact)
{
  return isfinite(value) ? fabs(value - exact) : (double)INFINITY;
}

static void error_add(struct result *r, double value, double exact)
{
  const double off = error_of(value, exact);
  if (fabs(exact) > SMALL) r->relative = fmax(r->relative, off / fabs(exact));
  if (fabs(exact) > LARGE) return;
  r->difference = fmax(r->difference, off);
  r->squares += off * off;
  r->compared++;
}

/* Compares a map of n^3 points with the exact sums. Rounding is taken as 8 FLT_EPSILON of the sum
   of |q| / d: a term is rounded about eight times, and the roundings of the sum cancel for the most
   part. */
static void map_compare(const struct exact *exact, int n, const float *map, struct result *r)
{
  const size_t points = point_index(n, 0, 0, n);
  for (size_t i = 0; i < points; i++)
    r->sum += (double)map[i];
  for (int k = 0; k < SAMPLES; k++) {
    const struct exact *e = &exact[k];
    const double off = error_of((double)map[e->index], e->value);
    if (off > 0) r->share = fmax(r->share, off / (8 * (double)FLT_EPSILON * e->size));
  }
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void head_print(void)
{
  printf("variant,best_s,median_s,tested,inside,sum,difference,relative,rms,share_of_rounding\n");
}

/* Sum and difference: e per angstrom. inside: of all pairs. Returns 0 if the variant is right. */
static int result_print(const char *name, struct result *r, int repeat, long long inside)
{
  qsort(r->seconds, (size_t)repeat, sizeof *r->seconds, ascending);
  printf("%s,%.6f,%.6f,%lld,%lld,%.6f,%.3g,%.4g,%.3g,%.3g\n", name, r->seconds[0],
         r->seconds[repeat / 2], r->tested, r->inside, r->sum, r->difference, r->relative,
         sqrt(r->squares / r->compared), r->share);
  if (r->inside == inside && r->share <= 1 && isfinite(r->sum)) return 0;
  fprintf(stderr, "clipping: %s misses pairs or deviates more than by rounding\n", name);
  return 1;
}

#endif
