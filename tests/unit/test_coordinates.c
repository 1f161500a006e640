/* Every kind of coordinate and of bias: slopes by the centres of groups and by the box are those of
   the value, forces those of the energy, work that of the change of parameters. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "pair/bias_body.h"
#include "tests/support/unit.h"

enum { SHAPES = 200 };

/* Numbers at random in (-1, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(7, count++, 0, RNG_BUILD).word[0] + 0.5) / 2147483648.0 - 1;
}

static uint64_t random_bits(void)
{
  return (uint64_t)((random_number() + 1) * 0x1p31) << 32 |
         (uint64_t)((random_number() + 1) * 0x1p31);
}

/* Coordinates */

/* The forms of a kind without moments: which options it has. Returns 0 where there are no more. */
static int form_of(int kind, int form, struct coordinate *c)
{
  static const int axes[] = {1, 2, 4, 3, 5, 6, 7};
  const struct coordinate_kind_info *info = &coordinate_kind_info[kind];
  const int is_distance = kind == COORDINATE_distance;
  memset(c, 0, sizeof *c);
  c->kind = kind;
  c->n_centres = is_distance ? 2 : form == 0 ? info->least : info->most;
  for (int k = 0; k < 3; k++)
    c->axis[k] = is_distance && form < 7 ? axes[form] >> k & 1 : random_number();
  c->is_length = is_distance && ((form >= 3 && form < 7) || form == 9);
  c->follows = is_distance && form == 8;
  if (is_distance && form == 9) c->axis[0] = c->axis[1] = 0, c->axis[2] = 1;
  return form < (is_distance ? 10 : 2);
}

static void random_box(double box[BOX])
{
  for (int k = 0; k < 3; k++)
    box[k] = 5 + random_number();
  for (int k = 3; k < BOX; k++)
    box[k] = random_number();
}

/* Centres that are not so far apart that the image changes. */
static void random_places(struct coordinate_work *w)
{
  const uint64_t at[3] = {random_bits(), random_bits(), random_bits()};
  memset(w, 0, sizeof *w);
  random_box(w->box);
  for (int j = 0; j < COORDINATE_CENTRES_MOST; j++)
    for (int d = 0; d < 3; d++)
      w->place[j][d] = at[d] + (uint64_t)(int64_t)(0.2 * random_number() * 0x1p63);
}

/* The value where centre j is moved by the vector x, nm. */
static double moved(const struct coordinate *c, const struct coordinate_work *at, int j,
                    const double x[3])
{
  struct coordinate_work w = *at;
  double f[3];
  box_fraction(w.box, x, f);
  for (int d = 0; d < 3; d++)
    w.place[j][d] += (uint64_t)(int64_t)(f[d] * 0x1p64);
  coordinate_evaluate(c, &w);
  return w.value;
}

/* The value where the box and all in it become r + e r, e_ab = h, others 0. The box is a lattice:
   where e makes its vectors leave the form of struct box, positions move instead. */
static double strained(const struct coordinate *c, const struct coordinate_work *at, int a, int b,
                       double h)
{
  struct coordinate_work w = *at;
  double row[9];
  box_rows(w.box, row);
  if (a <= b) { /* x gets of y: stays triangular */
    for (int v = 0; v < 3; v++)
      row[3 * v + a] += h * row[3 * v + b];
    box_of_rows(row, w.box);
    coordinate_evaluate(c, &w);
    return w.value;
  }
  for (int j = 1; j < c->n_centres; j++) {
    double f[3], d[3], move[3] = {0, 0, 0};
    coordinate_fraction(&w, j, 0, f);
    box_vector(w.box, f, d);
    move[a] = h * d[b];
    box_fraction(w.box, move, f);
    for (int k = 0; k < 3; k++)
      w.place[j][k] += (uint64_t)(int64_t)(f[k] * 0x1p64);
  }
  coordinate_evaluate(c, &w);
  return w.value;
}

/* With the axes that count only: others are of groups that may be as wide as the box. */
static int counts(const struct coordinate *c, int a, int b)
{
  return c->kind != COORDINATE_distance || (c->axis[a] != 0 && c->axis[b] != 0);
}

