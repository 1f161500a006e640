/* Bonded terms as lists of ids: see bonds.h. */
#include "molecules/bonds.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "model/connections.h"

/* Rows of ids, `beads` each. */
struct rows {
  int beads;
  int64_t n, *id;
};

static int64_t *rows_add(struct rows *r)
{
  r->id = extend_array(r->id, r->n, (size_t)r->beads * sizeof *r->id);
  return r->id + r->beads * r->n++;
}

static void add_terms(struct rows *r, const struct system *s, int section, int64_t bead, int env)
{
  const struct topology *t = &s->topology;
  for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
    const struct topology_term *term = &t->term[k];
    if (term->role != 0 || term->section != section || term->beads != r->beads ||
        forcefield_form(s->ff, section, term->type)->axes)
      continue;
    int64_t *row = rows_add(r);
    row[0] = s->first + bead;
    for (int j = 1; j < r->beads; j++)
      row[j] = row[0] + term->partner[j - 1];
  }
}

static void add_connections(struct rows *r, const struct connections *c, int64_t id, int env)
{
  for (int k = c->start[env]; k < c->start[env + 1]; k++) {
    if (c->partner[k] < 0) continue;
    int64_t *row = rows_add(r);
    row[0] = id;
    row[1] = id + c->partner[k];
  }
}

static int64_t bonds_list(const struct system *s, int section, int beads, int64_t from, int64_t to,
                          int64_t **id)
{
  struct rows rows = {beads, 0, NULL};
  struct connections c = {NULL, NULL};
  if (section == SECTION_bond) c = connections_of(s->ff, &s->topology, BY_BONDS);
  for (int64_t bead = from; bead < to; bead++) {
    const int env = s->beads.bonded_env[bead];
    if (env < 0) continue;
    if (section == SECTION_bond)
      add_connections(&rows, &c, s->first + bead, env);
    else
      add_terms(&rows, s, section, bead, env);
  }
  connections_free(&c);
  *id = rows.id;
  return rows.n;
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
