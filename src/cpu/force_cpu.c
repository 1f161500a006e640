/* Forces, torques, energies and virial of owned beads, each bead wholly in one pass: its neighbours
   in list order in FORCE_LANES partial sums, which are added by a fixed tree, then its bonded
   terms. Compiled once a precision and instruction set; KERNEL_NAME is mixed_v1, double_v3 and so
   on. */
#include "cpu/force_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cpu/force_block.h"
#include "dynamics/integrate_body.h"
#include "pair/force_body.h"
#include "pair/model_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

/* Partial sums of one bead. */
struct lanes {
  real fx[FORCE_LANES], fy[FORCE_LANES], fz[FORCE_LANES];
  real gx[FORCE_LANES], gy[FORCE_LANES], gz[FORCE_LANES], along[FORCE_LANES];
  double u[ENERGIES][FORCE_LANES], w[9][FORCE_LANES];
};

HD real lanes_total(real *a)
{
  for (int w = FORCE_LANES / 2; w > 0; w /= 2)
    for (int l = 0; l < w; l++)
      a[l] += a[l + w];
  return a[0];
}

HD double lanes_total_double(double *a)
{
  for (int w = FORCE_LANES / 2; w > 0; w /= 2)
    for (int l = 0; l < w; l++)
      a[l] += a[l + w];
  return a[0];
}

HD struct pair_coef block_coef(const struct block *b, int l)
{
  struct pair_coef c;
  c.lj.a = b->lj_a[l];
  c.lj.b = b->lj_b[l];
  c.lj.a12 = b->lj_a12[l];
  c.lj.b6 = b->lj_b6[l];
  return c;
}

/* Force and energies of each pair of a block. */
struct block_value {
  real f[3][FORCE_LANES], u[ENERGIES][FORCE_LANES];
};

HD void block_evaluate(const struct block *b, struct vec3 ui, real qi, unsigned set, int axes,
                       struct block_value *out)
{
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    struct vec3 r = vec3_make(b->x[l], b->y[l], b->z[l]), uj = vec3_make(0, 0, 0);
    if (axes) uj = vec3_make(b->ux[l], b->uy[l], b->uz[l]);
    struct pair_arg p = pair_arguments(r, ui, uj, qi, axes ? b->q[l] : R(0), b->self[l], axes);
    struct pair_value v = pair_evaluate(set, block_coef(b, l), p);
    struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, uj, axes), ui);
    out->f[0][l] = f.x;
    out->f[1][l] = f.y;
    out->f[2][l] = f.z;
#define ENERGY(name, ...)                                                                          \
  if (set_channels(set) >> ENERGY_##name & 1) out->u[ENERGY_##name][l] = v.energy[ENERGY_##name];
#include "model/energy_list.h"
#undef ENERGY
  }
}

/* Energies and virial of a block, beside its forces: the same pairs evaluated once more, so that
   the forces cannot depend on whether these are wanted. Summed in double. */
HD void block_add_energy(const struct block *b, struct vec3 ui, real qi, unsigned set, int axes,
                         struct lanes *t)
{
  struct block_value v;
  const real *r[3] = {b->x, b->y, b->z};
  block_evaluate(b, ui, qi, set, axes, &v);
  for (int k = 0; k < 9; k++)
    for (int l = 0; l < FORCE_LANES; l++)
      t->w[k][l] += (double)r[k / 3][l] * (double)v.f[k % 3][l];
  for (int c = 0; c < ENERGIES; c++)
    if (set_channels(set) >> c & 1)
      for (int l = 0; l < FORCE_LANES; l++)
        t->u[c][l] += (double)v.u[c][l];
}