/* The slope from two values, h to each side, where values may have a period. */
static double slope_of(const struct coordinate *c, double up, double down, double h)
{
  return (coordinate_kind_info[c->kind].turns ? remainder(up - down, 2 * UNITS_PI) : up - down) /
         (2 * h);
}

static void check_slopes(const struct coordinate *c)
{
  const double h = 1e-5;
  struct coordinate_work w;
  double size = 1; /* slopes of a short vector are large, and change within h */
  random_places(&w);
  coordinate_evaluate(c, &w);
  for (int j = 0; j < c->n_centres; j++)
    for (int d = 0; d < 3; d++)
      size = fmax(size, fabs(w.slope[j][d]));
  const double allowed = 1e-7 + 1e-8 * size * size * size;
  for (int j = 0; j < c->n_centres; j++)
    for (int d = 0; d < 3; d++) {
      double up[3] = {0, 0, 0}, down[3] = {0, 0, 0};
      up[d] = h;
      down[d] = -h;
      const double slope = slope_of(c, moved(c, &w, j, up), moved(c, &w, j, down), h);
      assert_true(fabs(slope - w.slope[j][d]) < allowed);
    }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const double slope = slope_of(c, strained(c, &w, a, b, h), strained(c, &w, a, b, -h), h);
      if (counts(c, a, b))
        assert_true(fabs(slope - w.strain[3 * b + a]) < 10 * allowed + 1e-9 * w.value);
    }
}

static void slopes_of_coordinates(void **state)
{
  struct coordinate c;
  (void)state;
  for (int kind = 0; kind < COORDINATE_KINDS; kind++)
    for (int form = 0; !coordinate_kind_info[kind].moments && form_of(kind, form, &c); form++)
      for (int n = 0; n < SHAPES / 4; n++) {
        form_of(kind, form, &c);
        check_slopes(&c);
      }
}

/* A followed difference goes on over many boxes, and its value with it. */
static void followed(void **state)
{
  struct coordinate c;
  struct coordinate_work w;
  (void)state;
  form_of(COORDINATE_distance, 8, &c);
  random_places(&w);
  coordinate_evaluate(&c, &w);
  const double first = w.value, step = 0.3;
  for (int k = 1; k <= 60; k++) {
    double f[3], x[3];
    for (int d = 0; d < 3; d++)
      x[d] = step * c.axis[d] / 2;
    box_fraction(w.box, x, f);
    for (int d = 0; d < 3; d++)
      w.place[0][d] += (uint64_t)(int64_t)(f[d] * 0x1p64);
    coordinate_evaluate(&c, &w);
    double want = first;
    for (int d = 0; d < 3; d++)
      want += k * x[d] * c.axis[d];
    assert_true(fabs(w.value - want) < 1e-9);
  }
}

/* Biases */

static struct bias random_bias(int kind)
{
  struct bias b;
  memset(&b, 0, sizeof b);
  b.kind = kind;
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++)
    b.parameter[k] = ramp_constant(0);
  const struct bias_parameter *p = bias_kind_info[kind].parameter;
  for (int k = 0; p[k].name; k++) {
    const double low = fmax(p[k].low, -20), high = fmin(p[k].high, 20);
    b.parameter[k].n = 2;
    b.parameter[k].time[1] = 10;
    for (int j = 0; j < 2; j++)
      b.parameter[k].value[j] = low + 0.5 * (random_number() + 1) * (high - low);
    b.places |= p[k].is_place << k;
  }
  for (int k = 1; b.places && p[k].name && p[k + 1].name; k++) /* low below high */
    for (int j = 0; j < 2; j++)
      b.parameter[k + 1].value[j] = b.parameter[k].value[j] + 1;
  b.rate = b.places ? random_number() : 0;
  b.unit = 1;
  b.moves = 1;
  static struct tabulated_piece piece[10]; /* of one parabola, beyond which it is straight */
  for (int k = 0; k < 10; k++) {
    const double x = 3 * k - 15.0;
    piece[k] = (struct tabulated_piece){{x * x, 6 * x, 9, 0}};
  }
  if (kind == BIAS_table) {
    b.n_pieces = 10;
    b.table_start = -15;
    b.table_step = 3;
    b.piece = piece;
  }
  return b;
}

