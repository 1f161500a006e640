/* The blocks in which the CPU backend moves beads against body_move and body_kick of each bead, bit
   for bit, for every instruction set of this processor. */
#include <string.h>

#include "base/rng.h"
#include "cpu/force_cpu.h"
#include "input/param.h"
#include "tests/support/unit.h"

enum { N = 2 * MOVE_BLOCK + 13, TYPES = 4 };

/* Beads as the backend has them, and what belongs to them. */
struct scene {
  double momentum[N][3], angular[N][3], orientation[N][4], force[N][3], torque[N][3];
  int32_t position[N][3], image[N][3], type[N];
  uint32_t residual[N][3];
  int64_t id[N];
  unsigned char team[N], member[N];
};

/* A point, a rod, a body, and a site without mass. */
static const struct body_type inertia[TYPES] = {
    {18, 1 / 18.0, {0, 0, 0}, {0, 0, 0}},
    {40, 1 / 40.0, {0.5, 0.5, 0}, {2, 2, 0}},
    {18, 1 / 18.0, {0.1, 0.2, 0.25}, {10, 5, 4}},
    {0, 0, {0, 0, 0}, {0, 0, 0}},
};

static double word(int bead, int number)
{
  double u[4];
  rng_uniform(5, (uint64_t)bead, (uint64_t)number, RNG_BUILD, u);
  return 2 * u[0] - 1;
}

static struct scene scene_random(void)
{
  struct scene s;
  memset(&s, 0, sizeof s);
  for (int i = 0; i < N; i++) {
    s.id[i] = 7 + 3 * i;
    s.type[i] = i % TYPES;
    const int frozen = i % 7 == 2 ? FROZEN_WHOLLY : i % 7 == 4 ? i % 8 : 0;
    s.team[i] = (unsigned char)((i % 3 == 0) | frozen << TEAM_BITS);
    s.member[i] = (unsigned char)(i % 5 == 0);
    double size = 0;
    for (int k = 0; k < 4; k++) {
      s.orientation[i][k] = word(i, k);
      size += s.orientation[i][k] * s.orientation[i][k];
    }
    for (int k = 0; k < 4; k++)
      s.orientation[i][k] /= sqrt(size);
    for (int k = 0; k < 3; k++) {
      s.momentum[i][k] = frozen >> k & 1 ? 0 : 40 * word(i, 10 + k);
      s.force[i][k] = 500 * word(i, 20 + k);
      /* Some turn by more than a radian, and some not at all. */
      const double fast = i % 11 == 0 ? 40 : i % 9 == 0 ? 0 : 1;
      const int turns = inertia[s.type[i]].inertia[k] > 0 && frozen != FROZEN_WHOLLY;
      s.angular[i][k] = turns ? fast * word(i, 30 + k) : 0;
      s.torque[i][k] = (fast > 0) * 20 * word(i, 40 + k);
      s.image[i][k] = i % 7 - 3;
      s.residual[i][k] = (uint32_t)(4294967295.0 * (0.5 + 0.5 * word(i, 50 + k)));
      /* Every third near a face of the box. */
      const double at = i % 3 ? 2147483647.0 * word(i, 60 + k) : -1 + 1e6 * word(i, 60 + k);
      s.position[i][k] = (int32_t)at;
    }
  }
  return s;
}

static struct move_job job_of(struct scene *s, int clusters)
{
  struct move_job job = {.inertia = inertia,
                         .force = s->force[0],
                         .torque = s->torque[0],
                         .team = s->team,
                         .frozen = FROZEN_WHOLLY,
                         .member = clusters ? s->member : NULL,
                         .id = s->id,
                         .box = {6.5, 7, 9}};
  job.beads.momentum = s->momentum[0];
  job.beads.angular_momentum = s->angular[0];
  job.beads.orientation = s->orientation[0];
  job.beads.position = s->position[0];
  job.beads.image = s->image[0];
  job.beads.residual = s->residual[0];
  job.beads.type = s->type;
  return job;
}

static struct integrate_params params(int noise)
{
  struct integrate_params m;
  memset(&m, 0, sizeof m);
  m.dt = 0.02;
  m.scaling = scaling_none();
  m.scaling.scale[0] = 1.003;
  m.scaling.scale[1] = 0.98;
  m.scaling.shift[0][1] = 0.01;
  m.scaling.shift[1][2] = -0.02;
  for (int k = 0; k < 3; k++)
    m.scaling.stretch[k] = 1 + 0.0004 * (k + 1);
  m.noise = noise;
  for (int b = 0; b < 2; b++) {
    m.bath[b].decay = 0.99 - 0.1 * b;
    m.bath[b].kT = 2.5;
  }
  m.seed = 11;
  m.step = 1234567;
  m.max_displacement = 1;
  return m;
}

