#include "molecules/whole_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"

/* The id of the first bead of the cluster of bead k of the block; its own without one. */
static int64_t first_of(const struct system *s, int64_t k)
{
  const int env = s->beads.bonded_env[k], cluster = env < 0 ? -1 : s->topology.cluster[env];
  return s->first + k - (cluster < 0 ? 0 : s->ff->cluster[cluster].offset[s->topology.place[env]]);
}

/* Lists the beads of other blocks in clusters that begin here. Returns their number. */
static int64_t list_missing(const struct system *s, int64_t **id)
{
  const struct topology *t = &s->topology;
  int64_t n = 0;
  *id = NULL;
  for (int64_t k = 0; k < s->n; k++) {
    const int env = s->beads.bonded_env[k];
    if (env < 0 || t->cluster[env] < 0 || t->place[env] != 0) continue;
    const struct cluster_type *c = &s->ff->cluster[t->cluster[env]];
    for (int m = 0; m < c->n_beads; m++) {
      if (k + c->offset[m] < s->n) continue;
      *id = extend_array(*id, n, sizeof **id);
      (*id)[n++] = s->first + k + c->offset[m];
    }
  }
  return n;
}

/* Replaces borrowed arrays by copies with room for `more` beads. */
static void own(struct whole_block *w, int64_t more)
{
  struct beads from = w->beads;
  memset(&w->beads, 0, sizeof w->beads);
  beads_reserve(&w->beads, MIGRATE, 0, w->n_block + more);
  for (int f = 0; f < FIELDS; f++)
    if ((field_info[f].flags & MIGRATE) && w->n_block)
      memcpy(beads_array(&w->beads, f), beads_array(&from, f), (size_t)w->n_block * field_bytes(f));
  w->borrowed = 0;
}

/* Appends the beads of other blocks. */
static void fetch(struct whole_block *w, const struct system *s, const int64_t *id, int64_t n)
{
  if (n) own(w, n);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    const size_t bytes = field_bytes(f);
    const char *from = beads_array(&s->beads, f);
    char *answer = alloc_array(w->remote.n_asked, bytes);
    for (int64_t k = 0; k < w->remote.n_asked; k++)
      memcpy(answer + (size_t)k * bytes, from + (size_t)w->remote.asked[k] * bytes, bytes);
    char *value = remote_fetch(&w->remote, answer, bytes);
    char *to = beads_array(&w->beads, f);
    if (n) memcpy(to + (size_t)w->n_block * bytes, value, (size_t)n * bytes);
    free(value);
    free(answer);
  }
  for (int64_t k = 0; k < n; k++)
    w->id[w->n++] = id[k];
}

void whole_block_open(struct whole_block *w, const struct ranks *r, const struct system *s)
{
  int64_t *missing = NULL, n = list_missing(s, &missing);
  memset(w, 0, sizeof *w);
  w->n = w->n_block = s->n;
  w->beads = s->beads;
  w->borrowed = 1;
  w->id = alloc_array(s->n + n, sizeof *w->id);
  for (int64_t k = 0; k < s->n; k++)
    w->id[k] = s->first + k;
  if (topology_has_clusters(&s->topology)) {
    remote_open(&w->remote, r, s, missing, n);
    fetch(w, s, missing, n);
  }
  free(missing);
}

/* The bead at a place of a cluster, of which so many are in this block, from `first` on. */
static int64_t bead_of(const struct cluster_type *c, int64_t first, int here, int64_t next,
                       int place)
{
  return place < here ? first + c->offset[place] : next + (place - here);
}

/* The square of the most that a bead of a cluster is from the lead, nm2. first: that in the block;
   beads of other blocks begin at `next`, which goes on behind them. */
static double cluster_reach2(const struct whole_block *w, const struct cluster_type *c,
                             int64_t first, int64_t *next, const int32_t *position,
                             const double h[BOX])
{
  int here = 0; /* beads in this block: the first ones */
  double most2 = 0;
  while (here < c->n_beads && first + c->offset[here] < w->n_block)
    here++;
  for (int m = 0; m < c->n_beads; m++) {
    const int64_t lead = bead_of(c, first, here, *next, c->lead),
                  bead = bead_of(c, first, here, *next, m);
    most2 = fmax(most2, torus_distance2(position + 3 * lead, position + 3 * bead, h));
  }
  *next += c->n_beads - here;
  return most2;
}

struct cluster_reach whole_block_reach(const struct whole_block *w, const struct system *s)
{
  const struct topology *t = &s->topology;
  const int built = s->lists.step >= 0;
  struct cluster_reach most = {0, 0, 0};
  int64_t next = w->n_block; /* missing beads are in the order of list_missing */
  double h[BOX];
  torus_units(built ? s->lists.box : s->box, h);
  for (int64_t k = 0; k < s->n; k++) {
    const int env = s->beads.bonded_env[k];
    if (env < 0 || t->cluster[env] < 0 || t->place[env] != 0) continue;
    const struct cluster_type *c = &s->ff->cluster[t->cluster[env]];
    const int32_t *position = built ? w->beads.build_position : w->beads.position;
    most.now = fmax(most.now, sqrt(cluster_reach2(w, c, k, &next, position, h)));
    most.ever = fmax(most.ever, c->reach);
    for (int m = 0; m < c->n_constraints; m++)
      most.longest = fmax(most.longest, c->constraint[m].length);
  }
  return most;
}

void whole_block_release(struct whole_block *w, const struct system *s)
{
  int64_t kept = 0;
  if (!topology_has_clusters(&s->topology)) return;
  for (int64_t k = 0; k < w->n; k++) {
    const int leaves = k < w->n_block && first_of(s, k) < s->first;
    if (leaves && w->borrowed) own(w, 0);
    if (leaves) continue;
    for (int f = 0; f < FIELDS && kept < k; f++) {
      char *array = *beads_field(&w->beads, f);
      const size_t bytes = field_bytes(f);
      if (field_info[f].flags & MIGRATE)
        memcpy(array + (size_t)kept * bytes, array + (size_t)k * bytes, bytes);
    }
    w->id[kept++] = w->id[k];
  }
  w->n = kept;
}

void whole_block_return(const struct whole_block *w, const struct system *s)
{
  static const int moved[] = {FIELD_position, FIELD_residual, FIELD_image, FIELD_momentum};
  for (size_t m = 0; m < sizeof moved / sizeof moved[0]; m++) {
    const size_t bytes = field_bytes(moved[m]);
    char *to = beads_array(&s->beads, moved[m]), *from = beads_array(&w->beads, moved[m]);
    if (!w->borrowed && s->n) memcpy(to, from, (size_t)s->n * bytes);
    if (!topology_has_clusters(&s->topology)) continue;
    char *arrived = remote_push(&w->remote, from + (size_t)w->n_block * bytes, bytes);
    for (int64_t k = 0; k < w->remote.n_asked; k++)
      memcpy(to + (size_t)w->remote.asked[k] * bytes, arrived + (size_t)k * bytes, bytes);
    free(arrived);
  }
}

void whole_block_close(struct whole_block *w)
{
  if (!w->borrowed) beads_free(&w->beads);
  if (w->remote.ranks) remote_free(&w->remote);
  free(w->id);
  memset(w, 0, sizeof *w);
}
