/* Potentials q (1 - d2/rc2)^2 / d of charges on a lattice, on one core in float, as the CPU program
   of Rodrigues et al. (Computing Frontiers 2008): the gain from visiting fewer points around an
   atom. Usage: clipping FILE.pqr EDGE REPEAT, with charges (angstrom, e) in the cube [0, EDGE].
   Compile with -O3 -march=native -fno-math-errno, without which gcc does not vectorise roots, and
   -fno-trapping-math, without which it does not vectorise the condition with AVX2. The values are
   the same without both.
   Status 1: a variant misses a pair or differs from double precision by more than rounding. */
#include <time.h>

#include "clipping.h"

enum {
  LANES = 8,  /* points of a vector: lines are visited in whole vectors */
  LINES = 64, /* room for the lines of a plane around an atom */
  REGION = 8, /* points of a region along each axis; as long as a bin */
  NEAR = 512  /* room for the bins in reach of a region */
};

/* Pairs closer to the cutoff are not counted: rounding decides whether a variant visits them. */
static const double COUNTED_D2 = 144.0 * (1 - 1e-5);

/* Boundaries are open. Atoms are sorted into bins. */
enum variant {
  CUBE,     /* for each atom, the points of the cube around the sphere of the cutoff */
  CYLINDER, /* of these, the lines along x that pass within the cutoff, whole */
  SPHERE,   /* of these lines, the part within the cutoff */
  BINS,     /* for each region, the atoms of the bins in reach, as the paper's small-bin kernel */
  VARIANTS
};
static const char *const variant_name[VARIANTS] = {"cube", "cylinder", "sphere", "bins"};

struct system {
  int n;    /* points in each direction */
  int bins; /* in each direction */
  int n_atoms;
  float *at;         /* [n + LANES]: coordinates of the points; those after the last are far away */
  struct atom *atom; /* by bins, x fastest */
  int *start;        /* [bins^3 + 1]: first atom of each bin */
};

struct count {
  long long tested, inside;
};

struct range {
  int first, end;
};

static int bin_of(const struct system *s, const struct atom *a)
{
  const float x[3] = {a->x, a->y, a->z};
  int b[3];
  for (int k = 0; k < 3; k++) {
    b[k] = (int)(x[k] / BIN);
    b[k] = b[k] < s->bins ? b[k] : s->bins - 1; /* on the far face */
  }
  return (b[2] * s->bins + b[1]) * s->bins + b[0];
}

static struct system system_create(const struct atom *read, int n_atoms, float edge)
{
  struct system s = {.n = (int)(edge / SPACING), .bins = (int)(edge / BIN), .n_atoms = n_atoms};
  const int bins = s.bins * s.bins * s.bins;
  int *next = room((size_t)bins + 1, sizeof *next);
  s.at = room((size_t)s.n + LANES, sizeof *s.at);
  s.atom = room((size_t)s.n_atoms, sizeof *s.atom);
  s.start = room((size_t)bins + 1, sizeof *s.start);
  for (int k = 0; k < s.n + LANES; k++)
    s.at[k] = k < s.n ? (float)k * SPACING : 1e6f;
  for (int k = 0; k < s.n_atoms; k++)
    s.start[bin_of(&s, &read[k]) + 1]++;
  for (int b = 0; b < bins; b++)
    s.start[b + 1] += s.start[b];
  memcpy(next, s.start, ((size_t)bins + 1) * sizeof *next);
  for (int k = 0; k < s.n_atoms; k++)
    s.atom[next[bin_of(&s, &read[k])]++] = read[k];
  free(next);
  return s;
}

/* Of n points of a line, those with |at - x| <= half. */
static inline struct range range_of(int n, float x, float half)
{
  const int first = (int)ceilf((x - half) / SPACING), last = (int)floorf((x + half) / SPACING);
  const struct range r = {first > 0 ? first : 0, last + 1 < n ? last + 1 : n};
  return r;
}

static inline float value_of(float q, float d2)
{
  const float t = 1 - d2 * (1 / RC2), v = q * t * t / sqrtf(d2);
  return d2 < RC2 ? v : 0;
}

/* Adds an atom to n points of a line, n a multiple of LANES; r2: the square of its distance from
   the line. Points after the end of the line, which are those of the next line, get 0. */
