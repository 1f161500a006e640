/* Bonded environments (see topology.h). Collects the terms of every bead, sorts them into a
   canonical order (by section, type, role and partners), and finds equal
   environments with a hash table. Time and memory are linear in beads and terms. */
#include "model/topology.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The terms of beads 1..n: those of bead b lie at [start[b - 1], start[b]). */
struct terms {
  int64_t n;
  int64_t *start;
  struct topology_term *term;
};

struct lists {
  const struct forcefield *ff;
  const struct ff_molecule *molecule; /* of which beads 1..n are; NULL for lists of ids */
  int64_t n;
  const int32_t *type; /* of the beads; NULL: without charges */
  struct bonded_terms section[SECTIONS];
};

/* A topology under construction, with a hash table of its environments: entries are environment +
   1, 0 is empty. */
struct builder {
  struct topology *t;
  int64_t envs, terms, excludes; /* capacities of the arrays */
  int64_t table_size;
  int32_t *table;
};

/* A term from its lower end, unless its form has a direction. */
static void from_lower_end(const struct bonded_form_info *form, int64_t id[BONDED_BEADS_MOST])
{
  if (bonded_has_direction(form) || id[0] < id[form->beads - 1]) return;
  for (int low = 0, high = form->beads - 1; low < high; low++, high--) {
    int64_t swapped = id[low];
    id[low] = id[high];
    id[high] = swapped;
  }
}

int topology_beads(const struct forcefield *ff, const struct topology_term *term, int64_t i,
                   int64_t bead[BONDED_BEADS_MOST])
{
  for (int k = 0, p = 0; k < term->beads; k++)
    bead[k] = k == term->role ? i : i + term->partner[p++];
  from_lower_end(forcefield_form(ff, term->section, term->type), bead);
  return term->beads;
}

/* Bead ids of an entry, the lower end first unless the term has a direction; returns their
   number. */
static int entry_beads(const struct lists *l, int section, const struct bonded_ids *e,
                       int64_t id[BONDED_BEADS_MOST])
{
  const struct bonded_form_info *form = forcefield_form(l->ff, section, e->type);
  memcpy(id, e->id, (size_t)form->beads * sizeof *id);
  from_lower_end(form, id);
  return form->beads;
}

static void entry_check(const struct lists *l, int section, int64_t number)
{
  const char *what = bonded_section_name[section];
  const struct bonded_ids *e = &l->section[section].term[number++];
  const int n_types = l->ff->bonded[section].n;
  if (e->type < 0 || e->type >= n_types)
    die(STATUS_INPUT, "%s %" PRId64 ": type %d, but force field %s has %d types of %ss", what,
        number, e->type + 1, l->ff->name, n_types, what);
  int64_t id[BONDED_BEADS_MOST];
  int count = entry_beads(l, section, e, id);
  for (int k = 0; k < count; k++) {
    if (id[k] < 1 || id[k] > l->n)
      die(STATUS_INPUT,
          "%s %" PRId64 ": bead %" PRId64 " does not exist; ids run from 1 to %" PRId64, what,
          number, id[k], l->n);
    for (int m = 0; m < k; m++)
      if (id[m] == id[k])
        die(STATUS_INPUT, "%s %" PRId64 ": bead %" PRId64 " is its own partner", what, number,
            id[k]);
  }
}

static struct topology_term entry_term(int section, int type, int role, int count,
                                       const int64_t id[BONDED_BEADS_MOST])
{
  struct topology_term term = {.section = section, .type = type, .role = role, .beads = count};
  for (int k = 0, p = 0; k < count; k++)
    if (k != role) term.partner[p++] = id[k] - id[role];
  return term;
}

