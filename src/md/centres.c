#include "md/centres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/log.h"
#include "base/portable.h"
#include "input/param.h"
#include "input/yaml_tree.h"
#include "molecules/group_find.h"
#include "pair/bias_body.h"

/* Groups and weights */

const struct coordinate *centres_owner(const struct bias_set *set, int centre)
{
  for (int k = 0; k < set->n_coordinates; k++)
    for (int j = 0; j < set->coordinate[k].n_centres; j++)
      if (set->coordinate[k].centre[j] == centre) return &set->coordinate[k];
  return set->coordinate;
}

/* Where a mistake of a centre is, in the list that v has: its coordinate. */
static int node_of(const struct params_value *v, const struct bias_set *set, int centre)
{
  return yaml_item(v->tree, v->node, (int)(centres_owner(set, centre) - set->coordinate));
}

/* Which group of its coordinate a centre is, from 1: those of `of`, then `from`. */
static int place_of(const struct bias_set *set, int centre)
{
  const struct coordinate *c = centres_owner(set, centre);
  int j = 0;
  while (j < c->n_centres - 1 && c->centre[j] != centre)
    j++;
  return j + 1;
}

static int same_group(const struct bead_group *a, const struct bead_group *b, int n_types)
{
  return !memcmp(a->type, b->type, (size_t)n_types) && a->n_ranges == b->n_ranges &&
         (a->n_ranges == 0 || !memcmp(a->range, b->range, (size_t)a->n_ranges * sizeof *a->range));
}

/* Sets integer weights and their sum from the number of beads of each type. */
static void weights_set(struct sim *s, struct biases *b, int k, int by_mass, struct params_value *v)
{
  const struct system *y = s->system;
  const struct forcefield *ff = y->ff;
  const struct bead_set set = bead_group_set(&b->group[k]);
  int64_t *count = alloc_array(ff->n_types, sizeof *count), most = INT64_C(1) << 31;
  int32_t *weight = b->weight + (int64_t)k * ff->n_types;
  double largest = 0;
  for (int64_t i = 0; i < y->n; i++)
    count[y->beads.type[i]] += bead_set_has(&set, y->beads.type[i], y->first + i);
  ranks_sum_int64(s->ranks, count, ff->n_types);
  for (int t = 0; t < ff->n_types; t++)
    b->set.beads[k] += count[t];
  if (b->set.beads[k] == 1) by_mass = 0; /* it may be a site without mass */
  for (int t = 0; t < ff->n_types; t++)
    if (count[t] > 0) largest = fmax(largest, by_mass ? ff->type[t].mass : 1);
  for (int t = 0; t < ff->n_types; t++) {
    if (count[t] > 0 && largest > 0)
      weight[t] = (int32_t)lround((by_mass ? ff->type[t].mass : 1) / largest * CENTRE_WEIGHT);
    b->set.total[k] += count[t] * weight[t];
  }
  free(count);
  if (b->set.total[k] == 0)
    yaml_add_error(v->tree, node_of(v, &b->set, k),
                   "the %lld beads of group %d of '%s' have no mass: give the coordinate weights: "
                   "geometry",
                   (long long)b->set.beads[k], place_of(&b->set, k),
                   centres_owner(&b->set, k)->name);
  if (b->set.beads[k] > most)
    yaml_add_error(v->tree, node_of(v, &b->set, k), "a group of '%s' has more than 2^31 beads",
                   centres_owner(&b->set, k)->name);
}

/* The vectors between centres of which a coordinate is made, by the numbers of its centres; how
   many there are. */
static int vectors_of(const struct coordinate *c, int vector[COORDINATE_CENTRES_MOST][2])
{
  const int chain = c->n_centres == 3 || (c->kind == COORDINATE_dihedral && c->n_centres == 4);
  const int of_beads = c->kind == COORDINATE_cylinder || c->kind == COORDINATE_contacts;
  const int n = of_beads ? 0 : chain ? c->n_centres - 1 : c->n_centres / 2;
  for (int k = 0; k < n; k++) {
    vector[k][0] = c->centre[chain ? k : 2 * k];
    vector[k][1] = c->centre[chain ? k + 1 : 2 * k + 1];
  }
  return n;
}

