#include "molecules/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/connections.h"
#include "molecules/remote.h"

/* Which molecule types and bead types are named. */
struct names {
  char *molecule, *type; /* [n_molecules], [n_types] */
};

static void unknown(const struct forcefield *ff, const char *word, char *why, size_t bytes)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  for (int k = 0; k < ff->n_molecules; k++)
    nearest_offer(&near, word, ff->molecule[k].name);
  for (int k = 0; k < ff->n_types; k++)
    nearest_offer(&near, word, ff->type[k].name);
  snprintf(why, bytes, "'%.60s' is neither a molecule type nor a bead type of force field %s%s",
           word, ff->name, nearest_text(&near, hint));
}

/* A molecule type and a bead type may have the same name. */
static int names_add(struct names *n, const struct forcefield *ff, const char *word, char *why,
                     size_t bytes)
{
  int molecule = forcefield_molecule(ff, word), type = forcefield_type(ff, word);
  if (molecule >= 0) n->molecule[molecule] = 1;
  if (type >= 0) n->type[type] = 1;
  if (!word[0])
    snprintf(why, bytes, "a name is missing before or after a comma");
  else if (molecule < 0 && type < 0)
    unknown(ff, word, why, bytes);
  return molecule >= 0 || type >= 0;
}

/* 0, and why, if a name is wrong. */
static int names_parse(struct names *n, const struct forcefield *ff, const char *text, char *why,
                       size_t bytes)
{
  char *copy = text_copy(text), *word = copy;
  int good = 1;
  while (good && word) {
    char *comma = strchr(word, ','), *end;
    if (comma) *comma = 0;
    while (*word == ' ' || *word == '\t')
      word++;
    end = word + strlen(word);
    while (end > word && (end[-1] == ' ' || end[-1] == '\t'))
      *--end = 0;
    good = names_add(n, ff, word, why, bytes);
    word = comma ? comma + 1 : NULL;
  }
  free(copy);
  return good;
}

static void add_name(char *text, const char *name)
{
  if (text[0]) strcat(text, ",");
  strcat(text, name);
}

char *selection_text(const struct forcefield *ff, const char *names, char *why, size_t bytes)
{
  if (!names[strspn(names, " \t")]) return text_copy("");
  struct names n = {alloc_array(ff->n_molecules, 1), alloc_array(ff->n_types, 1)};
  char *text = NULL;
  if (names_parse(&n, ff, names, why, bytes)) {
    text = alloc_array((long long)FF_NAME * (ff->n_molecules + ff->n_types) + 1, 1);
    for (int k = 0; k < ff->n_molecules; k++)
      if (n.molecule[k]) add_name(text, ff->molecule[k].name);
    for (int k = 0; k < ff->n_types; k++)
      if (n.type[k] && forcefield_molecule(ff, ff->type[k].name) < 0)
        add_name(text, ff->type[k].name);
  }
  free(n.molecule);
  free(n.type);
  return text;
}

static void select_beads(struct selection *t, const struct system *s)
{
  char why[256];
  struct names names = {alloc_array(s->ff->n_molecules, 1), alloc_array(s->ff->n_types, 1)};
  if (!names_parse(&names, s->ff, t->text, why, sizeof why))
    die_all(STATUS_INPUT, "selection '%s': %s", t->text, why);
  t->bead = alloc_array(s->n, sizeof *t->bead);
  for (int64_t k = 0; k < s->n; k++) {
    int molecule = s->beads.molecule_type[k];
    if ((molecule >= 0 && names.molecule[molecule]) || names.type[s->beads.type[k]])
      t->bead[t->n++] = k;
  }
  free(names.molecule);
  free(names.type);
}

void selection_open(struct selection *t, const struct ranks *r, const struct system *s,
                    const char *text)
{
  memset(t, 0, sizeof *t);
  t->text = text_copy(text);
  if (text[0])
    select_beads(t, s);
  else
    t->n = s->n;
  t->total = t->n;
  ranks_sum_int64(r, &t->total, 1);
  t->first = ranks_before(r, t->n);
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

void selection_open_named(struct selection *selection, const struct ranks *r,
                          const struct system *s, const char *names, const char *where)
{
  char why[256];
  char *text = selection_text(s->ff, names, why, sizeof why);
  if (!text) die_all(STATUS_INPUT, "%s: %s", where, why);
  selection_open(selection, r, s, text);
  if (text[0] && selection->total == 0)
    die_all(STATUS_INPUT, "%s: the system has no beads of %s", where, text);
  free(text);
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
