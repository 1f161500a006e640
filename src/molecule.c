/* See molecule.h. */
#include "molecule.h"

#include <stdlib.h>

#include "log.h"
#include "place.h"

static int compare_ids(const void *pa, const void *pb)
{
  int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
  return (a > b) - (a < b);
}

/* Gathers what bonds join to a bead, as indices in ascending order; returns how many. */
static int64_t find_piece(const struct system *s, int64_t first, char *met, int64_t *piece)
{
  const struct topology *t = &s->topology;
  int64_t found = 1;
  piece[0] = first;
  met[first] = 1;
  for (int64_t q = 0; q < found; q++) {
    int slot = s->beads.slot[piece[q]];
    if (slot < 0) continue;
    for (int k = t->term_start[slot]; k < t->term_start[slot + 1]; k++) {
      int64_t other = piece[q] + t->term[k].partner[0];
      if (t->term[k].kind != TOPOLOGY_BOND || met[other]) continue;
      met[other] = 1;
      piece[found++] = other;
    }
  }
  qsort(piece, (size_t)found, sizeof *piece, compare_ids);
  return found;
}

static int has_bond(const struct ff_molecule *m, int type, int i, int j)
{
  for (int b = 0; b < m->n_bonds; b++) {
    const int *bond = m->bond[b];
    if (bond[0] == type && ((bond[1] == i && bond[2] == j) || (bond[1] == j && bond[2] == i)))
      return 1;
  }
  return 0;
}

static int is_molecule(const struct system *s, const struct ff_molecule *m, const int64_t *piece)
{
  const struct topology *t = &s->topology;
  int n_bonds = 0;
  for (int i = 0; i < m->n_beads; i++)
    if (s->beads.type[piece[i]] != m->bead[i]) return 0;
  for (int i = 0; i < m->n_beads; i++) {
    int slot = s->beads.slot[piece[i]];
    for (int k = slot < 0 ? 0 : t->term_start[slot]; slot >= 0 && k < t->term_start[slot + 1];
         k++) {
      const struct topology_term *term = &t->term[k];
      if (term->kind != TOPOLOGY_BOND || term->role != 0) continue;
      int64_t other = piece[i] + term->partner[0];
      const int64_t *j = bsearch(&other, piece, (size_t)m->n_beads, sizeof *piece, compare_ids);
      if (!has_bond(m, term->type, i, (int)(j - piece))) return 0;
      n_bonds++;
    }
  }
  return n_bonds == m->n_bonds;
}

void molecule_find_all(struct system *s)
{
  int64_t *piece = alloc_array(s->n, sizeof *piece);
  char *met = alloc_array(s->n, 1);
  int64_t number = 0;
  for (int64_t first = 0; first < s->n; first++) {
    if (met[first]) continue;
    int64_t size = find_piece(s, first, met, piece);
    int kind = -1;
    for (int m = 0; m < s->ff->n_molecules && kind < 0; m++)
      if (s->ff->molecule[m].n_beads == size && is_molecule(s, &s->ff->molecule[m], piece))
        kind = m;
    if (size > 1 || kind >= 0) number++;
    for (int64_t k = 0; k < size; k++) {
      s->beads.kind[piece[k]] = kind;
      s->beads.molecule[piece[k]] = size > 1 || kind >= 0 ? place_molecule(number) : 0;
    }
  }
  free(piece);
  free(met);
}
