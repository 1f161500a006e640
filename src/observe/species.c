#include "observe/species.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "model/system.h"
#include "molecules/bead_place.h"
#include "molecules/remote.h"

/* What a share keeps of a bead. */
struct bead {
  int64_t id;
  int32_t type, env, molecule, molecule_type;
};

/* Where a molecule begins. */
struct start {
  int64_t id;
  int32_t molecule;
};

/* Sets the borders: each block begins with the first molecule that begins in it. */
static void borders_set(struct share *s, const struct ranks *r, const struct system *y)
{
  int64_t bytes, at = 0;
  const int32_t *molecule = y->beads.molecule;
  const int64_t before = bead_place_before(r, y);
  while (before > 0 && at < y->n && molecule[at] != 0 && molecule[at] == molecule[0])
    at++;
  const int64_t first = r->rank == 0 ? 1 : at < y->n ? y->first + at : -1;
  s->border = ranks_allgather(r, &first, sizeof first, &bytes);
  s->border = grow_array(s->border, r->size + 1, sizeof *s->border);
  s->border[r->size] = y->n_total + 1;
  for (int k = r->size - 1; k > 0; k--)
    if (s->border[k] < 0) s->border[k] = s->border[k + 1];
  s->first = s->border[r->rank];
  s->n = s->border[r->rank + 1] - s->first;
}

/* The beads of this rank's share, in order of id. The caller frees them. */
static struct bead *beads_exchange(const struct share *s, const struct ranks *r,
                                   const struct system *y)
{
  struct bead *send = alloc_array(y->n, sizeof *send);
  int64_t *count = alloc_array(r->size, sizeof *count), received;
  for (int64_t k = 0; k < y->n; k++) {
    send[k] = (struct bead){y->first + k, y->beads.type[k], y->beads.bonded_env[k],
                            y->beads.molecule[k], y->beads.molecule_type[k]};
    count[system_rank_within(s->border, r->size, send[k].id)]++;
  }
  /* Blocks and shares are both in order of id, so what comes in the order of ranks is too. */
  struct bead *got = ranks_exchange(r, sizeof *got, send, count, NULL, &received);
  free(count);
  free(send);
  return got;
}

static void molecules_list(struct share *s, const struct bead *bead)
{
  s->molecule = alloc_array(s->n, sizeof *s->molecule);
  s->molecule_of = alloc_array(s->n, sizeof *s->molecule_of);
  for (int64_t k = 0; k < s->n; k++) {
    const int32_t number = bead[k].molecule;
    if (k == 0 || number == 0 || number != bead[k - 1].molecule)
      s->molecule[s->molecules++] = (struct observe_molecule){k, 0, bead[k].molecule_type};
    s->molecule[s->molecules - 1].n++;
    s->molecule_of[k] = s->molecules - 1;
  }
}

/* Status 2 if a molecule begins twice. Each rank checks a range of the numbers. */
static void refuse_scattered(const struct share *s, const struct ranks *r, const struct bead *bead)
{
  int64_t most = 0, id = INT64_MAX;
  struct start *own = alloc_array(s->molecules, sizeof *own);
  int *rank = alloc_array(s->molecules, sizeof *rank);
  struct remote m;
  for (int64_t k = 0; k < s->n; k++)
    if (bead[k].molecule > most) most = bead[k].molecule;
  ranks_max_int64(r, &most, 1);
  for (int64_t k = 0; k < s->molecules; k++) {
    const struct bead *b = &bead[s->molecule[k].first];
    own[k] = (struct start){b->id, b->molecule};
    rank[k] = (int)(b->molecule * (int64_t)r->size / (most + 1));
  }
  remote_to(&m, r, rank, s->molecules);
  struct start *start = remote_push(&m, own, sizeof *own);
  const int64_t least = r->rank * (most + 1) / r->size;
  char *seen = alloc_array((most + 1) / r->size + 2, 1);
  for (int64_t k = 0; k < m.n_asked; k++) {
    char *is_seen = &seen[start[k].molecule - least];
    if (*is_seen && start[k].molecule && start[k].id < id) id = start[k].id;
    *is_seen = 1;
  }
  remote_free(&m);
  free(seen);
  free(start);
  free(rank);
  free(own);
  ranks_min_int64(r, &id, 1);
  if (id < INT64_MAX)
    die_all(STATUS_INPUT,
            "bead %lld belongs to a molecule that has beads elsewhere: observables of molecules "
            "need their beads one after the other; import the system with beads in the order of "
            "molecules",
            (long long)id);
}

