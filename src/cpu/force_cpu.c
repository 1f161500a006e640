/* Forces, torques, energies and virial of owned beads: pass by pass the neighbours of each bead in
   list order in FORCE_LANES partial sums, which are added by a fixed tree, then bonded terms.
   Compiled once a precision and instruction set; KERNEL_NAME is mixed_v1, double_v3 and so on. */
#include "cpu/force_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "cpu/force_block.h"
#include "model/external.h"
#include "pair/force_body.h"
#include "pair/model_body.h"
#include "pair/pair_sets.h"

/* Parts of a word of sums that a bead has, which sums.h gives room for: one of each pass, bonded
   term (on average) and external field, and those of its cluster. */
_Static_assert(PAIR_PASSES_MOST + SUM_TERMS_MEAN + EXTERNAL_FIELDS_MOST + CLUSTER_PARTS_MOST < 128,
               "too many addends of sums");

#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

/* Partial sums of the field at one axis of a bead. */
struct lanes_field {
  real gx[FORCE_LANES], gy[FORCE_LANES], gz[FORCE_LANES], along[FORCE_LANES];
};

/* Partial sums of one bead. */
struct lanes {
  real fx[FORCE_LANES], fy[FORCE_LANES], fz[FORCE_LANES];
  struct lanes_field field, field_x, field_y; /* of u, x and y: pair_sum.h */
  double u[ENERGIES][FORCE_LANES], w[9][FORCE_LANES];
};

HD void field_clear(struct lanes_field *t)
{
  for (int l = 0; l < FORCE_LANES; l++)
    t->gx[l] = t->gy[l] = t->gz[l] = t->along[l] = 0;
}

HD struct pair_field field_get(const struct lanes_field *t, int l)
{
  struct pair_field f = {{t->gx[l], t->gy[l], t->gz[l]}, t->along[l]};
  return f;
}

HD void field_put(struct lanes_field *t, int l, struct pair_field f)
{
  t->gx[l] = f.g.x;
  t->gy[l] = f.g.y;
  t->gz[l] = f.g.z;
  t->along[l] = f.along;
}

HD struct pair_field field_total(struct lanes_field *t)
{
  struct pair_field f = {{lanes_total(t->gx), lanes_total(t->gy), lanes_total(t->gz)},
                         lanes_total(t->along)};
  return f;
}

/* Stride over the 9 elements of the virial: 1, or 4 if only the diagonal is summed. sums, here and
   below: 0 or one of enum force_flags. */
HD int virial_step(int sums)
{
  return sums == FORCE_ENERGY ? 1 : 4;
}

/* An element of the virial. */
HD void lanes_product(const real *r, const real *f, double *w)
{
  for (int l = 0; l < FORCE_LANES; l++)
#ifdef REAL_DOUBLE
    w[l] = real_fma(r[l], f[l], w[l]); /* as devices */
#else
    w[l] += (double)r[l] * (double)f[l];
#endif
}

/* Adds energies and virial of the pairs of a block, in double. */
HD void block_add_sums(const struct block *b, const struct block_value *v, unsigned set, int sums,
                       struct lanes *t)
{
  lanes_product(b->x, v->f[0], t->w[0]);
  lanes_product(b->y, v->f[1], t->w[4]);
  lanes_product(b->z, v->f[2], t->w[8]);
  if (sums != FORCE_ENERGY) return;
  lanes_product(b->x, v->f[1], t->w[1]);
  lanes_product(b->x, v->f[2], t->w[2]);
  lanes_product(b->y, v->f[0], t->w[3]);
  lanes_product(b->y, v->f[2], t->w[5]);
  lanes_product(b->z, v->f[0], t->w[6]);
  lanes_product(b->z, v->f[1], t->w[7]);
  for (int c = 0; c < ENERGIES; c++)
    if (set_channels(set) >> c & 1)
      for (int l = 0; l < FORCE_LANES; l++)
        t->u[c][l] += (double)v->u[c][l];
}

/* Adds the forces of the pairs of a block. The operations are the same whatever is summed beside
   them, so that the forces do not depend on it. */
