#include "md/anchors.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* A restrained bead and its reference position. */
struct anchor {
  int64_t id;
  int32_t position[3];
};

/* Those of this rank's block, in the order of ids. The caller frees them. */
static struct anchor *anchors_here(const struct system *s, int64_t *n)
{
  struct anchor *out = NULL;
  *n = 0;
  for (int64_t k = 0; k < s->n; k++) {
    if (!topology_restrains(&s->topology, s->beads.bonded_env[k])) continue;
    out = extend_array(out, *n, sizeof *out);
    out[*n].id = s->first + k;
    memcpy(out[(*n)++].position, s->beads.position + 3 * k, sizeof out->position);
  }
  return out;
}

static void refuse_others(const struct ranks *r, const struct system *s, const struct anchor *here,
                          int64_t n)
{
  const struct anchors *a = &s->topology.anchors;
  int64_t total = n;
  ranks_sum_int64(r, &total, 1);
  if (total != a->n)
    die_all(STATUS_INPUT,
            "the state has %lld restrained beads, and %lld places of restraints (topology/anchor)",
            (long long)total, (long long)a->n);
  for (int64_t k = 0; k < n; k++)
    if (anchor_find(a, here[k].id) < 0)
      die(STATUS_INPUT, "bead %lld is restrained, and the state lacks its place (topology/anchor)",
          (long long)here[k].id);
}

static void set_anchors(struct topology *t, const struct anchor *all, int64_t n)
{
  topology_reserve_anchors(t, n);
  const struct anchors *a = &t->anchors;
  for (int64_t k = 0; k < n; k++) {
    a->id[k] = all[k].id;
    memcpy(a->place[k], all[k].position, sizeof a->place[k]);
  }
}

void anchors_set(struct system *s, const struct system *state)
{
  int64_t n;
  struct anchor *all = anchors_here(state, &n);
  set_anchors(&s->topology, all, n);
  free(all);
}

void anchors_complete(const struct ranks *r, struct system *s)
{
  const struct anchors *a = &s->topology.anchors;
  int64_t n, bytes;
  struct anchor *here = anchors_here(s, &n);
  if (a->n > 0) {
    refuse_others(r, s, here, n);
    free(here);
    return;
  }
  struct anchor *all = ranks_allgather(r, here, n * (int64_t)sizeof *here, &bytes);
  set_anchors(&s->topology, all, bytes / (int64_t)sizeof *all);
  free(here);
  free(all);
}
