#include "md/enforce.h"

#include <stdlib.h>

#include "backend/clusters.h"
#include "base/log.h"
#include "md/whole_block.h"

/* Ends the program: constraints of cluster k, as it is in the state, cannot be solved. */
static void refuse(struct clusters *c, int k, const struct whole_block *w, const double box[3])
{
  const struct cluster there = clusters_load(c, k, &w->beads, NULL, NULL, box);
  double length = 0;
  cluster_refer(&there);
  for (int i = 0; i < 3 * there.type->n_beads; i++)
    there.move[i] = 0;
  const struct cluster_constraint *to = &there.type->constraint[cluster_worst(&there, &length)];
  const int *bead = c->bead + c->row[k];
  die(STATUS_NUMERIC,
      "the constraints of the cluster of beads %lld and %lld cannot be solved from the positions "
      "of the state: there these two are %.6g nm apart, and the constraint is %.6g nm; see whether "
      "the positions belong to the force field",
      (long long)w->id[bead[to->bead[0]]], (long long)w->id[bead[to->bead[1]]], length, to->length);
}

static void enforce_all(struct clusters *c, struct whole_block *w, const double box[3],
                        enum enforce what)
{
  for (int k = 0; k < c->n; k++) {
    const struct cluster work = clusters_load(c, k, &w->beads, NULL, NULL, box);
    if (what == ENFORCE_LENGTHS && !cluster_restore(&work)) refuse(c, k, w, box);
    if (what != ENFORCE_SITES) {
      cluster_refer(&work);
      cluster_project(&work);
    }
    cluster_place_sites(&work);
    for (int i = 0; i < work.type->n_beads; i++)
      for (int d = 0; d < 3 && !(work.type->inverse_mass[i] > 0); d++)
        work.body[i].p[d] = 0;
    clusters_store(c, k, &w->beads);
  }
}

void enforce_system(const struct ranks *r, struct system *s, enum enforce what)
{
  struct clusters *c = clusters_create(s->ff, &s->topology);
  struct id_map map = {0};
  struct whole_block w;
  if (!c) return;
  whole_block_open(&w, r, s);
  id_map_reset(&map, w.n);
  for (int64_t k = 0; k < w.n; k++)
    id_map_put(&map, w.id[k], (int)k);
  clusters_find(c, (int)w.n, w.id, w.beads.bonded_env, &map);
  enforce_all(c, &w, s->box, what);
  whole_block_return(&w, s);
  whole_block_close(&w);
  id_map_free(&map);
  clusters_destroy(c);
}