HD void block_add(const struct block *b, struct pair_bead me, unsigned set,
                  struct pair_constants constants, int sums, struct lanes *t)
{
  const int axes = pair_set_axes(set);
  struct block_value values;
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    struct vec3 r = vec3_make(b->x[l], b->y[l], b->z[l]);
    struct pair_bead other = block_bead(b, l, pair_set_records(set));
    struct pair_arg p = pair_arguments(r, me, other, b->self[l], set);
    struct pair_value v = pair_evaluate(set, constants, block_coef(b, l), p);
    struct pair_sum sum = pair_none();
    sum.f = vec3_make(t->fx[l], t->fy[l], t->fz[l]);
    if (axes) sum.u = field_get(&t->field, l);
    if (axes > 1) sum.x = field_get(&t->field_x, l);
    if (axes > 1) sum.y = field_get(&t->field_y, l);
    sum = pair_gather(sum, v.slope, r, other, axes);
    t->fx[l] = sum.f.x;
    t->fy[l] = sum.f.y;
    t->fz[l] = sum.f.z;
    if (axes) field_put(&t->field, l, sum.u);
    if (axes > 1) field_put(&t->field_x, l, sum.x);
    if (axes > 1) field_put(&t->field_y, l, sum.y);
    if (sums)
      block_set_value(&values, l, set, sums, v,
                      pair_force(pair_gather(pair_none(), v.slope, r, other, axes), me, axes));
  }
  if (sums) block_add_sums(b, &values, set, sums, t);
}

/* Adds an energy of charges of a coupled molecule with themselves, and its slope by lambda. */
static void sum_add_charges(const struct model *m, struct sums *s, double u, int type)
{
  sum_add_energy(s, ENERGY_qq, u);
  if (m->charge_slope) sum_add_energy(s, ENERGY_dudl_qq, u * (double)m->charge_slope[type]);
}

/* The element of the virial that stands for element k: forces of pairs of points are central, and
   in double precision devices sum those above the diagonal alone. */
HD int virial_from(const struct model_pass *pass, int k)
{
  return sizeof(real) == 8 && pair_set_axes(pass->set) == 0 && k / 3 > k % 3 ? 3 * (k % 3) + k / 3
                                                                             : k;
}

/* Half of the energies and virial of a bead's pairs: the partner counts the other half. self: the
   energy of the bead, of a type, with itself. */
HD void row_add_sums(const struct force_job *job, const struct model_pass *pass, unsigned set,
                     int sums, real self, int type, struct lanes *t)
{
  struct sums *s = job->sums;
  double w[9] = {0};
  if (sums == FORCE_ENERGY && self != 0) sum_add_charges(job->model, s, (double)self, type);
  for (int c = 0; c < ENERGIES; c++)
    if (sums == FORCE_ENERGY && (set_channels(set) >> c & 1))
      sum_add_energy(s, c, 0.5 * lanes_total_double(t->u[c]));
  for (int k = 0; k < 9; k += virial_step(sums)) {
    w[k] = virial_from(pass, k) == k ? lanes_total_double(t->w[k]) : w[virial_from(pass, k)];
    sum_add(&s->word[SUM_VIRIAL + k],
            sum_addend(0.5 * w[k], job->sum_scale, &s->overflow, &s->magnitude));
  }
}

HD void lanes_clear(struct lanes *t, int axes, int sums)
{
  for (int l = 0; l < FORCE_LANES; l++)
    t->fx[l] = t->fy[l] = t->fz[l] = 0;
  if (axes) field_clear(&t->field);
  if (axes > 1) {
    field_clear(&t->field_x);
    field_clear(&t->field_y);
  }
  if (sums == FORCE_ENERGY) memset(t->u, 0, sizeof t->u);
  for (int k = 0; sums && k < 9; k += virial_step(sums))
    memset(t->w[k], 0, sizeof t->w[k]);
}

HD struct pair_sum lanes_sum(struct lanes *t, int axes)
{
  struct pair_sum sum = pair_none();
  sum.f = vec3_make(lanes_total(t->fx), lanes_total(t->fy), lanes_total(t->fz));
  if (axes) sum.u = field_total(&t->field);
  if (axes > 1) {
    sum.x = field_total(&t->field_x);
    sum.y = field_total(&t->field_y);
  }
  return sum;
}

/* Force and torque of a bead: the first pass stores them, others add to them. */
HD void row_put(const struct force_job *job, int i, struct vec3 f, struct vec3 torque,
                double cutoff, int adds)
{
#ifdef REAL_DOUBLE
  const double per = 1 / cutoff; /* as devices */
  const double now[6] = {f.x * per, f.y * per, f.z * per, torque.x, torque.y, torque.z};
#else
  const double now[6] = {(double)f.x / cutoff, (double)f.y / cutoff, (double)f.z / cutoff,
                         (double)torque.x,     (double)torque.y,     (double)torque.z};
#endif
  double *force = job->force + 3 * (int64_t)i, *turn = job->torque + 3 * (int64_t)i;
  for (int k = 0; k < 3; k++) {
    force[k] = adds ? force[k] + now[k] : now[k];
    turn[k] = adds ? turn[k] + now[3 + k] : now[3 + k];
  }
}

