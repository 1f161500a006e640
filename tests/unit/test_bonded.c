/* Every bonded form of the list: forces and torque are the slopes of the energy, add up to zero
   with their moments, and stay finite where beads lie on a line or at one place. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "pair/bonded.h"
#include "tests/support/unit.h"

enum { SHAPES = 200 };

struct beads {
  double x[BONDED_BEADS_MOST][3], axis[BONDED_AXES_MOST][3], charges;
};

/* Numbers at random in (0, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(5, count++, 0, RNG_BUILD).word[0] + 0.5) / 4294967296.0;
}

static struct vec3 vec(const double v[3])
{
  return vec3_make(v[0], v[1], v[2]);
}

/* A unit vector at random. */
static void random_axis(double axis[3])
{
  double r2;
  do {
    r2 = 0;
    for (int d = 0; d < 3; d++) {
      axis[d] = 2 * random_number() - 1;
      r2 += axis[d] * axis[d];
    }
  } while (r2 > 1 || r2 < 0.1);
  for (int d = 0; d < 3; d++)
    axis[d] /= sqrt(r2);
}

/* A chain at random. */
static struct beads random_beads(void)
{
  struct beads b = {0};
  for (int k = 1; k < BONDED_BEADS_MOST; k++) {
    const double length = 0.3 + 0.5 * random_number();
    double along[3];
    random_axis(along);
    for (int d = 0; d < 3; d++)
      b.x[k][d] = b.x[k - 1][d] + length * along[d];
  }
  for (int k = 0; k < BONDED_AXES_MOST; k++)
    random_axis(b.axis[k]);
  b.charges = 200 * random_number() - 100;
  return b;
}

/* A table of cos x in 100 pieces of width 0.1, from -4 on. */
enum { PIECES = 100 };
static const double table_start = -4, table_step = 0.1;
static struct pair_piece piece[1 + PIECES];

static int make_pieces(void **state)
{
  (void)state;
  for (int k = 0; k < PIECES; k++) {
    const double x = table_start + k * table_step, next = x + table_step;
    const double rise = cos(next) - cos(x), a = -table_step * sin(x), b = -table_step * sin(next);
    const struct pair_piece p = {{cos(x), a, 3 * rise - 2 * a - b, a + b - 2 * rise}};
    piece[1 + k] = p;
  }
  return 0;
}

static struct bonded_coef random_coef(int form)
{
  const struct form_parameter *p = bonded_form_info[form].parameter;
  double value[BONDED_PARAMETERS_MOST] = {0};
  for (int k = 0; p[k].name; k++) {
    const double low = fmax(p[k].low, -200), high = fmin(p[k].high, 200);
    value[k] = low + (0.1 + 0.8 * random_number()) * (high - low);
    if (p[k].unit[0] == 'n') value[k] = 0.2 + random_number();       /* nm */
    if (p[k].name[0] == 'd') value[k] = 0.2 * random_number() - 0.1; /* offset of a site */
    if (!strcmp(p[k].name, "rmax")) value[k] = 1 + random_number();  /* beyond every bond here */
    if (!strcmp(p[k].name, "up1") || !strcmp(p[k].name, "up2")) value[k] += value[k - 1];
    if (!strcmp(p[k].unit, "integer")) value[k] = floor(1 + 6 * random_number());
    if (p[k].high == 1) value[k] = random_number() < 0.5;
    if (form == FORM_restraint_flat_bottomed && k == 1 && random_number() < 0.5) value[k] *= -1;
  }
  struct bonded_coef c = bonded_coef_of(form, value);
  if (bonded_form_info[form].reads == BONDED_READS_table)
    bonded_place_table(c.c, 1, PIECES, table_start, table_step);
  return c;
}

/* The points of a term: its beads, and the place of a restrained one. */
static int points_of(int form)
{
  return bonded_points(bonded_form_info[form].beads, bonded_form_info[form].reads);
}