static void slopes_of_biases(void **state)
{
  const double h = 1e-5;
  (void)state;
  for (int kind = 0; kind < BIAS_KINDS; kind++) {
    double largest = 0;
    for (int n = 0; n < SHAPES; n++) {
      const struct bias b = random_bias(kind);
      double p[BIAS_PARAMETERS_MOST], x = 20 * random_number();
      bias_parameters(&b, 5 * (random_number() + 1), p);
      const double f = bias_evaluate(&b, p, x).f;
      const double slope =
          (bias_evaluate(&b, p, x + h).u - bias_evaluate(&b, p, x - h).u) / (2 * h);
      assert_true(fabs(slope + f) < 1e-6 * (1000 + fabs(f)));
      largest = fmax(largest, fabs(f));
    }
    if (kind == BIAS_constraint)
      assert_true(largest == 0);
    else
      assert_true(largest > 1 || kind == BIAS_metadynamics); /* test_hills.c */
  }
}

/* Biases on values with a period see no whole periods, and act towards the nearest place. */
static void periods(void **state)
{
  (void)state;
  for (int kind = 0; kind < BIAS_KINDS; kind++)
    for (int n = 0; n < SHAPES; n++) {
      struct bias b = random_bias(kind);
      double p[BIAS_PARAMETERS_MOST], x = 20 * random_number();
      bias_parameters(&b, 5, p);
      b.period = 50;
      const struct bias_value v = bias_evaluate(&b, p, x), w = bias_evaluate(&b, p, x + 150);
      if (b.places || kind == BIAS_table)
        assert_true(fabs(v.u - w.u) < 1e-9 * (1 + fabs(v.u)) && fabs(v.f - w.f) < 1e-9 * 1e3);
      if (kind == BIAS_umbrella) {
        const double away = remainder(x - p[1], 50);
        assert_true(fabs(v.u - 0.5 * p[0] * away * away) < 1e-9 * (1 + fabs(v.u)));
      }
    }
}

/* Energy along a path: its change is the work less force times way, to second order of the step. */
static void work(void **state)
{
  const int steps = 2000;
  (void)state;
  for (int kind = 0; kind < BIAS_KINDS; kind++)
    for (int n = 0; n < 20; n++) {
      const struct bias b = random_bias(kind);
      double p[BIAS_PARAMETERS_MOST], before[BIAS_PARAMETERS_MOST], sum = 0, way = 0, size = 0;
      bias_parameters(&b, 0, before);
      double x_before = 3 * sin(0.1 * n);
      const double first = bias_evaluate(&b, before, x_before).u;
      for (int k = 1; k <= steps; k++) {
        const double x = 3 * sin(0.1 * n + 2.0 * k / steps);
        bias_parameters(&b, 10.0 * k / steps, p);
        const double w = bias_work(&b, p, before, x, x_before);
        sum += w;
        size += fabs(w);
        way -= 0.5 * (x - x_before) *
               (bias_evaluate(&b, p, x).f + bias_evaluate(&b, before, x_before).f);
        memcpy(before, p, sizeof p);
        x_before = x;
      }
      const double change = bias_evaluate(&b, p, x_before).u - first;
      assert_true(fabs(change - sum - way) < 1e-4 * (1 + size + fabs(change)));
    }
}

/* Coordinates of beads, by all that a step does: a group of each centre, of random weights. */

enum { EACH = 12, GROUPS = 2 };

struct small_system {
  double box[BOX];
  int32_t x[GROUPS * EACH][3];
  int32_t weight[GROUPS * EACH]; /* each bead has a type of its own */
};

static struct bias_set set_of(const struct coordinate *c, const struct small_system *y)
{
  struct bias_set set;
  memset(&set, 0, sizeof set);
  set.n_centres = c->n_centres;
  set.n_coordinates = set.n_biases = 1;
  set.coordinate[0] = *c;
  set.n_moments = c->n_moments;
  set.moment_scale = 0x1p40;
  set.n_contacts = c->kind == COORDINATE_contacts;
  set.n_slots = c->contacts.n_slots;
  for (int k = 0; k < c->n_centres; k++) {
    set.reads[k] = 7;
    for (int i = 0; i < EACH; i++)
      set.total[k] += y->weight[EACH * k + i];
  }
  set.bias[0].kind = BIAS_constant_force;
  set.bias[0].unit = 1;
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++)
    set.bias[0].parameter[k] = ramp_constant(k == 0);
  return set;
}

