#include "observe/bilayer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { HEAD, TAIL, OPTIONS };

void observe_needs_lateral(struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  if (a->box[4] == 0 && a->box[5] == 0) return;
  o->needs |= NEEDS_CENTRE;
  if (a->bilayers > 1)
    yaml_add_error(t, options,
                   "'%s' of several bilayers needs a box whose vector c is along z, since those of "
                   "the next images along c stand aside",
                   o->kind->name);
}

/* Bead types that an option names; is_given 0: the option is not there. */
struct types {
  int is_given;
  char *in; /* [types] */
};

static struct types read_types(struct observable *o, struct yaml_tree *t, int node)
{
  const int most = o->about->ff->n_types;
  struct types types = {node != 0, observe_memory(o, most, 1)};
  int *index = alloc_array(most, sizeof *index);
  const int n = observe_read_names(o, t, node, NAMED_BEAD_TYPES, index, most);
  for (int k = 0; k < n; k++)
    types.in[index[k]] = 1;
  free(index);
  return types;
}

/* Marks of n beads of a lipid as the options say, and then whether it is headed. */
static char *mark_set(struct observable *o, const struct types *option, int n, const int32_t *type,
                      const char *mark, int headed)
{
  const struct types *head = &option[HEAD], *tail = &option[TAIL];
  char *set = observe_memory(o, n + 1, 1);
  set[n] = (char)(headed && !head->is_given);
  for (int k = 0; k < n; k++) {
    const int in_head = head->is_given ? head->in[type[k]] : mark[k] & LIPID_HEAD;
    const int in_tail = tail->is_given ? tail->in[type[k]] : mark[k] & LIPID_TAIL;
    set[k] = (char)((in_head ? LIPID_HEAD : 0) | (in_tail ? LIPID_TAIL : 0));
    if (head->is_given && in_head) set[n] = 1;
  }
  return set;
}

static void mark_types(struct bilayer *b, struct observable *o, const struct types *option)
{
  const struct lipids *l = o->about->lipids;
  for (int k = 0; k < l->ff->n_molecules; k++) {
    const struct ff_molecule *m = &l->ff->molecule[k];
    const struct lipid_type *type = &l->type[k];
    if (type->is_lipid)
      b->of_type[k] = mark_set(o, option, m->n_beads, m->bead, type->mark, type->headed);
  }
}

/* The marks of a molecule of the share that is no whole molecule of a type; NULL: no lipid. */
static const char *mark_other(struct observable *o, const struct observe_molecule *m,
                              const struct types *option)
{
  const struct observe_system *a = o->about;
  int headed;
  char *mark = alloc_array(m->n, 1);
  const char *set = observe_mark(a, m, mark, &headed)
                        ? mark_set(o, option, m->n, a->share.type + m->first, mark, headed)
                        : NULL;
  free(mark);
  return set;
}

static void list_lipids(struct bilayer *b, struct observable *o, const struct types *option)
{
  const struct observe_system *a = o->about;
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const struct observe_molecule *m = &a->share.molecule[k];
    const char *mark = observe_is_whole(a, m) ? b->of_type[m->type] : mark_other(o, m, option);
    if (!mark) continue;
    b->headed += mark[m->n];
    b->mark[b->lipids] = mark;
    b->lipid[b->lipids++] = k;
    if (m->n > b->most) b->most = m->n;
  }
}

static void chose_beads(const struct bilayer *b, struct observable *o)
{
  char *heads = lipids_marked(o->about->lipids, b->of_type, LIPID_HEAD);
  char *tails = lipids_marked(o->about->lipids, b->of_type, LIPID_TAIL);
  observable_chose(o, "heads: %s", heads);
  observable_chose(o, "tails: %s", tails);
  free(heads);
  free(tails);
}

void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  const int64_t molecules = a->share.molecules;
  const struct types option[OPTIONS] = {read_types(o, t, yaml_get(t, options, "head")),
                                        read_types(o, t, yaml_get(t, options, "tail"))};
  memset(b, 0, sizeof *b);
  b->lipid = observe_memory(o, molecules, sizeof *b->lipid);
  b->mark = observe_memory(o, molecules, sizeof *b->mark);
  b->of_type = observe_memory(o, a->ff->n_molecules, sizeof *b->of_type);
  b->most = 1;
  mark_types(b, o, option);
  list_lipids(b, o, option);
  b->lipid_at = observe_memory(o, b->lipids, sizeof *b->lipid_at);
  b->leaflet = observe_memory(o, molecules, sizeof *b->leaflet);
  b->x = observe_memory(o, b->most, sizeof *b->x);
  b->all = share_sum(a->ranks, b->lipids, &b->before);
  b->headed = share_sum(a->ranks, b->headed, NULL);
  chose_beads(b, o);
  if (b->all == 0)
    yaml_add_error(t, options,
                   "'%s' needs lipids, and the system has none: a lipid has a head and a tail; say "
                   "which molecules are with 'membrane: {lipids: [NAME], heads: {NAME: [BEAD]}}'",
                   o->kind->name);
  o->of_lipids = 1;
  if (!a->lipids->is_flat) o->flat_grid = flatness_grid(b->all);
}

const struct bilayer_lipid *bilayer_poses(const struct bilayer *b, const struct observable *o,
                                          const struct observe_frame *f, int64_t *flat)
{
  const struct observe_system *a = o->about;
  for (int64_t k = 0; k < b->lipids; k++) {
    const struct observe_molecule *m = &a->share.molecule[b->lipid[k]];
    const struct molecule_beads beads = observe_beads(a, m);
    struct bilayer_lipid *out = &b->lipid_at[k];
    out->pose = lipid_pose(a->ff, a->topology, &beads, b->mark[k], f->position + 3 * m->first,
                           f->box, b->x);
    out->headed = b->mark[k][m->n] != 0;
    out->height = observe_rise(f, out->pose.head[2], f->centre);
    observe_lateral(f, out->pose.head, out->lateral);
    b->leaflet[b->lipid[k]] = out->pose.leaflet;
    if (flat) flatness_add(flatness_grid(b->all), &out->pose, flat);
  }
  return b->lipid_at;
}
