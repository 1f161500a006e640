/* The full method of maps against a direct Ewald sum, against the integral of the charge density
   along z, on one rank, and over ranks: each rank computes the whole lattice alone, and compares
   the bits. */
#include "tests/support/agree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "maps/full.h"
#include "mpi/comm/ranks_mpi.h"

static struct ranks ranks;

enum { SOURCES = 10, POINTS = 300 };
static const double edge[3] = {1.6, 1.75, 2.1}; /* nm */

struct setting {
  double x[SOURCES][3]; /* nm */
  struct map_source source[SOURCES];
  struct map_lattice lattice;
  struct map_job job;
  double sigma;
};

/* Numbers from 0 to 1. */
static double number(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* charge, dipole: how strong. Charges sum to `net`. Sources keep off the ends of the box along z.
 */
static void sources_set(struct setting *s, double charge, double dipole, double net)
{
  uint64_t seed = 7;
  double sum = 0;
  for (int i = 0; i < SOURCES; i++) {
    struct map_source *to = &s->source[i];
    for (int k = 0; k < 3; k++) {
      const double at = k == 2 ? 0.2 + 0.6 * number(&seed) : number(&seed);
      to->x[k] = (int32_t)(uint32_t)(at * 4294967296.0);
      s->x[i][k] = (double)(uint32_t)to->x[k] / 4294967296.0 * edge[k];
      to->p[k] = dipole * (2 * number(&seed) - 1);
    }
    to->q = charge * (2 * number(&seed) - 1);
    sum += to->q;
  }
  for (int i = 0; i < SOURCES; i++)
    s->source[i].q += (net - sum) / SOURCES;
}

/* The lattice, with planes divided unevenly: rank 1, where there are others, has none. */
static void lattice_set(struct setting *s, double spacing, int size, int rank)
{
  struct map_lattice *l = &s->lattice;
  s->sigma = 0;
  for (int k = 0; k < 3; k++) {
    l->n[k] = (int)(edge[k] / spacing + 0.5);
    l->spacing[k] = edge[k] / l->n[k];
    s->sigma = fmax(s->sigma, l->spacing[k]);
    l->at[k] = alloc_array(l->n[k], sizeof *l->at[k]);
    for (int i = 0; i < l->n[k]; i++)
      l->at[k][i] = (int32_t)(uint32_t)(4294967296.0 * i / l->n[k]);
  }
  const int others = size > 2 ? size - 1 : size, mine = size > 2 && rank > 0 ? rank - 1 : rank;
  l->first = size > 2 && rank == 1 ? l->n[2] / others : l->n[2] * mine / others;
  l->count = l->n[2] * (mine + 1) / others - l->n[2] * mine / others;
  if (size > 2 && rank == 1) l->count = 0;
  s->job = (struct map_job){.method = MAP_FULL,
                            .double_precision = 1,
                            .torus = {.edge = {edge[0], edge[1], edge[2]}},
                            .lattice = l};
}

static void lattice_free(struct setting *s)
{
  for (int k = 0; k < 3; k++)
    free(s->lattice.at[k]);
}

/* All sources on every rank, in two portions. */
static void solve(const struct setting *s, const struct ranks *r, int cuda, void *value)
{
  const int portion = SOURCES / 3;
  const double bound = map_full_bound(&s->job, s->source, SOURCES, 1e-30);
  struct map_full *m = map_full_begin(&s->job, r, cuda, bound);
  map_full_add(m, s->source, portion);
  map_full_add(m, s->source + portion, SOURCES - portion);
  map_full_end(m, value);
}

/* The lattice on this rank alone. */
static double *solve_alone(struct setting *s, double spacing, int cuda)
{
  struct ranks alone = {.size = 1, .local_size = 1};
  ranks_mpi_create(&alone, MPI_COMM_SELF);
  lattice_set(s, spacing, 1, 0);
  const int *n = s->lattice.n;
  double *value = alloc_array((int64_t)n[0] * n[1] * n[2], sizeof *value);
  solve(s, &alone, cuda, value);
  ranks_mpi_destroy(&alone);
  return value;
}

/* The potential of a source at distance d (nm), with erfc(r b) in place of 1: the part of an Ewald
   sum in real space. */
static double near(const struct map_source *s, const double d[3], double b)
{
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2), e = erfc(b * r) / r;
  const double slope = (e + 2 * b / sqrt(UNITS_PI) * exp(-b * b * r2)) / r2;
  return s->q * e + (s->p[0] * d[0] + s->p[1] * d[1] + s->p[2] * d[2]) * slope;
}