/* The move or, without m, half a kick of bead i by move_body.h. Returns the square of its way. */
static double bead_move(struct scene *s, int i, const struct integrate_params *m, double h)
{
  struct body b;
  memset(&b, 0, sizeof b);
  memcpy(b.p, s->momentum[i], sizeof b.p);
  memcpy(b.j, s->angular[i], sizeof b.j);
  memcpy(b.q, s->orientation[i], sizeof b.q);
  memcpy(b.force, s->force[i], sizeof b.force);
  memcpy(b.torque, s->torque[i], sizeof b.torque);
  memcpy(b.x, s->position[i], sizeof b.x);
  memcpy(b.image, s->image[i], sizeof b.image);
  memcpy(b.residual, s->residual[i], sizeof b.residual);
  body_set_team(&b, s->team[i]);
  const struct body_type *t = &inertia[s->type[i]];
  const double box[BOX] = {6.5, 7, 9};
  double d2 = 0;
  if (m)
    d2 = body_move(&b, t, m, &m->scaling, box, box_is_oblique(box), m->step, s->id[i]);
  else
    body_kick(&b, t, h);
  body_hold(&b);
  memcpy(s->momentum[i], b.p, sizeof b.p);
  memcpy(s->angular[i], b.j, sizeof b.j);
  memcpy(s->orientation[i], b.q, sizeof b.q);
  memcpy(s->position[i], b.x, sizeof b.x);
  memcpy(s->image[i], b.image, sizeof b.image);
  memcpy(s->residual[i], b.residual, sizeof b.residual);
  return d2;
}

/* Every kernel that this processor can run. */
static int kernels(const struct force_kernel *out[8])
{
  int n = 0;
  for (int level = 0; level <= force_kernel_level(); level++)
    for (int precision = 0; precision < 2; precision++) {
      out[n] = force_kernel_get(precision ? PRECISION_DOUBLE : PRECISION_MIXED, level);
      if (out[n]) n++;
    }
  assert_true(n > 0);
  return n;
}

static void blocks_move_as_beads_do(void **state)
{
  (void)state;
  const struct force_kernel *kernel[8];
  const int n = kernels(kernel);
  for (int noise = 0; noise < 2; noise++)
    for (int clusters = 0; clusters < 2; clusters++) {
      const struct integrate_params m = params(noise);
      struct scene want = scene_random();
      int crossed = 0;
      for (int i = 0; i < N; i++) {
        if (clusters && want.member[i]) continue;
        assert_true(bead_move(&want, i, &m, 0) < 1);
        crossed += want.image[i][0] != i % 7 - 3;
      }
      assert_true(crossed > 3);
      for (int k = 0; k < n; k++) {
        struct scene got = scene_random();
        const struct move_job job = job_of(&got, clusters);
        assert_int_equal(kernel[k]->move(&job, &m, 0, N / 3), N / 3);
        assert_int_equal(kernel[k]->move(&job, &m, N / 3, N), N);
        assert_memory_equal(&got, &want, sizeof got);
      }
    }
}

static void kicks_are_those_of_beads(void **state)
{
  (void)state;
  const struct force_kernel *kernel[8];
  const int n = kernels(kernel);
  for (int clusters = 0; clusters < 2; clusters++) {
    struct scene want = scene_random();
    for (int i = 0; i < N; i++)
      if (!clusters || !want.member[i]) bead_move(&want, i, NULL, 0.01);
    for (int k = 0; k < n; k++) {
      struct scene got = scene_random();
      const struct move_job job = job_of(&got, clusters);
      kernel[k]->kick(&job, 0.01, 0, N / 3);
      kernel[k]->kick(&job, 0.01, N / 3, N);
      assert_memory_equal(&got, &want, sizeof got);
    }
  }
}

/* A bead that is too fast, or whose force is not a number: it and those behind are left. */
static void lost_beads_stay(void **state)
{
  (void)state;
  const struct force_kernel *kernel[8];
  const int n = kernels(kernel), lost = MOVE_BLOCK + 4;
  /* The first moves a bead a little further than is allowed, in each drift. */
  const double forces[2][3] = {{1.1e5, 1e7, NAN}, {2.2e5, 1e30, NAN}};
  for (int k = 0; k < 6 * n; k++) {
    const int noise = k / n % 2;
    const struct integrate_params m = params(noise);
    struct scene want = scene_random();
    want.force[lost][1] = forces[noise][k / n / 2];
    struct scene got = want;
    for (int i = 0; i < lost; i++)
      bead_move(&want, i, &m, 0);
    const struct move_job job = job_of(&got, 0);
    assert_int_equal(kernel[k % n]->move(&job, &m, 0, N), lost);
    assert_memory_equal(&got, &want, sizeof got);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_move_as_beads_do),
      cmocka_unit_test(kicks_are_those_of_beads),
      cmocka_unit_test(lost_beads_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
