#include "molecules/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/connections.h"
#include "molecules/remote.h"

static void count_rows(struct selection *t, const struct ranks *r)
{
  t->total = t->n;
  ranks_sum_int64(r, &t->total, 1);
  t->first = ranks_before(r, t->n);
}

void selection_open(struct selection *t, const struct ranks *r, const struct system *s,
                    const struct bead_group *g, const char *text)
{
  memset(t, 0, sizeof *t);
  t->text = text_copy(text);
  t->n = s->n;
  if (g && text[0]) {
    const struct bead_set set = bead_group_set(g);
    t->bead = alloc_array(s->n, sizeof *t->bead);
    t->n = 0;
    for (int64_t k = 0; k < s->n; k++)
      if (bead_set_has(&set, s->beads.type[k], s->first + k)) t->bead[t->n++] = k;
  }
  count_rows(t, r);
}

void selection_open_ids(struct selection *t, const struct ranks *r, const struct system *s,
                        const char *text, int64_t n, const int64_t *id)
{
  *t = (struct selection){.text = text_copy(text), .n = n, .bead = alloc_array(n, sizeof *t->bead)};
  for (int64_t k = 0; k < n; k++)
    t->bead[k] = id[k] - s->first;
  count_rows(t, r);
}

void selection_copy(struct selection *to, const struct selection *from)
{
  *to = *from;
  to->text = text_copy(from->text);
  if (!from->bead) return;
  to->bead = alloc_array(from->n, sizeof *to->bead);
  if (from->n > 0) memcpy(to->bead, from->bead, (size_t)from->n * sizeof *to->bead);
}

void selection_close(struct selection *t)
{
  free(t->text);
  free(t->bead);
  memset(t, 0, sizeof *t);
}

/* Row, from 1, of a bead of the block; 0: not selected. */
static int64_t row_of(const struct selection *t, int64_t bead)
{
  const int64_t k = search_ascending(t->bead, t->n, bead);
  return k < t->n && t->bead[k] == bead ? t->first + k + 1 : 0;
}

void selection_rows(const struct selection *t, const struct ranks *r, const struct system *s,
                    const int64_t *id, int64_t n, int64_t *row)
{
  if (!t->text[0]) {
    if (n > 0) memcpy(row, id, (size_t)n * sizeof *row);
    return;
  }
  struct remote m;
  remote_open(&m, r, s, id, n);
  int64_t *answer = alloc_array(m.n_asked, sizeof *answer);
  for (int64_t k = 0; k < m.n_asked; k++)
    answer[k] = row_of(t, m.asked[k]);
  int64_t *value = remote_fetch(&m, answer, sizeof *value);
  if (n > 0) memcpy(row, value, (size_t)n * sizeof *row);
  free(value);
  free(answer);
  remote_free(&m);
}

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
