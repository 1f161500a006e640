#include "observe/bilayer.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The bead (index in the molecule) to which the vector of bead k leads. */
static int parent_of(const struct observe_system *a, const struct observe_molecule *m, int k)
{
  const int env = a->share.env[m->first + k];
  const struct topology *t = a->topology;
  for (int j = env < 0 ? 0 : t->term_start[env]; env >= 0 && j < t->term_start[env + 1]; j++) {
    const int64_t partner = k + t->term[j].partner[0];
    if (topology_joins(a->ff, &t->term[j]) && partner >= 0 && partner < k) return (int)partner;
  }
  return k - 1;
}

void observe_unfold(const struct observe_system *a, const struct observe_frame *f,
                    const struct observe_molecule *m, double (*x)[3])
{
  const int32_t *position = f->position + 3 * m->first;
  memset(x[0], 0, sizeof x[0]);
  for (int k = 1; k < m->n; k++) {
    const int j = parent_of(a, m, k);
    for (int d = 0; d < 3; d++)
      x[k][d] = x[j][d] + observe_difference((uint32_t)position[3 * k + d],
                                             (uint32_t)position[3 * j + d], f->box[d]);
  }
}

/* Marks the types of a list; 0 if there is no list. */
static int read_marks(struct observable *o, struct yaml_tree *t, int node, char *mark)
{
  const int types = o->about->ff->n_types;
  int *index = alloc_array(types, sizeof *index);
  const int n = observe_read_types(o, t, node, index, types);
  for (int k = 0; k < n; k++)
    mark[index[k]] = 1;
  free(index);
  return node != 0;
}

/* Marks the types of the beads of lipids that have a name, or, if it is NULL, are of a type. 0 if
   there are none. */
static int mark_beads(const struct forcefield *ff, const char *name, int type, char *mark)
{
  int found = 0;
  for (int k = 0; k < ff->n_molecules; k++) {
    const struct ff_molecule *m = &ff->molecule[k];
    for (int i = 0; m->n_beads > 1 && i < m->n_beads; i++) {
      if (name ? !m->bead_name || strcmp(m->bead_name[i], name) != 0 : m->bead[i] != type) continue;
      mark[m->bead[i]] = 1;
      found = 1;
    }
  }
  return found;
}

static void read_heads(struct bilayer *b, struct observable *o, struct yaml_tree *t, int node)
{
  const struct forcefield *ff = o->about->ff;
  const int standard = forcefield_type(ff, "P");
  b->is_head = alloc_array(ff->n_types, 1);
  if (read_marks(o, t, node, b->is_head) || mark_beads(ff, NULL, standard, b->is_head)) return;
  if (mark_beads(ff, "PO4", -1, b->is_head)) return;
  if (standard >= 0)
    b->is_head[standard] = 1; /* of lipids that are no molecules of the force field */
}

static void read_tails(struct bilayer *b, struct observable *o, struct yaml_tree *t, int node)
{
  const struct forcefield *ff = o->about->ff;
  b->is_tail = alloc_array(ff->n_types, 1);
  if (read_marks(o, t, node, b->is_tail)) return;
  for (int k = 0; k < ff->n_types; k++)
    b->is_tail[k] = ff->type[k].charge == 0 && ff->type[k].dipole == 0;
}

static int has_head(const struct bilayer *b, const struct observe_system *a,
                    const struct observe_molecule *m)
{
  int found = 0;
  for (int k = 0; k < m->n; k++)
    found |= b->is_head[a->share.type[m->first + k]];
  return found;
}

void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  memset(b, 0, sizeof *b);
  read_heads(b, o, t, yaml_get(t, options, "head"));
  read_tails(b, o, t, yaml_get(t, options, "tail"));
  b->lipid = alloc_array(a->share.molecules, sizeof *b->lipid);
  b->most = 1;
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const int n = a->share.molecule[k].n;
    if (n < 2) continue;
    b->lipid[b->lipids++] = k;
    b->headed += has_head(b, a, &a->share.molecule[k]);
    if (n > b->most) b->most = n;
  }
  b->all = share_sum(a->ranks, b->lipids, &b->before);
  b->headed = share_sum(a->ranks, b->headed, NULL);
  if (b->all == 0)
    yaml_add_error(t, options, "'%s' needs lipids, and the system has none", o->kind->name);
  else if (b->headed == 0 && o->kind->options && strstr(o->kind->options, "head"))
    warn("observable %s: no lipid has beads of heads (type P, name PO4, or those of the option "
         "head): the first bead of each lipid is its head",
         o->kind->name);
}

void bilayer_close(struct bilayer *b)
{
  free(b->is_head);
  free(b->is_tail);
  free(b->lipid);
}

/* The mean of the beads that are heads, or tails; if there are none, of bead `standard`. */
static void mean_of(const struct bilayer *b, const struct observe_system *a,
                    const struct observe_molecule *m, double (*x)[3], int heads, int standard,
                    double mean[3])
{
  int n = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (int k = 0; k < m->n; k++) {
    const int type = a->share.type[m->first + k];
    if (!(heads ? b->is_head[type] : b->is_tail[type])) continue;
    for (int d = 0; d < 3; d++)
      mean[d] += x[k][d];
    n++;
  }
  for (int d = 0; d < 3; d++)
    mean[d] = n ? mean[d] / n : x[standard][d];
}

struct lipid_pose bilayer_pose(const struct bilayer *b, const struct observe_system *a,
                               const struct observe_frame *f, int64_t lipid, double (*x)[3])
{
  const struct observe_molecule *m = &a->share.molecule[b->lipid[lipid]];
  const int32_t *first = f->position + 3 * m->first;
  struct lipid_pose p;
  double head[3], tail[3];
  observe_unfold(a, f, m, x);
  mean_of(b, a, m, x, 1, 0, head);
  mean_of(b, a, m, x, 0, m->n - 1, tail);
  for (int d = 0; d < 3; d++) {
    const double shift = head[d] * (TORUS_EDGE / f->box[d]);
    p.axis[d] = head[d] - tail[d];
    p.head[d] = (uint32_t)first[d] + (uint32_t)(int64_t)(shift < 0 ? shift - 0.5 : shift + 0.5);
  }
  p.headed = has_head(b, a, m);
  p.leaflet = p.axis[2] > 0 ? 1 : -1;
  p.height = observe_difference(p.head[2], f->centre, f->box[2]);
  return p;
}
