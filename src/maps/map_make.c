#include "maps/map_make.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/path.h"
#include "base/units.h"
#include "io/dx.h"
#include "io/map_file.h"
#include "maps/full.h"
#include "maps/map_input.h"
#include "maps/parts.h"

#define SPAN_MOST 4000 /* nm; of sources and points: positions have units of 2^-32 of it */
enum { POINTS_MOST = INT_MAX - 1024 }; /* along an axis */

/* The points of the first frame, and how they follow the box. */
struct shape {
  int periodic;
  int fits; /* 1: spacing = edge / n in every frame */
  double n[3], origin[3], spacing[3];
};

/* A map while it is being made. Sums are over frames. */
struct making {
  const struct ranks *ranks;
  const struct map_request *request;
  const struct map_ops *ops;
  struct map_input *input;
  struct map_job job;
  struct shape shape;
  int n[3];
  int cuda;
  int64_t sources;
  struct map_grid grid;
  struct map_about about;
  struct map_cost cost;
  double seconds;
};

static void job_begin(struct making *m)
{
  const struct map_request *q = m->request;
  struct map_job *job = &m->job;
  job->method = q->method;
  job->double_precision = q->double_precision;
  job->compensated = q->compensated;
  job->permittivity = m->input->system ? map_permittivity(m->input->system->ff) : 1;
  if (job->permittivity != 1)
    info("the potential is divided by epsilon_r %g of the force field, as its charges feel it",
         job->permittivity);
  job->device = m->ranks->on_node;
  job->cost = &m->cost;
  if (q->method == MAP_FORCE_FIELD && !m->input->system)
    die_all(STATUS_INPUT,
            "--method=force_field: '%s' is a PQR file, which has no force field; cutoff and direct "
            "need none",
            q->input);
  job->cutoff = map_cutoff(q->method, q->cutoff, m->input->system ? m->input->system->ff : NULL);
}

static int periodic_of(const struct map_request *q, const struct map_input *in)
{
  const int periodic = q->boundary < 0 ? in->system != NULL : q->boundary == 0;
  if (periodic && !in->system)
    die_all(STATUS_INPUT, "--boundary=periodic: '%s' is a PQR file, which has no box", q->input);
  if (q->method == MAP_FULL && !periodic)
    die_all(STATUS_INPUT, "--method=full has periodic boundaries, which need a box: with open "
                          "boundaries, choose direct or cutoff");
  if (q->method == MAP_FULL && q->has_extent)
    die_all(STATUS_INPUT, "--method=full is of the whole box, without --low and --high");
  return periodic;
}

/* low ... high of the sources of all ranks, of which there is one at least. Collective. */
static void sources_extent(const struct ranks *r, const struct map_charges *c, double low[3],
                           double high[3])
{
  double most[6]; /* -low, high */
  for (int k = 0; k < 6; k++)
    most[k] = -HUGE_VAL;
  for (int64_t i = 0; i < c->n; i++)
    for (int k = 0; k < 3; k++) {
      most[k] = fmax(most[k], -c->charge[i].x[k]);
      most[3 + k] = fmax(most[3 + k], c->charge[i].x[k]);
    }
  ranks_max_double(r, most, 6);
  for (int k = 0; k < 3; k++) {
    low[k] = -most[k];
    high[k] = most[3 + k];
  }
}

static struct shape shape_of(const struct ranks *r, const struct map_request *q,
                             const struct map_frame *f, int has_box, int periodic)
{
  const double tiny = 1e-6; /* of a spacing */
  struct shape s = {.periodic = periodic, .fits = periodic && !q->has_extent};
  double low[3], high[3], corner[3], span[3];
  sources_extent(r, &f->charges, low, high);
  if (periodic) map_box_require("a map with periodic boundaries", f->box, 1);
  box_bounds(f->box, corner, span);
  for (int k = 0; k < 3; k++) {
    const double h = q->spacing;
    s.spacing[k] = h;
    s.origin[k] = q->has_extent ? q->low[k] : has_box ? corner[k] : low[k];
    if (q->has_extent)
      s.n[k] = floor((q->high[k] - q->low[k]) / h + tiny) + 1;
    else if (!has_box)
      s.n[k] = floor((high[k] - low[k]) / h + tiny) + 1;
    else
      s.n[k] = periodic ? round(f->box[k] / h) : ceil(span[k] / h - tiny);
    if (s.n[k] < 1)
      die_all(STATUS_INPUT, "--spacing=%g: no points fit into a box with an edge of %g nm", h,
              f->box[k]);
  }
  return s;
}

