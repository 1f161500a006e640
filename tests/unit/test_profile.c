/* The bins of profiles against direct loops over beads; the pressure profile against one that walks
   all pairs of beads and spreads each over the bins that its segment crosses (Irving and Kirkwood),
   and against the virial. */
#include "tests/support/profiles.h"

#include "backend/profile_body.h"
#include "base/rotation.h"
#include "observe/stress_profile.h"
#include "pair/force_body.h"
#include "pair/model_body.h"

static struct system *membrane;
static struct tables tables;

static int prepare(void **state)
{
  (void)state;
  membrane = membrane_make("elba");
  tables_make(&tables, membrane, BINS);
  return 0;
}

static int finish(void **state)
{
  (void)state;
  tables_free(&tables);
  system_destroy(membrane);
  return 0;
}

static struct backend *make(int precision)
{
  return backend_of(&backend_cpu, membrane, precision);
}

static int species_of(int64_t k)
{
  const int env = membrane->beads.bonded_env[k];
  return env >= 0 ? tables.of_env[env] : tables.of_type[membrane->beads.type[k]];
}

/* Height in the profile, in bins, of a bead. */
static double height_of(int64_t k)
{
  const double z = (double)(uint32_t)membrane->beads.position[3 * k + 2] / 4294967296.0;
  const double up = z - (double)tables.profile.centre / 4294967296.0 + 0.5;
  return (up - floor(up)) * BINS;
}

static void counts_and_dipoles(void **state)
{
  (void)state;
  const int types = membrane->ff->n_types;
  int64_t *number = alloc_array(SPECIES * BINS, sizeof *number);
  double *dipole = alloc_array((long long)types * BINS, sizeof *dipole);
  for (int64_t k = 0; k < membrane->n; k++) {
    const int at = (int)height_of(k), type = membrane->beads.type[k];
    const double *q = membrane->beads.orientation + 4 * k;
    number[species_of(k) * BINS + at]++;
    if (membrane->ff->type[type].dipole != 0)
      dipole[type * BINS + at] += q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
  }
  int n;
  struct backend *b = make(PRECISION_MIXED);
  int64_t *bin = bins_of(b, membrane, TALLY_PROFILE, &tables.profile, &n);
  assert_int_equal(n, (SPECIES + types) * BINS);
  assert_memory_equal(bin, number, SPECIES * BINS * sizeof *bin);
  double largest = 0;
  for (int k = 0; k < types * BINS; k++) {
    assert_true(fabs(ldexp((double)bin[SPECIES * BINS + k], -32) - dipole[k]) < 1e-7);
    largest = fmax(largest, fabs(dipole[k]));
  }
  assert_true(largest > 1);
  struct profile some = tables.profile;
  some.arrays = PROFILE_DIPOLE;
  int64_t *alone = bins_of(b, membrane, TALLY_PROFILE, &some, &n);
  assert_int_equal(n, types * BINS);
  assert_memory_equal(alone, bin + SPECIES * BINS, (size_t)n * sizeof *bin);
  free(alone);
  free(bin);
  free(number);
  free(dipole);
  backend_cpu.destroy(b);
}

static void centre(void **state)
{
  (void)state;
  double sum[2] = {0, 0};
  for (int64_t k = 0; k < membrane->n; k++) {
    const double a =
        2 * UNITS_PI * (double)(uint32_t)membrane->beads.position[3 * k + 2] / 4294967296.0;
    sum[0] += tables.weight[species_of(k)] * cos(a);
    sum[1] += tables.weight[species_of(k)] * sin(a);
  }
  int n;
  struct backend *b = make(PRECISION_MIXED);
  int64_t *bin = bins_of(b, membrane, TALLY_CENTRE, &tables.profile, &n);
  assert_int_equal(n, 2);
  for (int k = 0; k < 2; k++)
    assert_true(fabs(ldexp((double)bin[k], -sum_bits(membrane->n_total)) - sum[k]) < 1e-4);
  free(bin);
  backend_cpu.destroy(b);
}

