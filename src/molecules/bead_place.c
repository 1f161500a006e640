#include "molecules/bead_place.h"

#include <stdlib.h>

#include "base/memory.h"

/* The ends of the block of a rank. */
struct ends {
  int64_t n, first, last; /* beads; molecules of the first and the last bead */
  int64_t tail;           /* beads of the last molecule */
};

static struct ends ends_of(const struct system *s)
{
  struct ends e = {.n = s->n};
  if (s->n == 0) return e;
  e.first = s->beads.molecule[0];
  e.last = s->beads.molecule[s->n - 1];
  while (e.tail < s->n && s->beads.molecule[s->n - 1 - e.tail] == e.last)
    e.tail++;
  return e;
}

int64_t bead_place_before(const struct ranks *r, const struct system *s)
{
  const struct ends own = ends_of(s);
  int64_t bytes, before = 0;
  struct ends *all = ranks_allgather(r, &own, sizeof own, &bytes);
  for (int k = r->rank - 1; k >= 0; k--) {
    if (all[k].n == 0) continue;
    if (all[k].last != own.first) break;
    before += all[k].tail;
    if (all[k].tail < all[k].n) break;
  }
  free(all);
  return before;
}

int *bead_places(const struct ranks *r, const struct system *s)
{
  int64_t at = bead_place_before(r, s);
  int *place = alloc_array(s->n, sizeof *place);
  for (int64_t k = 0; k < s->n; k++) {
    const int molecule_type = s->beads.molecule_type[k];
    if (k && s->beads.molecule[k] != s->beads.molecule[k - 1]) at = 0;
    place[k] = molecule_type >= 0 && at < s->ff->molecule[molecule_type].n_beads ? (int)at : -1;
    at++;
  }
  return place;
}

const char *bead_place_name(const struct system *s, int64_t k, int place)
{
  const int molecule_type = s->beads.molecule_type[k];
  if (place < 0 || !s->ff->molecule[molecule_type].bead_name)
    return s->ff->type[s->beads.type[k]].name;
  return s->ff->molecule[molecule_type].bead_name[place];
}

const struct ff_residue *bead_place_residue(const struct system *s, int64_t k, int place)
{
  if (place < 0) return NULL;
  const struct ff_molecule *m = &s->ff->molecule[s->beads.molecule_type[k]];
  int at = m->n_residues - 1;
  while (at > 0 && m->residue[at].first > place)
    at--;
  return at < 0 ? NULL : &m->residue[at];
}

struct bead_label bead_place_label(const struct system *s, int64_t k, int place)
{
  const int molecule_type = s->beads.molecule_type[k];
  const struct ff_residue *residue = bead_place_residue(s, k, place);
  const int several = residue && s->ff->molecule[molecule_type].n_residues > 1;
  struct bead_label label = {.name = bead_place_name(s, k, place),
                             .number = several ? residue->number : s->beads.molecule[k]};
  label.residue = residue             ? residue->name
                  : molecule_type < 0 ? label.name
                                      : s->ff->molecule[molecule_type].name;
  return label;
}
