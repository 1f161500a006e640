/* Motion of one bead: rotations against closed forms (the free top: Landau and Lifshitz, Mechanics,
   section 37) and a fine reference, conservation, reversibility, and the arithmetic of positions on
   the torus. */
#include <string.h>

#include "dynamics/move_body.h"
#include "tests/support/unit.h"

struct rotor {
  double q[4], j[3], inverse[3];
};

static const double inertia[3][3] = {{1, 1, 0}, {1.77, 0.61, 1.15}, {10, 10, 4}};

/* A body of kind k, turned and spinning at random. */
static struct rotor rotor_make(int kind, uint64_t seed)
{
  struct rotor r;
  double q[4], j[4], norm = 0;
  rng_normal(seed, 0, 1, RNG_BUILD, q);
  rng_normal(seed, 0, 2, RNG_BUILD, j);
  for (int k = 0; k < 4; k++)
    norm += q[k] * q[k];
  for (int k = 0; k < 4; k++)
    r.q[k] = q[k] / sqrt(norm);
  for (int k = 0; k < 3; k++) {
    r.inverse[k] = inertia[kind][k] > 0 ? 1 / inertia[kind][k] : 0;
    r.j[k] = inertia[kind][k] > 0 ? j[k] : 0;
  }
  return r;
}

static double energy(const struct rotor *r)
{
  double e = 0;
  for (int k = 0; k < 3; k++)
    e += 0.5 * r->j[k] * r->j[k] * r->inverse[k];
  return e;
}

/* Angular momentum in the laboratory. */
static void lab_momentum(const struct rotor *r, double out[3])
{
  const double back[4] = {r->q[0], -r->q[1], -r->q[2], -r->q[3]};
  rotation_to_body(back, r->j, out);
}

static void run(struct rotor *r, double h, int steps)
{
  for (int k = 0; k < steps; k++)
    rotation_free(r->q, r->j, r->inverse, h);
}

/* Distance of two orientations; q and -q are the same. */
static double apart(const double a[4], const double b[4])
{
  double plus = 0, minus = 0;
  for (int k = 0; k < 4; k++) {
    plus += (a[k] + b[k]) * (a[k] + b[k]);
    minus += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return sqrt(fmin(plus, minus));
}

static void sines(void **state)
{
  (void)state;
  for (double x = -3; x <= 3; x += 1.0 / 1024) {
    double s, c;
    rotation_sincos(x, &s, &c);
    assert_true(fabs(s - sin(x)) < 3e-16 && fabs(c - cos(x)) < 3e-16);
  }
}

/* Vectors to the body frame and body z by the rotation matrix of a textbook quaternion. */
static void frames(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct rotor r = rotor_make(1, seed);
    double w = r.q[0], x = r.q[1], y = r.q[2], z = r.q[3], got[3], axis[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    rotation_to_body(r.q, r.j, got);
    rotation_axis(r.q, axis);
    for (int k = 0; k < 3; k++) {
      double want = m[0][k] * r.j[0] + m[1][k] * r.j[1] + m[2][k] * r.j[2];
      assert_true(fabs(got[k] - want) < 1e-14 && fabs(axis[k] - m[k][2]) < 1e-14);
    }
  }
}

static void free_rotation_conserves(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    struct rotor r = rotor_make(kind, 11), fine = r;
    double before[3], after[3], e = energy(&r), worst[2] = {0, 0};
    lab_momentum(&r, before);
    for (int k = 0; k < 2000; k++) {
      run(&r, 0.04, 1);
      run(&fine, 0.02, 2);
      worst[0] = fmax(worst[0], fabs(energy(&r) - e));
      worst[1] = fmax(worst[1], fabs(energy(&fine) - e));
    }
    lab_momentum(&r, after);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(after[k] - before[k]) < 1e-11);
    assert_true(worst[0] < 2e-3 * e && worst[1] < 0.3 * worst[0] + 1e-12);
  }
}

static void free_rotation_is_reversible(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    struct rotor start = rotor_make(kind, 5), r = start;
    run(&r, 0.03, 500);
    assert_true(apart(r.q, start.q) > 0.01);
    for (int k = 0; k < 3; k++)
      r.j[k] = -r.j[k];
    run(&r, 0.03, 500);
    assert_true(apart(r.q, start.q) < 1e-11);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(r.j[k] + start.j[k]) < 1e-11);
  }
}

