/* Coefficients of a force field on the device, in the precision of the unit that includes this. */
#ifndef MODEL_CUDA_CUH
#define MODEL_CUDA_CUH

#include <stdlib.h>

#include "base/log.h"
#include "cuda/runtime/gpu.h"
#include "input/param.h"
#include "pair/model_body.h"

static void *uploaded(struct gpu *c, const void *from, int64_t bytes)
{
  return cuda_uploaded(c, from, bytes, "coefficients");
}

/* The terms of a loop over partners, of a pass with the terms set. */
HD constexpr unsigned rows_terms(int rows, unsigned set)
{
#define ROWS(name, terms)                                                                          \
  if (rows == ROWS_##name) return terms;
#include "cuda/lists/classes.h"
#undef ROWS
  return set;
}

/* The loop that beads of a class need with partners of a part. */
HD constexpr int class_rows(int interaction, int part)
{
#define CLASS(name, condition, of, rows0, rows1)                                                   \
  if (interaction == CLASS_##name) return part ? ROWS_##rows1 : ROWS_##rows0;
#include "cuda/lists/classes.h"
#undef CLASS
  return ROWS_SETS - 1;
}

HD constexpr int classes_in_order(void)
{
  for (int k = 1; k < CLASSES; k++)
    for (int part = 0; part < LIST_PARTS; part++)
      if (class_rows(k, part) > class_rows(k - 1, part)) return 0;
  return 1;
}
static_assert(classes_in_order(), "a class needs more terms than the one before it");

/* From what pair terms read of a bead: one whose charge, or axis, is 0 there adds nothing by it. */
static int interaction_of(const struct model *m, int type)
{
  const real charge = m->charge[type], axis = m->axis_scale[type];
  unsigned set = 0;
  for (int p = 0; p < m->n_passes; p++)
    set |= m->pass[p].plan.set;
#define CLASS(name, condition, ...)                                                                \
  if (condition) return CLASS_##name;
#include "cuda/lists/classes.h"
#undef CLASS
  return CLASSES - 1;
}

static void types_upload(struct gpu *c, const struct model *m)
{
  const struct forcefield *ff = c->config.ff;
  struct cuda_type *type = (struct cuda_type *)alloc_array(ff->n_types, sizeof *type);
  for (int t = 0; t < ff->n_types; t++) {
    type[t].body = body_type_of(&ff->type[t]);
    type[t].axis_scale = (double)m->axis_scale[t];
    type[t].charge = (double)m->charge[t];
    type[t].oriented = pair_oriented(&c->coefficients.plan, ff, t);
    type[t].interaction = interaction_of(m, t);
    type[t].list_class = c->coefficients.plan.class_of[t];
    if (body_turns(&type[t].body)) c->coefficients.rotates = 1;
  }
  c->coefficients.type = (struct cuda_type *)uploaded(c, type, ff->n_types * (int64_t)sizeof *type);
  free(type);
}

static void *model_upload(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  c->coefficients.plan = pair_plan_of(ff, c->config.present);
  struct model *from = (struct model *)model_create(ff, &c->coefficients.plan);
  struct model *m = (struct model *)alloc_array(1, sizeof *m);
  const int64_t n = ff->n_types;
  *m = *from;
  for (int p = 0; p < m->n_passes; p++) {
    m->pass[p].table = NULL;
    m->pass[p].pair = (struct pair_coef *)uploaded(c, from->pass[p].pair,
                                                   n * n * (int64_t)sizeof *m->pass[p].pair);
  }
  m->bond = (struct bond_coef *)uploaded(c, from->bond, ff->n_bonds * (int64_t)sizeof *m->bond);
  m->angle =
      (struct angle_coef *)uploaded(c, from->angle, ff->n_angles * (int64_t)sizeof *m->angle);
  m->axis_scale = (real *)uploaded(c, from->axis_scale, n * (int64_t)sizeof *m->axis_scale);
  m->axis_inverse = (real *)uploaded(c, from->axis_inverse, n * (int64_t)sizeof *m->axis_inverse);
  m->charge = (real *)uploaded(c, from->charge, n * (int64_t)sizeof *m->charge);
  m->list_class = (unsigned char *)uploaded(c, from->list_class, n);
  types_upload(c, from);
  model_destroy(from);
  return m;
}

static void model_free(void *model)
{
  struct model *m = (struct model *)model;
  if (!m) return;
  for (int p = 0; p < m->n_passes; p++)
    CUDA(cudaFree(m->pass[p].pair));
  CUDA(cudaFree(m->bond));
  CUDA(cudaFree(m->angle));
  CUDA(cudaFree(m->axis_scale));
  CUDA(cudaFree(m->axis_inverse));
  CUDA(cudaFree(m->charge));
  CUDA(cudaFree(m->list_class));
  free(m);
}

#endif
