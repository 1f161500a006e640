/* Checks of bonded terms: see state_topology.h. The beads of a term may be on different ranks. So
   every bead adds a hash of the term, its beads and its molecule, with weights that add up to zero
   over the roles of a term; a sum that is not zero shows an inconsistent term. */
#include "io/state_topology.h"

#include <stdlib.h>

#include "base/memory.h"
#include "io/state_layout.h"

struct state_rows state_topology_rows(struct h5_reader *in)
{
  int64_t size[2];
  h5_sizes(in, STATE_TERM_PARTNER, 'l', 2, size);
  const int known = size[1] > STATE_PARTNERS && size[1] < BONDED_BEADS_MOST;
  return (struct state_rows){
      .envs = h5_rows(in, STATE_TERM_START, 'i', 1) - 1,
      .terms = h5_rows(in, STATE_TERM_KIND, 'i', 1),
      .excluded = h5_rows(in, STATE_EXCLUDE, 'l', 1),
      .anchors = h5_exists(in, STATE_ANCHOR_BEAD) ? h5_rows(in, STATE_ANCHOR_BEAD, 'l', 1) : 0,
      .columns = known ? (int)size[1] : STATE_PARTNERS,
      .has_clusters = h5_exists(in, STATE_CLUSTER) || h5_exists(in, STATE_PLACE)};
}

/* The order of the terms of an environment (topology.h): 1 if a may not stand before b. Equal terms
   may stand together. */
static int comes_after(const struct topology_term *a, const struct topology_term *b)
{
  if (a->section != b->section) return a->section > b->section;
  if (a->type != b->type) return a->type > b->type;
  if (a->role != b->role) return a->role > b->role;
  for (int p = 0; p < BONDED_BEADS_MOST - 1; p++)
    if (a->partner[p] != b->partner[p]) return a->partner[p] > b->partner[p];
  return 0;
}

/* 1 if the partners of a term are others than the bead and than each other, and no more than its
   form has. */
static int partners_suit(const struct topology_term *term)
{
  const int64_t *p = term->partner;
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++) {
    if ((p[k] != 0) != (k < term->beads - 1)) return 0;
    for (int m = 0; m < k && k < term->beads - 1; m++)
      if (p[m] == p[k]) return 0;
  }
  return 1;
}

static void check_term(struct h5_reader *in, const struct topology *t, int env, int k)
{
  const struct topology_term *term = &t->term[k];
  const int64_t *p = term->partner;
  if (term->role >= term->beads || !partners_suit(term))
    h5_reader_fail(in, "row %d of topology has role %d and partners %lld and %lld", k, term->role,
                   (long long)p[0], (long long)p[1]);
  else if (k > t->term_start[env] && comes_after(term - 1, term))
    h5_reader_fail(in, "row %d of topology does not stand in its order", k);
}

static int is_excluded(const struct topology *t, int env, int64_t partner)
{
  for (int k = t->exclude_start[env]; k < t->exclude_start[env + 1]; k++)
    if (t->exclude[k] == partner) return 1;
  return 0;
}

static int has_exclusions(const struct forcefield *ff)
{
  for (int k = 0; k < ff->n_molecules; k++)
    if (ff->molecule[k].n_exclusions > 0) return 1;
  return 0;
}

/* At most one bond with each partner, excluded from pair forces if the force field says so. */
static void check_bonds(struct h5_reader *in, const struct forcefield *ff, const struct topology *t,
                        int env)
{
  int n = 0;
  for (int k = t->term_start[env]; k < t->term_start[env + 1] && !in->error[0]; k++) {
    int64_t partner = t->term[k].partner[0];
    if (!topology_joins(ff, &t->term[k])) continue;
    n++;
    for (int m = t->term_start[env]; m < k; m++)
      if (topology_joins(ff, &t->term[m]) && t->term[m].partner[0] == partner)
        h5_reader_fail(in, "row %d of topology bonds the same beads as row %d", k, m);
    if (ff->exclude[0] && !is_excluded(t, env, partner))
      h5_reader_fail(in, "row %d of topology is a bond that is not excluded from pair forces", k);
  }
  if (n > TOPOLOGY_JOINS_MOST) h5_reader_fail(in, "slot %d of topology has %d bonds", env, n);
  int excluded = t->exclude_start[env + 1] - t->exclude_start[env];
  int least = ff->exclude[0] ? n : 0;
  const int more = ff->exclude[1] || ff->exclude[2] || has_exclusions(ff);
  if (excluded < least || (excluded > least && !more))
    h5_reader_fail(in, "slot %d of topology has %d bonds and %d exclusions", env, n, excluded);
}

