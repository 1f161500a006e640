#include "model/connections.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Two beads of a cluster type, by their numbers there, that the construction of a site connects. */
struct joint {
  int cluster, place[2];
};

struct joints {
  struct joint *joint;
  int n;
};

static void add_joints(struct joints *l, const struct forcefield *ff, const struct ff_molecule *m)
{
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  int *first = alloc_array(m->n_beads, sizeof *first);
  for (int b = 0; b < m->n_beads; b++)
    first[b] = b;
  for (int k = 0; k < bonds->n; k++)
    if (topology_holds(ff, SECTION_bond, bonds->term[k].type))
      cluster_join(first, bonds->term[k].bead[0], bonds->term[k].bead[1]);
  for (int k = 0; k < m->n_sites; k++)
    for (int j = 0; j < m->site[k].n; j++) {
      const int site = m->site[k].bead, from = m->site[k].from[j];
      if (!cluster_join(first, site, from)) continue;
      l->joint = extend_array(l->joint, l->n, sizeof *l->joint);
      l->joint[l->n++] = (struct joint){m->cluster[site], {m->place[site], m->place[from]}};
    }
  free(first);
}

/* Adds a partner to the last environment, whose partners begin at `first`. used: partners that are
   listed. */
static void connect(struct connections *c, int64_t difference, int first, int *used)
{
  int at = *used;
  assert(at == first || c->partner);
  while (at > first && c->partner[at - 1] > difference)
    at--;
  if (at > first && c->partner[at - 1] == difference) return;
  c->partner = extend_array(c->partner, *used, sizeof *c->partner);
  memmove(c->partner + at + 1, c->partner + at, (size_t)(*used - at) * sizeof *c->partner);
  c->partner[at] = difference;
  ++*used;
}

static void connect_sites(struct connections *c, const struct forcefield *ff,
                          const struct topology *t, int env, const struct joints *joints, int *used)
{
  for (int k = 0; k < joints->n && t->cluster[env] >= 0; k++)
    for (int end = 0; end < 2; end++) {
      const struct joint *l = &joints->joint[k];
      const int *offset = ff->cluster[l->cluster].offset;
      if (l->cluster == t->cluster[env] && l->place[end] == t->place[env])
        connect(c, offset[l->place[1 - end]] - offset[l->place[end]], c->start[env], used);
    }
}

struct connections connections_of(const struct forcefield *ff, const struct topology *t,
                                  enum connected by)
{
  struct connections c = {alloc_array(t->n_envs + 1, sizeof *c.start), NULL};
  struct joints joints = {NULL, 0};
  int used = 0;
  for (int m = 0; m < ff->n_molecules; m++)
    if (ff->molecule[m].n_sites > 0) add_joints(&joints, ff, &ff->molecule[m]);
  for (int e = 0; e < t->n_envs; e++) {
    connect_sites(&c, ff, t, e, &joints, &used);
    for (int k = t->term_start[e]; k < t->term_start[e + 1]; k++)
      for (int p = 0; p < t->term[k].beads - 1; p++)
        if (by == BY_TERMS || topology_holds(ff, t->term[k].section, t->term[k].type))
          connect(&c, t->term[k].partner[p], c.start[e], &used);
    c.start[e + 1] = used;
  }
  free(joints.joint);
  return c;
}

void connections_free(struct connections *c)
{
  free(c->start);
  free(c->partner);
  memset(c, 0, sizeof *c);
}
