/* Recognition of molecules by graph matching. A connected set of beads is a molecule of the force
   field if its beads can be ordered such that all types and bonded terms are equal. The search
   backtracks along bonds and tries lowest ids first, so the result does not depend on ranks. */
#include "model/molecule.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/place.h"

enum { TRIALS_A_BEAD = 1000 }; /* search steps per bead; beyond, the molecule counts as unknown */

struct finder {
  struct system *s;
  struct topology t;           /* bonded environments of all molecules of the force field */
  int *first_env;              /* [molecule type] its first environment */
  char *visited, *taken;       /* [bead of the system] taken, 1: matched already */
  int64_t *set;                /* beads of the connected set, ascending */
  int64_t *image;              /* [bead of the molecule] the bead of the system matched to it */
  const struct ff_molecule *m; /* the molecule type that is tried */
  int first;                   /* environment of its first bead */
};

static int compare_ids(const void *pa, const void *pb)
{
  int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
  return (a > b) - (a < b);
}

/* Terms of a bonded environment: returns their number and sets *term to the first. */
static int env_terms(const struct topology *t, int env, const struct topology_term **term)
{
  *term = NULL;
  if (env < 0) return 0;
  *term = t->term + t->term_start[env];
  return t->term_start[env + 1] - t->term_start[env];
}

/* Collects the beads connected to `first` by bonds as indices in ascending order; returns their
   number. */
static int64_t find_connected(const struct system *s, int64_t first, char *visited, int64_t *set)
{
  int64_t found = 1;
  set[0] = first;
  visited[first] = 1;
  for (int64_t q = 0; q < found; q++) {
    const struct topology_term *term;
    int n = env_terms(&s->topology, s->beads.bonded_env[set[q]], &term);
    for (int k = 0; k < n; k++) {
      int64_t other = set[q] + term[k].partner[0];
      if (!topology_joins(s->ff, &term[k]) || visited[other]) continue;
      visited[other] = 1;
      set[found++] = other;
    }
  }
  qsort(set, (size_t)found, sizeof *set, compare_ids);
  return found;
}

/* 1 if the bead matched to bead k has the term, between the beads matched to the term's beads. 1
   also if a bead of the term is not matched yet. */
static int has_term(const struct finder *f, int k, const struct topology_term *term)
{
  const struct forcefield *ff = f->s->ff;
  const struct topology_term *other;
  int64_t bead[BONDED_BEADS_MOST], found[BONDED_BEADS_MOST], i = f->image[k];
  struct topology_term mapped = *term; /* the term between the beads matched to its beads */
  int n = topology_beads(ff, term, k, bead);
  for (int b = 0; b < n; b++)
    if (bead[b] > k) return 1;
  for (int b = 0; b < n - 1; b++)
    mapped.partner[b] = f->image[k + term->partner[b]] - i;
  topology_beads(ff, &mapped, i, bead);
  int count = env_terms(&f->s->topology, f->s->beads.bonded_env[i], &other);
  for (int q = 0; q < count; q++) {
    if (other[q].section != term->section || other[q].type != term->type) continue;
    topology_beads(ff, &other[q], i, found);
    int same = 1;
    for (int b = 0; b < n; b++)
      same &= found[b] == bead[b];
    if (same) return 1;
  }
  return 0;
}

/* Can bead i of the system be matched to bead k of the molecule, given the beads matched before? */
static int fits(struct finder *f, int k, int64_t i)
{
  const struct topology_term *mine, *other;
  if (f->taken[i] || f->s->beads.type[i] != f->m->bead[k]) return 0;
  int n = env_terms(&f->t, f->first + k, &mine);
  if (n != env_terms(&f->s->topology, f->s->beads.bonded_env[i], &other)) return 0;
  f->image[k] = i;
  for (int q = 0; q < n; q++)
    if (!has_term(f, k, &mine[q])) return 0;
  return 1;
}

/* The lowest bead above `after` to try for bead k: a bonded partner of a bead matched before, or,
   if k has no such partner, any bead of the set. -1: none. */
