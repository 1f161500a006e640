/* Dynamics at constant energy with the forces of one kind of arithmetic. The beads are moved on the
   host, in double and by the integrator of the program (src/dynamics), so that runs differ in
   their forces alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "variants.h"

#include "base/torus.h"
#include "base/units.h"
#include "dynamics/move_body.h"

struct walk {
  struct body_type type;
  std::vector<struct body> body;
  std::vector<int32_t> listed; /* positions that the lists were made of */
  std::vector<double> force, torque;
  double potential;
};

struct sample {
  double potential, kinetic, temperature; /* kJ/mol, kJ/mol, K */
};

/* The quaternion of a body from its z and x in the laboratory (Shepperd, J. Guid. Control 1, 223,
   1978). */
static void quaternion_set(const double z[3], const double x[3], double q[4])
{
  const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2],
                       z[0] * x[1] - z[1] * x[0]};
  const double *column[3] = {x, y, z};
  const double trace = x[0] + y[1] + z[2];
  int k = 0;
  for (int c = 1; c < 3; c++)
    if (column[c][c] > column[k][k]) k = c;
  if (trace > column[k][k]) {
    q[0] = 1 + trace;
    q[1] = y[2] - z[1];
    q[2] = z[0] - x[2];
    q[3] = x[1] - y[0];
  } else {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    q[0] = column[a][b] - column[b][a];
    q[1 + k] = 1 + 2 * column[k][k] - trace;
    q[1 + a] = column[a][k] + column[k][a];
    q[1 + b] = column[b][k] + column[k][b];
  }
  rotation_normalise(q);
}

static struct walk walk_of(const struct frame *f, double temperature)
{
  struct walk w;
  struct ff_type type;
  memset(&type, 0, sizeof type);
  type.mass = f->model.mass;
  memcpy(type.inertia, f->model.inertia, sizeof type.inertia);
  w.type = body_type_of(&type);
  w.body.resize((size_t)f->n);
  const double kT = UNITS_BOLTZMANN * temperature;
  for (size_t i = 0; i < w.body.size(); i++) {
    struct body *b = &w.body[i];
    double push[4], turn[4];
    memset(b, 0, sizeof *b);
    memcpy(b->x, f->x + 3 * i, sizeof b->x);
    quaternion_set(f->axis[0] + 3 * i, f->axis[1] + 3 * i, b->q);
    rng_normal(1, 0, i, RNG_LANGEVIN, push);
    rng_normal(1, 0, i, RNG_LANGEVIN_ROT, turn);
    for (int k = 0; k < 3; k++) {
      b->p[k] = sqrt(kT * w.type.mass) * push[k];
      b->j[k] = sqrt(kT * w.type.inertia[k]) * turn[k];
    }
  }
  return w;
}

/* Positions and axes of the bodies, into the frame. */
static void frame_follow(struct frame *f, const struct walk *w)
{
  for (size_t i = 0; i < w->body.size(); i++) {
    memcpy(f->x + 3 * i, w->body[i].x, sizeof w->body[i].x);
    rotation_axis(w->body[i].q, f->axis[0] + 3 * i);
    rotation_axis_x(w->body[i].q, f->axis[1] + 3 * i);
  }
}

/* Forces and torques at the positions of the frame; data: of a GPU, or NULL. */
static void forces_find(const struct variant *v, void *data, const struct frame *f, int energies,
                        struct walk *w)
{
  const struct choice c = {COEFFICIENTS_shared, RECORDS_ldg, energies, 0, PASSES};
  struct outcome out = {w->force.data(), w->torque.data(), {0, 0}};
  if (data) {
    v->launch(data, c);
    v->result(data, &out);
  } else {
    v->host(f, &out);
  }
  if (energies) w->potential = out.energy[0] + out.energy[1];
  for (size_t i = 0; i < w->body.size(); i++) {
    memcpy(w->body[i].force, out.force + 3 * i, sizeof w->body[i].force);
    memcpy(w->body[i].torque, out.torque + 3 * i, sizeof w->body[i].torque);
  }
}

static struct sample sample_of(const struct walk *w)
{
  struct sample s = {w->potential, 0, 0};
  for (const struct body &b : w->body)
    for (int k = 0; k < 3; k++)
      s.kinetic += 0.5 * (b.p[k] * b.p[k] * w->type.inverse_mass +
                          b.j[k] * b.j[k] * w->type.inverse_inertia[k]);
  s.temperature = s.kinetic / (3 * (double)w->body.size() * UNITS_BOLTZMANN);
  return s;
}

/* Velocity Verlet. */
static void step(const struct variant *v, void *data, struct frame *f, double dt, struct walk *w)
{
  for (struct body &b : w->body) {
    body_kick(&b, &w->type, 0.5 * dt);
    body_drift(&b, &w->type, f->box, dt);
  }
  frame_follow(f, w);
  if (data) v->move(data, f);
  forces_find(v, data, f, 0, w);
  for (struct body &b : w->body)
    body_kick(&b, &w->type, 0.5 * dt);
}

/* Is no bead further than half of the skin from where it was when the lists were made? */
static int lists_hold(const struct frame *f, const struct walk *w, double skin)
{
  double h[3];
  torus_units(f->box, h);
  for (size_t i = 0; i < w->body.size(); i++)
    if (!(torus_distance2(w->body[i].x, &w->listed[3 * i], h) < 0.25 * skin * skin)) return 0;
  return 1;
}

/* Steps with one list, after a sample of the energies; counts them in done. */
static int block(const struct variant *v, struct frame *f, const struct run_options *o,
                 struct walk *w, std::vector<struct sample> *samples, int64_t *done)
{
  frame_lists_set(f, o->skin);
  w->listed.assign(f->x, f->x + 3 * (size_t)f->n);
  void *data = o->host ? NULL : v->create(f);
  forces_find(v, data, f, 1, w);
  samples->push_back(sample_of(w));
  int holds = 1;
  for (int k = 0; holds && k < o->every; k++) {
    step(v, data, f, o->dt, w);
    holds = lists_hold(f, w, o->skin);
    ++*done;
  }
  if (data) v->destroy(data);
  return holds;
}

static void series_print(const char *name, const std::vector<struct sample> &samples,
                         double sample::*member)
{
  printf(", \"%s\": [", name);
  for (size_t k = 0; k < samples.size(); k++)
    if (isfinite(samples[k].*member))
      printf("%s%.10g", k ? ", " : "", samples[k].*member);
    else
      printf("%sNaN", k ? ", " : ""); /* as the json module of Python writes and reads it */
  printf("]");
}

void run_print(const struct variant *v, struct frame *f, const struct run_options *o)
{
  struct walk w = walk_of(f, o->temperature);
  std::vector<struct sample> samples;
  int64_t done = 0;
  w.force.resize(3 * (size_t)f->n);
  w.torque.resize(3 * (size_t)f->n);
  frame_follow(f, &w);
  int holds = 1;
  while (holds && done < o->steps)
    holds = block(v, f, o, &w, &samples, &done);
  printf("{\"name\": \"%s\", \"beads\": %d, \"steps\": %lld, \"every\": %d, \"dt\": %g, "
         "\"whole\": %s",
         v->name, f->n, (long long)done, o->every, o->dt, holds ? "true" : "false");
  series_print("potential", samples, &sample::potential);
  series_print("kinetic", samples, &sample::kinetic);
  series_print("temperature", samples, &sample::temperature);
  printf("}\n");
}