/* Against atan2, to a part in 2^32 of a turn. */
static void centre_near(int64_t x, int64_t y)
{
  const int64_t word[2] = {x, y};
  const double turn = atan2((double)y, (double)x) / (2 * UNITS_PI) * 4294967296.0;
  const uint32_t expected = (uint32_t)llround(turn);
  const int32_t difference = (int32_t)(centre_of_words(word) - expected);
  assert_true(difference >= -1 && difference <= 1);
}

static void centre_angle(void **state)
{
  (void)state;
  uint64_t word = 1;
  const int64_t none[2] = {0, 0};
  assert_int_equal(centre_of_words(none), UINT32_C(1) << 31);
  for (int x = -3; x <= 3; x++)
    for (int y = -3; y <= 3; y++)
      if (x || y) centre_near(x, y);
  for (int k = 0; k < 100000; k++) {
    int64_t value[2];
    for (int j = 0; j < 2; j++) {
      word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      value[j] = (int64_t)word >> (word >> 35) % 62;
    }
    if (value[0] || value[1]) centre_near(value[0], value[1]);
  }
  centre_near(INT64_MAX, INT64_MIN + 1);
  centre_near(INT64_MIN, 1);
}

/* What the profiles should be: integrals of w over the bins, kJ/mol. */
struct expected {
  double w[STRESS_ROWS][BINS];
};

/* Adds the segment from height z (in bins) that is dz bins long. */
static void segment_add(double *bins, double z, double dz, double w)
{
  const double low = dz < 0 ? z + dz : z, high = dz < 0 ? z : z + dz;
  for (int k = (int)floor(low); k <= (int)floor(high); k++) {
    const double from = fmax(low, k), to = fmin(high, k + 1);
    bins[(k + 2 * BINS) % BINS] += high > low ? w * (to - from) / (high - low) : w;
  }
}

/* r: of bead i less bead j, nm; f on bead i. */
static void stress_spread(struct expected *e, int contribution, int64_t i, int64_t j, struct vec3 r,
                          struct vec3 f)
{
  const double w[2] = {0.5 * (r.x * f.x + r.y * f.y), r.z * f.z};
  for (int c = 0; c < 2; c++)
    segment_add(e->w[STRESS_ROW_CONTRIBUTION + contribution * STRESS_COMPONENTS + c], height_of(j),
                r.z / membrane->box[2] * BINS, w[c]);
  e->w[STRESS_ROW_HARASIMA][(int)height_of(i)] += 0.5 * w[0];
  e->w[STRESS_ROW_HARASIMA][(int)height_of(j)] += 0.5 * w[0];
}

static int is_excluded(int64_t i, int64_t j)
{
  const struct topology *t = &membrane->topology;
  const int env = membrane->beads.bonded_env[i];
  for (int k = env < 0 ? 0 : t->exclude_start[env]; env >= 0 && k < t->exclude_start[env + 1]; k++)
    if (t->exclude[k] == j - i) return 1;
  return 0;
}

static void pairs_spread(struct expected *e, const struct model *m, const struct force_view *v)
{
  for (int i = 0; i < membrane->n; i++)
    for (int j = 0; j < i; j++) {
      const struct vec3 r = separation(v, i, j);
      if (vec3_dot(r, r) >= membrane->ff->cutoff * membrane->ff->cutoff || is_excluded(i, j))
        continue;
      const int contribution =
          (membrane->beads.bonded_env[i] >= 0) + (membrane->beads.bonded_env[j] >= 0);
      for (int p = 0; p < m->n_passes; p++) {
        const struct model_pass *pass = &m->pass[p];
        const int axes = pair_set_axes(pass->set) > 1 ? 2 : 1;
        const struct axis_record *first = v->axis[0], *second = v->axis[axes - 1];
        const struct vec3 d = vec3_scale(1 / pass->cutoff, r);
        const struct pair_bead bi = bead_of(&first[i], &second[i], axes);
        const struct pair_bead bj = bead_of(&first[j], &second[j], axes);
        const struct pair_value value =
            pair_evaluate(pass->set, pass->constants,
                          pass->pair[v->record[i].type * m->n_types + v->record[j].type],
                          pair_arguments(d, bi, bj, 0, pass->set));
        const struct vec3 f =
            pair_force(pair_gather(pair_none(), value.slope, d, bj, axes), bi, axes);
        stress_spread(e, contribution, i, j, r, vec3_scale(1 / pass->cutoff, f));
      }
    }
}