static inline void line_add(struct atom a, float r2, int n, const float *restrict at,
                            float *restrict line)
{
  for (int i = 0; i < n / LANES * LANES; i++) {
    const float d = at[i] - a.x;
    line[i] += value_of(a.q, d * d + r2);
  }
}

static void line_count(struct atom a, double r2, int n, const float *at, struct count *count)
{
  count->tested += n;
  for (int i = 0; i < n; i++) {
    const double d = (double)at[i] - (double)a.x;
    count->inside += d * d + r2 < COUNTED_D2;
  }
}

/* The points to visit around an atom on the lines of a plane, n a multiple of LANES. */
struct lines {
  float r2[LINES];
  int first[LINES], n[LINES];
};

/* ry: lines of the plane inside the cube; rx: their points inside it; dz: distance of the plane. */
static inline void lines_find(enum variant variant, const struct system *s, struct atom a,
                              struct range rx, struct range ry, float dz, struct lines *l)
{
  for (int k = 0; k < ry.end - ry.first; k++) {
    const float dy = s->at[ry.first + k] - a.y, r2 = dy * dy + dz * dz, left = RC2 - r2;
    const struct range r = variant == SPHERE ? range_of(s->n, a.x, sqrtf(left > 0 ? left : 0)) : rx;
    const int n = (r.end - r.first + LANES - 1) / LANES * LANES;
    l->r2[k] = r2;
    l->first[k] = r.first;
    l->n[k] = variant == CUBE || left > 0 ? n : 0;
  }
}

/* Adds an atom to the map; with `count`, counts its pairs instead. Callers give a constant
   variant. */
static inline void atom_visit(enum variant variant, const struct system *s, struct atom a,
                              float *map, struct count *count)
{
  const struct range rx = range_of(s->n, a.x, CUTOFF), ry = range_of(s->n, a.y, CUTOFF);
  const struct range rz = range_of(s->n, a.z, CUTOFF);
  struct lines l;
  for (int z = rz.first; z < rz.end; z++) {
    const float dz = s->at[z] - a.z;
    lines_find(variant, s, a, rx, ry, dz, &l);
    for (int y = ry.first; y < ry.end; y++) {
      const int k = y - ry.first, x = l.first[k];
      const double dy = s->at[y] - a.y;
      if (count)
        line_count(a, dy * dy + (double)dz * dz, l.n[k], s->at + x, count);
      else
        line_add(a, l.r2[k], l.n[k], s->at + x, map + point_index(s->n, x, y, z));
    }
  }
}

static void cube_visit(const struct system *s, float *map, struct count *count)
{
  for (int k = 0; k < s->n_atoms; k++)
    atom_visit(CUBE, s, s->atom[k], map, count);
}

static void cylinder_visit(const struct system *s, float *map, struct count *count)
{
  for (int k = 0; k < s->n_atoms; k++)
    atom_visit(CYLINDER, s, s->atom[k], map, count);
}

static void sphere_visit(const struct system *s, float *map, struct count *count)
{
  for (int k = 0; k < s->n_atoms; k++)
    atom_visit(SPHERE, s, s->atom[k], map, count);
}

/* Bins in reach of a region, relative to the bin that it fills. */
struct near {
  int n, bin[NEAR][3];
};

/* Least distance of a coordinate of a bin from one of the points of a region; the points end before
 * the next bin. */
static float gap(int bin)
{
  if (bin > 0) return (float)bin * BIN - (REGION - 1) * SPACING;
  return bin < 0 ? (float)(-bin - 1) * BIN : 0;
}

static struct near near_create(void)
{
  struct near near = {.n = 0};
  const int reach = (int)(CUTOFF / BIN) + 1;
  for (int z = -reach; z <= reach; z++)
    for (int y = -reach; y <= reach; y++)
      for (int x = -reach; x <= reach; x++)
        if (gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z) < RC2) {
          const int bin[3] = {x, y, z};
          memcpy(near.bin[near.n++], bin, sizeof bin);
        }
  return near;
}

/* Points of a region: a plane is REGION rows. */
enum { PLANE = REGION * REGION };
struct region {
  const float *x, *y, *z; /* [REGION] */
  float sum[REGION][PLANE];
};

static inline void region_add(struct region *r, struct atom a)
{
  float xy[PLANE];
  for (int j = 0; j < REGION; j++)
    for (int i = 0; i < REGION; i++) {
      const float dx = r->x[i] - a.x, dy = r->y[j] - a.y;
      xy[REGION * j + i] = dx * dx + dy * dy;
    }
  for (int k = 0; k < REGION; k++) {
    const float dz = r->z[k] - a.z, z2 = dz * dz;
    for (int i = 0; i < PLANE; i++)
      r->sum[k][i] += value_of(a.q, xy[i] + z2);
  }
}