HD void row_pairs(const struct force_job *job, const struct model_pass *pass, int i,
                  const struct box_units *unit, unsigned set, int adds, int sums)
{
  const struct model *m = job->model;
  const struct axis_record *first = job->axis[0], *second = job->axis[1];
  const int axes = pair_set_axes(set), type = job->record[i].type;
  const struct pair_coef *coef = &pass->pair[type * m->n_types];
  const real *table = pass->table ? pass->table + type * PAIR_COEFS * MODEL_TABLE : NULL;
  const struct pair_bead me =
      bead_of(first + i, axes > 1 ? second + i : first + i, axes > 1 ? 2 : 1);
  const struct neighbor_list *list = job->list + pass->number;
  const int *index = list->row[i];
  const int n = list->n[i];
  struct lanes t;
  lanes_clear(&t, axes, sums);
  for (int k = 0; k < n; k += FORCE_LANES) {
    struct block b;
    block_load(job, i, index + k, coef, table, m->n_types, unit, set, sums == FORCE_ENERGY, &b);
    block_add(&b, me, set, pass->constants, sums, &t);
  }
  const struct pair_sum sum = lanes_sum(&t, axes);
  row_put(job, i, pair_force(sum, me, axes), pair_torque(sum, me, axes), pass->cutoff, adds);
  if (!sums) return;
  const int own = (int)(pass->own >> m->list_class[type] & 1u);
  row_add_sums(job, pass, set, sums, own ? pair_self(set, pass->constants, me.q) : 0, type, &t);
}

static void virial_add(const struct force_job *job, int sums, const double r[3], const double f[3])
{
  for (int k = 0; k < 9; k += virial_step(sums))
    sum_add(&job->sums->word[SUM_VIRIAL + k],
            sum_addend(r[k / 3] * f[k % 3], job->sum_scale, &job->sums->overflow,
                       &job->sums->magnitude));
}

static void row_bonded(const struct force_job *job, const struct force_view *v, int i, int sums)
{
  const struct model *m = job->model;
  double *f = job->force + 3 * (int64_t)i, *t = job->torque + 3 * (int64_t)i;
  for (int k = job->bonded_row[i]; k < job->bonded_row[i + 1]; k++) {
    const struct bonded_entry *e = &job->bonded[k];
    struct bonded_sum s = bonded_term(m, v, i, e, BONDED_ALL_FORMS);
    f[0] += (double)s.f.x;
    f[1] += (double)s.f.y;
    f[2] += (double)s.f.z;
    t[0] += (double)s.t.x;
    t[1] += (double)s.t.y;
    t[2] += (double)s.t.z;
    if (!sums) continue;
    const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
    const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
    virial_add(job, sums, arm, pull);
    if (sums != FORCE_ENERGY || bonded_role(e) != 0) continue;
    const int form = m->bonded[bonded_type(e)].form;
    if (form == FORM_excluded_reaction_field)
      sum_add_charges(m, job->sums, (double)s.u, job->record[i].type);
    else
      sum_add_energy(job->sums, bonded_channel(form), (double)s.u);
  }
}

static void rows_bonded(const struct force_job *job, int sums)
{
  const struct force_view v = view_of(job);
  for (int k = job->begin; k < job->end; k++) {
    int i = job->bead ? job->bead[k] : k;
    if (job->bonded_row[i] < job->bonded_row[i + 1]) row_bonded(job, &v, i, sums);
  }
}

/* The pairs of all beads whose type uses the kernel of this set of terms. */
HD void rows_pairs(const struct force_job *job, const struct model_pass *pass, unsigned set,
                   int sums)
{
  const struct model *m = job->model;
  const struct box_units unit = box_units_of(job->box, pass->cutoff);
  for (int k = job->begin; k < job->end; k++) {
    const int i = job->bead ? job->bead[k] : k, type = job->record[i].type;
    const int class_of = m->list_class[type];
    if (pass->set_of[type] != set) continue;
    const int adds = &m->pass[m->first_pass[class_of]] < pass;
    if (pass->classes >> class_of & 1) row_pairs(job, pass, i, &unit, set, adds, sums);
  }
}

/* Functions for each set of pair terms: forces alone, with the virial, with energies too. The
   compiler takes much longer for one that holds them all. */
#define ROWS(name, bits, sums)                                                                     \
  static __attribute__((noinline)) void name(const struct force_job *job,                          \
                                             const struct model_pass *pass)                        \
  {                                                                                                \
    rows_pairs(job, pass, (bits), sums);                                                           \
  }
