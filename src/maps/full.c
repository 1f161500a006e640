/* The full method of maps: which rank transforms what, the factors of wave vectors, and the
   exchange of planes for rows. See full.h; the transforms are in full_fftw.c and cuda/maps/full.cu.
   Amounts on the lattice are integers, so that their sums do not depend on the order. */
#include "maps/full.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/units.h"
#include "config.h"
#include "maps/full_body.h"

static const struct full_transform *const transforms[] = {
#ifdef HAVE_FFTW
    [0] = &full_fftw,
#endif
#ifdef HAVE_CUFFT
    [1] = &full_cuda,
#endif
    [2] = NULL};

const char *map_full_why_not(int cuda)
{
  const struct full_transform *t = transforms[cuda];
  if (t) return t->why_not ? t->why_not() : NULL;
  return cuda ? "the method 'full' on GPUs needs cuFFT, which configure did not find: install the "
                "CUDA toolkit with cuFFT, and configure and build again"
              : "the method 'full' needs FFTW 3, which configure did not find: install it (Debian: "
                "apt-get install libfftw3-dev), and configure and build again";
}

double map_full_bytes(const int n[3], int count, int ranks, int cuda)
{
  const int columns = n[0] / 2 + 1, rows = n[1] / ranks + (n[1] % ranks != 0);
  return (transforms[cuda] ? transforms[cuda]->bytes_point : 0) * 2 * columns *
         fmax((double)count * n[1], (double)n[2] * rows);
}

static void rows_divide(struct full_plan *p, const struct ranks *ranks)
{
  p->ranks = ranks->size;
  p->device = ranks->on_node;
  p->row_first = alloc_array(ranks->size + 1, sizeof *p->row_first);
  for (int k = 0; k <= ranks->size; k++)
    p->row_first[k] = (int)((int64_t)p->n[1] * k / ranks->size);
  p->row = p->row_first[ranks->rank];
  p->rows = p->row_first[ranks->rank + 1] - p->row;
}

/* A weight is less than 1, a slope less than 1/spacing. */
double map_full_bound(const struct map_job *job, const struct map_source *source, int64_t n,
                      double sum)
{
  for (int64_t i = 0; i < n; i++) {
    sum += fabs(source[i].q);
    for (int k = 0; k < 3; k++)
      sum += fabs(source[i].p[k]) / (job->torus.edge[k] / job->lattice->n[k]);
  }
  return sum;
}

/* Squares of wave vectors, and the transform of a Gaussian of standard deviation sigma over that of
   the spline, (2 + cos) / 3. */
static void wave_vectors_set(struct full_plan *p, const double edge[3], double sigma)
{
  for (int k = 0; k < 3; k++) {
    p->k2[k] = alloc_array(p->n[k], sizeof *p->k2[k]);
    p->damp[k] = alloc_array(p->n[k], sizeof *p->damp[k]);
    for (int i = 0; i < p->n[k]; i++) {
      const int m = i <= p->n[k] / 2 ? i : p->n[k] - i;
      const double wave = 2 * UNITS_PI * m / edge[k];
      p->k2[k][i] = wave * wave;
      p->damp[k][i] = portable_exp(-wave * wave * sigma * sigma / 2) /
                      ((2 + portable_cos(2 * UNITS_PI * m / p->n[k])) / 3);
    }
  }
}

static struct full_plan plan_create(const struct map_job *job, const struct ranks *ranks,
                                    double bound)
{
  const struct map_lattice *l = job->lattice;
  struct full_plan p = {.first = l->first, .count = l->count};
  double sigma = 0, volume = 1;
  for (int k = 0; k < 3; k++) {
    p.n[k] = l->n[k];
    p.origin[k] = l->at[k][0];
    p.spacing[k] = job->torus.edge[k] / l->n[k];
    assert(fabs(p.spacing[k] - l->spacing[k]) <= 1e-6 * p.spacing[k]);
    sigma = fmax(sigma, p.spacing[k]);
    volume *= job->torus.edge[k];
  }
  p.columns = p.n[0] / 2 + 1;
  p.scale = ldexp(1, 60 - ilogb(bound)); /* sums at a point stay below 62 bits */
  p.factor = 4 * UNITS_PI * map_coulomb(job) / volume / p.scale;
  rows_divide(&p, ranks);
  wave_vectors_set(&p, job->torus.edge, sigma);
  return p;
}

static void plan_free(struct full_plan *p)
{
  free(p->row_first);
  for (int k = 0; k < 3; k++) {
    free(p->k2[k]);
    free(p->damp[k]);
  }
}

/* Exchanges planes for rows (to_rows 1) or rows for planes. planes_of: number of planes of each
 * rank. */
static void transpose(const struct full_plan *p, const struct ranks *ranks,
                      const int64_t *planes_of, const struct full_transform *t, void *own,
                      int to_rows)
{
  if (p->ranks == 1) return;
  int64_t *planes = alloc_array(p->ranks, sizeof *planes);
  int64_t *rows = alloc_array(p->ranks, sizeof *rows), n_planes = 0, n_rows = 0;
  for (int k = 0; k < p->ranks; k++) {
    planes[k] = (int64_t)p->count * (p->row_first[k + 1] - p->row_first[k]) * p->columns;
    rows[k] = planes_of[k] * p->rows * p->columns;
    n_planes += planes[k];
    n_rows += rows[k];
  }
  double *sent = t->take(own, to_rows ? n_planes : n_rows);
  double *got = ranks_deliver(ranks, 2 * sizeof *sent, sent, to_rows ? planes : rows,
                              to_rows ? rows : planes);
  free(sent);
  t->give(own, got, to_rows ? n_rows : n_planes);
  free(planes);
  free(rows);
}

struct map_full {
  const struct ranks *ranks;
  const struct full_transform *transform;
  struct full_plan plan;
  int double_precision;
  void *own; /* of the transform */
};

struct map_full *map_full_begin(const struct map_job *job, const struct ranks *ranks, int cuda,
                                double bound)
{
  const char *why = map_full_why_not(cuda);
  if (why) die(STATUS_INPUT, "%s", why);
  struct map_full *m = alloc_array(1, sizeof *m);
  m->ranks = ranks;
  m->transform = transforms[cuda];
  m->plan = plan_create(job, ranks, bound);
  m->double_precision = job->double_precision;
  m->own = m->transform->begin(&m->plan);
  return m;
}

void map_full_add(struct map_full *m, const struct map_source *source, int64_t n)
{
  m->transform->add(m->own, source, n);
}

void map_full_end(struct map_full *m, void *value)
{
  const struct full_transform *t = m->transform;
  int64_t count = m->plan.count, bytes;
  int64_t *planes_of = ranks_allgather(m->ranks, &count, sizeof count, &bytes);
  t->forward(m->own);
  transpose(&m->plan, m->ranks, planes_of, t, m->own, 1);
  t->lines(m->own);
  transpose(&m->plan, m->ranks, planes_of, t, m->own, 0);
  t->backward(m->own, m->double_precision, value);
  t->end(m->own);
  free(planes_of);
  plan_free(&m->plan);
  free(m);
}
