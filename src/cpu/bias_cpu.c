/* Coordinates and biases of the CPU backend: loops over pair/bias_body.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/backend_cpu.h"
#include "dynamics/hold_body.h"
#include "pair/constraint_body.h"

struct cpu_bias {
  const struct biases *of;
  struct bead_set set[CENTRES_MOST];
  int n;
  int *bead;      /* [n]: owned beads of groups, ascending */
  uint32_t *mask; /* [n]: their groups */
  int *slot;      /* [n][n_contacts]: their slots; -1: none */
  int64_t *slope; /* [n][n_contacts][3]: of contacts by their places, in units of words */
  int64_t word[BIAS_WORDS_MOST], motion[MOTION_WORDS * CENTRES_MOST];
  struct bias_state state[2];   /* of even and odd steps */
  const struct bias_state *now; /* the one that was solved last */
  double *row;                  /* [BIAS_ROWS] rows */
  struct hill_store hills;
  struct hill recent[HILLS_RECENT];
};

static struct bias_state *state_of(struct cpu_bias *b, int64_t step)
{
  return &b->state[step & 1];
}

void cpu_bias_open(struct cpu *c)
{
  const struct biases *of = c->config.biases;
  if (!of) return;
  struct cpu_bias *b = c->bias = alloc_array(1, sizeof *b);
  b->of = of;
  for (int k = 0; k < of->set.n_centres; k++)
    b->set[k] = bead_group_set(&of->group[k]);
  b->row = alloc_array(BIAS_ROWS * bias_row_length(&of->set), sizeof *b->row);
  b->hills.recent = b->recent;
}

void cpu_bias_close(struct cpu *c)
{
  if (!c->bias) return;
  free(c->bias->bead);
  free(c->bias->mask);
  free(c->bias->slot);
  free(c->bias->slope);
  free(c->bias->row);
  free(c->bias->hills.node);
  free(c->bias);
}

/* Adds the pairs of the owned beads of the larger group of contacts to words, which have the places
   of all slots, and sets the slopes by the places of those beads. */
static void sum_contacts(struct cpu *c, const struct coordinate *of, int64_t *word)
{
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  const int many = of->centre[1 - of->contacts.few];
  struct contact_blocks blocks;
  contact_blocks_set(s, &of->contacts, c->box, word, &blocks);
  for (int m = 0; m < b->n; m++) {
    const int64_t at = (int64_t)s->n_contacts * m + of->contacts.order;
    if (b->mask[m] >> many & 1)
      contacts_add(s, of, &blocks, c->record[b->bead[m]].x, b->slot[at], word, b->slope + 3 * at);
  }
}

/* The slots of the beads, and the slopes by their places: in a step whose lists expire, biases are
   computed before the list build. */
static void slots_find(struct cpu *c)
{
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  const int64_t each = s->n_contacts;
  int64_t word[BIAS_WORDS_MOST];
  memcpy(word, b->word, sizeof word);
  b->slot = alloc_array(b->n * each, sizeof *b->slot);
  b->slope = alloc_array(3 * b->n * each, sizeof *b->slope);
  for (int k = 0; k < s->n_coordinates; k++) {
    const struct contacts *of = &s->coordinate[k].contacts;
    if (s->coordinate[k].kind != COORDINATE_contacts) continue;
    for (int m = 0; m < b->n; m++)
      b->slot[each * m + of->order] = slot_find(of, b->of->slot_id, c->id[b->bead[m]]);
    sum_contacts(c, &s->coordinate[k], word);
  }
}

void cpu_bias_find(struct cpu *c)
{
  struct cpu_bias *b = c->bias;
  if (!b) return;
  free(b->bead);
  free(b->mask);
  free(b->slot);
  free(b->slope);
  b->bead = NULL;
  b->mask = NULL;
  b->slot = NULL;
  b->slope = NULL;
  b->n = 0;
  for (int i = 0; i < c->base.n; i++) {
    const uint32_t mask = centre_mask(b->set, b->of->set.n_centres, c->record[i].type, c->id[i]);
    if (!mask) continue;
    b->bead = extend_array(b->bead, b->n, sizeof *b->bead);
    b->mask = extend_array(b->mask, b->n, sizeof *b->mask);
    b->bead[b->n] = i;
    b->mask[b->n++] = mask;
  }
  if (b->of->set.n_contacts > 0) slots_find(c);
}