/* Euler's equations and dq/dt = q (0, omega) / 2. */
static void slope(const double y[7], const double inverse[3], double out[7])
{
  double w = y[0], x = y[1], z = y[2], u = y[3];
  double a = y[4] * inverse[0], b = y[5] * inverse[1], c = y[6] * inverse[2];
  out[0] = -0.5 * (x * a + z * b + u * c);
  out[1] = 0.5 * (w * a + z * c - u * b);
  out[2] = 0.5 * (w * b + u * a - x * c);
  out[3] = 0.5 * (w * c + x * b - z * a);
  out[4] = y[5] * c - y[6] * b;
  out[5] = y[6] * a - y[4] * c;
  out[6] = y[4] * b - y[5] * a;
}

/* Classical Runge-Kutta of fourth order. */
static void reference(struct rotor *r, double h, int steps)
{
  double y[7], k[4][7], at[7];
  memcpy(y, r->q, sizeof r->q);
  memcpy(y + 4, r->j, sizeof r->j);
  for (int n = 0; n < steps; n++) {
    slope(y, r->inverse, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int m = 0; m < 7; m++)
        at[m] = y[m] + (s == 3 ? h : 0.5 * h) * k[s - 1][m];
      slope(at, r->inverse, k[s]);
    }
    for (int m = 0; m < 7; m++)
      y[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
  }
  memcpy(r->q, y, sizeof r->q);
  memcpy(r->j, y + 4, sizeof r->j);
}

static void free_rotation_is_of_second_order(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    struct rotor exact = rotor_make(kind, 3), coarse = exact, fine = exact;
    reference(&exact, 0.0005, 4000);
    run(&coarse, 0.02, 100);
    run(&fine, 0.01, 200);
    double error = apart(coarse.q, exact.q), less = apart(fine.q, exact.q);
    assert_true(error < 1e-3);
    assert_true(less < 0.27 * error + 1e-10);
  }
}

/* sn, cn and dn of argument u and parameter m = k^2, by the arithmetic-geometric mean (Abramowitz
   and Stegun, 16.4). Returns the quarter period K. */
static double jacobi(double u, double m, double out[3])
{
  enum { MEANS = 8 };
  double a[MEANS + 1] = {1}, c[MEANS + 1] = {sqrt(m)}, b = sqrt(1 - m);
  for (int n = 1; n <= MEANS; n++) {
    a[n] = 0.5 * (a[n - 1] + b);
    c[n] = 0.5 * (a[n - 1] - b);
    b = sqrt(a[n - 1] * b);
  }
  double phi = ldexp(a[MEANS] * u, MEANS);
  for (int n = MEANS; n > 0; n--)
    phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  out[0] = sin(phi);
  out[1] = cos(phi);
  out[2] = sqrt(1 - m * out[0] * out[0]);
  return 0.5 * acos(-1) / a[MEANS];
}

static void jacobi_functions(void **state)
{
  (void)state;
  const double h = 1e-4;
  double f[3], back[3], forth[3], quarter = jacobi(0.5, 0.5, f);
  assert_true(fabs(quarter - 1.8540746773013719) < 1e-15);
  assert_true(fabs(f[0] - 0.47075047365565735) < 1e-15);
  for (double u = -4; u < 9; u += 0.37) {
    jacobi(u - h, 0.8, back);
    jacobi(u, 0.8, f);
    jacobi(u + h, 0.8, forth);
    const double slope[3] = {f[1] * f[2], -f[0] * f[2], -0.8 * f[0] * f[1]};
    for (int k = 0; k < 3; k++)
      assert_true(fabs((forth[k] - back[k]) / (2 * h) - slope[k]) < 1e-8);
  }
}

/* A free top: moments in rising order or in falling order, of the body axes axis[0..2]; energy and
   square of the angular momentum on the side of moment[2]. */
struct top {
  int axis[3];
  double moment[3], energy, square;
};

