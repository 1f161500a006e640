#include "molecules/group_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/torus.h"
#include "molecules/bead_place.h"
#include "molecules/leaflet.h"

struct search {
  const struct ranks *ranks;
  struct system *system;
  const struct lipids *lipids;
  struct error_list *errors;
  const struct bead_group *group; /* for messages */
};

#define GROUP_ERROR(s, ...)                                                                        \
  error_list_join((s)->errors, (s)->group->origin, (s)->group->line, (s)->group->path, __VA_ARGS__)

/* Ranges of the beads of all ranks that are in; in: [n] of the block. Returns how many. */
static int ranges_of(const struct search *s, const char *in, int64_t (**range)[2])
{
  const struct system *y = s->system;
  int64_t(*own)[2] = NULL, n = 0, bytes;
  for (int64_t k = 0; k < y->n; k++) {
    if (!in[k]) continue;
    if (k > 0 && in[k - 1]) {
      own[n - 1][1]++;
      continue;
    }
    own = extend_array(own, n, sizeof *own);
    own[n][0] = own[n][1] = y->first + k;
    n++;
  }
  *range = ranks_allgather(s->ranks, own, n * (int64_t)sizeof *own, &bytes);
  free(own);
  return ranges_join(*range, bytes / (int64_t)sizeof **range);
}

/* What depends on the start. These return 0 after an error */

static int find_leaflet(const struct search *s, struct bead_choice *c)
{
  const struct system *y = s->system;
  int64_t lipids;
  enum flatness flat;
  int32_t *leaflet = leaflets_find(s->ranks, y, s->lipids, &lipids, &flat);
  char *in = alloc_array(y->n, 1);
  for (int64_t k = 0; k < y->n; k++)
    in[k] = leaflet[k] == c->leaflet;
  c->n_ranges = ranges_of(s, in, &c->range);
  free(in);
  free(leaflet);
  if (lipids == 0)
    GROUP_ERROR(s, "%s: the system has no lipids: name them in membrane: {lipids: [...]}", c->text);
  else if (flat != FLAT)
    GROUP_ERROR(s,
                "%s: the lipids are no flat bilayer across the box with normal z: %s. membrane: "
                "{flat: yes} takes each lipid's head and tail all the same",
                c->text, flatness_text(flat));
  return lipids > 0 && flat == FLAT;
}

/* 1 if a periodic image of a point is in the region: images along the axes that it has, from z on,
   as those of y and x are shifted by them. f: fractions of the box vectors, within the box. */
static int is_inside(const struct bead_choice *c, const double box[BOX], const double f[3], int d)
{
  double x[3], image[3] = {f[0], f[1], f[2]};
  if (d < 0) return 1;
  if (!(c->axes >> d & 1)) return is_inside(c, box, f, d - 1);
  box_vector(box, f, x);
  const double first = floor((c->low[d] - x[d]) / box[d]);
  const int more = (int)(ceil((c->high[d] - x[d]) / box[d]) - first); /* at most 2: find_region */
  for (int n = 0; n <= more; n++) {
    image[d] = f[d] + (first + n);
    box_vector(box, image, x);
    if (x[d] >= c->low[d] && x[d] < c->high[d] && is_inside(c, box, image, d - 1)) return 1;
  }
  return 0;
}

static int find_region(const struct search *s, struct bead_choice *c)
{
  const struct system *y = s->system;
  for (int d = 0; d < 3; d++)
    if ((c->axes >> d & 1) && c->high[d] - c->low[d] > y->box[d]) {
      GROUP_ERROR(s, "%s: it is %g nm wide along %c, and the box is %g nm: leave %c out", c->text,
                  c->high[d] - c->low[d], "xyz"[d], y -> box[d], "xyz"[d]);
      return 0;
    }
  char *in = alloc_array(y->n, 1);
  for (int64_t k = 0; k < y->n; k++) {
    double f[3];
    for (int d = 0; d < 3; d++)
      f[d] = (double)(uint32_t)y->beads.position[3 * k + d] / TORUS_EDGE;
    in[k] = (char)is_inside(c, y->box, f, 2);
  }
  c->n_ranges = ranges_of(s, in, &c->range);
  free(in);
  return 1;
}

static int find_index(const struct search *s, struct bead_choice *c)
{
  const int before = s->errors->count;
  char why[160];
  int64_t *atom = NULL;
  FILE *file = text_open(c->file, SIZE_MAX, why);
  if (!file) {
    GROUP_ERROR(s, "'%.200s': %s", c->file, why);
    return 0;
  }
  fclose(file);
  const int64_t n = index_file_read(c->file, c->name, s->system->n_total, &atom, s->errors);
  if (n < 0) {
    char *names = index_file_names(c->file);
    GROUP_ERROR(s, "'%.200s' has no group '%.60s'; it has %.300s", c->file, c->name,
                *names ? names : "none");
    free(names);
  }
  c->range = alloc_array(n > 0 ? n : 0, sizeof *c->range);
  for (int64_t k = 0; k < n; k++)
    c->range[k][0] = c->range[k][1] = atom[k];
  c->n_ranges = ranges_join(c->range, n > 0 ? n : 0);
  free(atom);
  return s->errors->count == before;
}