static void check_envs(struct h5_reader *in, const struct system *s)
{
  const struct topology *t = &s->topology;
  for (int env = 0; env < t->n_envs && !in->error[0]; env++) {
    for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++)
      check_term(in, t, env, k);
    for (int k = t->exclude_start[env]; k < t->exclude_start[env + 1]; k++)
      if (t->exclude[k] == 0 || (k > t->exclude_start[env] && t->exclude[k] <= t->exclude[k - 1]))
        h5_reader_fail(in, "row %d of %s stands twice, or not in its order", k, "topology/exclude");
    check_bonds(in, s->ff, t, env);
  }
}

/* First rows of environments: from 0, not decreasing, to the number of rows. */
static void check_starts(struct h5_reader *in, const char *name, const int *start, int n_envs,
                         int64_t end)
{
  int good = start[0] == 0 && start[n_envs] == end;
  for (int k = 0; k < n_envs; k++)
    good = good && start[k] <= start[k + 1];
  if (!good) h5_reader_fail(in, "dataset %s does not lead from 0 to %lld", name, (long long)end);
}

/* Sets the numbers of beads too. */
static void check_terms(struct h5_reader *in, struct topology *t, int64_t terms,
                        const struct forcefield *ff)
{
  for (int64_t k = 0; k < terms && !in->error[0]; k++) {
    struct topology_term *term = &t->term[k];
    if (term->section < 0 || term->section >= SECTIONS) {
      h5_reader_fail(in, "row %lld of topology has section %d", (long long)k, term->section);
      continue;
    }
    int types = ff->bonded[term->section].n, fewest, most;
    bonded_section_beads(term->section, &fewest, &most);
    if (term->type < 0 || term->type >= types)
      h5_reader_fail(in, "row %lld of topology has %s type %d, and the force field has %d",
                     (long long)k, bonded_section_name[term->section], term->type, types);
    else if (term->role < 0 || term->role >= most)
      h5_reader_fail(in, "row %lld of topology has role %d", (long long)k, term->role);
    else
      term->beads = forcefield_form(ff, term->section, term->type)->beads;
  }
}

static void read_anchors(struct h5_reader *in, struct system *s, int64_t n)
{
  const struct anchors *a = &s->topology.anchors;
  if (!in->error[0] && n > s->n_total)
    h5_reader_fail(in, "it restrains %lld beads of %lld", (long long)n, (long long)s->n_total);
  if (in->error[0] || n == 0) return;
  topology_reserve_anchors(&s->topology, n);
  h5_get(in, STATE_ANCHOR_BEAD, 'l', 0, n, a->id);
  h5_get(in, STATE_ANCHOR_PLACE, 'i', 0, n, a->place);
  for (int64_t k = 0; k < n && !in->error[0]; k++)
    if (a->id[k] < 1 || a->id[k] > s->n_total || (k > 0 && a->id[k] <= a->id[k - 1]))
      h5_reader_fail(in, "row %lld of %s stands twice, or not in its order", (long long)k,
                     STATE_ANCHOR_BEAD);
}

static void read_clusters(struct h5_reader *in, const struct topology *t,
                          const struct forcefield *ff)
{
  h5_get(in, STATE_CLUSTER, 'i', 0, t->n_envs, t->cluster);
  h5_get(in, STATE_PLACE, 'i', 0, t->n_envs, t->place);
  for (int env = 0; env < t->n_envs && !in->error[0]; env++) {
    const int cluster = t->cluster[env], place = t->place[env];
    if (cluster == -1 && place == -1) continue;
    if (cluster < 0 || cluster >= ff->n_clusters || place < 0 ||
        place >= ff->cluster[cluster].n_beads)
      h5_reader_fail(in, "slot %d of topology is bead %d of cluster %d, which does not exist", env,
                     place, cluster);
  }
}

