/* Coefficients of a force field on the device, in the precision of the unit that includes this. */
#ifndef MODEL_CUDA_CUH
#define MODEL_CUDA_CUH

#include <stdlib.h>

#include "backend_cuda.h"
#include "log.h"
#include "model.h"
#include "param.h"

static void *uploaded(struct gpu *c, const void *from, int64_t bytes)
{
  void *to = NULL;
  int64_t room = 0;
  cuda_grow(c, &to, &room, bytes > 0 ? bytes : 16, 0, "coefficients");
  if (bytes > 0) CUDA(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice));
  return to;
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

static int interaction_of(unsigned set, const struct ff_type *type)
{
  if (set != set_uncharged(set) && type->charge != 0) return CLASS_CHARGED;
  return set != set_point(set) && type->dipole != 0 ? CLASS_AXIS : CLASS_POINT;
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
    type[t].interaction = interaction_of(m->set, &ff->type[t]);
    if (body_turns(&type[t].body)) c->turns = 1;
  }
  c->type = (struct cuda_type *)uploaded(c, type, ff->n_types * (int64_t)sizeof *type);
  free(type);
}

static void *model_create(struct gpu *c, const void *host)
{
  const struct forcefield *ff = c->config.ff;
  const struct model *from = (const struct model *)host;
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
  return m;
}

static void model_destroy(void *model)
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