/* Bytes of host memory: for each point and for all sources, which ranks divide among them; and on
   each rank. */
struct needs {
  double point, sources, fixed;
};

static struct needs needs_of(const struct making *m)
{
  const struct shape *s = &m->shape;
  const double points = s->n[0] * s->n[1] * s->n[2];
  const double value = m->job.double_precision ? sizeof(double) : sizeof(float);
  const double frames = m->input->frames > 1 ? 2 * sizeof(double) : 0;
  const double deviation = m->input->frames > 1 ? value : 0;
  double full = 0, copy = 0;
  if (m->job.method == MAP_FULL && !m->cuda && points < 1e15) {
    const int n[3] = {(int)fmin(s->n[0], 1e6), (int)fmin(s->n[1], 1e6), (int)fmin(s->n[2], 1e6)};
    full = map_full_bytes(n, n[2], 1, 0) / ((double)n[0] * n[1] * n[2]);
  }
  if (m->job.method == MAP_FULL && m->cuda && m->ranks->size > 1) full = 2 * sizeof(double);
  struct needs b = {value + fmax(frames + full, deviation), 0, 0};
  /* As they are read, sent, sorted, and as kernels take them. */
  const double source = 2 * sizeof(struct map_charge) + 3 * sizeof(struct map_source);
  if (!path_ends(m->request->output, ".dx"))
    copy = map_file_copy(value * points, value * s->n[0] * s->n[1]);
  b.fixed = 4 * (s->n[0] + s->n[1] + s->n[2]) + copy;
  *(m->job.method == MAP_DIRECT ? &b.fixed : &b.sources) += source * (double)m->sources;
  return b;
}

static void memory_check(const struct making *m)
{
  const struct ranks *r = m->ranks;
  const struct needs b = needs_of(m);
  const double *n = m->shape.n, has = memory_bytes();
  const double divided = n[0] * n[1] * n[2] * b.point + b.sources;
  const double here = (divided / r->size + b.fixed) * r->local_size;
  char advice[200] = "";
  if (here <= has && fmax(fmax(n[0], n[1]), n[2]) < POINTS_MOST) return;
  const double ranks = has > b.fixed ? ceil(divided / (has - b.fixed)) : (double)INFINITY;
  if (ranks <= n[2])
    snprintf(advice, sizeof advice,
             "; %.0f ranks on as many computers of this size, with a GPU each or without, would do",
             ranks);
  die_all(STATUS_INPUT,
          "the lattice of %.10g x %.10g x %.10g points is too large: it needs %.4g GB of memory on "
          "this computer, which has %.4g GB%s. A larger --spacing or a smaller extent needs less",
          n[0], n[1], n[2], 1e-9 * here, 1e-9 * has, advice);
}

static struct map_torus torus_of(const struct making *m, const struct map_frame *f)
{
  const struct shape *s = &m->shape;
  double low[3], high[3];
  if (s->periodic) return lattice_torus_box(f->box);
  sources_extent(m->ranks, &f->charges, low, high);
  for (int k = 0; k < 3; k++) {
    low[k] = fmin(low[k], s->origin[k]);
    high[k] = fmax(high[k], s->origin[k] + (m->n[k] - 1) * s->spacing[k]);
  }
  for (int k = 0; k < 3; k++)
    if (!(high[k] - low[k] <= SPAN_MOST))
      die_all(
          STATUS_INPUT,
          "'%s': sources and points span %g nm along %c: more than %d nm, beyond which positions "
          "would be rounded to more than 1e-6 nm",
          m->request->input, high[k] - low[k], axis_name(k), SPAN_MOST);
  return lattice_torus_open(low, high, m->job.method == MAP_DIRECT ? 0 : m->job.cutoff);
}

/* What the file says of a frame: attributes hold means. */
static void about_add(struct making *m, int64_t frame, const struct map_frame *f,
                      const struct map_lattice *l)
{
  struct map_about *about = &m->about;
  const double weight = 1 / (double)m->input->frames;
  for (int k = 0; k < 3; k++) {
    m->grid.spacing[k] += weight * l->spacing[k];
    m->grid.origin[k] += weight * l->origin[k];
  }
  for (int k = 0; k < BOX; k++)
    about->box[k] += weight * f->box[k];
  if (frame == 0) {
    about->first_step = f->step;
    about->first_time = f->time;
  }
  about->last_step = f->step;
  about->last_time = f->time;
}