static struct bonded_shape shape_of(int form, const struct beads *b)
{
  struct bonded_shape s;
  for (int arm = 0; arm < BONDED_ARMS_MOST; arm++)
    s.arm[arm] = arm < points_of(form) - 1 ? vec3_axpy(vec(b->x[bonded_arm_end(arm)]), -1,
                                                       vec(b->x[bonded_arm_begin(arm)]))
                                           : vec3_make(0, 0, 0);
  s.piece = piece;
  s.charges = bonded_form_info[form].reads == BONDED_READS_charges ? b->charges : 0;
  for (int k = 0; k < BONDED_AXES_MOST; k++)
    s.axis[k] = k < bonded_form_info[form].axes ? vec(b->axis[k]) : vec3_make(0, 0, 0);
  return s;
}

static struct bonded_value evaluate(const struct bonded_coef *c, const struct beads *b)
{
  const struct bonded_shape s = shape_of(c->form, b);
#define BONDED(section, name, ...)                                                                 \
  if (c->form == FORM_##section##_##name) return bonded_##section##_##name(c->c, s);
#include "model/bonded_list.h"
#undef BONDED
  return bonded_nothing();
}

static struct bonded_sum share(const struct bonded_coef *c, const struct beads *b, int role)
{
  return bonded_share(points_of(c->form), bonded_form_info[c->form].axes, role,
                      shape_of(c->form, b), evaluate(c, b));
}

static double part_of(struct vec3 v, int d)
{
  return d == 0 ? v.x : d == 1 ? v.y : v.z;
}

/* The energy of the role that counts it, and of no other. */
static double energy(const struct bonded_coef *c, const struct beads *b)
{
  double u = 0;
  for (int role = 0; role < points_of(c->form); role++)
    u += share(c, b, role).u;
  return u;
}

/* dU/da for a turn of the axis of a bead by an angle a about d. */
static double turn_slope(const struct bonded_coef *c, const struct beads *at, int bead, int d)
{
  const double h = 1e-5;
  double turn[3] = {0}, rise[2];
  if (bead >= BONDED_AXES_MOST) return 0;
  turn[d] = 1;
  const struct vec3 across = vec3_cross(vec(turn), vec(at->axis[bead]));
  for (int n = 0; n < 2; n++) {
    struct beads turned = *at;
    for (int e = 0; e < 3; e++)
      turned.axis[bead][e] += (n ? h : -h) * part_of(across, e);
    rise[n] = energy(c, &turned);
  }
  return (rise[1] - rise[0]) / (2 * h);
}

static void assert_slopes(const struct bonded_coef *c, const struct beads *at)
{
  const double h = 1e-5;
  const int beads = points_of(c->form);
  double largest = 10;
  for (int k = 0; k < beads; k++) {
    const struct vec3 f = share(c, at, k).f;
    largest = fmax(largest, sqrt(vec3_dot(f, f)));
  }
  for (int k = 0; k < beads; k++)
    for (int d = 0; d < 3; d++) {
      double rise[2];
      for (int n = 0; n < 2; n++) {
        struct beads up = *at, down = *at;
        up.x[k][d] += (n + 1) * h;
        down.x[k][d] -= (n + 1) * h;
        rise[n] = energy(c, &up) - energy(c, &down);
      }
      const double slope = (8 * rise[0] - rise[1]) / (12 * h);
      assert_true(fabs(part_of(share(c, at, k).f, d) + slope) < 1e-6 * largest);
    }
  for (int k = 0; k < beads; k++)
    for (int d = 0; d < 3; d++)
      assert_true(fabs(part_of(share(c, at, k).t, d) + turn_slope(c, at, k, d)) < 1e-6 * largest);
}

/* No net force, and no net moment but of a restraint to a place or an axis; the virial is that of
 * the forces on the beads. */
static void assert_balance(const struct bonded_coef *c, const struct beads *b)
{
  struct vec3 force = vec3_make(0, 0, 0), moment = force;
  double virial[9] = {0}, of_beads[9] = {0}, scale = 1;
  for (int role = 0; role < points_of(c->form); role++) {
    const struct bonded_sum s = share(c, b, role);
    force = vec3_axpy(force, 1, s.f);
    moment = vec3_axpy(vec3_axpy(moment, 1, s.t), 1, vec3_cross(vec(b->x[role]), s.f));
    scale = fmax(scale, sqrt(vec3_dot(s.f, s.f)));
    for (int k = 0; k < 9; k++) {
      virial[k] += part_of(s.arm, k / 3) * part_of(s.pull, k % 3);
      of_beads[k] += b->x[role][k / 3] * part_of(s.f, k % 3);
    }
  }
  assert_true(sqrt(vec3_dot(force, force)) < 1e-12 * scale);
  if (bonded_form_info[c->form].reads != BONDED_READS_anchor && c->form != FORM_angle_vector_z)
    assert_true(sqrt(vec3_dot(moment, moment)) < 1e-12 * scale);
  for (int k = 0; k < 9; k++)
    assert_true(fabs(virial[k] - of_beads[k]) < 1e-12 * scale);
}

/* Constraints have neither energy nor force: dynamics/cluster_body.h keeps their length. */
static int is_constraint(int form)
{
  return form == FORM_bond_constraint || form == FORM_bond_constraint_apart;
}

/* The square of the sine between two arms; 1 if one of them has no length. */
static double sine2_of(struct vec3 a, struct vec3 b)
{
  const struct vec3 across = vec3_cross(a, b);
  const double both = vec3_dot(a, a) * vec3_dot(b, b);
  return both > 0 ? vec3_dot(across, across) / both : 1;
}

/* 1 for shapes in which differences of energies are no measure of a slope: three beads almost on a
   line, or, for restricted forms, which hold their energy finite there, an angle or a dihedral
   within 6 degrees of 0 or 180. */
static int is_steep(int form, const struct beads *b)
{
  const struct bonded_shape s = shape_of(form, b);
  const double least = form == FORM_angle_restricted ? 1e-2 : 1e-4;
  for (int arm = 1; arm < BONDED_ARMS_MOST; arm++)
    if (sine2_of(s.arm[arm - 1], s.arm[arm]) < least) return 1;
  if (form != FORM_dihedral_restricted) return 0;
  const struct bonded_dihedral d = bonded_dihedral_of(s);
  return d.sine * d.sine < 1e-2;
}

static void slopes_of_random_shapes(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++)
    for (int k = 0; k < SHAPES && !is_constraint(form); k++) {
      const struct bonded_coef c = random_coef(form);
      struct beads b = random_beads();
      while (is_steep(form, &b))
        b = random_beads();
      assert_slopes(&c, &b);
      assert_balance(&c, &b);
    }
}

