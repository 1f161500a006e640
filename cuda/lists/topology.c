#include <stdlib.h>

#include "base/memory.h"
#include "cuda/lists/bonded.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/tuning.h"
#include "pair/pair_terms.h"

static const char *const use = "the topology";

static void rest_upload(struct gpu *c, struct gpu_topology *to)
{
  const struct forcefield *ff = c->config.ff;
  const int n = forcefield_bonded(ff, SECTIONS, 0);
  double *rest = alloc_array(n, sizeof *rest);
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++)
      rest[forcefield_bonded(ff, s, k)] = forcefield_rest(ff, s, k);
  CUDA_UPLOAD(c, &to->rest, rest, n, use);
  free(rest);
}

/* Uploads the terms without constraints, which have no force of their own. type becomes the index
   among the bonded types of all sections. */
static void terms_upload(struct gpu *c, struct gpu_topology *to)
{
  const struct topology *t = c->config.topology;
  struct topology_term *term = alloc_array(t->term_start[t->n_envs], sizeof *term);
  int *start = alloc_array(t->n_envs + 1LL, sizeof *start), n = 0;
  for (int env = 0; env < t->n_envs; env++) {
    for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
      const struct topology_term *from = &t->term[k];
      if (forcefield_is_constraint(c->config.ff, from->section, from->type)) continue;
      term[n] = *from;
      term[n++].type = forcefield_bonded(c->config.ff, from->section, from->type);
    }
    start[env + 1] = n;
  }
  CUDA_UPLOAD(c, &to->term_start, start, t->n_envs + 1LL, use);
  CUDA_UPLOAD(c, &to->term, term, n, use);
  free(start);
  free(term);
}

/* Bits of the forms of the bonded types, without constraints, which have no force of their own. */
static uint64_t forms_of(const struct forcefield *ff)
{
  uint64_t forms = 0;
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++)
      if (!forcefield_is_constraint(ff, s, k)) forms |= UINT64_C(1) << ff->bonded[s].type[k].form;
  return forms;
}

/* 1 if bonded terms have a kernel of their own: in large systems, where an additional launch costs
   less than lanes that idle in the passes, and with a form that not all passes evaluate. */
static int are_apart(const struct gpu *c, uint64_t forms)
{
  uint64_t in_passes = BONDED_ALL_FORMS;
  for (int p = 0; p < c->config.plan->n_passes; p++)
    in_passes &= pair_set_bonded(c->config.plan->pass[p].set);
  return c->config.n_total >= BONDED_APART_LEAST || (forms & ~in_passes) != 0;
}

void cuda_topology_open(struct gpu *c)
{
  struct gpu_topology *to = NEW_STATE(gpu_topology, c, topology);
  const struct topology *t = c->config.topology;
  const struct anchors *a = &t->anchors;
  const int64_t n = t->n_envs;
  if (n == 0) return;
  to->forms = forms_of(c->config.ff);
  to->apart = are_apart(c, to->forms);
  terms_upload(c, to);
  rest_upload(c, to);
  CUDA_UPLOAD(c, &to->exclude_start, t->exclude_start, n + 1, use);
  CUDA_UPLOAD(c, &to->exclude, t->exclude, t->exclude_start[n], use);
  if (c->config.lipid) CUDA_UPLOAD(c, &to->lipid, c->config.lipid, n, use);
  if (a->n == 0) return;
  to->anchors = *a;
  CUDA_UPLOAD(c, &to->anchors.id, a->id, a->n, use);
  CUDA_UPLOAD(c, &to->anchors.place, a->place, a->n, use);
}