static void frame_map(struct making *m, int64_t frame, struct map_frame *f, void *value)
{
  struct map_job *job = &m->job;
  const struct shape *s = &m->shape;
  double spacing[3];
  if (s->periodic) map_box_require("a map with periodic boundaries", f->box, 1);
  if (s->periodic) map_cutoff_require(job->method, job->cutoff, f->box, 1);
  for (int k = 0; k < 3; k++)
    spacing[k] = s->fits ? f->box[k] / m->n[k] : s->spacing[k];
  job->torus = torus_of(m, f);
  struct map_lattice *lattice =
      lattice_create(&job->torus, m->n, s->origin, spacing, m->ranks->rank, m->ranks->size);
  job->lattice = lattice;
  if (job->method == MAP_FULL)
    m->seconds += parts_full(m->ranks, job, m->cuda, &f->charges, value);
  else
    m->seconds += parts_compute(m->ranks, job, m->ops, &f->charges,
                                sources_bin(&job->torus, f->sources, job->cutoff), value);
  about_add(m, frame, f, lattice);
  job->lattice = NULL;
  lattice_destroy(lattice);
}

/* The backend of method full, which has no struct map_ops of its own. */
static void ops_choose(struct making *m, const char *name)
{
  char why[256];
  m->ops = map_ops_get(m->ranks, name);
  m->cuda = !strcmp(m->ops->name, "cuda");
  if (m->job.method != MAP_FULL) return;
  const char *reason = map_full_why_not(m->cuda);
  snprintf(why, sizeof why, "%s", reason ? reason : "");
  if (ranks_agree(m->ranks, !reason, why, sizeof why)) return;
  if (m->cuda && !strcmp(name, "auto")) {
    ops_choose(m, "cpu");
    return;
  }
  die_all(STATUS_INPUT, "--method=full: %s", why);
}

static void about_begin(struct making *m)
{
  static const char *const method[] = {"direct", "cutoff", "force_field", "full"}; /* map_method */
  const struct map_request *q = m->request;
  struct map_about *about = &m->about;
  about->frames = m->input->frames;
  about->cutoff = m->job.cutoff;
  about->permittivity = m->job.permittivity;
  snprintf(about->method, sizeof about->method, "%s", method[q->method]);
  snprintf(about->boundary, sizeof about->boundary, "%s", m->shape.periodic ? "periodic" : "open");
  snprintf(about->sum, sizeof about->sum, "%s", q->compensated ? "compensated" : "plain");
  snprintf(about->precision, sizeof about->precision, "%s",
           q->double_precision ? "double" : "float");
  if (q->types && strlen(q->types) >= sizeof about->types)
    die_all(STATUS_INPUT, "--types: more than %d characters", (int)sizeof about->types - 1);
  snprintf(about->types, sizeof about->types, "%s", q->types ? q->types : "all");
}

/* The planes of this rank; sets the grid of the file. Returns the number of points. */
static int64_t grid_begin(struct making *m)
{
  const struct ranks *r = m->ranks;
  struct map_grid *g = &m->grid;
  memcpy(g->n, m->n, sizeof g->n);
  g->first = lattice_first(m->n[2], r->rank, r->size);
  g->count = lattice_first(m->n[2], r->rank + 1, r->size) - g->first;
  g->bytes = m->job.double_precision ? sizeof(double) : sizeof(float);
  return (int64_t)g->count * m->n[1] * m->n[0];
}

#define DEVIATION "Standard deviation over frames of the electrostatic potential"

/* Removes the second file of an older map of several frames, on rank 0. */
static void deviation_remove(const struct making *m)
{
  char *second = path_instead(m->request->output, ".dx", MAP_DEVIATION), line[2][256] = {"", ""};
  FILE *file = m->ranks->rank == 0 ? fopen(second, "r") : NULL;
  const int read = file && fgets(line[0], sizeof line[0], file) &&
                   fgets(line[1], sizeof line[1], file) && !strncmp(line[0], "# lamella ", 10) &&
                   !strncmp(line[1], "# " DEVIATION, strlen("# " DEVIATION));
  if (file) fclose(file);
  if (read && remove(second) == 0)
    info("%s: removed; this map of one frame has no standard deviation", second);
  free(second);
}

static void dx_files_write(const struct making *m, const void *value, const void *deviation)
{
  char comment[512];
  const char *path = m->request->output, *what = "Electrostatic potential";
  for (int k = 0; k < (deviation ? 2 : 1); k++) {
    char *second = k ? path_instead(path, ".dx", MAP_DEVIATION) : NULL;
    if (k) what = DEVIATION;
    snprintf(comment, sizeof comment,
             "%s, in volt; lengths in angstrom\nlamella map, method %s, "
             "relative permittivity %g, %s boundaries, %lld frame%s",
             what, m->about.method, m->about.permittivity, m->about.boundary,
             (long long)m->about.frames, m->about.frames > 1 ? "s" : "");
    dx_write(m->ranks, k ? second : path, &m->grid, k ? deviation : value, 1 / UNITS_VOLT, comment);
    free(second);
  }
  if (!deviation) deviation_remove(m);
}