/* 1 for forms whose energy has no slope, or a very steep one, where beads lie on a line. */
static int is_sharp_on_a_line(int form)
{
  return form == FORM_angle_harmonic || form == FORM_angle_restricted ||
         form == FORM_angle_quartic || form == FORM_angle_urey_bradley ||
         form == FORM_angle_vectors || form == FORM_angle_vector_z || form == FORM_angle_table ||
         (bonded_form_info[form].section == SECTION_dihedral &&
          form != FORM_dihedral_bending_torsion);
}

/* Beads on a line, in steps that are all forward (straight), or forth and back (folded), with an
   axis along it or not. */
static void slopes_on_a_line(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++)
    for (int k = 0; k < SHAPES && !is_constraint(form); k++) {
      const struct bonded_coef c = random_coef(form);
      struct beads b = random_beads();
      double along[3];
      random_axis(along);
      for (int m = 1; m < BONDED_BEADS_MOST; m++)
        for (int d = 0; d < 3; d++)
          b.x[m][d] = b.x[m - 1][d] + (k % 2 && m % 2 == 0 ? -0.3 : 0.4) * along[d];
      for (int d = 0; k % 4 > 1 && d < 3; d++)
        b.axis[0][d] = along[d];
      assert_true(isfinite(energy(&c, &b)));
      if (is_sharp_on_a_line(form)) continue;
      assert_slopes(&c, &b);
      assert_balance(&c, &b);
    }
}