static int64_t *sum(struct backend *base, int64_t step)
{
  struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  const struct bias_state *before = state_of(b, step - 1);
  memset(b->word, 0, (size_t)bias_words(s) * sizeof *b->word);
  for (int m = 0; m < b->n; m++) {
    const struct bead_record *bead = &c->record[b->bead[m]];
    const uint32_t *residual = s->n_constraints > 0 ? c->beads.residual + 3LL * b->bead[m] : NULL;
    uint32_t mask = b->mask[m];
    for (int k = 0; mask; k++, mask >>= 1)
      if (mask & 1)
        centre_add(bead->x, residual, before->place[k], s->reads[k],
                   b->of->weight[k * c->config.ff->n_types + bead->type],
                   b->word + CENTRE_WORDS * k);
    for (int q = 0; q < s->n_contacts; q++) {
      const int slot = b->slot[(int64_t)s->n_contacts * m + q];
      if (slot >= 0) slot_place_set(bead->x, slot_places(s, b->word) + SLOT_PLACE_WORDS * slot);
    }
  }
  return b->word;
}

/* Sets the places of the centres of a step, from sums over all ranks. */
static struct bias_state *places_set(struct cpu_bias *b, int64_t step)
{
  const struct bias_set *s = &b->of->set;
  const struct bias_state *before = state_of(b, step - 1);
  struct bias_state *now = state_of(b, step);
  for (int k = 0; k < s->n_centres; k++)
    for (int d = 0; d < 3; d++)
      now->place[k][d] = centre_place(b->word + CENTRE_WORDS * k, d, s->total[k], before->place[k]);
  return now;
}

static int64_t *sum_moments(struct backend *base, int64_t step)
{
  struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  const struct bias_state *now = places_set(b, step);
  int64_t *word = b->word + bias_place_words(s);
  for (int k = 0; k < s->n_coordinates; k++) {
    const struct coordinate *of = &s->coordinate[k];
    if (of->kind == COORDINATE_contacts) sum_contacts(c, of, b->word);
    if (!coordinate_of_beads(of)) continue;
    const int centre = of->centre[of->n_centres - 1];
    struct coordinate_work w;
    coordinate_work_set(s, k, now, c->box, &w);
    for (int m = 0; m < b->n; m++) {
      const struct bead_record *bead = &c->record[b->bead[m]];
      if (b->mask[m] >> centre & 1)
        moments_add(s, k, &w, bead->x, b->of->weight[centre * c->config.ff->n_types + bead->type],
                    word + of->first_moment);
    }
  }
  return word;
}

static void solve(struct backend *base, int64_t step)
{
  struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  struct bias_state *now = places_set(b, step);
  b->now = now;
  const struct bias_state *before = state_of(b, step - 1);
  struct coordinate_work work[COORDINATES_MOST];
  for (int k = 0; k < s->n_coordinates; k++)
    coordinate_set(s, k, moment_words(s, k, b->word), c->box, before, now, &work[k]);
  if (hill_deposit(s, &b->hills, before, step, 0, 1)) hill_keep(s, &b->hills, before);
  biases_evaluate(s, step, before, now, 0, 1);
  bias_solve(s, b->word, step, &b->hills, work, before, now);
  double *row = bias_row(s, step, b->row);
  if (row) bias_row_set(s, now, row);
}

static void load(struct backend *base, const struct bias_state *before, const double *node)
{
  struct cpu_bias *b = cpu_of(base)->bias;
  const struct hill_grid *g = &b->of->set.hills;
  *state_of(b, before->step - 1) = *before;
  if (!node) return;
  const int64_t n = (int64_t)hill_nodes(g) * hill_node_values(g);
  b->hills.node = grow_array(b->hills.node, n, sizeof *node);
  memcpy(b->hills.node, node, (size_t)n * sizeof *node);
}

static void fetch(struct backend *base, int64_t step, struct bias_state *now, int64_t first,
                  double *row)
{
  struct cpu_bias *b = cpu_of(base)->bias;
  const struct bias_set *s = &b->of->set;
  const int n = bias_row_length(s);
  *now = *state_of(b, step);
  for (int64_t k = first; s->rows_every > 0 && k <= step; k += s->rows_every, row += n)
    memcpy(row, bias_row(s, k, b->row), (size_t)n * sizeof *row);
}

