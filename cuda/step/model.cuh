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

/* The terms of one bead's pairs where neither has a charge, and where neither has an axis. */
HD constexpr unsigned set_uncharged(unsigned set)
{
  return set & ~(PAIR_BIT(qq) | PAIR_BIT(qd));
}

HD constexpr unsigned set_point(unsigned set)
{
  return set_uncharged(set) & ~PAIR_AXIS_TERMS;
}

/* From what pair terms read of a bead: one whose charge, or axis, is 0 there adds nothing by it. */
static int interaction_of(const struct model *m, int type)
{
  if (m->set != set_uncharged(m->set) && m->charge[type] != R(0)) return CLASS_CHARGED;
  if (m->set != set_point(m->set) && m->axis_scale[type] != R(0)) return CLASS_AXIS;
  return CLASS_POINT;
}

static void types_upload(struct gpu *c, const struct model *m)
{
  const struct forcefield *ff = c->config.ff;
  struct cuda_type *type = (struct cuda_type *)alloc_array(ff->n_types, sizeof *type);
  for (int t = 0; t < ff->n_types; t++) {
    type[t].body = body_type_of(&ff->type[t]);
    type[t].axis_scale = (double)m->axis_scale[t];
    type[t].charge = (double)m->charge[t];
    type[t].oriented = ff->type[t].dipole != 0;
    type[t].interaction = interaction_of(m, t);
    if (body_turns(&type[t].body)) c->coefficients.rotates = 1;
  }
  c->coefficients.type = (struct cuda_type *)uploaded(c, type, ff->n_types * (int64_t)sizeof *type);
  free(type);
}

static void *model_upload(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  unsigned terms;
  struct model *from = (struct model *)model_create(ff, &terms);
  struct model *m = (struct model *)alloc_array(1, sizeof *m);
  const int64_t n = ff->n_types;
  m->cutoff = from->cutoff;
  m->set = from->set;
  m->n_types = from->n_types;
  m->pair = (struct pair_coef *)uploaded(c, from->pair, n * n * (int64_t)sizeof *m->pair);
  m->bond = (struct bond_coef *)uploaded(c, from->bond, ff->n_bonds * (int64_t)sizeof *m->bond);
  m->angle =
      (struct angle_coef *)uploaded(c, from->angle, ff->n_angles * (int64_t)sizeof *m->angle);
  m->axis_scale = (real *)uploaded(c, from->axis_scale, n * (int64_t)sizeof *m->axis_scale);
  m->axis_inverse = (real *)uploaded(c, from->axis_inverse, n * (int64_t)sizeof *m->axis_inverse);
  m->charge = (real *)uploaded(c, from->charge, n * (int64_t)sizeof *m->charge);
  types_upload(c, from);
  model_destroy(from);
  return m;
}

static void model_free(void *model)
{
  struct model *m = (struct model *)model;
  if (!m) return;
  CUDA(cudaFree(m->pair));
  CUDA(cudaFree(m->bond));
  CUDA(cudaFree(m->angle));
  CUDA(cudaFree(m->axis_scale));
  CUDA(cudaFree(m->axis_inverse));
  CUDA(cudaFree(m->charge));
  free(m);
}

#endif
