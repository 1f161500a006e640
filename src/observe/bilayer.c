#include "observe/bilayer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "molecules/flatness.h"

/* Bead types that an option names; is_given 0: the option is not there. */
struct types {
  int is_given;
  char *in; /* [types] */
};

static struct types read_types(struct observable *o, struct yaml_tree *t, int node)
{
  const int most = o->about->ff->n_types;
  struct types types = {node != 0, alloc_array(most, 1)};
  int *index = alloc_array(most, sizeof *index);
  const int n = observe_read_types(o, t, node, index, most);
  for (int k = 0; k < n; k++)
    types.in[index[k]] = 1;
  free(index);
  return types;
}

/* Changes the marks of n beads, mark[n + 1], as the options say. */
static void options_apply(const struct types *head, const struct types *tail, int n,
                          const int32_t *type, char *mark)
{
  if (head->is_given) mark[n] = 0;
  for (int k = 0; k < n; k++) {
    const int in_head = head->in[type[k]] != 0, in_tail = tail->in[type[k]] != 0;
    if (head->is_given) {
      mark[k] = (char)((mark[k] & ~LIPID_HEAD) | (in_head ? LIPID_HEAD : 0));
      mark[n] |= (char)in_head;
    }
    if (tail->is_given) mark[k] = (char)((mark[k] & ~LIPID_TAIL) | (in_tail ? LIPID_TAIL : 0));
  }
}

static void mark_types(struct bilayer *b, const struct lipids *l, const struct types *head,
                       const struct types *tail)
{
  for (int k = 0; k < l->ff->n_molecules; k++) {
    const struct ff_molecule *m = &l->ff->molecule[k];
    const struct lipid_type *type = &l->type[k];
    b->n_own++;
    if (!type->is_lipid) continue;
    char *mark = b->own[k] = alloc_array(m->n_beads + 1, 1);
    memcpy(mark, type->mark, (size_t)m->n_beads);
    mark[m->n_beads] = (char)type->headed;
    options_apply(head, tail, m->n_beads, m->bead, mark);
  }
}

/* The marks of a molecule of the share that is no whole molecule of a type; NULL: no lipid. */
static char *mark_other(struct bilayer *b, const struct observe_system *a,
                        const struct observe_molecule *m, const struct types *head,
                        const struct types *tail)
{
  int headed;
  char *mark = alloc_array(m->n + 1, 1);
  if (!observe_mark(a, m, mark, &headed)) {
    free(mark);
    return NULL;
  }
  mark[m->n] = (char)headed;
  options_apply(head, tail, m->n, a->share.type + m->first, mark);
  return b->own[b->n_own++] = mark;
}

static void list_lipids(struct bilayer *b, const struct observe_system *a, const struct types *head,
                        const struct types *tail)
{
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const struct observe_molecule *m = &a->share.molecule[k];
    const int whole = m->type >= 0 && m->n == a->ff->molecule[m->type].n_beads;
    char *mark = whole ? b->own[m->type] : mark_other(b, a, m, head, tail);
    if (!mark) continue;
    b->headed += mark[m->n];
    b->mark[b->lipids] = mark;
    b->lipid[b->lipids++] = k;
    if (m->n > b->most) b->most = m->n;
  }
}

static void chose_beads(const struct bilayer *b, struct observable *o)
{
  char *heads = lipids_marked(o->about->lipids, b->own, LIPID_HEAD);
  char *tails = lipids_marked(o->about->lipids, b->own, LIPID_TAIL);
  observable_chose(o, "heads: %s", heads);
  observable_chose(o, "tails: %s", tails);
  free(heads);
  free(tails);
}

void bilayer_open(struct bilayer *b, struct observable *o, struct yaml_tree *t, int options)
{
  const struct observe_system *a = o->about;
  const int64_t molecules = a->share.molecules;
  memset(b, 0, sizeof *b);
  struct types head = read_types(o, t, yaml_get(t, options, "head"));
  struct types tail = read_types(o, t, yaml_get(t, options, "tail"));
  b->lipid = alloc_array(molecules, sizeof *b->lipid);
  b->mark = alloc_array(molecules, sizeof *b->mark);
  b->own = alloc_array(a->ff->n_molecules + molecules, sizeof *b->own);
  b->most = 1;
  mark_types(b, a->lipids, &head, &tail);
  list_lipids(b, a, &head, &tail);
  b->all = share_sum(a->ranks, b->lipids, &b->before);
  b->headed = share_sum(a->ranks, b->headed, NULL);
  free(head.in);
  free(tail.in);
  chose_beads(b, o);
  if (b->all == 0)
    yaml_add_error(t, options,
                   "'%s' needs lipids, and the system has none: a lipid has a head and a tail; say "
                   "which molecules are with 'membrane: {lipids: [NAME], heads: {NAME: [BEAD]}}'",
                   o->kind->name);
  o->of_lipids = 1;
  if (!a->lipids->is_flat) o->flat_grid = flatness_grid(b->all);
}

void bilayer_close(struct bilayer *b)
{
  for (int64_t k = 0; k < b->n_own; k++)
    free(b->own[k]);
  free(b->lipid);
  free(b->mark);
  free(b->own);
}

const char *bilayer_marks(const struct bilayer *b, int molecule_type)
{
  return b->own[molecule_type];
}

struct bilayer_lipid bilayer_pose(const struct bilayer *b, const struct observable *o,
                                  const struct observe_frame *f, int64_t lipid, double (*x)[3],
                                  int64_t *flat)
{
  const struct observe_system *a = o->about;
  const struct observe_molecule *m = &a->share.molecule[b->lipid[lipid]];
  const struct molecule_beads beads = observe_beads(a, m);
  const struct lipid_pose p =
      lipid_pose(a->ff, a->topology, &beads, b->mark[lipid], f->position + 3 * m->first, f->box, x);
  struct bilayer_lipid out = {.leaflet = p.leaflet, .headed = b->mark[lipid][m->n]};
  memcpy(out.head, p.head, sizeof out.head);
  memcpy(out.axis, p.axis, sizeof out.axis);
  out.height = observe_difference(p.head[2], f->centre, f->box[2]);
  if (flat) flatness_add(flatness_grid(b->all), &p, flat);
  return out;
}