static void fetch_hills(struct backend *base, int64_t first, int64_t n, struct hill *to)
{
  const struct hill *recent = cpu_of(base)->bias->recent;
  for (int64_t k = 0; k < n; k++)
    to[k] = recent[(first + k) % HILLS_RECENT];
}

void cpu_bias_add(struct cpu *c, int energy)
{
  struct cpu_bias *b = c->bias;
  if (!b) return;
  const struct bias_set *s = &b->of->set;
  struct coordinate_work work[COORDINATES_MOST];
  for (int k = 0; k < s->n_coordinates; k++)
    bead_work_set(s, k, b->now, c->box, &work[k]);
  for (int m = 0; m < b->n; m++) {
    const int i = b->bead[m];
    centre_force_add(s, b->now, work, b->of->weight, c->config.ff->n_types, b->mask[m],
                     c->record[i].type, c->record[i].x, c->force + 3 * (int64_t)i);
    if (s->n_contacts > 0)
      contact_forces_add(s, b->now, b->slot + (int64_t)s->n_contacts * m,
                         b->slope + 3LL * s->n_contacts * m, slot_slopes(s, b->word),
                         c->force + 3 * (int64_t)i);
  }
  if (energy && s->adds_up)
    bias_sums_add(b->now, (double)(INT64_C(1) << sum_bits(c->config.n_total)), &c->sums);
}

/* Constraints */

static void hold(struct backend *base, const struct integrate_params *m)
{
  struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  const struct bias_state *before = state_of(b, m->step);
  struct bias_state *now = places_set(b, m->step + 1);
  constraint_hold(s, c->box, m->dt, m->max_displacement, m->step + 1, before, now);
  for (int k = 0; k < b->n; k++) {
    const int i = b->bead[k], type = c->record[i].type;
    struct body body = body_load(&c->beads, NULL, NULL, i);
    if (!(b->mask[k] & s->held)) continue;
    hold_shift(&body, c->inertia[type].mass, now, b->of->ease, c->config.ff->n_types,
               b->mask[k] & s->held, type, c->box);
    body_store(&body, &c->beads, i);
  }
  cpu_moved(c);
}

static int64_t *sum_motion(struct backend *base, int64_t step)
{
  const struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  (void)step;
  memset(b->motion, 0, sizeof b->motion);
  for (int m = 0; m < b->n; m++) {
    const int i = b->bead[m], type = c->record[i].type;
    uint32_t mask = b->mask[m] & b->of->set.held;
    for (int k = 0; mask; k++, mask >>= 1)
      if (mask & 1)
        motion_add(c->beads.momentum + 3LL * i, c->force + 3LL * i, c->inertia[type].inverse_mass,
                   b->of->weight[k * c->config.ff->n_types + type], b->motion + MOTION_WORDS * k);
  }
  return b->motion;
}

static void settle(struct backend *base, int64_t step, int moves)
{
  struct cpu *c = cpu_of(base);
  struct cpu_bias *b = c->bias;
  const struct bias_set *s = &b->of->set;
  struct bias_state *now = state_of(b, step);
  constraint_settle(s, b->motion, c->box, state_of(b, step - 1), now);
  double *row = bias_row(s, step, b->row);
  if (row) bias_row_set(s, now, row);
  for (int k = 0; moves && k < b->n; k++) {
    const int i = b->bead[k], type = c->record[i].type;
    if (b->mask[k] & s->held)
      hold_kick(c->beads.momentum + 3LL * i, c->inertia[type].mass, now, b->of->ease,
                c->config.ff->n_types, b->mask[k] & s->held, type);
  }
}

void cpu_bias_sums(const struct cpu *c, double scale, struct sums *out)
{
  const struct cpu_bias *b = c->bias;
  if (b && b->of->set.n_constraints > 0 && b->of->set.adds_up)
    constraint_sums_add(b->now, scale, out);
}

const struct bias_ops cpu_bias_ops = {.sum = sum,
                                      .sum_moments = sum_moments,
                                      .solve = solve,
                                      .hold = hold,
                                      .sum_motion = sum_motion,
                                      .settle = settle,
                                      .load = load,
                                      .fetch = fetch,
                                      .fetch_hills = fetch_hills};