/* A term is spread by the beads that count its virial: from the other end of their arm. */
static void bonded_spread(struct expected *e, const struct model *m, const struct force_view *v)
{
  static struct bonded_entry entry;
  const struct topology *t = &membrane->topology;
  for (int i = 0; i < membrane->n; i++) {
    const int env = membrane->beads.bonded_env[i];
    for (int k = env < 0 ? 0 : t->term_start[env]; env >= 0 && k < t->term_start[env + 1]; k++) {
      const struct topology_term *term = &t->term[k];
      const int p = i + (int)term->partner[0], q = i + (int)term->partner[1];
      const int type = forcefield_bonded(membrane->ff, term->section, term->type);
      entry = (struct bonded_entry){bonded_type_and_role(type, term->role), {p, q}};
      const struct bonded_sum s = bonded_term(m, v, i, &entry, BONDED_ALL_FORMS);
      const int contribution =
          STRESS_BONDED + bonded_channel(m->bonded[type].form) - BONDED_CHANNEL_FIRST;
      if (vec3_dot(s.arm, s.arm) == 0) continue;
      stress_spread(e, contribution, i, term->role == 2 ? q : p, s.arm, s.pull);
    }
  }
}

static void kinetic_spread(struct expected *e)
{
  for (int64_t i = 0; i < membrane->n; i++) {
    const double *p = membrane->beads.momentum + 3 * i;
    const double mass = membrane->ff->type[membrane->beads.type[i]].mass;
    const int at = (int)height_of(i);
    e->w[STRESS_ROW_KINETIC + STRESS_LATERAL][at] += 0.5 * (p[0] * p[0] + p[1] * p[1]) / mass;
    e->w[STRESS_ROW_KINETIC + STRESS_NORMAL][at] += p[2] * p[2] / mass;
  }
}

static struct expected *expected_make(void)
{
  struct expected *e = alloc_array(1, sizeof *e);
  const struct pair_plan plan = pair_plan_of(membrane->ff, NULL);
  struct model *m = model_create(membrane->ff, &plan);
  struct bead_record *record = alloc_array(membrane->n, sizeof *record);
  struct axis_record *axis = alloc_array(membrane->n, sizeof *axis);
  struct force_view v = {.record = record, .axis = {axis, axis}};
  v.unit = box_units_of(membrane->box, 1);
  for (int64_t i = 0; i < membrane->n; i++) {
    const int type = membrane->beads.type[i];
    memcpy(record[i].x, membrane->beads.position + 3 * i, sizeof record[i].x);
    record[i].type = type;
    rotation_axis(membrane->beads.orientation + 4 * i, axis[i].u);
    for (int k = 0; k < 3; k++)
      axis[i].u[k] *= m->axis_scale[type];
    axis[i].q = m->charge[type];
  }
  pairs_spread(e, m, &v);
  bonded_spread(e, m, &v);
  kinetic_spread(e);
  free(record);
  free(axis);
  model_destroy(m);
  return e;
}

static void profile_compare(int precision, double allowed)
{
  static double pressure[STRESS_ROWS][BINS];
  struct expected *e = expected_make();
  struct backend *b = make(precision);
  const double *box = membrane->box, unit = UNITS_BAR * BINS / (box[0] * box[1] * box[2]);
  int n, empty = 0;
  int64_t *bin = bins_of(b, membrane, TALLY_STRESS, &tables.profile, &n);
  assert_int_equal(stress_profile_of(bin, BINS, membrane->n_total, box, pressure[0]), 0);
  for (int row = 0; row < STRESS_ROWS; row++) {
    double largest = 0, worst = 0;
    for (int k = 0; k < BINS; k++) {
      largest = fmax(largest, fabs(unit * e->w[row][k]));
      worst = fmax(worst, fabs(unit * e->w[row][k] - pressure[row][k]));
    }
    print_message("row %d: largest %g bar, difference %.2g of it\n", row, largest, worst / largest);
    empty += largest == 0;
    assert_true((largest > 1 || largest == 0) && worst <= allowed * largest);
  }
  assert_int_equal(empty, 3 * STRESS_COMPONENTS); /* no dihedrals, constraints and sites */
  free(bin);
  free(e);
  backend_cpu.destroy(b);
}