static int compare_int64(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int compare_terms(const void *pa, const void *pb)
{
  const struct topology_term *a = pa, *b = pb;
  int c = compare_int64(a->section, b->section);
  if (!c) c = compare_int64(a->type, b->type);
  if (!c) c = compare_int64(a->role, b->role);
  for (int k = 0; !c && k < BONDED_BEADS_MOST - 1; k++)
    c = compare_int64(a->partner[k], b->partner[k]);
  return c;
}

static int compare_ids(const void *a, const void *b)
{
  return compare_int64(*(const int64_t *)a, *(const int64_t *)b);
}

static void terms_sort(struct terms *t, const struct forcefield *ff)
{
  for (int64_t b = 1; b <= t->n; b++) {
    int64_t count = t->start[b] - t->start[b - 1];
    if (count == 0) continue;
    struct topology_term *first = t->term + t->start[b - 1];
    qsort(first, (size_t)count, sizeof *first, compare_terms);
    int64_t joins = 0;
    for (int64_t k = 0; k < count; k++)
      joins += topology_joins(ff, &first[k]);
    if (joins > TOPOLOGY_JOINS_MOST)
      die(STATUS_INPUT, "bead %" PRId64 " has %" PRId64 " bonds; at most %d are possible", b, joins,
          TOPOLOGY_JOINS_MOST);
  }
}

static void terms_collect(struct terms *t, const struct lists *l)
{
  int64_t id[BONDED_BEADS_MOST];
  t->n = l->n;
  t->start = alloc_array(l->n + 2, sizeof *t->start);
  /* Counts are stored two entries further up, so that after filling, start[b] is the end of bead
     b. */
  for (int s = 0; s < SECTIONS; s++)
    for (int64_t e = 0; e < l->section[s].n; e++) {
      entry_check(l, s, e);
      int count = entry_beads(l, s, &l->section[s].term[e], id);
      for (int k = 0; k < count; k++)
        t->start[id[k] + 1]++;
    }
  for (int64_t b = 1; b <= l->n + 1; b++)
    t->start[b] += t->start[b - 1];
  t->term = alloc_array(t->start[l->n + 1], sizeof *t->term);
  for (int s = 0; s < SECTIONS; s++)
    for (int64_t e = 0; e < l->section[s].n; e++) {
      const struct bonded_ids *entry = &l->section[s].term[e];
      int count = entry_beads(l, s, entry, id);
      for (int k = 0; k < count; k++)
        t->term[t->start[id[k]]++] = entry_term(s, entry->type, k, count, id);
    }
  terms_sort(t, l->ff);
}

/* Sorts and removes duplicates; returns the number left. */
static int64_t unique_ids(int64_t *id, int64_t count)
{
  if (count == 0) return 0;
  qsort(id, (size_t)count, sizeof *id, compare_ids);
  int64_t kept = 1;
  for (int64_t k = 1; k < count; k++)
    if (id[k] != id[kept - 1]) id[kept++] = id[k];
  return kept;
}

struct id_list {
  int64_t *id;
  int64_t count, capacity;
};

static void list_add(struct id_list *l, int64_t id)
{
  if (l->count == l->capacity) {
    l->capacity = 2 * l->capacity + 16;
    l->id = grow_array(l->id, l->capacity, sizeof *l->id);
  }
  l->id[l->count++] = id;
}

static int list_has(const struct id_list *l, int64_t id)
{
  return l->count && bsearch(&id, l->id, (size_t)l->count, sizeof id, compare_ids);
}

/* Partners of a bead whose pair forces are excluded, as differences of ids, ascending. Searches
   shells of 1, 2 and 3 bonds; a partner belongs to the nearest shell it is in. */
static void find_excluded(const struct terms *t, const struct forcefield *ff, int64_t bead,
                          struct id_list work[4], struct id_list *out)
{
  int depth = ff->exclude[2] ? 3 : ff->exclude[1] ? 2 : ff->exclude[0] ? 1 : 0;
  out->count = 0;
  work[0].count = 0;
  list_add(&work[0], bead);
  for (int d = 1; d <= depth; d++) {
    struct id_list *shell = &work[d];
    shell->count = 0;
    for (int64_t k = 0; k < work[d - 1].count; k++) {
      int64_t from = work[d - 1].id[k];
      for (int64_t q = t->start[from - 1]; q < t->start[from]; q++) {
        int64_t to = from + t->term[q].partner[0];
        if (!topology_joins(ff, &t->term[q])) continue;
        int seen = 0;
        for (int e = 0; e < d; e++)
          seen |= list_has(&work[e], to);
        if (!seen) list_add(shell, to);
      }
    }
    shell->count = unique_ids(shell->id, shell->count);
    for (int64_t k = 0; ff->exclude[d - 1] && k < shell->count; k++)
      list_add(out, shell->id[k] - bead);
  }
  out->count = unique_ids(out->id, out->count);
}

/* Adds the exclusions that the molecule type lists. *next: the first of its list that belongs to
   this or a later bead. */
static void add_exclusions(const struct ff_molecule *m, int64_t bead, int *next,
                           struct id_list *out)
{
  if (!m) return;
  for (; *next < m->n_exclusions && m->exclusion[*next].bead + 1 == bead; ++*next)
    list_add(out, m->exclusion[*next].other + 1 - bead);
  out->count = unique_ids(out->id, out->count);
}

static uint64_t hash_words(uint64_t hash, const void *data, size_t bytes)
{
  const unsigned char *p = data;
  for (size_t k = 0; k + 8 <= bytes; k += 8) {
    uint64_t word;
    memcpy(&word, p + k, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

static uint64_t hash_env(const struct topology *t, int env)
{
  int n_terms = t->term_start[env + 1] - t->term_start[env];
  int n_exclude = t->exclude_start[env + 1] - t->exclude_start[env];
  uint64_t hash = hash_words((uint64_t)n_terms, t->term + t->term_start[env],
                             (size_t)n_terms * sizeof *t->term);
  return hash_words(hash, t->exclude + t->exclude_start[env],
                    (size_t)n_exclude * sizeof *t->exclude);
}

static int envs_equal(const struct topology *t, int a, int b)
{
  int n_terms = t->term_start[a + 1] - t->term_start[a];
  int n_exclude = t->exclude_start[a + 1] - t->exclude_start[a];
  if (n_terms != t->term_start[b + 1] - t->term_start[b] ||
      n_exclude != t->exclude_start[b + 1] - t->exclude_start[b])
    return 0;
  return (n_terms == 0 || memcmp(t->term + t->term_start[a], t->term + t->term_start[b],
                                 (size_t)n_terms * sizeof *t->term) == 0) &&
         (n_exclude == 0 ||
          memcmp(t->exclude + t->exclude_start[a], t->exclude + t->exclude_start[b],
                 (size_t)n_exclude * sizeof *t->exclude) == 0);
}

/* Index in the hash table of an equal environment, or of the empty entry for it. */
static int64_t table_find(const struct builder *b, int env)
{
  int64_t mask = b->table_size - 1, entry = (int64_t)(hash_env(b->t, env) & (uint64_t)mask);
  while (b->table[entry] && !envs_equal(b->t, b->table[entry] - 1, env))
    entry = (entry + 1) & mask;
  return entry;
}

static void table_grow(struct builder *b)
{
  b->table_size = b->table_size ? 2 * b->table_size : 1024;
  while (b->table_size < 4 * (int64_t)b->t->n_envs)
    b->table_size *= 2;
  free(b->table);
  b->table = alloc_array(b->table_size, sizeof *b->table);
  for (int env = 0; env < b->t->n_envs; env++) {
    int64_t entry = table_find(b, env);
    if (!b->table[entry]) b->table[entry] = env + 1;
  }
}

static void *reserve(void *array, int64_t *capacity, int64_t count, unsigned long size)
{
  if (count > INT_MAX) die(STATUS_INPUT, "bonded environments differ too much: over 2^31 terms");
  if (count <= *capacity) return array;
  *capacity = count + count / 2 + 16;
  return grow_array(array, *capacity, size);
}

/* Appends the terms of the excluded charges of a bead at index `at`, in the order of compare_terms;
   returns their number. */
static int64_t append_charges(struct builder *b, const struct lists *l, int64_t bead, int64_t at,
                              const struct id_list *excluded)
{
  struct topology *t = b->t;
  int64_t n = 0;
  for (int type = 0; l->type && type < l->ff->bonded[SECTION_excluded].n; type++)
    for (int role = 0; role < 2; role++)
      for (int64_t k = 0; k < excluded->count; k++) {
        const int64_t partner = bead + excluded->id[k];
        if ((partner < bead) != role ||
            forcefield_excluded(l->ff, l->type[bead - 1], l->type[partner - 1]) != type)
          continue;
        t->term = reserve(t->term, &b->terms, at + n + 1, sizeof *t->term);
        t->term[at + n++] = (struct topology_term){.section = SECTION_excluded,
                                                   .type = type,
                                                   .role = role,
                                                   .beads = 2,
                                                   .partner = {excluded->id[k]}};
      }
  return n;
}

/* Stores the environment of a bead after the last one, without counting it. */
static void append_env(struct builder *b, const struct terms *terms, const struct lists *l,
                       int64_t bead, const struct id_list *excluded)
{
  struct topology *t = b->t;
  int env = t->n_envs;
  int64_t room[3] = {b->envs, b->envs, b->envs}; /* arrays of one capacity */
  t->term_start = reserve(t->term_start, &room[0], (int64_t)env + 2, sizeof *t->term_start);
  t->cluster = reserve(t->cluster, &room[1], (int64_t)env + 2, sizeof *t->cluster);
  t->place = reserve(t->place, &room[2], (int64_t)env + 2, sizeof *t->place);
  t->exclude_start =
      reserve(t->exclude_start, &b->envs, (int64_t)env + 2, sizeof *t->exclude_start);
  if (env == 0) t->term_start[0] = t->exclude_start[0] = 0;
  int64_t first = t->term_start[env], count = terms->start[bead] - terms->start[bead - 1];
  t->term = reserve(t->term, &b->terms, first + count, sizeof *t->term);
  if (count)
    memcpy(t->term + first, terms->term + terms->start[bead - 1], (size_t)count * sizeof *t->term);
  count += append_charges(b, l, bead, first + count, excluded);
  t->term_start[env + 1] = (int)(first + count);
  first = t->exclude_start[env];
  count = excluded->count;
  t->exclude = reserve(t->exclude, &b->excludes, first + count, sizeof *t->exclude);
  if (count) memcpy(t->exclude + first, excluded->id, (size_t)count * sizeof *t->exclude);
  t->exclude_start[env + 1] = (int)(first + count);
  const struct ff_molecule *m = l->molecule && l->molecule->cluster ? l->molecule : NULL;
  t->cluster[env] = m ? m->cluster[bead - 1] : -1;
  t->place[env] = m ? m->place[bead - 1] : -1;
}

/* Appends the environments of all beads. share = 0: one for each bead. share = 1: equal
   environments once; env[] receives the index for each bead, -1 if it has no terms. */
static void append_all(struct topology *t, const struct lists *l, int share, int32_t *env)
{
  struct terms terms;
  struct builder b = {.t = t};
  struct id_list work[4] = {{0}}, excluded = {0};
  terms_collect(&terms, l);
  if (t->n_envs) {
    b.envs = (int64_t)t->n_envs + 1;
    b.terms = t->term_start[t->n_envs];
    b.excludes = t->exclude_start[t->n_envs];
  }
  if (share) table_grow(&b);
  int next = 0; /* exclusion of the molecule */
  for (int64_t bead = 1; bead <= l->n; bead++) {
    int empty = terms.start[bead] == terms.start[bead - 1];
    if (share && empty) {
      env[bead - 1] = -1;
      continue;
    }
    find_excluded(&terms, l->ff, bead, work, &excluded);
    add_exclusions(l->molecule, bead, &next, &excluded);
    append_env(&b, &terms, l, bead, &excluded);
    if (!share) {
      t->n_envs++;
      continue;
    }
    int64_t entry = table_find(&b, t->n_envs);
    if (!b.table[entry]) b.table[entry] = ++t->n_envs;
    env[bead - 1] = b.table[entry] - 1;
    if (2 * (int64_t)t->n_envs > b.table_size) table_grow(&b);
  }
  for (int d = 0; d < 4; d++)
    free(work[d].id);
  free(excluded.id);
  free(b.table);
  free(terms.start);
  free(terms.term);
}

int topology_add_molecule(struct topology *t, const struct forcefield *ff, int molecule)
{
  const struct ff_molecule *m = &ff->molecule[molecule];
  struct lists l = {.ff = ff, .molecule = m, .n = m->n_beads, .type = m->bead};
  struct bonded_ids *all[SECTIONS];
  for (int s = 0; s < SECTIONS; s++) {
    struct bonded_ids *to = all[s] = alloc_array(m->bonded[s].n, sizeof *to);
    for (int k = 0; k < m->bonded[s].n; k++) {
      to[k].type = m->bonded[s].term[k].type;
      for (int b = 0; b < BONDED_BEADS_MOST; b++)
        to[k].id[b] = m->bonded[s].term[k].bead[b] + 1;
    }
    l.section[s] = (struct bonded_terms){m->bonded[s].n, to};
  }
  int first = t->n_envs;
  append_all(t, &l, 0, NULL);
  for (int s = 0; s < SECTIONS; s++)
    free(all[s]);
  return first;
}

void topology_add_lists(struct topology *t, const struct forcefield *ff, int64_t n,
                        const int32_t *type, const struct bonded_terms terms[SECTIONS],
                        int32_t *env)
{
  struct lists l = {.ff = ff, .n = n, .type = type};
  memcpy(l.section, terms, sizeof l.section);
  append_all(t, &l, 1, env);
}

int topology_has_clusters(const struct topology *t)
{
  for (int env = 0; env < t->n_envs; env++)
    if (t->cluster[env] >= 0) return 1;
  return 0;
}

static void *copy_array(const void *from, int64_t count, unsigned long size)
{
  void *to = alloc_array(count, size);
  if (count) memcpy(to, from, (size_t)count * size);
  return to;
}

void topology_reserve(struct topology *t, int n_envs, int64_t terms, int64_t excluded)
{
  t->n_envs = n_envs;
  t->term_start = alloc_array((int64_t)n_envs + 1, sizeof *t->term_start);
  t->exclude_start = alloc_array((int64_t)n_envs + 1, sizeof *t->exclude_start);
  t->term = alloc_array(terms, sizeof *t->term);
  t->exclude = alloc_array(excluded, sizeof *t->exclude);
  t->cluster = alloc_array(n_envs, sizeof *t->cluster);
  t->place = alloc_array(n_envs, sizeof *t->place);
  for (int env = 0; env < n_envs; env++)
    t->cluster[env] = t->place[env] = -1;
}

void topology_reserve_anchors(struct topology *t, int64_t n)
{
  topology_forget_anchors(t);
  t->anchors.n = n;
  t->anchors.id = alloc_array(n, sizeof *t->anchors.id);
  t->anchors.place = alloc_array(n, sizeof *t->anchors.place);
}

void topology_copy(struct topology *to, const struct topology *from)
{
  const struct anchors *a = &from->anchors;
  *to = (struct topology){.n_envs = from->n_envs, .anchors = {.n = a->n}};
  to->anchors.id = copy_array(a->id, a->n, sizeof *a->id);
  to->anchors.place = copy_array(a->place, a->n, sizeof *a->place);
  if (from->n_envs == 0) return;
  int n = from->n_envs;
  to->term_start = copy_array(from->term_start, (int64_t)n + 1, sizeof *to->term_start);
  to->exclude_start = copy_array(from->exclude_start, (int64_t)n + 1, sizeof *to->exclude_start);
  to->term = copy_array(from->term, from->term_start[n], sizeof *to->term);
  to->exclude = copy_array(from->exclude, from->exclude_start[n], sizeof *to->exclude);
  to->cluster = copy_array(from->cluster, n, sizeof *to->cluster);
  to->place = copy_array(from->place, n, sizeof *to->place);
}

void topology_forget_anchors(struct topology *t)
{
  free(t->anchors.id);
  free(t->anchors.place);
  t->anchors = (struct anchors){0, NULL, NULL};
}

void topology_free(struct topology *t)
{
  free(t->term_start);
  free(t->term);
  free(t->exclude_start);
  free(t->exclude);
  topology_forget_anchors(t);
  free(t->cluster);
  free(t->place);
  *t = (struct topology){0};
}

void topology_move(struct topology *to, struct topology *from)
{
  topology_free(to);
  *to = *from;
  *from = (struct topology){0};
}