/* Energies as functions of the angle, in more digits; value: the parameters. */
static long double energy_at(int form, const double *value, long double t)
{
  const long double degree = acosl(-1) / 180, k = value[0];
  const long double rest = value[1] * degree, by_cosine = cosl(t) - cosl(rest);
  long double u = 0;
  switch (form) {
  case FORM_angle_cosine_squared:
    return k * by_cosine * by_cosine;
  case FORM_angle_harmonic:
    return k * (t - rest) * (t - rest);
  case FORM_angle_restricted:
  case FORM_dihedral_restricted:
    return k * by_cosine * by_cosine / (sinl(t) * sinl(t));
  case FORM_dihedral_harmonic:
    return k * powl(remainderl(t - rest, 360 * degree), 2);
  case FORM_dihedral_periodic:
    return k * (1 + cosl(value[1] * t - value[2] * degree));
  case FORM_angle_quartic:
    for (int n = 4; n >= 0; n--)
      u = u * (t - value[0] * degree) + value[n + 1];
    return u;
  case FORM_dihedral_ryckaert_bellemans:
    for (int n = 5; n >= 0; n--)
      u = u * -cosl(t) + value[n];
    return u;
  default:
    return 0;
  }
}

/* The chain with an angle t at its second bead and a dihedral phi. across: the directions in which
   they move its first bead, 0.4 nm from the second. */
static struct beads chain_of(double t, double phi, double across[2][3])
{
  struct beads b = random_beads();
  double e[3][3], way, r2;
  random_axis(e[0]);
  random_axis(e[2]);
  const struct vec3 third = vec3_cross(vec(e[0]), vec(e[2]));
  r2 = sqrt(vec3_dot(third, third));
  for (int d = 0; d < 3; d++)
    e[2][d] = part_of(third, d) / r2;
  const struct vec3 second = vec3_cross(vec(e[2]), vec(e[0]));
  for (int d = 0; d < 3; d++) {
    e[1][d] = part_of(second, d);
    way = cos(phi) * e[1][d] - sin(phi) * e[2][d];
    across[0][d] = cos(t) * way - sin(t) * e[0][d];
    across[1][d] = -sin(phi) * e[1][d] - cos(phi) * e[2][d];
    b.x[0][d] = 0.4 * (cos(t) * e[0][d] + sin(t) * way);
    b.x[1][d] = 0;
    b.x[2][d] = 0.3 * e[0][d];
    b.x[3][d] = 0.5 * e[0][d] + 0.3 * e[1][d];
  }
  return b;
}

/* Energy and force of a form at an angle of the chain against those of energy_at. */
static void assert_angle(int form, double t, double phi)
{
  const int dihedral = bonded_form_info[form].section == SECTION_dihedral;
  const double value[BONDED_PARAMETERS_MOST] = {60, 3, 25, -7, 11, 5};
  const double at = dihedral ? phi : t, lever = dihedral ? 0.4 * sin(t) : 0.4;
  const int steep = form == FORM_angle_restricted || form == FORM_dihedral_restricted;
  const long double h = 1e-3L * (steep ? fabs(sin(at)) : 1);
  const struct bonded_coef c = bonded_coef_of(form, value);
  double across[2][3];
  const struct beads b = chain_of(t, phi, across);
  const struct vec3 f = share(&c, &b, 0).f;
  long double rise[2];
  for (int n = 0; n < 2; n++)
    rise[n] = energy_at(form, value, at + (n + 1) * h) - energy_at(form, value, at - (n + 1) * h);
  const double force = -(double)((8 * rise[0] - rise[1]) / (12 * h)) / lever;
  const double u = (double)energy_at(form, value, at);
  assert_true(fabs(energy(&c, &b) - u) < 1e-8 * fabs(u));
  for (int d = 0; d < 3; d++)
    assert_true(fabs(part_of(f, d) - force * across[dihedral][d]) < 1e-8 * fabs(force));
}

/* Angles next to 0 and 180 degrees, and dihedrals next to them or with such an arm; restricted
   forms as far as they are not bounded. */
