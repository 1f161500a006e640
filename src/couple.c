#include "couple.h"

#include <math.h>

#include "rng.h"
#include "units.h"

static int every(int64_t step, int64_t interval)
{
  return step > 0 && interval > 0 && step % interval == 0;
}

static int thermostat_due(const struct params *p, int64_t step)
{
  return (p->thermostat_type == THERMOSTAT_BERENDSEN || p->thermostat_type == THERMOSTAT_BUSSI) &&
         every(step, p->thermostat_every);
}

int couple_needs_virial(const struct params *p, int64_t step)
{
  return p->barostat_type != BAROSTAT_NONE && every(step, p->barostat_every);
}

int couple_due(const struct params *p, int64_t step)
{
  return thermostat_due(p, step) || couple_needs_virial(p, step) ||
         every(step, p->run_momentum_every);
}

/* Numbers of one draw: uniform and normal ones from the blocks of a stream, block by block. */
struct draws {
  uint64_t seed, step, block;
  uint32_t stream;
};

static double draw_normal(struct draws *d)
{
  double out[4];
  rng_normal(d->seed, d->step, d->block++, d->stream, out);
  return out[0];
}

static double draw_uniform(struct draws *d)
{
  double out[4];
  rng_uniform(d->seed, d->step, d->block++, d->stream, out);
  return out[0];
}

/* Gamma distribution of unit scale (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363, 2000). */
static double draw_gamma(struct draws *d, double shape)
{
  if (shape < 1) return draw_gamma(d, shape + 1) * pow(draw_uniform(d), 1 / shape);
  double a = shape - 1.0 / 3, c = 1 / sqrt(9 * a);
  for (;;) {
    double x = draw_normal(d), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (log(draw_uniform(d)) < 0.5 * x * x + a - a * v + a * log(v)) return a * v;
  }
}

/* The factor of all momenta. */
static double bussi(const struct params *p, const struct move *m, double kinetic, double freedom)
{
  struct draws d = {m->seed, (uint64_t)m->step, 0, RNG_BUSSI};
  double c = exp(-(double)p->thermostat_every * p->run_dt / p->thermostat_tau);
  double target = 0.5 * freedom * UNITS_BOLTZMANN * p->thermostat_temperature;
  double ratio = target / (freedom * kinetic), r = draw_normal(&d);
  double s = freedom > 1 ? 2 * draw_gamma(&d, 0.5 * (freedom - 1)) : 0;
  double alpha2 = c + ratio * (1 - c) * (r * r + s) + 2 * r * sqrt(c * (1 - c) * ratio);
  return sqrt(fmax(alpha2, 0));
}

static double berendsen(const struct params *p, double temperature)
{
  double rate = (double)p->thermostat_every * p->run_dt / p->thermostat_tau;
  return sqrt(fmax(1 + rate * (p->thermostat_temperature / temperature - 1), 0));
}

/* Relative growth of a set of edges: drift towards the target by rate, with noise of the variance
   2 kT beta h / (V tau) times share. */
struct growth {
  double rate, noise;
};

static double grow(struct growth g, double share, double excess, double xi)
{
  return share * g.rate * excess + sqrt(share) * g.noise * xi;
}

/* Logarithmic growth of the edges; pressures in bar. share: 1 for the volume, 2/3 for the area, 1/3
   for one edge. */
static void edges(const struct params *p, const double pressure[9], const double box[3],
                  struct growth g, const double xi[4], double log_edge[3])
{
  double p0 = p->barostat_pressure, lateral = 0.5 * (pressure[0] + pressure[4]);
  double tension =
      p->barostat_coupling == COUPLING_SURFACE_TENSION ? p->barostat_surface_tension / box[2] : 0;
  double d;
  switch (p->barostat_coupling) {
  case COUPLING_ISOTROPIC:
    d = grow(g, 1, observe_trace(pressure) - p0, xi[0]) / 3;
    log_edge[0] = log_edge[1] = log_edge[2] = d;
    break;
  case COUPLING_ANISOTROPIC:
    for (int k = 0; k < 3; k++)
      log_edge[k] = grow(g, 1.0 / 3, pressure[4 * k] - p0, xi[k]);
    break;
  case COUPLING_CONSTANT_AREA:
    log_edge[0] = log_edge[1] = 0;
    log_edge[2] = grow(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  default:
    d = grow(g, 2.0 / 3, lateral - (p0 - tension), xi[0]) / 2;
    log_edge[0] = log_edge[1] = d;
    log_edge[2] = grow(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  }
}

static void barostat(const struct params *p, const struct observables *o, const double box[3],
                     struct move *m)
{
  double h = (double)p->barostat_every * p->run_dt, xi[4], log_edge[3];
  double kT = UNITS_BOLTZMANN * p->thermostat_temperature * UNITS_BAR; /* bar nm3 */
  struct growth g;
  g.rate = p->barostat_compressibility * h / p->barostat_tau;
  g.noise = 0;
  if (p->barostat_type == BAROSTAT_CRESCALE) g.noise = sqrt(2 * kT * g.rate / o->volume);
  rng_normal(m->seed, (uint64_t)m->step, 0, RNG_CRESCALE, xi);
  edges(p, o->pressure, box, g, xi, log_edge);
  for (int k = 0; k < 3; k++)
    m->stretch[k] = p->barostat_type == BAROSTAT_CRESCALE ? exp(log_edge[k]) : 1 + log_edge[k];
}

double couple_factors(const struct params *p, const struct observables *o, const double box[3],
                      struct freedom freedom, double mass, struct move *m)
{
  int64_t step = m->step;
  double work = 0;
  m->scale = 1;
  for (int k = 0; k < 3; k++) {
    m->shift[k] = 0;
    m->stretch[k] = 1;
  }
  if (!couple_due(p, step)) return 0;
  double kinetic = o->kinetic + o->rotational, n = freedom.translation + freedom.rotation;
  if (thermostat_due(p, step) && kinetic > 0) {
    m->scale = p->thermostat_type == THERMOSTAT_BUSSI ? bussi(p, m, kinetic, n)
                                                      : berendsen(p, o->temperature);
    work += (m->scale * m->scale - 1) * kinetic;
  }
  if (every(step, p->run_momentum_every))
    for (int k = 0; k < 3; k++) {
      double momentum = m->scale * o->momentum[k];
      m->shift[k] = momentum / mass;
      work -= 0.5 * momentum * momentum / mass;
    }
  if (couple_needs_virial(p, step)) barostat(p, o, box, m);
  return work;
}