/* Mean and standard deviation of the values of points over frames, in double precision by the
   method of Welford (Technometrics 4, 419, 1962). */
struct mean {
  int64_t points, frames;
  double *mean, *squares; /* squares: sum of squares of the deviations from the mean */
};

/* Adds the values of a frame. */
static void mean_add(struct mean *m, int double_precision, const void *value)
{
  const float *single = value;
  const double *full = value;
  const double n = (double)++m->frames;
  for (int64_t k = 0; k < m->points; k++) {
    const double v = double_precision ? full[k] : (double)single[k];
    const double before = v - m->mean[k];
    m->mean[k] += before / n;
    m->squares[k] += before * (v - m->mean[k]);
  }
}

/* Sets value to the mean, and returns the standard deviation, the root of the mean square, in
   memory that the caller frees. Frees m. */
static void *mean_finish(struct mean *m, int double_precision, void *value)
{
  void *deviation = m->squares;
  float *single = value, *single_deviation = deviation;
  double *full = value, *full_deviation = deviation;
  for (int64_t k = 0; k < m->points; k++) {
    const double d = sqrt(m->squares[k] / (double)m->frames);
    if (double_precision) {
      full[k] = m->mean[k];
      full_deviation[k] = d;
    } else {
      single[k] = (float)m->mean[k];
      single_deviation[k] = (float)d; /* where a double was that has been read */
    }
  }
  free(m->mean);
  m->mean = m->squares = NULL;
  return deviation;
}

static void frames_map(struct making *m, struct map_frame *first)
{
  const int64_t points = grid_begin(m), frames = m->input->frames;
  void *value = alloc_array(points, (unsigned long)m->grid.bytes), *deviation = NULL;
  struct mean mean = {.points = points};
  if (frames > 1) mean.mean = alloc_array(points, sizeof *mean.mean);
  if (frames > 1) mean.squares = alloc_array(points, sizeof *mean.squares);
  for (int64_t k = 0; k < frames; k++) {
    struct map_frame f = *first;
    if (k > 0) map_input_read(m->input, k, &f);
    frame_map(m, k, &f, value);
    if (frames > 1) mean_add(&mean, m->job.double_precision, value);
  }
  if (frames > 1) deviation = mean_finish(&mean, m->job.double_precision, value);
  if (path_ends(m->request->output, ".dx"))
    dx_files_write(m, value, deviation);
  else
    map_file_write(m->ranks, m->request->output, &m->grid, &m->about, value, deviation);
  free(value);
  free(deviation);
}

/* Times are those of the slowest rank. */
static void cost_print(struct making *m)
{
  const struct ranks *r = m->ranks;
  char device[160] = "";
  double time[] = {m->seconds, m->cost.start, m->cost.kernels};
  ranks_max_double(r, time, 3);
  ranks_sum_int64(r, &m->cost.pairs, 1);
  if (m->cost.pairs > 0)
    snprintf(device, sizeof device, " (start of the GPU %.4g s, kernels %.4g s for %.6g pairs)",
             time[1], time[2], (double)m->cost.pairs);
  info("%s: %d x %d x %d points, %lld sources, %lld frame%s; sums on %s took %.4g s%s",
       m->request->output, m->n[0], m->n[1], m->n[2], (long long)m->sources,
       (long long)m->input->frames, m->input->frames > 1 ? "s" : "", m->cuda ? "cuda" : "cpu",
       time[0], device);
}

void map_make(const struct ranks *r, const struct map_request *q)
{
  struct map_input input;
  struct map_frame first;
  struct making m = {.ranks = r, .request = q, .input = &input};
  map_input_open(&input, r, q);
  job_begin(&m);
  const int periodic = periodic_of(q, &input);
  map_input_read(&input, 0, &first);
  m.sources = first.sources;
  m.shape = shape_of(r, q, &first, input.system != NULL, periodic);
  ops_choose(&m, q->backend);
  memory_check(&m);
  for (int k = 0; k < 3; k++)
    m.n[k] = (int)m.shape.n[k];
  about_begin(&m);
  frames_map(&m, &first);
  cost_print(&m);
  map_input_close(&input);
}