/* The sum of near() over sources and images; the distance of the nearest source. */
static double near_sum(const struct setting *s, const double at[3], double b, double *nearest)
{
  double sum = 0;
  *nearest = 1e30;
  for (int i = 0; i < SOURCES; i++)
    for (int image = 0; image < 125; image++) {
      const int shift[3] = {image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2};
      double d[3];
      for (int k = 0; k < 3; k++)
        d[k] = at[k] - s->x[i][k] + shift[k] * edge[k];
      sum += near(&s->source[i], d, b);
      *nearest = fmin(*nearest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
  return sum;
}

/* The part over wave vectors, up to |m| <= 12 in each direction, which is exact to 1e-9 for b. */
static double far_sum(const struct setting *s, const double at[3], double b)
{
  const double volume = edge[0] * edge[1] * edge[2];
  double sum = 0;
  enum { MOST = 12, WAVES = 2 * MOST + 1 };
  for (int w = 0; w < WAVES * WAVES * WAVES; w++) {
    const int m[3] = {w % WAVES - MOST, w / WAVES % WAVES - MOST, w / WAVES / WAVES - MOST};
    double k[3], k2 = 0;
    for (int d = 0; d < 3; d++) {
      k[d] = 2 * UNITS_PI * m[d] / edge[d];
      k2 += k[d] * k[d];
    }
    if (k2 == 0 || k2 > 100 * b * b) continue;
    for (int i = 0; i < SOURCES; i++) {
      double phase = 0, pk = 0;
      for (int d = 0; d < 3; d++) {
        phase += k[d] * (at[d] - s->x[i][d]);
        pk += k[d] * s->source[i].p[d];
      }
      sum += exp(-k2 / (4 * b * b)) / k2 * (s->source[i].q * cos(phase) + pk * sin(phase));
    }
  }
  return 4 * UNITS_PI / volume * sum;
}

static double net_charge(const struct setting *s)
{
  double sum = 0;
  for (int i = 0; i < SOURCES; i++)
    sum += s->source[i].q;
  return sum;
}

/* Potential (kJ/mol/e) of the points by a direct Ewald sum, of mean 0; *smeared: of Gaussians of
   standard deviation sigma in their place. */
static double ewald(const struct setting *s, const double at[3], double *smeared, double *nearest)
{
  const double b = 3.5, volume = edge[0] * edge[1] * edge[2], net = net_charge(s);
  const double point =
      near_sum(s, at, b, nearest) + far_sum(s, at, b) - UNITS_PI * net / (b * b * volume);
  const double c = 1 / (sqrt(2) * s->sigma);
  *smeared =
      UNITS_COULOMB * (point - near_sum(s, at, c, nearest) + UNITS_PI * net / (c * c * volume));
  return UNITS_COULOMB * point;
}

/* Root mean square errors at points of the lattice, and root mean square of the potential there. */
struct errors {
  double smeared, smeared_value; /* at all points, against Gaussians */
  double middle;                 /* 0.2 to 0.3 nm from the nearest source, against points */
  double beyond, beyond_value;   /* from four spacings of the nearest source on, against points */
};

static struct errors errors_of(const struct setting *s, const double *value)
{
  struct errors e = {0};
  const int *n = s->lattice.n;
  uint64_t seed = 11;
  int beyond = 0, middle = 0;
  for (int j = 0; j < POINTS; j++) {
    int i[3];
    double at[3], smeared, nearest;
    for (int k = 0; k < 3; k++) {
      i[k] = (int)(number(&seed) * n[k]);
      at[k] = i[k] * edge[k] / n[k];
    }
    const double v = value[((int64_t)i[2] * n[1] + i[1]) * n[0] + i[0]];
    const double point = ewald(s, at, &smeared, &nearest);
    e.smeared += (v - smeared) * (v - smeared) / POINTS;
    e.smeared_value += smeared * smeared / POINTS;
    if (nearest > 0.2 && nearest < 0.3) {
      e.middle += (v - point) * (v - point);
      middle++;
    }
    if (nearest < 4 * s->sigma) continue;
    e.beyond += (v - point) * (v - point);
    e.beyond_value += point * point;
    beyond++;
  }
  e.smeared = sqrt(e.smeared);
  e.smeared_value = sqrt(e.smeared_value);
  e.middle = sqrt(e.middle / middle);
  e.beyond = sqrt(e.beyond / beyond);
  e.beyond_value = sqrt(e.beyond_value / beyond);
  return e;
}

static struct errors errors_at(double charge, double dipole, double net, double spacing)
{
  struct setting s;
  sources_set(&s, charge, dipole, net);
  double *value = solve_alone(&s, spacing, 0);
  const struct errors e = errors_of(&s, value);
  if (ranks.rank == 0)
    print_message(
        "charges %g, dipoles %g, spacing %g: against Gaussians %.3g of %.3g, against points "
        "%.3g of %.3g, at 0.2 to 0.3 nm %.3g kJ/mol/e\n",
        charge, dipole, spacing, e.smeared, e.smeared_value, e.beyond, e.beyond_value, e.middle);
  free(value);
  lattice_free(&s);
  return e;
}

/* The transforms cut the Gaussians off at the shortest wave of the lattice, where their transform
   is exp(-pi^2 / 2) = 0.007. That is most of the error against Gaussians, at the sources. A map of
   half the spacing is good at half the distance from sources. */
static void ewald_charges(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* what one rank computes alone does not depend on others */
  const struct errors wide = errors_at(1, 0, 0, 0.1), narrow = errors_at(1, 0, 0, 0.05);
  const struct errors charged = errors_at(1, 0, 2, 0.05);
  AGREE(&ranks, wide.smeared < 3e-3 * wide.smeared_value);
  AGREE(&ranks, wide.beyond < 5e-4 * wide.beyond_value);
  AGREE(&ranks, narrow.smeared < 3e-3 * narrow.smeared_value);
  AGREE(&ranks, narrow.beyond < 5e-4 * narrow.beyond_value);
  AGREE(&ranks, narrow.middle < 0.1 * wide.middle);
  AGREE(&ranks, charged.smeared < 3e-3 * charged.smeared_value);
}

static void ewald_dipoles(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* what one rank computes alone does not depend on others */
  const struct errors wide = errors_at(0, 0.1, 0, 0.1), narrow = errors_at(0, 0.1, 0, 0.05);
  AGREE(&ranks, wide.smeared < 2e-2 * wide.smeared_value);
  AGREE(&ranks, wide.beyond < 3e-3 * wide.beyond_value);
  AGREE(&ranks, narrow.smeared < 2e-2 * narrow.smeared_value);
  AGREE(&ranks, narrow.beyond < 3e-3 * narrow.beyond_value);
  AGREE(&ranks, narrow.middle < 0.1 * wide.middle);
}

/* The potential by integration from below, as the observable `potential` has it with narrow bins:
   of sheets of charge and of dipoles, spread over a standard deviation sigma (0: not). */
static double integral(const struct setting *s, double z, double sigma)
{
  double sum = 0;
  for (int i = 0; i < SOURCES; i++) {
    const double d = z - s->x[i][2];
    const double below = sigma > 0 ? 0.5 * erfc(-d / (sqrt(2) * sigma)) : d > 0;
    const double tail =
        sigma > 0 ? sigma / sqrt(2 * UNITS_PI) * exp(-d * d / (2 * sigma * sigma)) : 0;
    sum += s->source[i].p[2] * below - s->source[i].q * (d * below + tail);
  }
  return 4 * UNITS_PI * UNITS_COULOMB / (edge[0] * edge[1]) * sum;
}

/* The largest difference, in units of the range, between the profile along z and the integral, less
   its rise over the box, which periodic boundaries take away, and less the mean difference. sharp:
   without smearing, at planes from five sigma of every source on. */
static double profile_error(const struct setting *s, const double *value, int sharp)
{
  const int *n = s->lattice.n;
  const int64_t plane = (int64_t)n[0] * n[1];
  const double rise = integral(s, edge[2], 0) - integral(s, 0, 0);
  double *difference = alloc_array(n[2], sizeof *difference), mean = 0, low = 1e30, high = -1e30;
  int used = 0;
  for (int z = 0; z < n[2]; z++) {
    const double at = z * edge[2] / n[2];
    double psi = 0, nearest = 1e30;
    for (int64_t i = 0; i < plane; i++)
      psi += value[z * plane + i] / (double)plane;
    low = fmin(low, psi);
    high = fmax(high, psi);
    for (int i = 0; i < SOURCES; i++)
      nearest = fmin(nearest, fabs(at - s->x[i][2]));
    if (sharp && nearest < 5 * s->sigma) continue;
    difference[used] = psi - integral(s, at, sharp ? 0 : s->sigma) + rise * at / edge[2];
    mean += difference[used++];
  }
  mean /= used;
  double most = 0;
  for (int k = 0; k < used; k++)
    most = fmax(most, fabs(difference[k] - mean));
  free(difference);
  if (ranks.rank == 0)
    print_message("profile, %d planes: differs by %.3g of %.3g kJ/mol/e, rise %.3g\n", used, most,
                  high - low, rise);
  return used > 10 ? most / (high - low) : 1;
}

static void profile(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* what one rank computes alone does not depend on others */
  struct setting s;
  sources_set(&s, 1, 0.1, 0);
  double *value = solve_alone(&s, 0.02, 0);
  AGREE(&ranks, profile_error(&s, value, 0) < 3e-3);
  AGREE(&ranks, profile_error(&s, value, 1) < 3e-4);
  free(value);
  lattice_free(&s);
}

static void compare_bits(int cuda)
{
  struct setting s;
  sources_set(&s, 1, 0.1, 0.5);
  for (int round = 0; round < 3; round++) {
    const double spacing = 0.049 + 0.011 * round;
    double *whole = solve_alone(&s, spacing, cuda);
    lattice_free(&s);
    lattice_set(&s, spacing, ranks.size, ranks.rank);
    const struct map_lattice *l = &s.lattice;
    const int64_t plane = (int64_t)l->n[0] * l->n[1];
    double *part = alloc_array(l->count * plane + 1, sizeof *part);
    float *rounded = alloc_array(l->count * plane + 1, sizeof *rounded);
    solve(&s, &ranks, cuda, part);
    s.job.double_precision = 0;
    solve(&s, &ranks, cuda, rounded);
    int same = 1;
    for (int64_t i = 0; i < l->count * plane; i++)
      same &= rounded[i] == (float)part[i];
    AGREE(&ranks, memcmp(part, whole + l->first * plane, (size_t)(l->count * plane) * 8) == 0);
    AGREE(&ranks, same);
    free(whole);
    free(part);
    free(rounded);
    lattice_free(&s);
  }
}

static void same_bits(void **state)
{
  (void)state;
  compare_bits(0);
}

/* GPUs agree with CPUs to rounding, and with any number of ranks. */
static void gpus(void **state)
{
  (void)state;
  if (map_full_why_not(1)) {
    if (ranks.rank == 0) print_message("%s\n", map_full_why_not(1));
    skip();
  }
  struct setting s, t;
  sources_set(&s, 1, 0.1, 0.5);
  sources_set(&t, 1, 0.1, 0.5);
  double *cpu = solve_alone(&s, 0.043, 0), *gpu = solve_alone(&t, 0.043, 1), most = 0, error = 0;
  for (int64_t i = 0; i < (int64_t)s.lattice.n[0] * s.lattice.n[1] * s.lattice.n[2]; i++) {
    most = fmax(most, fabs(cpu[i]));
    error = fmax(error, fabs(cpu[i] - gpu[i]));
  }
  if (ranks.rank == 0) print_message("GPU against CPU: %.3g of %.3g\n", error, most);
  AGREE(&ranks, error < 1e-12 * most && most > 100);
  free(cpu);
  free(gpu);
  lattice_free(&s);
  lattice_free(&t);
  compare_bits(1);
}

/* Where FFTW was not found, the message names the package. */
static void without_fftw(void **state)
{
  (void)state;
  const char *why = map_full_why_not(0);
  AGREE(&ranks, !why || strstr(why, "libfftw3-dev"));
  if (!why) skip();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ewald_charges),
                                     cmocka_unit_test(ewald_dipoles), cmocka_unit_test(profile),
                                     cmocka_unit_test(same_bits), cmocka_unit_test(gpus)};
  const struct CMUnitTest lacking[] = {cmocka_unit_test(without_fftw)};
  ranks_open(&ranks, &argc, &argv);
  int failed = map_full_why_not(0) ? cmocka_run_group_tests(lacking, NULL, NULL)
                                   : cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