static void region_count(const struct region *r, struct atom a, struct count *count)
{
  for (int k = 0; k < REGION; k++)
    for (int j = 0; j < REGION; j++) {
      const float dy = r->y[j] - a.y, dz = r->z[k] - a.z;
      line_count(a, (double)dy * dy + (double)dz * dz, REGION, r->x, count);
    }
}

static void region_store(const struct system *s, const struct region *r, const int bin[3],
                         float *map)
{
  for (int k = 0; k < REGION; k++)
    for (int j = 0; j < REGION; j++) {
      const int x = REGION * bin[0], y = REGION * bin[1] + j, z = REGION * bin[2] + k;
      memcpy(map + point_index(s->n, x, y, z), r->sum[k] + REGION * j, REGION * sizeof *map);
    }
}

static void region_visit(const struct system *s, const struct near *near, const int bin[3],
                         float *map, struct count *count)
{
  struct region r = {
      s->at + REGION * bin[0], s->at + REGION * bin[1], s->at + REGION * bin[2], {{0}}};
  for (int m = 0; m < near->n; m++) {
    int b[3], inside = 1;
    for (int k = 0; k < 3; k++) {
      b[k] = bin[k] + near->bin[m][k];
      inside = inside && b[k] >= 0 && b[k] < s->bins;
    }
    if (!inside) continue;
    const int *start = s->start + (b[2] * s->bins + b[1]) * s->bins + b[0];
    for (int k = start[0]; k < start[1]; k++)
      if (count)
        region_count(&r, s->atom[k], count);
      else
        region_add(&r, s->atom[k]);
  }
  if (!count) region_store(s, &r, bin, map);
}

static void bins_visit(const struct system *s, float *map, struct count *count)
{
  const struct near near = near_create();
  for (int z = 0; z < s->bins; z++)
    for (int y = 0; y < s->bins; y++)
      for (int x = 0; x < s->bins; x++) {
        const int bin[3] = {x, y, z};
        region_visit(s, &near, bin, map, count);
      }
}

static void visit(enum variant variant, const struct system *s, float *map, struct count *count)
{
  switch (variant) {
  case CUBE:
    cube_visit(s, map, count);
    break;
  case CYLINDER:
    cylinder_visit(s, map, count);
    break;
  case SPHERE:
    sphere_visit(s, map, count);
    break;
  default:
    bins_visit(s, map, count);
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds are those of the processor, without sorting. */
static void measure(const struct system *s, const struct exact *exact, int repeat,
                    struct result *result)
{
  const size_t points = point_index(s->n, 0, 0, s->n);
  float *map = (float *)room(points + LANES, sizeof *map);
  for (int k = 0; k < repeat; k++)
    for (enum variant v = CUBE; v < VARIANTS; v++) {
      const double begin = now();
      memset(map, 0, points * sizeof *map);
      visit(v, s, map, NULL);
      result[v].seconds[k] = now() - begin;
      if (k > 0) continue;
      struct count count = {0, 0};
      map_compare(exact, s->n, map, &result[v]);
      for (int i = 0; i < SAMPLES; i++)
        error_add(&result[v], map[exact[i].index], exact[i].value);
      visit(v, s, map, &count);
      result[v].tested = count.tested;
      result[v].inside = count.inside;
    }
  free(map);
}

int main(int argc, char **argv)
{
  if (argc != 4) fail(2, "usage: clipping FILE.pqr EDGE REPEAT", "");
  const struct options o = options_of(argv + 1);
  int n_atoms, wrong = 0;
  struct atom *atom = atoms_read(o.path, (float)o.edge, &n_atoms);
  struct system s = system_create(atom, n_atoms, (float)o.edge);
  struct exact *exact = exact_create(atom, n_atoms, s.n);
  static struct result result[VARIANTS];
  measure(&s, exact, o.repeat, result);
  head_print();
  for (int v = 0; v < VARIANTS; v++)
    wrong |= result_print(variant_name[v], &result[v], o.repeat, result[CUBE].inside);
  free(exact);
  free(atom);
  free(s.at);
  free(s.atom);
  free(s.start);
  return wrong;
}