/* 1 if two centres are always at one place: of the same beads, or points that are equal. */
static int coincide(const struct bias_set *set, double (*point)[3], int a, int b)
{
  const double *p = point[a], *q = point[b];
  return a == b ||
         (set->beads[a] == 0 && set->beads[b] == 0 && p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
}

/* What makes a coordinate the same number for ever; NULL: nothing. */
static const char *constant_by(const struct bias_set *set, double (*point)[3],
                               const struct coordinate *c)
{
  int vector[COORDINATE_CENTRES_MOST][2], moves = c->n_centres == 0;
  const int n = vectors_of(c, vector);
  for (int k = 0; k < n; k++) {
    const int *v = vector[k], *w = vector[k - (k > 0)];
    if (coincide(set, point, v[0], v[1])) return "two of its groups are the same beads";
    if (k > 0 && c->kind != COORDINATE_projection &&
        ((coincide(set, point, v[0], w[0]) && coincide(set, point, v[1], w[1])) ||
         (coincide(set, point, v[0], w[1]) && coincide(set, point, v[1], w[0]))))
      return "two of its vectors are between the same groups";
  }
  for (int k = 0; k < c->n_centres; k++)
    moves |= set->beads[c->centre[k]] > 0;
  if (!moves) return "it is of points alone, and no group of beads";
  const int is_one = c->kind == COORDINATE_gyration ||
                     (c->kind == COORDINATE_contacts && c->centre[0] == c->centre[1]);
  if (is_one && set->beads[c->centre[0]] == 1) return "it is of one bead";
  return NULL;
}

static void refuse_constants(const struct bias_set *set, double (*point)[3], struct params_value *v)
{
  for (int k = 0; k < set->n_coordinates; k++) {
    const char *why = constant_by(set, point, &set->coordinate[k]);
    if (why)
      yaml_add_error(v->tree, yaml_item(v->tree, v->node, k), "'%s' says nothing: %s",
                     set->coordinate[k].name, why);
  }
}

void centres_find(struct sim *s, struct biases *b, struct centre_rule *rule, int n,
                  double point[CENTRES_MOST][3])
{
  const int types = s->system->ff->n_types;
  int number[CENTRE_RULES_MOST] = {0};
  struct error_list m = {0};
  struct params_value v = {0};
  for (int k = 0; k < n; k++)
    if (rule[k].is_point)
      rule[k].group.type = alloc_array(types, 1); /* no bead */
    else
      group_find(&rule[k].group, s->ranks, s->system, s->lipids, &m);
  error_list_check(&m);
  for (int k = 0; k < n; k++) {
    int same = rule[k].is_point ? k : 0;
    while (same < k && !(!rule[same].is_point && rule[same].by_mass == rule[k].by_mass &&
                         same_group(&rule[same].group, &rule[k].group, types)))
      same++;
    number[k] = same < k ? number[same] : b->set.n_centres++;
    if (b->set.n_centres > CENTRES_MOST)
      die_all(STATUS_INPUT, "%s: the coordinates of a run have at most %d groups",
              params_where(s->params, "coordinates",
                           (int)(centres_owner(&b->set, k) - b->set.coordinate)),
              CENTRES_MOST);
    if (same < k) continue;
    b->group[number[k]] = rule[k].group;
    b->by_mass[number[k]] = rule[k].by_mass;
    memcpy(point[number[k]], rule[k].point, sizeof point[0]);
  }
  for (int k = 0; k < b->set.n_coordinates; k++)
    for (int j = 0; j < b->set.coordinate[k].n_centres; j++)
      b->set.coordinate[k].centre[j] = number[b->set.coordinate[k].centre[j]];
  params_open(&v, s->params, "coordinates");
  b->weight = alloc_array((long long)b->set.n_centres * types, sizeof *b->weight);
  for (int k = 0, made = 0; k < n; k++) {
    if (rule[k].is_point)
      b->set.total[made++] = 1;
    else if (number[k] == made)
      weights_set(s, b, made++, rule[k].by_mass, &v);
    else
      bead_group_free(&rule[k].group);
  }
  refuse_constants(&b->set, point, &v);
  params_close(&v);
}

/* Contacts */

/* Appends the ids of the beads of a group, ascending, to those of n slots. */
static void slots_append(const struct sim *s, struct biases *b, int centre, int n)
{
  const struct system *y = s->system;
  const struct bead_set set = bead_group_set(&b->group[centre]);
  int64_t *own = alloc_array(b->set.beads[centre], sizeof *own), mine = 0, bytes;
  for (int64_t i = 0; i < y->n; i++)
    if (bead_set_has(&set, y->beads.type[i], y->first + i)) own[mine++] = y->first + i;
  int64_t *all = ranks_allgather(s->ranks, own, mine * (int64_t)sizeof *own, &bytes);
  b->slot_id = grow_array(b->slot_id, n + b->set.beads[centre], sizeof *b->slot_id);
  memcpy(b->slot_id + n, all, (size_t)bytes);
  free(all);
  free(own);
}

/* Words hold all pairs at once: their values are at most 1, their slopes m / r0 before they are
   stretched. */
static double contacts_scale(const struct contacts *c, double pairs)
{
  const double slope = c->m / (c->r0 * (1 - c->end));
  const int places = 61 - portable_binary_places(pairs * fmax(1, slope * fmax(1, c->d_max)));
  return ldexp(1, places < 45 ? places : 45);
}

void contacts_find(const struct sim *s, struct biases *b)
{
  struct bias_set *set = &b->set;
  double slope;
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *of = &set->coordinate[k];
    struct contacts *c = &set->coordinate[k].contacts;
    if (of->kind != COORDINATE_contacts) continue;
    if (contacts_too_far(of, s->system->box))
      die_all(STATUS_INPUT, "%s: '%s': d_max %g nm is more than half of the least %s, %.4g nm",
              params_where(s->params, "coordinates", k), of->name, c->d_max,
              box_width_name(s->system->box), box_least_height(s->system->box));
    c->few = set->beads[of->centre[0]] > set->beads[of->centre[1]];
    const int64_t few = set->beads[of->centre[c->few]], many = set->beads[of->centre[1 - c->few]];
    if (set->n_slots + few > SLOTS_MOST)
      die_all(STATUS_INPUT,
              "%s: '%s': the smaller of its groups has %lld beads: those of all contacts of a run "
              "may have %d; take fewer beads, such as one of a molecule",
              params_where(s->params, "coordinates", k), of->name, (long long)few, SLOTS_MOST);
    slots_append(s, b, of->centre[c->few], set->n_slots);
    c->end = contact_rational(c, c->d_max, &slope);
    c->scale = contacts_scale(c, (double)few * (double)many);
    c->order = set->n_contacts++;
    c->first_slot = set->n_slots;
    c->n_slots = (int)few;
    set->n_slots += (int)few;
  }
}