/* Body angular momentum of a free top at time t. Returns its period. */
static double top_exact(const struct top *t, double time, double j[3])
{
  const double *i = t->moment, e2 = 2 * t->energy, m2 = t->square;
  const double from_last = e2 * i[2] - m2, from_first = m2 - e2 * i[0];
  const double rate = sqrt((i[2] - i[1]) * from_first / (i[0] * i[1] * i[2]));
  const double m = (i[1] - i[0]) * from_last / ((i[2] - i[1]) * from_first);
  double f[3], quarter = jacobi(rate * time, m, f);
  int right = (t->axis[1] - t->axis[0] + 3) % 3 == 1; /* a right-handed order of axes */
  j[t->axis[0]] = sqrt(i[0] * from_last / (i[2] - i[0])) * f[1];
  j[t->axis[1]] = sqrt(i[1] * from_last / (i[2] - i[1])) * f[0] * (right == (i[2] > i[0]) ? 1 : -1);
  j[t->axis[2]] = sqrt(i[2] * from_first / (i[2] - i[0])) * f[2];
  return 4 * quarter / rate;
}

/* Largest error of the body angular momentum over some periods, relative to its length. */
static double top_error(const struct top *t, int steps_per_period)
{
  struct rotor r = {.q = {1, 0, 0, 0}};
  double want[3], worst = 0, period = top_exact(t, 0.3, r.j), h = period / steps_per_period;
  for (int k = 0; k < 3; k++)
    r.inverse[t->axis[k]] = 1 / t->moment[k];
  for (int n = 1; n <= 4 * steps_per_period; n++) {
    run(&r, h, 1);
    top_exact(t, 0.3 + n * h, want);
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, fabs(r.j[k] - want[k]) / sqrt(t->square));
  }
  return worst;
}

/* Four periods of soft sticky dipole water, spinning mostly about its largest, then about its
   smallest moment; close to the separatrix too. The time unit is such that j = 1. */
static void free_top_is_exact_to_second_order(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct top t = {{1, 2, 0}, {0.006145, 0.011550, 0.017696}, 0, 1};
    const double share = k % 2 ? 0.95 : 0.5;
    if (k >= 2) t = (struct top){{0, 2, 1}, {0.017696, 0.011550, 0.006145}, 0, 1};
    t.energy = 0.5 * (share / t.moment[1] + (1 - share) / t.moment[2]);
    double coarse = top_error(&t, 250), fine = top_error(&t, 500), finest = top_error(&t, 1000);
    assert_true(finest < 1e-2);
    assert_true(coarse > 3.7 * fine && coarse < 4.3 * fine);
    assert_true(fine > 3.9 * finest && fine < 4.1 * finest);
  }
}

/* A lone torque about a fixed axis in the laboratory speeds the body up as j = torque t. */
static void kicks_follow_the_torque(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    struct rotor r = rotor_make(kind, 21);
    double before[3], after[3], axis[3], torque[3] = {0.3, -0.2, 0.5};
    rotation_axis(r.q, axis);
    double along = axis[0] * torque[0] + axis[1] * torque[1] + axis[2] * torque[2];
    lab_momentum(&r, before);
    rotation_kick(r.q, r.j, r.inverse, torque, 0.1);
    lab_momentum(&r, after);
    for (int k = 0; k < 3; k++) {
      double want = torque[k] - (r.inverse[2] > 0 ? 0 : along * axis[k]);
      assert_true(fabs(after[k] - before[k] - 0.1 * want) < 1e-14);
    }
  }
}

static void positions_wrap(void **state)
{
  (void)state;
  int32_t x = 0, image = 0;
  uint32_t residual = 0;
  drift_position(&x, &residual, &image, -0x1p-64);
  assert_true((uint32_t)x == UINT32_MAX && residual == UINT32_MAX && image == -1);
  drift_position(&x, &residual, &image, 0x1p-63);
  assert_true(x == 0 && residual == 1 && image == 0);
  drift_position(&x, &residual, &image, 0.4999);
  drift_position(&x, &residual, &image, 0.4999);
  drift_position(&x, &residual, &image, 0.4999);
  assert_int_equal(image, 1);
}

static void positions_walk(void **state)
{
  (void)state;
  int32_t x = 0x7fffff00, image = 0;
  uint32_t residual = 77;
  double u[4], want = (uint32_t)x * 0x1p-32 + residual * 0x1p-64;
  for (uint64_t k = 0; k < 20000; k++) {
    rng_uniform(1, k, 0, RNG_BUILD, u);
    double d = (u[0] - 0.48) * (u[1] < 0.5 ? 0.2 : 1e-9);
    int32_t x0 = x, image0 = image;
    uint32_t residual0 = residual;
    drift_position(&x, &residual, &image, d);
    want += d;
    double got = image + (uint32_t)x * 0x1p-32 + residual * 0x1p-64;
    assert_true(fabs(got - want) < 1e-11);
    int32_t x1 = x, image1 = image;
    uint32_t residual1 = residual;
    drift_position(&x1, &residual1, &image1, -d);
    assert_true(x1 == x0 && residual1 == residual0 && image1 == image0);
  }
}