void share_create(struct share *s, const struct ranks *r, const struct system *y)
{
  borders_set(s, r, y);
  struct bead *bead = beads_exchange(s, r, y);
  s->type = alloc_array(s->n, sizeof *s->type);
  s->env = alloc_array(s->n, sizeof *s->env);
  for (int64_t k = 0; k < s->n; k++) {
    s->type[k] = bead[k].type;
    s->env[k] = bead[k].env;
  }
  molecules_list(s, bead);
  refuse_scattered(s, r, bead);
  free(bead);
}

void share_free(struct share *s)
{
  free(s->border);
  free(s->type);
  free(s->env);
  free(s->molecule);
  free(s->molecule_of);
}

int64_t share_sum(const struct ranks *r, int64_t n, int64_t *before)
{
  if (before) *before = ranks_before(r, n);
  ranks_sum_int64(r, &n, 1);
  return n;
}

const char *observe_molecule_name(const struct observe_system *a, int molecule_type)
{
  return molecule_type < 0 ? "other" : a->ff->molecule[molecule_type].name;
}

struct molecule_beads observe_beads(const struct observe_system *a,
                                    const struct observe_molecule *m)
{
  return (struct molecule_beads){m->n, m->type, a->share.type + m->first, a->share.env + m->first,
                                 NULL};
}

int observe_mark(const struct observe_system *a, const struct observe_molecule *m, char *mark,
                 int *headed)
{
  const struct molecule_beads beads = observe_beads(a, m);
  return lipids_mark(a->lipids, a->topology, &beads, mark, headed);
}

int observe_is_whole(const struct observe_system *a, const struct observe_molecule *m)
{
  return m->type >= 0 && m->n == a->ff->molecule[m->type].n_beads;
}

int observe_is_lipid(const struct observe_system *a, const struct observe_molecule *m)
{
  char mark[LIPID_BEADS_MOST];
  int headed;
  if (observe_is_whole(a, m)) return a->lipids->type[m->type].is_lipid;
  return m->n <= LIPID_BEADS_MOST && observe_mark(a, m, mark, &headed);
}

static void name_species(const struct observe_system *a, struct species *s)
{
  const char *type = a->ff->type[s->type].name;
  const char *molecule = observe_molecule_name(a, s->molecule_type);
  if (s->molecule_type < 0 || !strcmp(type, molecule))
    snprintf(s->name, sizeof s->name, "%s", type);
  else
    snprintf(s->name, sizeof s->name, "%s_%s", molecule, type);
}

/* Index of a species in count[molecule type + 1][type]; beads of type -1 come last. */
static int cell_of(const struct forcefield *ff, int type, int molecule_type)
{
  const int row = molecule_type < 0 ? ff->n_molecules : molecule_type;
  return row * ff->n_types + type;
}

/* Lists the species that have beads. in_lipids: those of the beads that are of a lipid. index:
   [cells], receives their indices. */
