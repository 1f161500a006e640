/* What beads add to pressure profiles: their pairs pass by pass, in FORCE_LANES partial sums, which
   are added by a fixed tree, then their bonded terms. Compiled once a precision and instruction
   set, as force_cpu.c. */
#include <string.h>

#include "cpu/force_block.h"
#include "cpu/force_cpu.h"
#include "pair/pair_sets.h"
#include "pair/stress_body.h"

/* Partial sums of one bead: struct stress_ends of partners of no lipid, and of lipids. */
struct stress_lanes {
  double end[2][STRESS_COMPONENTS][FORCE_LANES];
  double place[2][STRESS_COMPONENTS][FORCE_LANES];
  double all[2][STRESS_COMPONENTS][FORCE_LANES];
};

/* A pass over the list of bead i. */
struct stress_row {
  const struct force_job *job;
  const struct model_pass *pass;
  const unsigned char *lipid;
  int i;
  struct box_units unit; /* in cutoffs */
};

/* share: 1 for the lanes whose partner is in a lipid, else 0. Compiled once for all sets. */
static __attribute__((noinline)) void block_add_stress(const struct block *b,
                                                       const struct block_value *v, const real *dz,
                                                       const real *share, struct stress_lanes *t)
{
#pragma omp simd
  for (int l = 0; l < FORCE_LANES; l++) {
    const struct stress_factors f = stress_factors_of(dz[l]);
    const struct stress_value w = stress_value_of(vec3_make(b->x[l], b->y[l], b->z[l]),
                                                  vec3_make(v->f[0][l], v->f[1][l], v->f[2][l]));
    for (int k = 0; k < 2; k++) {
      const real weight = k ? share[l] : R(1.0) - share[l];
      for (int c = 0; c < STRESS_COMPONENTS; c++) {
        t->end[k][c][l] += (double)(weight * w.w[c] * f.end);
        t->place[k][c][l] += (double)(weight * w.w[c] * f.place);
        t->all[k][c][l] += (double)(weight * w.w[c] * R(0.5));
      }
    }
  }
}

HD void row_stress(const struct stress_row *row, unsigned set, struct stress_lanes *t)
{
  const struct force_job *job = row->job;
  const struct model *m = job->model;
  const struct axis_record *first = job->axis[0], *second = job->axis[1];
  const int axes = pair_set_axes(set), i = row->i, type = job->record[i].type;
  const struct pair_bead me =
      bead_of(first + i, axes > 1 ? second + i : first + i, axes > 1 ? 2 : 1);
  const struct neighbor_list *list = job->list + row->pass->number;
  const real hz = R(job->box[2] / TORUS_EDGE);
  for (int at = 0; at < list->n[i]; at += FORCE_LANES) {
    const int *index = list->row[i] + at;
    struct block b;
    struct block_value v;
    real dz[FORCE_LANES], share[FORCE_LANES];
    block_load(job, i, index, &row->pass->pair[type * m->n_types], NULL, 0, &row->unit, set, 1, &b);
    block_evaluate(&b, me, set, row->pass->constants, &v);
    for (int l = 0; l < FORCE_LANES; l++) {
      dz[l] = stress_height(job->record, i, index[l], hz);
      share[l] = row->lipid[index[l]];
    }
    block_add_stress(&b, &v, dz, share, t);
  }
}

/* A function for each set of pair terms: see force_cpu.c. */
#define SET(name, bits)                                                                            \
  static __attribute__((noinline)) void row_##name(const struct stress_row *row,                   \
                                                   struct stress_lanes *t)                         \
  {                                                                                                \
    row_stress(row, (bits), t);                                                                    \
  }
PAIR_SETS(SET)
#undef SET

static void row_pass(const struct stress_row *row, struct stress_lanes *t)
{
#define SET(name, bits)                                                                            \
  if (row->pass->set == (bits)) row_##name(row, t);
  PAIR_SETS(SET)
#undef SET
}

static void row_pairs(const struct force_job *job, const unsigned char *lipid, int i,
                      struct stress_bead *out)
{
  const struct model *m = job->model;
  struct stress_row row = {.job = job, .lipid = lipid, .i = i};
  struct stress_lanes t;
  memset(&t, 0, sizeof t);
  for (int p = 0; p < m->n_passes; p++) {
    row.pass = &m->pass[p];
    if (!(row.pass->classes >> m->list_class[job->record[i].type] & 1)) continue;
    row.unit = box_units_of(job->box, row.pass->cutoff);
    row_pass(&row, &t);
  }
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < STRESS_COMPONENTS; c++) {
      out->pair[k].end[c] = lanes_total_double(t.end[k][c]);
      out->pair[k].place[c] = lanes_total_double(t.place[k][c]);
      out->pair[k].all[c] = lanes_total_double(t.all[k][c]);
    }
}

extern force_stress_function NAME(force_stress_, KERNEL_NAME);
void NAME(force_stress_, KERNEL_NAME)(const struct force_job *job, const unsigned char *lipid,
                                      int begin, int end, struct stress_bead *out)
{
  const struct model *m = job->model;
  const struct force_view v = view_of(job);
  const real hz = R(job->box[2] / TORUS_EDGE);
  for (int i = begin; i < end; i++, out++) {
    row_pairs(job, lipid, i, out);
    for (int k = 0; k < BONDED_CHANNELS; k++)
      out->bonded[k] = stress_none();
    for (int k = job->bonded_row[i]; k < job->bonded_row[i + 1]; k++) {
      const struct bonded_entry *e = &job->bonded[k];
      stress_bonded(m, &v, i, e, hz, stress_bonded_ends(m, e, lipid[i], out));
    }
  }
}