static void noise_keeps_its_variance(void **state)
{
  (void)state;
  enum { STEPS = 200000 };
  const double c = 0.9, sigma[3] = {1, 2, 0};
  double v[3] = {5, 0, 3}, sum[3] = {0}, lag = 0;
  for (uint64_t k = 0; k < STEPS; k++) {
    double before = v[0];
    langevin_noise(v, c, sigma, 9, k, 1, RNG_LANGEVIN);
    lag += v[0] * before;
    for (int m = 0; m < 3; m++)
      sum[m] += v[m] * v[m];
  }
  double free_draws = STEPS * (1 - c * c) / (1 + c * c), error = 6 * sqrt(2 / free_draws);
  for (int m = 0; m < 2; m++)
    assert_true(fabs(sum[m] / STEPS * (1 - c * c) / (sigma[m] * sigma[m]) - 1) < error);
  assert_true(fabs(lag / sum[0] - c) < error);
  assert_true(fabs(v[2]) < 1e-300);
}

static struct body body_at_rest(void)
{
  struct body b;
  memset(&b, 0, sizeof b);
  b.q[0] = 1;
  return b;
}

/* What coupling asks for, without forces: p -> (scale p - m shift) / stretch, j -> scale j, and the
   drift is a fraction of the new box. */
static void coupling_acts_on_the_move(void **state)
{
  (void)state;
  const struct ff_type kind = {.mass = 40, .inertia = {2, 2, 0}};
  const struct body_type type = body_type_of(&kind);
  struct integrate_params m = {
      .dt = 0.01, .scaling = {{1.1}, {{0.01, 0, -0.02}}, {1.2, 0.9, 1}}, .max_displacement = 1};
  const double box[BOX] = {6, 4.5, 5}, p[3] = {10, -20, 30};
  struct body b = body_at_rest();
  memcpy(b.p, p, sizeof b.p);
  b.j[0] = 0.5;
  double d2 = body_move(&b, &type, &m, &m.scaling, box, box_is_oblique(box), 0, 1), want2 = 0;
  for (int k = 0; k < 3; k++) {
    double want = (1.1 * p[k] - 40 * m.scaling.shift[0][k]) / m.scaling.stretch[k],
           d = want / 40 * 0.01;
    double fraction = b.x[k] * 0x1p-32 + b.residual[k] * 0x1p-64;
    want2 += d * d;
    assert_true(fabs(b.p[k] - want) < 1e-13);
    assert_true(fabs(fraction * box[k] - d) < 1e-15);
  }
  assert_true(fabs(d2 - want2) < 1e-15);
  assert_true(fabs(b.j[0] - 0.55) < 1e-15);
}

/* With noise, half of the drift is done with the momentum before it and half with that after it. */
static void noise_is_in_the_middle_of_the_drift(void **state)
{
  (void)state;
  const struct ff_type kind = {.mass = 40};
  const struct body_type type = body_type_of(&kind);
  struct integrate_params m = {.dt = 0.01, .max_displacement = 1, .noise = 1, .bath = {{0.7, 2.5}}};
  const double box[BOX] = {6, 4.5, 5}, before[3] = {10, -20, 30};
  struct body b = body_at_rest();
  memcpy(b.p, before, sizeof b.p);
  body_move(&b, &type, &m, NULL, box, box_is_oblique(box), 3, 1);
  for (int k = 0; k < 3; k++) {
    double x = (b.x[k] * 0x1p-32 + b.residual[k] * 0x1p-64) * box[k], p = before[k];
    assert_true(fabs(b.p[k] - 0.7 * p) > 1e-3 && fabs(x - 0.005 * (p + b.p[k]) / 40) < 1e-15);
  }
}