void state_topology_read(struct h5_reader *in, struct system *s)
{
  struct topology *t = &s->topology;
  const struct state_rows rows = state_topology_rows(in);
  const int64_t terms = rows.terms, excluded = rows.excluded;
  if (!in->error[0] &&
      (rows.envs < 0 || rows.envs >= INT32_MAX || terms > INT32_MAX || excluded > INT32_MAX))
    h5_reader_fail(in, "its topology has %lld slots", (long long)rows.envs);
  if (in->error[0]) return;
  topology_reserve(t, (int)rows.envs, terms, excluded);
  int32_t *member = alloc_array(terms, 3 * sizeof *member);
  int64_t *partner = alloc_array(terms, (size_t)rows.columns * sizeof *partner);
  h5_get(in, STATE_TERM_START, 'i', 0, rows.envs + 1, t->term_start);
  h5_get(in, STATE_EXCLUDE_START, 'i', 0, rows.envs + 1, t->exclude_start);
  h5_get(in, STATE_EXCLUDE, 'l', 0, excluded, t->exclude);
  h5_get(in, STATE_TERM_KIND, 'i', 0, terms, member);
  h5_get(in, STATE_TERM_TYPE, 'i', 0, terms, member + terms);
  h5_get(in, STATE_TERM_ROLE, 'i', 0, terms, member + 2 * terms);
  h5_get(in, STATE_TERM_PARTNER, 'l', 0, terms, partner);
  for (int64_t k = 0; k < terms; k++) {
    struct topology_term term = {
        .section = member[k], .type = member[terms + k], .role = member[2 * terms + k]};
    for (int p = 0; p < rows.columns; p++)
      term.partner[p] = partner[rows.columns * k + p];
    t->term[k] = term;
  }
  free(member);
  free(partner);
  if (in->error[0]) return;
  check_starts(in, STATE_TERM_START, t->term_start, t->n_envs, terms);
  check_starts(in, STATE_EXCLUDE_START, t->exclude_start, t->n_envs, excluded);
  check_terms(in, t, terms, s->ff);
  read_anchors(in, s, rows.anchors);
  if (rows.has_clusters) read_clusters(in, t, s->ff);
  if (!in->error[0]) check_envs(in, s);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) + UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  hash = (hash ^ hash >> 27) * UINT64_C(0x94D049BB133111EB);
  return hash ^ hash >> 31;
}

/* Hash of a term that is equal for all of its beads: type, ids in order, and for bonds the
   molecule. */
static uint64_t hash_term(const struct system *s, int64_t k, const struct topology_term *t)
{
  int64_t id = s->first + k;
  uint64_t hash = mix((uint64_t)t->section, (uint64_t)t->type);
  for (int place = 0, next = 0; place < t->beads; place++)
    hash = mix(hash, (uint64_t)(place == t->role ? id : id + t->partner[next++]));
  if (!topology_joins(s->ff, t)) return hash;
  return mix(mix(hash, (uint64_t)s->beads.molecule[k]), (uint64_t)s->beads.molecule_type[k]);
}

/* What a bead adds to the sum of clusters: 0 over the beads of a whole cluster of the right beads,
   which each have the mass of their place. */
static uint64_t hash_cluster(const struct system *s, int64_t k, int env)
{
  const int cluster = s->topology.cluster[env], place = s->topology.place[env];
  if (cluster < 0) return 0;
  const struct cluster_type *c = &s->ff->cluster[cluster];
  const double mass = s->ff->type[s->beads.type[k]].mass;
  const uint64_t first = (uint64_t)(s->first + k - c->offset[place]);
  const uint64_t hash = mix(mix(2, first), (uint64_t)cluster);
  if ((mass > 0 ? 1 / mass : 0) != c->inverse_mass[place]) return 1;
  return place == c->n_beads - 1 ? -hash * (uint64_t)place : hash;
}

static void add_terms(const struct system *s, uint64_t sum[3])
{
  const struct topology *t = &s->topology;
  for (int64_t k = 0; k < s->n; k++) {
    int env = s->beads.bonded_env[k];
    uint64_t id = (uint64_t)(s->first + k);
    if (env < 0) continue;
    sum[2] += hash_cluster(s, k, env);
    for (int m = t->term_start[env]; m < t->term_start[env + 1]; m++) {
      const struct topology_term *term = &t->term[m];
      int last = term->role == term->beads - 1;
      uint64_t weight = last ? -(uint64_t)term->role : 1;
      sum[0] += weight * hash_term(s, k, term);
    }
    for (int m = t->exclude_start[env]; m < t->exclude_start[env + 1]; m++) {
      uint64_t other = id + (uint64_t)t->exclude[m];
      sum[1] += id < other ? mix(mix(1, id), other) : -mix(mix(1, other), id);
    }
  }
}

void state_topology_check_terms(struct h5_reader *in, const struct ranks *r, const struct system *s)
{
  uint64_t sum[3] = {0, 0, 0};
  if (!in->error[0]) add_terms(s, sum);
  int64_t total[4] = {(int64_t)sum[0], (int64_t)sum[1], (int64_t)sum[2], in->error[0] != 0};
  ranks_sum_int64(r, total, 4);
  if (total[3]) return;
  if (total[0])
    h5_reader_fail(in, "a bonded term of the topology is not known to all of its beads, or joins "
                       "two molecules");
  else if (total[1])
    h5_reader_fail(in, "an exclusion of the topology is known to one of its two beads only");
  else if (total[2])
    h5_reader_fail(in, "the beads of a cluster of constraints and virtual sites are not all there");
}