static int find_parts(const struct search *s, struct bead_choice *c)
{
  struct run_record *run = &s->system->run;
  int good = 1;
  for (int k = 0; k < c->n; k++)
    good &= find_parts(s, &c->part[k]);
  if (c->kind <= CHOOSE_IDS || c->is_found) return good;
  const struct kept_beads *kept = run_record_kept(run, c->text);
  c->is_found = 1;
  if (kept) {
    c->n_ranges = (int)kept->n;
    c->range = alloc_array(kept->n, sizeof *c->range);
    memcpy(c->range, kept->range, (size_t)kept->n * sizeof *c->range);
    return 1;
  }
  good = c->kind == CHOOSE_LEAFLET  ? find_leaflet(s, c)
         : c->kind == CHOOSE_REGION ? find_region(s, c)
                                    : find_index(s, c);
  if (good) run_record_keep(run, c->text, c->n_ranges, (const int64_t(*)[2])c->range);
  return good;
}

/* The group */

/* 1 for the beads of the block that a choice has, [n]. Caller frees. */
static char *beads_in(const struct search *s, const struct bead_choice *c)
{
  const struct system *y = s->system;
  char *in = alloc_array(y->n, 1);
  int *place = bead_places(s->ranks, y);
  for (int64_t k = 0; k < y->n; k++) {
    const struct chosen_bead bead = {y->first + k, y->beads.type[k], y->beads.molecule_type[k],
                                     place[k]};
    in[k] = (char)bead_choice_has(c, &bead);
  }
  free(place);
  return in;
}

/* Unbroken ids without beads of the group's types that are not in it. */
struct stretch {
  int64_t first, last, has; /* has: beads of the group */
};

/* Those of this rank's block; without such that have no bead of the group, unless they reach the
   end of the block. Caller frees. */
static struct stretch *stretches_of(const struct search *s, const struct bead_group *g,
                                    const char *in, int64_t *n)
{
  const struct system *y = s->system;
  struct stretch *all = NULL;
  *n = 0;
  for (int64_t k = 0; k < y->n; k++) {
    const int64_t id = y->first + k;
    struct stretch *last = *n ? &all[*n - 1] : NULL;
    if (!in[k] && g->type[y->beads.type[k]]) continue;
    if (last && last->last + 1 == id) {
      last->last = id;
      last->has += in[k];
      continue;
    }
    if (last && !last->has && last->first > y->first) --*n;
    all = extend_array(all, *n, sizeof *all);
    all[(*n)++] = (struct stretch){id, id, in[k]};
  }
  return all;
}

/* Sets the types of a group, its ranges and the number of its beads. */
static void set_ranges(const struct search *s, struct bead_group *g, const char *in)
{
  const struct system *y = s->system;
  const int types = y->ff->n_types;
  int64_t *has = alloc_array(types, sizeof *has), n, bytes;
  for (int64_t k = 0; k < y->n; k++)
    has[y->beads.type[k]] |= in[k];
  ranks_max_int64(s->ranks, has, types);
  g->type = alloc_array(types, 1);
  for (int t = 0; t < types; t++)
    g->type[t] = has[t] != 0;
  free(has);
  struct stretch *own = stretches_of(s, g, in, &n);
  struct stretch *all = ranks_allgather(s->ranks, own, n * (int64_t)sizeof *own, &bytes);
  n = bytes / (int64_t)sizeof *all;
  g->range = alloc_array(n, sizeof *g->range);
  for (int64_t k = 0, next; k < n; k = next) {
    int64_t inside = 0;
    for (next = k; next < n && (next == k || all[next - 1].last + 1 == all[next].first); next++)
      inside += all[next].has;
    if (inside == 0) continue;
    g->range[g->n_ranges][0] = all[k].first;
    g->range[g->n_ranges++][1] = all[next - 1].last;
    g->n += inside;
  }
  free(own);
  free(all);
}

/* "DPPC 512, W 9000": the molecule types of the system and how many beads of each it has. */
static char *beads_text(const struct search *s)
{
  const struct system *y = s->system;
  const int n = y->ff->n_molecules;
  int64_t *count = alloc_array(n + 1, sizeof *count);
  struct text_stream text;
  const char *between = "";
  FILE *out = text_begin(&text);
  for (int64_t k = 0; k < y->n; k++)
    count[y->beads.molecule_type[k] < 0 ? n : y->beads.molecule_type[k]]++;
  ranks_sum_int64(s->ranks, count, n + 1);
  for (int k = 0; k <= n; k++) {
    if (count[k] == 0) continue;
    fprintf(out, "%s%s %lld", between, k < n ? y->ff->molecule[k].name : "other",
            (long long)count[k]);
    between = ", ";
  }
  free(count);
  return text_end(&text);
}

void group_find(struct bead_group *g, const struct ranks *r, struct system *y,
                const struct lipids *l, struct error_list *m)
{
  const struct search s = {r, y, l, m, g};
  const int good = find_parts(&s, &g->choice);
  char *in = beads_in(&s, &g->choice);
  set_ranges(&s, g, in);
  free(in);
  if (!good || g->n > 0) return;
  char *text = beads_text(&s);
  GROUP_ERROR(&s, "the group has no bead of the system, whose molecules have beads: %.300s", text);
  free(text);
}
