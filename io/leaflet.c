/* Leaflets of lipids: see leaflet.h. Heights are integers, units of 2^-32 of the box, so their sums
   are the same on any number of ranks. */
#include "io/leaflet.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/remote.h"

static const char head_name[] = "P";

/* Numbers and heights of beads of a molecule: of one bead, of those of a rank, or of all. */
struct heights {
  int64_t beads, heads, tails;      /* numbers */
  int64_t head_z, tail_z;           /* sums of z */
  int64_t first_z, last_id, last_z; /* first_z: of the rank that has the first bead */
};

static void heights_add(struct heights *to, const struct heights *from)
{
  to->beads += from->beads;
  to->heads += from->heads;
  to->tails += from->tails;
  to->head_z += from->head_z;
  to->tail_z += from->tail_z;
  to->first_z += from->first_z;
  if (from->last_id > to->last_id) {
    to->last_id = from->last_id;
    to->last_z = from->last_z;
  }
}

static struct heights heights_of(const struct system *s, const struct whole *w, int64_t k, int head)
{
  const struct ff_type *type = &s->ff->type[s->beads.type[k]];
  int64_t id = s->first + k;
  int64_t z = (int64_t)whole_shift(w)[k][2] * (INT64_C(1) << 32) +
              (int64_t)(uint32_t)s->beads.position[3 * k + 2];
  struct heights p = {.beads = 1, .last_id = id, .last_z = z};
  if (whole_first(w)[k] == id) p.first_z = z;
  if (s->beads.type[k] == head) {
    p.heads = 1;
    p.head_z = z;
  }
  if (type->charge == 0 && type->dipole == 0) {
    p.tails = 1;
    p.tail_z = z;
  }
  return p;
}

static int32_t leaflet_of(const struct heights *p)
{
  double head = p->heads > 0 ? (double)p->head_z / (double)p->heads : (double)p->first_z;
  double tail = p->tails > 0 ? (double)p->tail_z / (double)p->tails : (double)p->last_z;
  if (p->beads < 2) return 0;
  return head > tail ? 1 : -1;
}

/* The molecules that begin in the block of this rank, and the beads of the block that belong to
   molecules of earlier blocks. */
struct molecules {
  int64_t *slot;           /* [n]; of a first bead: index into heights; else unused */
  struct heights *heights; /* of the molecules that begin in the block */
  int64_t n_outer, *outer; /* beads of the block whose molecule begins in an earlier block */
  struct remote first;     /* the first beads of those */
};

static int is_bonded(const struct system *s, int64_t k)
{
  return s->beads.bonded_env[k] >= 0;
}

static void molecules_open(struct molecules *m, const struct ranks *r, const struct system *s,
                           const struct whole *w)
{
  const int64_t *first = whole_first(w);
  int64_t n = 0, outer = 0;
  memset(m, 0, sizeof *m);
  m->slot = alloc_array(s->n, sizeof *m->slot);
  for (int64_t k = 0; k < s->n; k++) {
    if (!is_bonded(s, k)) continue;
    if (first[k] == s->first + k) m->slot[k] = n++;
    m->n_outer += first[k] < s->first;
  }
  m->heights = alloc_array(n, sizeof *m->heights);
  m->outer = alloc_array(m->n_outer, sizeof *m->outer);
  int64_t *id = alloc_array(m->n_outer, sizeof *id);
  for (int64_t k = 0; k < s->n; k++) {
    if (!is_bonded(s, k) || first[k] >= s->first) continue;
    m->outer[outer] = k;
    id[outer++] = first[k];
  }
  remote_open(&m->first, r, s, id, m->n_outer);
  free(id);
}

/* Adds up the heights of the molecules that begin in the block. */
static void molecules_add(struct molecules *m, const struct system *s, const struct whole *w)
{
  const int64_t *first = whole_first(w);
  int head = forcefield_type(s->ff, head_name);
  for (int64_t k = 0; k < s->n; k++) {
    if (!is_bonded(s, k) || first[k] < s->first) continue;
    struct heights p = heights_of(s, w, k, head);
    heights_add(&m->heights[m->slot[first[k] - s->first]], &p);
  }
  struct heights *mine = alloc_array(m->n_outer, sizeof *mine);
  for (int64_t k = 0; k < m->n_outer; k++)
    mine[k] = heights_of(s, w, m->outer[k], head);
  struct heights *theirs = remote_push(&m->first, mine, sizeof *mine);
  for (int64_t k = 0; k < m->first.n_asked; k++)
    heights_add(&m->heights[m->slot[m->first.asked[k]]], &theirs[k]);
  free(theirs);
  free(mine);
}

int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct whole *w)
{
  const int64_t *first = whole_first(w);
  int32_t *leaflet = alloc_array(s->n, sizeof *leaflet);
  struct molecules m;
  molecules_open(&m, r, s, w);
  molecules_add(&m, s, w);
  for (int64_t k = 0; k < s->n; k++)
    if (is_bonded(s, k) && first[k] >= s->first)
      leaflet[k] = leaflet_of(&m.heights[m.slot[first[k] - s->first]]);
  int32_t *answer = alloc_array(m.first.n_asked, sizeof *answer);
  for (int64_t k = 0; k < m.first.n_asked; k++)
    answer[k] = leaflet_of(&m.heights[m.slot[m.first.asked[k]]]);
  int32_t *value = remote_fetch(&m.first, answer, sizeof *value);
  for (int64_t k = 0; k < m.n_outer; k++)
    leaflet[m.outer[k]] = value[k];
  free(value);
  free(answer);
  remote_free(&m.first);
  free(m.slot);
  free(m.heights);
  free(m.outer);
  return leaflet;
}
