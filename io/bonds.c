/* Bonded terms as lists of ids: see bonds.h. */
#include "io/bonds.h"

#include <stddef.h>
#include <string.h>

#include "base/log.h"

static int is_wanted(const struct system *s, const struct topology_term *term, int section,
                     int beads)
{
  return term->role == 0 && term->section == section && term->beads == beads &&
         !forcefield_form(s->ff, section, term->type)->axes;
}

int64_t bonds_list(const struct system *s, int section, int beads, int64_t from, int64_t to,
                   int64_t **id)
{
  const struct topology *t = &s->topology;
  int64_t n = 0, room = 0;
  *id = NULL;
  for (int64_t bead = from; bead < to; bead++) {
    int env = s->beads.bonded_env[bead];
    if (env < 0) continue;
    for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
      if (!is_wanted(s, &t->term[k], section, beads)) continue;
      if (n == room) *id = grow_array(*id, room = 2 * room + 256, (size_t)beads * sizeof **id);
      int64_t *entry = *id + beads * n++;
      entry[0] = s->first + bead;
      for (int j = 1; j < beads; j++)
        entry[j] = entry[0] + t->term[k].partner[j - 1];
    }
  }
  return n;
}

int64_t bonds_selected(const struct selection *selection, const struct ranks *r,
                       const struct system *s, int section, int beads, int64_t from, int64_t to,
                       int64_t **id, int64_t **row)
{
  int64_t all = bonds_list(s, section, beads, from, to, id), n = 0;
  *row = alloc_array(beads * all, sizeof **row);
  selection_rows(selection, r, s, *id, beads * all, *row);
  for (int64_t k = 0; k < all; k++) {
    int kept = 1;
    for (int j = 0; j < beads; j++)
      kept &= (*row)[beads * k + j] > 0;
    if (!kept) continue;
    memmove(*id + beads * n, *id + beads * k, (size_t)beads * sizeof **id);
    memmove(*row + beads * n, *row + beads * k, (size_t)beads * sizeof **row);
    n++;
  }
  return n;
}