/* Adds the pairs of the beads of group 1 with those of group 0, whose slots they are. */
static void sum_pairs(const struct bias_set *set, const struct small_system *y, int64_t *word,
                      int64_t (*slope)[3])
{
  const struct coordinate *c = set->coordinate;
  struct contact_blocks blocks;
  for (int i = 0; i < EACH; i++)
    slot_place_set(y->x[i], slot_places(set, word) + (ptrdiff_t)SLOT_PLACE_WORDS * i);
  contact_blocks_set(set, &c->contacts, y->box, word, &blocks);
  for (int i = EACH; i < GROUPS * EACH; i++)
    contacts_add(set, c, &blocks, y->x[i], -1, word, slope[i]);
}

/* What a step has computed. */
static int64_t word[BIAS_WORDS_MOST], pair_slope[GROUPS * EACH][3];

/* The state of the system; its potential is minus the value. */
static void state_set(const struct bias_set *set, const struct small_system *y,
                      struct bias_state *now)
{
  static struct bias_state before;
  struct coordinate_work w;
  memset(&before, 0, sizeof before);
  memset(now, 0, sizeof *now);
  memset(word, 0, sizeof word);
  for (int k = 0; k < set->n_centres; k++) {
    for (int d = 0; d < 3; d++)
      before.place[k][d] = (uint64_t)(uint32_t)y->x[EACH * k][d] << 32;
    for (int i = 0; i < EACH; i++)
      centre_add(y->x[EACH * k + i], NULL, before.place[k], 7, y->weight[EACH * k + i],
                 word + (ptrdiff_t)CENTRE_WORDS * k);
    for (int d = 0; d < 3; d++)
      now->place[k][d] =
          centre_place(word + (ptrdiff_t)CENTRE_WORDS * k, d, set->total[k], before.place[k]);
  }
  const int last = EACH * (set->n_centres - 1);
  coordinate_work_set(set, 0, now, y->box, &w);
  for (int i = last; coordinate_of_beads(set->coordinate) && i < last + EACH; i++)
    moments_add(set, 0, &w, y->x[i], y->weight[i], word + bias_place_words(set));
  if (set->n_contacts) sum_pairs(set, y, word, pair_slope);
  const struct hill_store none = {NULL, NULL};
  coordinate_set(set, 0, moment_words(set, 0, word), y->box, &before, now, &w);
  biases_evaluate(set, 0, &before, now, 0, 1);
  bias_solve(set, word, 0, &none, &w, &before, now);
}

static double value_of(const struct bias_set *set, const struct small_system *y)
{
  static struct bias_state now;
  state_set(set, y, &now);
  return now.value[0];
}

/* The force on bead i, of group i / EACH. */
static void force_of(const struct bias_set *set, const struct small_system *y,
                     const struct bias_state *now, int i, double f[3])
{
  int32_t weight[GROUPS * GROUPS * EACH] = {0};
  const int slot = i < EACH ? i : -1;
  struct coordinate_work w;
  for (int k = 0; k < set->n_centres; k++)
    for (int j = 0; j < EACH; j++)
      weight[k * GROUPS * EACH + EACH * k + j] = y->weight[EACH * k + j];
  bead_work_set(set, 0, now, y->box, &w);
  centre_force_add(set, now, &w, weight, GROUPS * EACH, UINT32_C(1) << (i / EACH), i, y->x[i], f);
  contact_forces_add(set, now, &slot, pair_slope[i], slot_slopes(set, word), f);
}

/* The slope by the place of bead i is the force on it, and that by the strain of the box its
   virial. The places of beads are rounded: h is large. */