/* Two moves with a force that does not change are a parabola: x = F t^2 / 2 m. */
static void constant_force_is_exact(void **state)
{
  (void)state;
  const struct ff_type kind = {.mass = 2};
  const struct body_type type = body_type_of(&kind);
  struct integrate_params m = {.dt = 0.02, .max_displacement = 1};
  const double box[BOX] = {1, 1, 1};
  struct body b = body_at_rest();
  b.force[1] = 3;
  for (int step = 0; step < 10; step++) {
    body_move(&b, &type, &m, NULL, box, box_is_oblique(box), 0, 1);
    body_kick(&b, &type, 0.5 * m.dt);
  }
  assert_true(fabs(b.x[1] * 0x1p-32 - 0.5 * 3 / 2.0 * 0.04) < 1e-9);
  assert_true(fabs(b.p[1] - 3 * 0.2) < 1e-14);
}

/* A dipole in a field that varies in space, on a spring. Returns the potential energy. */
static double field(struct body *b, const double box[BOX])
{
  double u[3], x[3], e[3], energy = 0;
  rotation_axis(b->q, u);
  for (int k = 0; k < 3; k++) {
    x[k] = (b->image[k] + (uint32_t)b->x[k] * 0x1p-32 + b->residual[k] * 0x1p-64) * box[k];
    e[k] = 20 + 5 * (k + 1) * x[k];
    b->force[k] = -30 * x[k] + 5 * (k + 1) * u[k];
    energy += 15 * x[k] * x[k] - u[k] * e[k];
  }
  for (int k = 0; k < 3; k++)
    b->torque[k] = u[(k + 1) % 3] * e[(k + 2) % 3] - u[(k + 2) % 3] * e[(k + 1) % 3];
  return energy;
}

static double step_energy(struct body *b, const struct body_type *t, const double box[BOX])
{
  double e = field(b, box);
  for (int k = 0; k < 3; k++)
    e += 0.5 * (b->p[k] * b->p[k] * t->inverse_mass + b->j[k] * b->j[k] * t->inverse_inertia[k]);
  return e;
}

/* Some steps forward, momenta reversed, as many steps: the start to rounding, and its energy. */
static void steps_are_reversible(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    const double *i = inertia[kind], box[BOX] = {3, 4, 5};
    const struct ff_type like = {.mass = 18, .inertia = {i[0], i[1], i[2]}};
    const struct body_type type = body_type_of(&like);
    struct integrate_params m = {.dt = 0.02, .max_displacement = 1};
    struct rotor r = rotor_make(kind, 31);
    struct body b = body_at_rest(), start;
    memcpy(b.q, r.q, sizeof b.q);
    memcpy(b.j, r.j, sizeof b.j);
    for (int k = 0; k < 3; k++)
      b.p[k] = 10 * (k - 1.2);
    double before = step_energy(&b, &type, box), least = before;
    start = b;
    for (int step = 0; step < 40; step++) {
      body_move(&b, &type, &m, NULL, box, box_is_oblique(box), 0, 1);
      field(&b, box);
      body_kick(&b, &type, 0.5 * m.dt);
      least = fmin(least, step_energy(&b, &type, box));
      for (int k = 0; step == 19 && k < 3; k++) {
        b.p[k] = -b.p[k];
        b.j[k] = -b.j[k];
      }
    }
    assert_true(least < before - 1e-4); /* a step does change the energy */
    assert_true(fabs(step_energy(&b, &type, box) - before) < 1e-11);
    assert_true(apart(b.q, start.q) < 1e-12);
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(b.p[k] + start.p[k]) < 1e-11 && fabs(b.j[k] + start.j[k]) < 1e-11);
      assert_true(fabs(b.x[k] * 0x1p-32 - start.x[k] * 0x1p-32) < 1e-9);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sines),
                                     cmocka_unit_test(frames),
                                     cmocka_unit_test(free_rotation_conserves),
                                     cmocka_unit_test(free_rotation_is_reversible),
                                     cmocka_unit_test(free_rotation_is_of_second_order),
                                     cmocka_unit_test(jacobi_functions),
                                     cmocka_unit_test(free_top_is_exact_to_second_order),
                                     cmocka_unit_test(kicks_follow_the_torque),
                                     cmocka_unit_test(positions_wrap),
                                     cmocka_unit_test(positions_walk),
                                     cmocka_unit_test(noise_keeps_its_variance),
                                     cmocka_unit_test(coupling_acts_on_the_move),
                                     cmocka_unit_test(noise_is_in_the_middle_of_the_drift),
                                     cmocka_unit_test(constant_force_is_exact),
                                     cmocka_unit_test(steps_are_reversible)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
