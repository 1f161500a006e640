#include "backend/clusters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct clusters *clusters_create(const struct forcefield *ff, const struct topology *t, int threads)
{
  int room = 0, beads = 0;
  if (!topology_has_clusters(t)) return NULL;
  struct clusters *c = alloc_array(1, sizeof *c);
  c->ff = ff;
  c->topology = t;
  c->inertia = alloc_array(ff->n_types, sizeof *c->inertia);
  for (int k = 0; k < ff->n_types; k++)
    c->inertia[k] = body_type_of(&ff->type[k]);
  for (int k = 0; k < ff->n_clusters; k++) {
    if (cluster_room(&ff->cluster[k]) > room) room = cluster_room(&ff->cluster[k]);
    if (ff->cluster[k].n_beads > beads) beads = ff->cluster[k].n_beads;
  }
  c->threads = threads;
  c->desk = alloc_array(threads, sizeof *c->desk);
  for (int k = 0; k < threads; k++) {
    c->desk[k].body = alloc_array(beads, sizeof *c->desk->body);
    c->desk[k].bead_inertia = alloc_array(beads, sizeof *c->desk->bead_inertia);
    c->desk[k].work = alloc_array(room, sizeof *c->desk->work);
  }
  return c;
}

void clusters_destroy(struct clusters *c)
{
  if (!c) return;
  free(c->inertia);
  free(c->type);
  free(c->row);
  free(c->bead);
  free(c->member);
  for (int k = 0; k < c->threads; k++) {
    free(c->desk[k].body);
    free(c->desk[k].bead_inertia);
    free(c->desk[k].work);
  }
  free(c->desk);
  free(c);
}

static void reserve(struct clusters *c, int beads)
{
  if (c->n + 2 > c->room) {
    c->room = 2 * c->room + 64;
    c->type = grow_array(c->type, c->room, sizeof *c->type);
    c->row = grow_array(c->row, c->room, sizeof *c->row);
  }
  if (beads > c->bead_room) {
    c->bead_room = 2 * beads + 64;
    c->bead = grow_array(c->bead, c->bead_room, sizeof *c->bead);
  }
}

void clusters_find(struct clusters *c, int n, const int64_t *id, const int32_t *env,
                   const struct id_map *map)
{
  int beads = 0;
  if (n > c->member_room) {
    c->member_room = n + n / 8 + 64;
    c->member = grow_array(c->member, c->member_room, 1);
  }
  if (n) memset(c->member, 0, (size_t)n);
  c->n = 0;
  reserve(c, 0);
  c->row[0] = 0;
  for (int i = 0; i < n; i++) {
    const int type = env[i] < 0 ? -1 : c->topology->cluster[env[i]];
    if (type < 0 || c->topology->place[env[i]] != 0) continue;
    const struct cluster_type *t = &c->ff->cluster[type];
    reserve(c, beads + t->n_beads);
    for (int k = 0; k < t->n_beads; k++) {
      const int j = id_map_get(map, id[i] + t->offset[k]);
      assert(j >= 0 && j < n);
      c->bead[beads++] = j;
      c->member[j] = 1;
    }
    c->type[c->n++] = type;
    c->row[c->n] = beads;
  }
}

struct cluster clusters_load(const struct clusters *c, int thread, int k, const struct beads *from,
                             const double *force, const double *torque, const double box[BOX])
{
  const struct cluster_desk *desk = &c->desk[thread];
  struct cluster out = {.type = &c->ff->cluster[c->type[k]],
                        .body = desk->body,
                        .inertia = desk->bead_inertia,
                        .lanes = {0, 1, 1, 0}};
  memcpy(out.box, box, sizeof out.box);
  out.sparse = out.type->pattern.n_levels > 0;
  cluster_set_room(&out, desk->work);
  for (int m = 0; m < out.type->n_beads; m++) {
    const int64_t i = c->bead[c->row[k] + m];
    desk->body[m] = body_load(from, force, torque, i);
    desk->bead_inertia[m] = &c->inertia[from->type[i]];
  }
  return out;
}

void clusters_store(const struct clusters *c, const struct cluster *work, int k,
                    const struct beads *to)
{
  for (int m = 0; m < c->row[k + 1] - c->row[k]; m++)
    body_store(&work->body[m], to, c->bead[c->row[k] + m]);
}