HD void block_add(const struct block *b, struct vec3 ui, real qi, unsigned set, int axes,
                  struct lanes *t)
{
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    struct vec3 r = vec3_make(b->x[l], b->y[l], b->z[l]);
    struct vec3 uj = axes ? vec3_make(b->ux[l], b->uy[l], b->uz[l]) : vec3_make(0, 0, 0);
    struct pair_arg p = pair_arguments(r, ui, uj, qi, axes ? b->q[l] : R(0), b->self[l], axes);
    struct pair_value v = pair_evaluate(set, block_coef(b, l), p);
    struct pair_sum sum = {
        {t->fx[l], t->fy[l], t->fz[l]}, {t->gx[l], t->gy[l], t->gz[l]}, t->along[l]};
    sum = pair_gather(sum, v.slope, r, uj, axes);
    t->fx[l] = sum.f.x;
    t->fy[l] = sum.f.y;
    t->fz[l] = sum.f.z;
    if (axes) {
      t->gx[l] = sum.g.x;
      t->gy[l] = sum.g.y;
      t->gz[l] = sum.g.z;
      t->along[l] = sum.along;
    }
  }
}

/* Half of the energies and virial of a bead's pairs: the partner counts the other half. */
HD void row_add_sums(const struct force_job *job, unsigned set, struct lanes *t)
{
  struct sums *s = job->sums;
  for (int c = 0; c < ENERGIES; c++)
    if (set_channels(set) >> c & 1) sum_add_energy(s, c, 0.5 * lanes_total_double(t->u[c]));
  for (int k = 0; k < 9; k++)
    s->word[SUM_VIRIAL + k] +=
        sum_part(0.5 * lanes_total_double(t->w[k]), job->sum_scale, &s->overflow, &s->magnitude);
}

HD void row_pairs(const struct force_job *job, int i, const real h[3], unsigned set, int want)
{
  const struct model *m = job->model;
  const struct axis_record *axis = job->axis;
  const int axes = (set & PAIR_AXIS_TERMS) != 0 || (set & PAIR_BIT(qq)) != 0;
  const struct pair_coef *coef = &m->pair[job->record[i].type * m->n_types];
  const real *table = m->lj_table ? m->lj_table + job->record[i].type * 2 * MODEL_TABLE : NULL;
  struct vec3 ui = vec3_make(axis[i].u[0], axis[i].u[1], axis[i].u[2]);
  struct lanes t;
  for (int l = 0; l < FORCE_LANES; l++)
    t.fx[l] = t.fy[l] = t.fz[l] = t.gx[l] = t.gy[l] = t.gz[l] = t.along[l] = 0;
  if (want) {
    memset(t.u, 0, sizeof t.u);
    memset(t.w, 0, sizeof t.w);
  }
  const int *index = job->index + job->row[i];
  for (int k = 0; k < job->count[i]; k += FORCE_LANES) {
    struct block b;
    block_load(job, i, index + k, coef, table, h, axes, want, &b);
    block_add(&b, ui, axis[i].q, set, axes, &t);
    if (want) block_add_energy(&b, ui, axis[i].q, set, axes, &t);
  }
  struct pair_sum sum = {{lanes_total(t.fx), lanes_total(t.fy), lanes_total(t.fz)},
                         {lanes_total(t.gx), lanes_total(t.gy), lanes_total(t.gz)},
                         lanes_total(t.along)};
  struct vec3 f = pair_force(sum, ui), torque = pair_torque(sum, ui);
  double *out = job->force + 3 * (int64_t)i, *turn = job->torque + 3 * (int64_t)i;
  out[0] = (double)f.x / m->cutoff;
  out[1] = (double)f.y / m->cutoff;
  out[2] = (double)f.z / m->cutoff;
  turn[0] = (double)torque.x;
  turn[1] = (double)torque.y;
  turn[2] = (double)torque.z;
  if (want) row_add_sums(job, set, &t);
}

static struct force_view view_of(const struct force_job *job)
{
  struct force_view v;
  v.record = job->record;
  v.axis = job->axis;
  for (int k = 0; k < 3; k++)
    v.h[k] = R(job->box[k] / 4294967296.0);
  return v;
}