static void species_list(struct observe_system *a, const int64_t *count, const int64_t *in_lipids,
                         int *index)
{
  const struct forcefield *ff = a->ff;
  const int cells = (ff->n_molecules + 1) * ff->n_types;
  a->species = alloc_array(cells, sizeof *a->species);
  a->lipid_mass = alloc_array(cells, sizeof *a->lipid_mass);
  for (int c = 0; c < cells; c++) {
    index[c] = -1;
    if (count[c] == 0) continue;
    struct species *s = &a->species[index[c] = a->n_species++];
    const int row = c / ff->n_types;
    s->type = c % ff->n_types;
    s->molecule_type = row == ff->n_molecules ? -1 : row;
    s->is_lipid = in_lipids[c] > 0;
    name_species(a, s);
    if (!s->is_lipid) a->solvent += count[c];
    a->lipid_mass[index[c]] = s->is_lipid ? ff->type[s->type].mass : 0;
  }
}

/* Sets the species of each bonded environment, and of each bead type without bonded terms. Backends
   cannot tell apart species that share an environment: the first of them stands for all. */
static void species_map(struct observe_system *a, const struct system *y, const int *index)
{
  const int envs = y->topology.n_envs, types = a->ff->n_types, n = envs + types;
  int64_t *least = alloc_array(2 * (long long)n, sizeof *least), *most = least + n;
  for (int k = 0; k < n; k++) {
    least[k] = INT32_MAX;
    most[k] = -1;
  }
  for (int64_t k = 0; k < y->n; k++) {
    const int env = y->beads.bonded_env[k], type = y->beads.type[k];
    const int s = index[cell_of(a->ff, type, y->beads.molecule_type[k])];
    const int at = env >= 0 ? env : envs + type;
    if (s < least[at]) least[at] = s;
    if (s > most[at]) most[at] = s;
  }
  ranks_min_int64(a->ranks, least, n);
  ranks_max_int64(a->ranks, most, n);
  a->species_of_env = alloc_array(envs + 1, sizeof *a->species_of_env);
  a->species_of_type = alloc_array(types, sizeof *a->species_of_type);
  for (int k = 0; k < n; k++) {
    int32_t *to = k < envs ? &a->species_of_env[k] : &a->species_of_type[k - envs];
    if (most[k] < 0) continue; /* of no bead */
    *to = (int32_t)least[k];
    if (least[k] < most[k])
      warn("observe: beads of '%s' and '%s' have the same bonded terms, and profiles count them "
           "all as '%s'",
           a->species[least[k]].name, a->species[most[k]].name, a->species[least[k]].name);
  }
  free(least);
}

static void count_all(struct observe_system *a, const struct system *y)
{
  const struct forcefield *ff = a->ff;
  const struct share *share = &a->share;
  const int cells = (ff->n_molecules + 1) * ff->n_types;
  int64_t *count = alloc_array(2 * cells, sizeof *count), *in_lipids = count + cells;
  int *index = alloc_array(cells, sizeof *index);
  for (int64_t k = 0; k < share->molecules; k++) {
    const struct observe_molecule *m = &share->molecule[k];
    const int is_lipid = observe_is_lipid(a, m);
    if (!is_lipid) a->waters += m->type < 0 ? m->n : forcefield_waters(ff, m->type);
    for (int64_t i = m->first; i < m->first + m->n; i++) {
      const int c = cell_of(ff, share->type[i], m->type);
      count[c]++;
      in_lipids[c] += is_lipid;
    }
  }
  ranks_sum_int64(a->ranks, count, 2 * cells);
  ranks_sum_int64(a->ranks, &a->waters, 1);
  species_list(a, count, in_lipids, index);
  species_map(a, y, index);
  free(index);
  free(count);
}

void observe_system_create(struct observe_system *a, const struct ranks *r, struct system *y)
{
  a->system = y;
  a->ranks = r;
  a->ff = y->ff;
  a->topology = &y->topology;
  a->n_total = y->n_total;
  memcpy(a->box, y->box, sizeof a->box);
  share_create(&a->share, r, y);
  count_all(a, y);
}

void observe_system_destroy(struct observe_system *a)
{
  free(a->species);
  free(a->lipid_mass);
  free(a->species_of_env);
  free(a->species_of_type);
  free(a->coordinates);
  share_free(&a->share);
}