static int64_t next_candidate(const struct finder *f, int k, int64_t after)
{
  const struct topology_term *term;
  int64_t best = -1;
  int from = -1;
  int n = env_terms(&f->t, f->first + k, &term);
  for (int q = 0; q < n && from < 0; q++)
    if (topology_joins(f->s->ff, &term[q]) && term[q].partner[0] < 0)
      from = k + (int)term[q].partner[0];
  if (from < 0) {
    for (int q = 0; q < f->m->n_beads; q++)
      if (f->set[q] > after) return f->set[q];
    return -1;
  }
  n = env_terms(&f->s->topology, f->s->beads.bonded_env[f->image[from]], &term);
  for (int q = 0; q < n; q++) {
    int64_t other = f->image[from] + term[q].partner[0];
    if (topology_joins(f->s->ff, &term[q]) && other > after && (best < 0 || other < best))
      best = other;
  }
  return best;
}

/* Matches the whole molecule: 1 and image[] is filled, or 0. */
static int search(struct finder *f)
{
  int k = 0, n = f->m->n_beads;
  int64_t trials = 0, i = -1, limit = (int64_t)TRIALS_A_BEAD * n;
  while (k >= 0 && k < n) {
    while ((i = next_candidate(f, k, i)) >= 0 && !fits(f, k, i))
      if (++trials > limit) break;
    if (trials > limit || (i < 0 && k == 0)) break;
    if (i >= 0) {
      f->taken[i] = 1;
      k++;
      i = -1;
    } else { /* backtrack: continue with the next candidate of the bead before */
      i = f->image[--k];
      f->taken[i] = 0;
      trials++;
    }
  }
  int found = k == n;
  while (k-- > 0)
    f->taken[f->image[k]] = 0;
  return found;
}

/* Molecule type of a connected set, with its beads in the molecule's order in image[]; -1:
   unknown. */
static int find_molecule_type(struct finder *f, int64_t size)
{
  const struct forcefield *ff = f->s->ff;
  for (int k = 0; k < ff->n_molecules; k++) {
    f->m = &ff->molecule[k];
    f->first = f->first_env[k];
    if (f->m->n_beads == size && search(f)) return k;
  }
  return -1;
}

static struct finder finder_create(struct system *s)
{
  struct finder f = {.s = s};
  f.first_env = alloc_array(s->ff->n_molecules, sizeof *f.first_env);
  for (int k = 0; k < s->ff->n_molecules; k++)
    f.first_env[k] = topology_add_molecule(&f.t, s->ff, k);
  f.visited = alloc_array(s->n, 1);
  f.taken = alloc_array(s->n, 1);
  f.set = alloc_array(s->n, sizeof *f.set);
  f.image = alloc_array(s->n, sizeof *f.image);
  return f;
}

static void finder_free(struct finder *f)
{
  topology_free(&f->t);
  free(f->first_env);
  free(f->visited);
  free(f->taken);
  free(f->set);
  free(f->image);
}

int64_t molecule_find_all(struct system *s, int64_t *order)
{
  struct finder f = finder_create(s);
  int64_t number = 0, placed = 0, n_moved = 0;
  for (int64_t first = 0; first < s->n; first++) {
    if (f.visited[first]) continue;
    int64_t size = find_connected(s, first, f.visited, f.set);
    int type = find_molecule_type(&f, size), moved = 0;
    const int64_t *bead = type >= 0 ? f.image : f.set;
    if (size > 1 || type >= 0) number++;
    for (int64_t k = 0; k < size; k++) {
      s->beads.molecule_type[bead[k]] = type;
      s->beads.molecule[bead[k]] = size > 1 || type >= 0 ? place_molecule_number(number) : 0;
      moved |= type >= 0 && bead[k] != bead[0] + k;
      if (order) order[placed + k] = bead[k];
    }
    placed += size;
    n_moved += moved;
  }
  finder_free(&f);
  return n_moved;
}