static void row_bonded(const struct force_job *job, const struct force_view *v, int i, int want)
{
  const struct model *m = job->model;
  double *f = job->force + 3 * (int64_t)i, *t = job->torque + 3 * (int64_t)i;
  for (int k = job->bonded_row[i]; k < job->bonded_row[i + 1]; k++) {
    const struct bonded_entry *e = &job->bonded[k];
    struct bonded_sum s = bonded_term(m, v, i, e);
    f[0] += (double)s.f.x;
    f[1] += (double)s.f.y;
    f[2] += (double)s.f.z;
    t[0] += (double)s.t.x;
    t[1] += (double)s.t.y;
    t[2] += (double)s.t.z;
    if (!want) continue;
    const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
    const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
    for (int a = 0; a < 9; a++)
      job->sums->word[SUM_VIRIAL + a] += sum_part(arm[a / 3] * pull[a % 3], job->sum_scale,
                                                  &job->sums->overflow, &job->sums->magnitude);
    if (e->role == 0) sum_add_energy(job->sums, bonded_channel(m, e), (double)s.u);
  }
}

static void frame_of(const struct force_job *job, real h[3])
{
  const struct model *m = job->model;
  for (int k = 0; k < 3; k++)
    h[k] = R(job->box[k] / 4294967296.0 / m->cutoff);
}

HD void rows(const struct force_job *job, unsigned set, int want)
{
  const struct force_view v = view_of(job);
  real h[3];
  frame_of(job, h);
  for (int k = 0; k < job->n; k++) {
    int i = job->bead ? job->bead[k] : k;
    row_pairs(job, i, h, set, want);
    if (job->bonded_row[i] < job->bonded_row[i + 1]) row_bonded(job, &v, i, want);
  }
}

static void run(const struct force_job *job, int want)
{
  const struct model *m = job->model;
#define SET(bits)                                                                                  \
  if (m->set == (bits)) {                                                                          \
    if (want)                                                                                      \
      rows(job, (bits), 1);                                                                        \
    else                                                                                           \
      rows(job, (bits), 0);                                                                        \
    return;                                                                                        \
  }
  PAIR_SETS(SET)
#undef SET
}

static double pair_of(const struct force_job *job, int i, int j)
{
  const struct model *m = job->model;
  const struct force_view v = view_of(job);
  return pair_size(m, m->set, &v, i, j);
}

static void axes(const void *model, int begin, int end, const struct bead_record *record,
                 const double *orientation, void *axis)
{
  const struct model *m = model;
  struct axis_record *out = axis;
  for (int i = begin; i < end; i++) {
    int type = record[i].type;
    out[i].q = m->charge[type];
    real s = m->axis_scale[type];
    double z[3] = {0, 0, 0};
    if (orientation && s > R(0)) rotation_axis(orientation + 4 * (int64_t)i, z);
    for (int k = 0; k < 3; k++)
      out[i].u[k] = s * R(z[k]);
  }
}

/* The coefficients that forces need, by the partner's type in a row that a register holds. */
static void model_table(struct model *m)
{
  if (m->n_types > BLOCK_TYPES) return;
  m->lj_table = alloc_array(2LL * m->n_types * MODEL_TABLE, sizeof *m->lj_table);
  for (int k = 0; k < m->n_types; k++)
    for (int t = 0; t < m->n_types; t++) {
      m->lj_table[2 * k * MODEL_TABLE + t] = m->pair[k * m->n_types + t].lj.a12;
      m->lj_table[(2 * k + 1) * MODEL_TABLE + t] = m->pair[k * m->n_types + t].lj.b6;
    }
}

static void *model_create_table(const struct forcefield *ff, unsigned *terms)
{
  struct model *m = model_create(ff, terms);
  model_table(m);
  return m;
}

extern cells_list_function NAME(cells_list_, KERNEL_NAME);
extern const struct force_kernel NAME(force_kernel_, KERNEL_NAME);
const struct force_kernel NAME(force_kernel_, KERNEL_NAME) = {
    .precision = sizeof(real) == 8 ? "double" : "mixed",
    .isa = TEXT(KERNEL_NAME),
    .axis_bytes = (int)sizeof(struct axis_record),
    .model_create = model_create_table,
    .model_destroy = model_destroy,
    .axes = axes,
    .list = NAME(cells_list_, KERNEL_NAME),
    .run = run,
    .pair = pair_of,
};