void centres_reads_set(struct bias_set *set, const double box[BOX])
{
  const int oblique = box_is_oblique(box);
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    int reads = c->kind == COORDINATE_distance || c->kind == COORDINATE_cylinder ||
                        c->kind == COORDINATE_contacts
                    ? 0
                    : 7;
    for (int d = 0; d < 3; d++)
      if (c->axis[d] != 0) reads |= oblique ? 7 & ~((1 << d) - 1) : 1 << d;
    for (int j = 0; j < c->n_centres; j++)
      set->reads[c->centre[j]] |= c->kind == COORDINATE_cylinder && j == 0 ? 7 : reads;
  }
}

void centres_moments_set(struct bias_set *set, const double box[BOX])
{
  double far = 2 * box_diagonal(box), beads = 1;
  int places = 61;
  for (int k = 0; k < set->n_coordinates; k++) {
    struct coordinate *c = &set->coordinate[k];
    c->n_moments = coordinate_kind_info[c->kind].moments;
    c->first_moment = set->n_moments;
    set->n_moments += c->n_moments;
    if (c->radius > 0) far = fmax(far, 2 * box_diagonal(box) / c->radius);
    if (coordinate_of_beads(c))
      beads = fmax(beads, (double)set->beads[c->centre[c->n_centres - 1]]);
  }
  places -= portable_binary_places(beads) + 2 * portable_binary_places(fmax(far, 2));
  set->moment_scale = ldexp(1, places < 45 ? places : 45);
}