#define SET(name, bits)                                                                            \
  ROWS(rows_##name, bits, 0)                                                                       \
  ROWS(rows_virial_##name, bits, FORCE_VIRIAL)                                                     \
  ROWS(rows_energy_##name, bits, FORCE_ENERGY)
PAIR_SETS(SET)
#undef SET

static void run_pass(const struct force_job *job, const struct model_pass *pass, int sums)
{
  uint64_t bit = 1;
#define SET(name, bits)                                                                            \
  if (pass->sets & bit)                                                                            \
    (sums == FORCE_ENERGY   ? rows_energy_##name                                                   \
     : sums == FORCE_VIRIAL ? rows_virial_##name                                                   \
                            : rows_##name)(job, pass);                                             \
  bit <<= 1;
  PAIR_SETS(SET)
#undef SET
}

static void run(const struct force_job *job, int flags)
{
  const struct model *m = job->model;
  for (int p = 0; p < m->n_passes; p++)
    run_pass(job, &m->pass[p], flags);
  rows_bonded(job, flags);
}

/* The record of an axis of a bead: s times the direction, and q. */
static struct axis_record axis_make(const double direction[3], real s, real q)
{
  struct axis_record a;
  for (int k = 0; k < 3; k++)
    a.u[k] = s * R(direction[k]);
  a.q = q;
  return a;
}

static void axes(const void *model, int begin, int end, const struct bead_record *record,
                 const double *orientation, void *const axis[PAIR_AXES_MOST])
{
  const struct model *m = model;
  struct axis_record *first = axis[0], *second = axis[1];
  for (int i = begin; i < end; i++) {
    const int type = record[i].type;
    const real s = m->axis_scale[type];
    const double *q = orientation && s > R(0) ? orientation + 4 * (int64_t)i : NULL;
    double z[3] = {0, 0, 0}, x[3] = {0, 0, 0};
    if (q) rotation_axis(q, z);
    first[i] = axis_make(z, s, m->charge[type]);
    if (!second) continue;
    if (q) rotation_axis_x(q, x);
    second[i] = axis_make(x, R(1), R(0));
  }
}

/* The coefficients of each pass by the partner's type. */
static void table_make(const struct model *m, struct model_pass *pass)
{
  if (!BLOCK_TABLES || m->n_types > MODEL_TABLE) return;
  pass->table = alloc_array((long long)m->n_types * PAIR_COEFS * MODEL_TABLE, sizeof *pass->table);
  for (int k = 0; k < m->n_types; k++) {
    real *row = pass->table + k * PAIR_COEFS * MODEL_TABLE;
    for (int t = 0; t < m->n_types; t++) {
      const struct pair_coef *c = &pass->pair[k * m->n_types + t];
#define COEF(family, member, use)                                                                  \
  row[PAIR_COEF_##family##_##member * MODEL_TABLE + t] = c->family.member;
#include "pair/pair_list.h"
#undef COEF
    }
  }
}

/* The smallest set with a kernel that has the terms of a bead, of those of the pass. */
static void sets_choose(const struct model *m, struct model_pass *pass)
{
  pass->set_of = alloc_array(m->n_types, sizeof *pass->set_of);
  for (int t = 0; t < m->n_types; t++) {
    const unsigned terms = pair_set_of_bead(pass->set, m->charge[t] != 0, m->axis_scale[t] != 0);
    pass->set_of[t] = pass->set;
#define SET(name, bits)                                                                            \
  if (((bits)&terms) == terms && ((bits) & ~pass->set) == 0 && pass->set_of[t] == pass->set)       \
    pass->set_of[t] = (bits);
    PAIR_SETS(SET)
#undef SET
  }
  uint64_t bit = 1;
#define SET(name, bits)                                                                            \
  for (int t = 0; t < m->n_types; t++)                                                             \
    if (pass->set_of[t] == (bits)) pass->sets |= bit;                                              \
  bit <<= 1;
  PAIR_SETS(SET)
#undef SET
}

static void *model_create_tables(const struct forcefield *ff, const struct pair_plan *plan)
{
  struct model *m = model_create(ff, plan);
  for (int p = 0; p < m->n_passes; p++) {
    table_make(m, &m->pass[p]);
    sets_choose(m, &m->pass[p]);
  }
  return m;
}

extern cells_list_function NAME(cells_list_, KERNEL_NAME);
extern force_stress_function NAME(force_stress_, KERNEL_NAME);
extern move_function NAME(move_, KERNEL_NAME);
extern kick_function NAME(kick_, KERNEL_NAME);
extern const struct force_kernel NAME(force_kernel_, KERNEL_NAME);
const struct force_kernel NAME(force_kernel_, KERNEL_NAME) = {
    .precision = sizeof(real) == 8 ? "double" : "mixed",
    .isa = TEXT(KERNEL_NAME),
    .axis_bytes = (int)sizeof(struct axis_record),
    .model_create = model_create_tables,
    .model_destroy = model_destroy,
    .axes = axes,
    .list = NAME(cells_list_, KERNEL_NAME),
    .run = run,
    .stress = NAME(force_stress_, KERNEL_NAME),
    .move = NAME(move_, KERNEL_NAME),
    .kick = NAME(kick_, KERNEL_NAME),
};