static void check_beads(const struct coordinate *c, const struct small_system *y)
{
  static struct bias_state now;
  const struct bias_set set = set_of(c, y);
  const double h = 1e-4, allowed = c->kind == COORDINATE_contacts ? 5e-4 : 2e-5;
  double largest = 0, all[3] = {0, 0, 0};
  for (int i = 0; i < EACH * set.n_centres; i++) {
    double f[3] = {0, 0, 0};
    state_set(&set, y, &now);
    force_of(&set, y, &now, i, f);
    for (int d = 0; d < 3; d++)
      all[d] += f[d];
    for (int d = 0; d < 3; d++) {
      struct small_system up = *y, down = *y;
      double move[3] = {0, 0, 0}, part[3];
      move[d] = h;
      box_fraction(y->box, move, part);
      for (int k = 0; k < 3; k++) {
        up.x[i][k] += (int32_t)lround(part[k] * TORUS_EDGE);
        down.x[i][k] -= (int32_t)lround(part[k] * TORUS_EDGE);
      }
      const double slope = (value_of(&set, &up) - value_of(&set, &down)) / (2 * h);
      assert_true(fabs(slope - f[d]) < allowed);
      largest = fmax(largest, fabs(f[d]));
    }
  }
  assert_true(largest > 1e-3);
  for (int d = 0; d < 3; d++)
    assert_true(fabs(all[d]) < 1e-9);
  state_set(&set, y, &now);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      struct small_system up = *y, down = *y;
      double row[9], change[9];
      box_rows(y->box, row);
      for (int sign = -1; sign <= 1; sign += 2) {
        memcpy(change, row, sizeof row);
        for (int v = 0; v < 3; v++)
          change[3 * v + a] += sign * h * row[3 * v + b];
        box_of_rows(change, sign > 0 ? up.box : down.box);
      }
      const double slope = (value_of(&set, &up) - value_of(&set, &down)) / (2 * h);
      assert_true(fabs(slope - now.virial[3 * b + a]) < allowed / 2);
    }
}

/* Those whose slope at d_max is next to 0. */
static struct contacts random_contacts(int form)
{
  struct contacts c;
  double slope;
  memset(&c, 0, sizeof c);
  c.r0 = 0.5 + 0.1 * random_number();
  c.d0 = form % 2 ? 0.1 : 0;
  c.d_max = 1.7;
  c.n = 12;
  c.m = form % 3 ? 24 : 27;
  c.end = contact_rational(&c, c.d_max, &slope);
  c.scale = 0x1p40;
  c.n_slots = EACH;
  return c;
}

static void slopes_of_beads(void **state)
{
  (void)state;
  for (int kind = 0; kind < COORDINATE_KINDS; kind++)
    for (int n = 0; coordinate_kind_info[kind].moments && n < 40; n++) {
      struct small_system y;
      struct coordinate c;
      memset(&c, 0, sizeof c);
      c.kind = kind;
      c.unit = 1;
      c.n_moments = coordinate_kind_info[kind].moments;
      c.n_centres = coordinate_kind_info[kind].most + (kind != COORDINATE_gyration);
      if (kind == COORDINATE_contacts) c.contacts = random_contacts(n);
      c.centre[1] = 1;
      c.radius = 1.2;
      double norm2 = 0;
      for (int d = 0; d < 3; d++) {
        c.axis[d] = n % 2 ? d == 2 : random_number();
        norm2 += c.axis[d] * c.axis[d];
      }
      for (int d = 0; d < 3; d++)
        c.axis[d] /= sqrt(norm2);
      random_box(y.box);
      const uint64_t at[3] = {random_bits(), random_bits(), random_bits()};
      for (int i = 0; i < GROUPS * EACH; i++) {
        y.weight[i] = (int32_t)((random_number() + 1) * 0x1p29);
        for (int d = 0; d < 3; d++)
          y.x[i][d] = (int32_t)(uint32_t)((at[d] >> 32) +
                                          (uint64_t)(int64_t)(0.15 * random_number() * 0x1p32));
      }
      check_beads(&c, &y);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_of_coordinates),
                                     cmocka_unit_test(slopes_of_beads),
                                     cmocka_unit_test(followed),
                                     cmocka_unit_test(slopes_of_biases),
                                     cmocka_unit_test(periods),
                                     cmocka_unit_test(work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