/* References at the start */

/* The sums of all groups by the positions that the system holds. */
static void sum_beads(const struct sim *s, const struct bias_state *now, int64_t *word)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  memset(word, 0, BIAS_WORDS_MOST * sizeof *word);
  for (int k = 0; k < b->set.n_centres; k++) {
    const struct bead_set set = bead_group_set(&b->group[k]);
    for (int64_t i = 0; i < y->n; i++)
      if (bead_set_has(&set, y->beads.type[i], y->first + i))
        centre_add(y->beads.position + 3 * i,
                   b->set.n_constraints > 0 ? y->beads.residual + 3 * i : NULL, now->place[k],
                   b->set.reads[k], b->weight[(int64_t)k * y->ff->n_types + y->beads.type[i]],
                   word + (ptrdiff_t)CENTRE_WORDS * k);
  }
  ranks_sum_int64(s->ranks, word, CENTRE_WORDS * b->set.n_centres);
}

/* Sets the reference of a group along an axis to the circular mean of its beads. */
static void reference_guess(const struct sim *s, int k, int axis, struct bias_state *now)
{
  const struct system *y = s->system;
  const struct bead_set set = bead_group_set(&s->biases->group[k]);
  const double scale = 0x1p30, turn = 2 * 3.14159265358979323846;
  int64_t word[2] = {0, 0};
  for (int64_t i = 0; i < y->n; i++) {
    if (!bead_set_has(&set, y->beads.type[i], y->first + i)) continue;
    const double angle = turn * torus_fraction(y->beads.position[3 * i + axis]);
    word[0] += llrint(scale * portable_cos(angle));
    word[1] += llrint(scale * portable_sin(angle));
  }
  ranks_sum_int64(s->ranks, word, 2);
  now->place[k][axis] = (uint64_t)centre_of_words(word) << 32;
}

/* The place of a point, which scales with the box. */
static void reference_point(const struct sim *s, const double point[3], int k,
                            struct bias_state *now)
{
  double f[3];
  box_fraction(s->system->box, point, f);
  for (int d = 0; d < 3; d++)
    now->place[k][d] = (uint64_t)(int64_t)llrint((f[d] - floor(f[d])) * TORUS_EDGE) << 32;
}

/* word: the sums of all groups. */
static void refuse_wide(const struct sim *s, const int64_t *word)
{
  const struct bias_set *set = &s->biases->set;
  struct params_value v = {0};
  int wide = 0;
  for (int k = 0; k < set->n_centres; k++) {
    if (word[CENTRE_WORDS * k + CENTRE_WIDE] == 0) continue;
    if (!wide++) params_open(&v, s->params, "coordinates");
    yaml_add_error(v.tree, node_of(&v, set, k),
                   "group %d of '%s' (%lld beads) is wider than half the box along an axis that "
                   "the coordinate reads, so that its centre has no meaning: take fewer beads, or "
                   "a coordinate along another axis (along)",
                   place_of(set, k), centres_owner(set, k)->name, (long long)set->beads[k]);
  }
  if (wide) params_close(&v);
}