/* Momenta half a step away: (F half_step)^2 / m more, each in the bin of its bead. */
static void kinetic_half_a_step_away(void **state)
{
  (void)state;
  static double pressure[2][STRESS_ROWS][BINS], more[2][BINS];
  const double *box = membrane->box, unit = UNITS_BAR * BINS / (box[0] * box[1] * box[2]);
  const int64_t owned = membrane->n;
  struct backend *b = make(PRECISION_DOUBLE);
  struct profile how = tables.profile;
  double *force = alloc_array(3 * owned, sizeof *force), *torque = alloc_array(3 * owned, 8);
  int64_t *id = alloc_array(owned, sizeof *id);
  struct beads none;
  double largest = 0;
  int n;
  memset(&none, 0, sizeof none);
  memset(more, 0, sizeof more);
  b->ops->force(b, FORCE_ALL, 0);
  b->ops->forces(b, force, torque);
  b->ops->store(b, id, &none);
  for (int k = 0; k < 2; k++) {
    how.half_step = k * 0.005;
    int64_t *bin = bins_of(b, membrane, TALLY_STRESS, &how, &n);
    assert_int_equal(stress_profile_of(bin, BINS, membrane->n_total, box, pressure[k][0]), 0);
    free(bin);
  }
  for (int64_t i = 0; i < owned; i++) {
    const int at = (int)height_of(id[i] - 1);
    const double factor =
        unit * 0.005 * 0.005 / membrane->ff->type[membrane->beads.type[id[i] - 1]].mass;
    const double *f = force + 3 * i;
    more[STRESS_LATERAL][at] += 0.5 * (f[0] * f[0] + f[1] * f[1]) * factor;
    more[STRESS_NORMAL][at] += f[2] * f[2] * factor;
  }
  for (int c = 0; c < STRESS_COMPONENTS; c++)
    for (int k = 0; k < BINS; k++) {
      const int row = STRESS_ROW_KINETIC + c;
      const double got = pressure[1][row][k] - pressure[0][row][k];
      assert_true(fabs(got - more[c][k]) <= 1e-6 * (1 + more[c][k]));
      largest = fmax(largest, got);
    }
  assert_true(largest > 1); /* bar */
  free(force);
  free(torque);
  free(id);
  b->ops->destroy(b);
}

static void profile_double(void **state)
{
  (void)state;
  profile_compare(PRECISION_DOUBLE, 1e-9);
}

static void profile_mixed(void **state)
{
  (void)state;
  profile_compare(PRECISION_MIXED, 1e-4);
}

/* The profiles of all contributions add up to the virial, those of momenta to the kinetic sums.
   half_step: ps; above 0 the virial of constraints is that of other momenta. */
