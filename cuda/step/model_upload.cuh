/* Coefficients of a force field, from the host to the device, in the precision of the unit that
   includes this. */
#ifndef MODEL_UPLOAD_CUDA_CUH
#define MODEL_UPLOAD_CUDA_CUH

#include <stdlib.h>

#include "base/memory.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/force_pass.cuh"
#include "input/param.h"
#include "pair/model_body.h"

static void coef_pack(unsigned set, const struct pair_coef *c, real *to)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coef_is_read(set, PAIR_USE_##use, PAIR_FAMILY_##family)) to[n++] = c->family.member;
#include "pair/pair_list.h"
#undef COEF
}

static const char *const coefs_use = "coefficients";

/* The loop that beads of an interaction class need for partners of a part. */
HD constexpr int class_rows(int interaction, int part)
{
#define CLASS(name, condition, of, rows0, rows1)                                                   \
  if (interaction == CLASS_##name) return part ? ROWS_##rows1 : ROWS_##rows0;
#include "cuda/runtime/classes.h"
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

/* Sets the interaction class of a bead type. Terms that read a charge or an axis are not needed
   where that is 0. */
static void interaction_set(struct cuda_type *to, const struct model *m, int type)
{
  const real charge = m->charge[type], axis = m->axis_scale[type];
  unsigned set = 0;
  for (int p = 0; p < m->n_passes; p++)
    set |= m->pass[p].set;
#define CLASS(name, condition, of, ...)                                                            \
  if (condition) {                                                                                 \
    to->interaction = CLASS_##name;                                                                \
    to->part = of;                                                                                 \
    return;                                                                                        \
  }
#include "cuda/runtime/classes.h"
#undef CLASS
}

static void types_upload(struct gpu *c, const struct model *m)
{
  const struct forcefield *ff = c->config.ff;
  struct cuda_type *type = (struct cuda_type *)alloc_array(ff->n_types, sizeof *type);
  for (int t = 0; t < ff->n_types; t++) {
    type[t].body = body_type_of(&ff->type[t]);
    type[t].axis_scale = (double)m->axis_scale[t];
    type[t].charge = (double)m->charge[t];
    type[t].oriented = pair_oriented(c->config.plan, ff, t);
    interaction_set(&type[t], m, t);
    if (sizeof(real) == 8) type[t].part = pair_list_part(c->config.plan, ff, t);
    type[t].list_class = c->config.plan->class_of[t];
  }
  cuda_types_set(c, type);
  free(type);
}

/* 1 if the system has beads of a type, and their list class is in the pass. */
static int type_takes_part(const struct gpu *c, const struct model_pass *pass, int type)
{
  if (!c->config.plan->present[type]) return 0;
  return pass->classes >> c->config.plan->class_of[type] & 1;
}

/* pass: with its coefficients in host memory. */
static struct force_coefs force_coefs_upload(struct gpu *c, const struct model_pass *pass)
{
  const int n_types = c->config.ff->n_types, reals = coef_reals(pass->set);
  struct force_coefs out = {NULL, 0, n_types};
  while (!type_takes_part(c, pass, out.first_type + out.types - 1))
    out.types--;
  for (; !type_takes_part(c, pass, out.first_type); out.types--)
    out.first_type++;
  const int n = out.types;
  real *packed = (real *)alloc_array((long long)n * n * reals, sizeof *packed);
  for (int k = 0; k < n * n; k++) {
    const int i = out.first_type + k / n, j = out.first_type + k % n;
    coef_pack(pass->set, &pass->pair[i * n_types + j], packed + k * reals);
  }
  CUDA_UPLOAD(c, &out.coef, packed, (int64_t)n * n * reals, coefs_use);
  free(packed);
  return out;
}

static void *model_upload(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  struct model *from = (struct model *)model_create(ff, c->config.plan);
  struct cuda_model *all = (struct cuda_model *)cuda_state(c, sizeof *all);
  struct model *m = &all->model;
  const int64_t n = ff->n_types;
  assert(c->arrays->axis_bytes == (int)sizeof(struct axis_record));
  *m = *from;
  if (from->piece)
    CUDA_UPLOAD(c, &m->piece, from->piece, pieces_before(ff, ff->table + ff->n_tables), coefs_use);
  for (int p = 0; p < m->n_passes; p++) {
    const struct model_pass *pass = &from->pass[p];
    m->pass[p].table = NULL;
    CUDA_UPLOAD(c, &m->pass[p].pair, pass->pair, n * n, coefs_use);
    m->pass[p].constants.piece = m->piece;
    all->force[p] = force_coefs_upload(c, pass);
  }
  CUDA_UPLOAD(c, &m->bonded, from->bonded, forcefield_bonded(ff, SECTIONS, 0), coefs_use);
  CUDA_UPLOAD(c, &m->axis_scale, from->axis_scale, n, coefs_use);
  CUDA_UPLOAD(c, &m->axis_inverse, from->axis_inverse, n, coefs_use);
  CUDA_UPLOAD(c, &m->charge, from->charge, n, coefs_use);
  if (from->charge_slope) CUDA_UPLOAD(c, &m->charge_slope, from->charge_slope, n, coefs_use);
  CUDA_UPLOAD(c, &m->list_class, from->list_class, n, coefs_use);
  types_upload(c, from);
  model_destroy(from);
  return all;
}

#endif