void centres_references_find(const struct sim *s, double (*point)[3], struct bias_state *now)
{
  enum { ROUNDS = 16 };
  const struct bias_set *set = &s->biases->set;
  int64_t word[BIAS_WORDS_MOST];
  int moved = 1;
  for (int k = 0; k < set->n_centres; k++) {
    for (int d = 0; d < 3 && set->beads[k] > 0; d++)
      if (set->reads[k] >> d & 1) reference_guess(s, k, d, now);
    if (set->beads[k] == 0) reference_point(s, point[k], k, now);
  }
  for (int round = 0; moved && round < ROUNDS; round++) {
    moved = 0;
    sum_beads(s, now, word);
    for (int k = 0; k < set->n_centres; k++)
      for (int d = 0; d < 3; d++) {
        const uint64_t next =
            centre_place(word + CENTRE_WORDS * k, d, set->total[k], now->place[k]);
        moved |= centre_reference(next) != centre_reference(now->place[k][d]);
        now->place[k][d] = next;
      }
  }
  sum_beads(s, now, word);
  refuse_wide(s, word);
}

/* The places of all slots. */
static void sum_slots(const struct sim *s, int64_t *word)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  for (int k = 0; k < b->set.n_coordinates; k++) {
    const struct coordinate *c = &b->set.coordinate[k];
    for (int64_t i = 0; c->kind == COORDINATE_contacts && i < y->n; i++) {
      const int slot = slot_find(&c->contacts, b->slot_id, y->first + i);
      if (slot >= 0) slot_place_set(y->beads.position + 3 * i, word + SLOT_PLACE_WORDS * slot);
    }
  }
  if (b->set.n_slots > 0) ranks_sum_int64(s->ranks, word, SLOT_PLACE_WORDS * b->set.n_slots);
}

static void sum_contacts(const struct sim *s, const struct coordinate *c, int64_t *word)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  const struct bead_set set = bead_group_set(&b->group[c->centre[1 - c->contacts.few]]);
  struct contact_blocks blocks;
  int64_t slope[3];
  contact_blocks_set(&b->set, &c->contacts, y->box, word, &blocks);
  for (int64_t i = 0; i < y->n; i++)
    if (bead_set_has(&set, y->beads.type[i], y->first + i))
      contacts_add(&b->set, c, &blocks, y->beads.position + 3 * i,
                   slot_find(&c->contacts, b->slot_id, y->first + i), word, slope);
}

/* The moments of all coordinates by the positions that the system holds. */
static void sum_moments(const struct sim *s, const struct bias_state *now, int64_t *word)
{
  int64_t *moment = word + bias_place_words(&s->biases->set);
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  for (int k = 0; k < b->set.n_coordinates; k++) {
    const struct coordinate *c = &b->set.coordinate[k];
    if (c->kind == COORDINATE_contacts) sum_contacts(s, c, word);
    if (!coordinate_of_beads(c)) continue;
    const int centre = c->centre[c->n_centres - 1];
    const struct bead_set set = bead_group_set(&b->group[centre]);
    struct coordinate_work w;
    coordinate_work_set(&b->set, k, now, y->box, &w);
    for (int64_t i = 0; i < y->n; i++)
      if (bead_set_has(&set, y->beads.type[i], y->first + i))
        moments_add(&b->set, k, &w, y->beads.position + 3 * i,
                    b->weight[(int64_t)centre * y->ff->n_types + y->beads.type[i]],
                    moment + c->first_moment);
  }
  if (b->set.n_moments > 0) ranks_sum_int64(s->ranks, moment, b->set.n_moments);
}

void centres_solve(const struct sim *s, const struct bias_state *before, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  int64_t word[BIAS_WORDS_MOST];
  struct coordinate_work work[COORDINATES_MOST];
  const struct hill_store none = {NULL, NULL};
  sum_beads(s, before, word);
  for (int k = 0; k < 3 * set->n_centres; k++)
    now->place[k / 3][k % 3] = centre_place(word + (ptrdiff_t)CENTRE_WORDS * (k / 3), k % 3,
                                            set->total[k / 3], before->place[k / 3]);
  sum_slots(s, slot_places(set, word));
  sum_moments(s, now, word);
  for (int k = 0; k < set->n_coordinates; k++)
    coordinate_set(set, k, moment_words(set, k, word), s->system->box, before, now, &work[k]);
  biases_evaluate(set, before->step, before, now, 0, 1);
  bias_solve(set, word, before->step, &none, work, before, now);
}