static void sums_compare(double half_step)
{
  static double pressure[STRESS_ROWS][BINS];
  struct backend *b = make(PRECISION_DOUBLE);
  const double *box = membrane->box, unit = UNITS_BAR * BINS / (box[0] * box[1] * box[2]);
  const int bits = sum_bits(membrane->n_total);
  struct sums sums;
  struct profile how = tables.profile;
  double sum[2] = {0, 0}, kinetic[2] = {0, 0}, excess[2], harasima = 0;
  int n;
  how.half_step = half_step;
  b->ops->force(b, FORCE_ALL, FORCE_ENERGY);
  backend_sums(b, &sums);
  int64_t *bin = bins_of(b, membrane, TALLY_STRESS, &how, &n);
  assert_int_equal(stress_profile_of(bin, BINS, membrane->n_total, box, pressure[0]), 0);
  for (int c = 0; c < 2; c++)
    excess[c] = stress_excess_of(bin, BINS, membrane->n_total, box, c) * BINS / unit;
  for (int k = 0; k < BINS; k++) {
    for (int c = 0; c < 2; c++) {
      for (int contribution = 0; contribution < STRESS_CONTRIBUTIONS; contribution++)
        sum[c] +=
            pressure[STRESS_ROW_CONTRIBUTION + contribution * STRESS_COMPONENTS + c][k] / unit;
      kinetic[c] += pressure[STRESS_ROW_KINETIC + c][k] / unit;
    }
    harasima += pressure[STRESS_ROW_HARASIMA][k] / unit;
  }
  const double lateral =
      0.5 * (sum_word(&sums, SUM_VIRIAL, bits) + sum_word(&sums, SUM_VIRIAL + 4, bits)) + excess[0];
  const double normal = sum_word(&sums, SUM_VIRIAL + 8, bits) + excess[1];
  const int moves = half_step > 0 && membrane->ff->n_clusters > 0;
  print_message("virial: %.12g %.12g, from profiles %.12g %.12g, Harasima %.12g\n", lateral, normal,
                sum[0], sum[1], harasima);
  assert_true(fabs(sum[0] - lateral) < 1e-9 * fabs(lateral));
  assert_true(fabs(harasima - lateral) < 1e-9 * fabs(lateral));
  assert_true(fabs(sum[1] - normal) < 1e-9 * fabs(normal));
  for (int c = 0; c < 2; c++)
    assert_true(moves ? fabs(excess[c]) > 1e-6 * fabs(normal) : excess[c] == 0);
  for (int c = 0; c < 2 && half_step == 0; c++) {
    const double all =
        c ? sum_word(&sums, SUM_KINETIC + 2, bits)
          : 0.5 * (sum_word(&sums, SUM_KINETIC, bits) + sum_word(&sums, SUM_KINETIC + 1, bits));
    assert_true(fabs(kinetic[c] - all) < 1e-9 * all);
  }
  free(bin);
  backend_cpu.destroy(b);
}

static void sums_agree(void **state)
{
  (void)state;
  sums_compare(0);
}

static void sums_agree_with(const char *forcefield, double half_step)
{
  struct system *one = membrane;
  membrane = membrane_make(forcefield);
  sums_compare(half_step);
  system_destroy(membrane);
  membrane = one;
}

/* The same with several lists and passes. */
static void sums_agree_with_more_lists(void **state)
{
  (void)state;
  sums_agree_with("brahms", 0);
}

/* With constraints and virtual sites. */
static void sums_agree_with_clusters(void **state)
{
  (void)state;
  sums_agree_with("clusters", 0);
  sums_agree_with("clusters", 0.01);
}

/* Addends that are too large for fixed point are reported. */
static void overflow(void **state)
{
  (void)state;
  static double pressure[STRESS_ROWS][BINS];
  int n;
  double old[3];
  memcpy(old, membrane->beads.momentum, sizeof old);
  membrane->beads.momentum[2] = 1e9;
  struct backend *b = make(PRECISION_MIXED);
  int64_t *bin = bins_of(b, membrane, TALLY_STRESS, &tables.profile, &n);
  assert_int_equal(stress_profile_of(bin, BINS, membrane->n_total, membrane->box, pressure[0]), 1);
  memcpy(membrane->beads.momentum, old, sizeof old);
  free(bin);
  backend_cpu.destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_and_dipoles),
      cmocka_unit_test(centre),
      cmocka_unit_test(centre_angle),
      cmocka_unit_test(profile_double),
      cmocka_unit_test(profile_mixed),
      cmocka_unit_test(sums_agree),
      cmocka_unit_test(sums_agree_with_more_lists),
      cmocka_unit_test(sums_agree_with_clusters),
      cmocka_unit_test(overflow),
      cmocka_unit_test(kinetic_half_a_step_away),
  };
  return cmocka_run_group_tests(tests, prepare, finish);
}