static void right_near_a_line(void **state)
{
  (void)state;
  static const int form[] = {FORM_angle_cosine_squared, FORM_angle_harmonic,
                             FORM_angle_restricted,     FORM_angle_quartic,
                             FORM_dihedral_periodic,    FORM_dihedral_harmonic,
                             FORM_dihedral_restricted,  FORM_dihedral_ryckaert_bellemans};
  const double pi = acos(-1), bound = 3.2e-4;
  for (size_t k = 0; k < sizeof form / sizeof form[0]; k++)
    for (double off = 1e-6; off < 0.2; off *= 1.3)
      for (int side = 0; side < 2; side++) {
        const double near = side ? pi - off : off;
        if (form[k] != FORM_angle_restricted || off > bound) assert_angle(form[k], near, 1.1);
        if (bonded_form_info[form[k]].section == SECTION_dihedral &&
            (form[k] != FORM_dihedral_restricted || off > bound))
          assert_angle(form[k], 1.9, near);
      }
}

static void finite_at_one_place(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++)
    for (int k = 0; k < SHAPES && !is_constraint(form); k++) {
      const struct bonded_coef c = random_coef(form);
      struct beads b = random_beads();
      for (int m = 1; m < BONDED_BEADS_MOST; m++)
        for (int d = 0; d < 3 && (k % 3 == 0 || m == 1 + k % 2); d++)
          b.x[m][d] = b.x[m - 1][d];
      assert_balance(&c, &b);
      assert_true(isfinite(energy(&c, &b)));
    }
}

static void constraints_have_no_energy(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    if (!is_constraint(form)) continue;
    const struct bonded_coef c = random_coef(form);
    const struct beads b = random_beads();
    const struct vec3 f = share(&c, &b, 0).f;
    assert_true(energy(&c, &b) == 0 && f.x == 0 && f.y == 0 && f.z == 0);
  }
}

/* What tables say of forms. */
static void rows_are_whole(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct bonded_form_info *f = &bonded_form_info[form];
    int fewest, most, parameters = 0;
    bonded_section_beads(f->section, &fewest, &most);
    assert_true(f->axes >= 0 && f->axes <= f->beads && f->axes <= BONDED_AXES_MOST);
    assert_true(f->beads >= 1 && f->beads >= fewest && f->beads <= most);
    if (f->section < SECTIONS_OF_FILES)
      assert_true((f->channel >= BONDED_CHANNEL_FIRST && f->channel < BONDED_CHANNELS_END) ||
                  f->channel == ENERGY_lj || f->channel == ENERGY_qq);
    else
      assert_true(f->channel == ENERGY_qq || f->channel == ENERGY_external);
    assert_int_equal(bonded_channel(form), f->channel);
    while (f->parameter[parameters].name)
      parameters++;
    assert_true(parameters > 0 && parameters <= BONDED_PARAMETERS_MOST);
  }
  const double value[] = {3, 0.5};
  const double site[] = {3, 0.5, -0.25, 0};
  assert_true(bonded_rest(FORM_bond_harmonic, value) == 0.5);
  assert_true(bonded_rest(FORM_bond_site_harmonic, site) == 0.75);
  assert_true(bonded_offset(FORM_bond_site_harmonic, site, 0) == -0.25);
  assert_true(bonded_takes_axis(FORM_bond_site_harmonic, site, 0));
  assert_false(bonded_takes_axis(FORM_bond_site_harmonic, site, 1));
  assert_true(bonded_takes_axis(FORM_angle_dipole, value, 0));
  assert_true(bonded_rest(FORM_angle_cosine_squared, value) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_of_random_shapes), cmocka_unit_test(slopes_on_a_line),
      cmocka_unit_test(finite_at_one_place),     cmocka_unit_test(right_near_a_line),
      cmocka_unit_test(rows_are_whole),          cmocka_unit_test(constraints_have_no_energy)};
  return cmocka_run_group_tests(tests, make_pieces, NULL);
}
