/* Factors of thermostats and barostats, on host and device: what they are for a state, and what
   they make of its box and of how long lists last (equations: Bussi, Donadio and Parrinello, J.
   Chem. Phys. 126, 014101, 2007; Bernetti and Bussi, J. Chem. Phys. 153, 114107, 2020; Berendsen et
   al., J. Chem. Phys. 81, 3684, 1984). All ranks compute the same from the same sums. */
#ifndef COUPLE_BODY_H
#define COUPLE_BODY_H

#include <math.h>

#include "base/rng.h"
#include "dynamics/integrate_params.h"
#include "input/param.h"
#include "model/observe.h"

/* What is to be done with a state. */
struct coupling_params {
  int64_t step;
  uint64_t seed;
  int thermostat, barostat; /* the types of those that act; THERMOSTAT_NONE, BAROSTAT_NONE */
  int momentum;             /* 1: the motion of the centre of mass is removed */
  int edges;                /* COUPLING_ISOTROPIC, ... */
  double temperature;       /* K */
  double thermostat_time, thermostat_tau, barostat_time,
      barostat_tau;                          /* from one to the next; ps */
  double pressure, tension, compressibility; /* bar, bar nm, 1/bar */
  struct dof dof;
  double mass; /* of all beads, amu */
  int bits;    /* of the sums */
  /* Of lists, nm: two beads that were further apart than a reach when they were built have not met
     unless one has come further than search_above2 says (the first), or rebuild_above2. */
  double cutoff, reach[2], build_box[3];
};

/* Numbers of one draw: uniform and normal ones from the blocks of a stream, block by block. */
struct draws {
  uint64_t seed, step, block;
  uint32_t stream;
};

HD double draw_normal(struct draws *d)
{
  double out[4];
  rng_normal(d->seed, d->step, d->block++, d->stream, out);
  return out[0];
}

HD double draw_uniform(struct draws *d)
{
  double out[4];
  rng_uniform(d->seed, d->step, d->block++, d->stream, out);
  return out[0];
}

/* Gamma distribution of unit scale (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363, 2000),
   shape >= 1. */
HD double draw_gamma_large(struct draws *d, double shape)
{
  double a = shape - 1.0 / 3, c = 1 / sqrt(9 * a);
  for (;;) {
    double x = draw_normal(d), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (log(draw_uniform(d)) < 0.5 * x * x + a - a * v + a * log(v)) return a * v;
  }
}

HD double draw_gamma(struct draws *d, double shape)
{
  if (shape >= 1) return draw_gamma_large(d, shape);
  double large = draw_gamma_large(d, shape + 1);
  return large * pow(draw_uniform(d), 1 / shape);
}

/* The factor of all momenta. */
HD double couple_bussi(const struct coupling_params *how, double kinetic, double freedom)
{
  struct draws d = {how->seed, (uint64_t)how->step, 0, RNG_BUSSI};
  double c = exp(-how->thermostat_time / how->thermostat_tau);
  double target = 0.5 * freedom * UNITS_BOLTZMANN * how->temperature;
  double ratio = target / (freedom * kinetic), r = draw_normal(&d);
  double s = freedom > 1 ? 2 * draw_gamma(&d, 0.5 * (freedom - 1)) : 0;
  double alpha2 = c + ratio * (1 - c) * (r * r + s) + 2 * r * sqrt(c * (1 - c) * ratio);
  return sqrt(fmax(alpha2, 0.0));
}

HD double couple_berendsen(const struct coupling_params *how, double temperature)
{
  double rate = how->thermostat_time / how->thermostat_tau;
  return sqrt(fmax(1 + rate * (how->temperature / temperature - 1), 0.0));
}

/* Relative growth of a set of edges: drift towards the target by rate, with noise of the variance
   2 kT beta h / (V tau) times share. */
struct growth {
  double rate, noise;
};

HD double growth_of(struct growth g, double share, double excess, double xi)
{
  return share * g.rate * excess + sqrt(share) * g.noise * xi;
}

/* Logarithmic growth of the edges; pressures in bar. share: 1 for the volume, 2/3 for the area, 1/3
   for one edge. */
HD void couple_edges(const struct coupling_params *how, const double pressure[9],
                     const double box[3], struct growth g, const double xi[4], double log_edge[3])
{
  double p0 = how->pressure, lateral = 0.5 * (pressure[0] + pressure[4]);
  double tension = how->edges == COUPLING_SURFACE_TENSION ? how->tension / box[2] : 0;
  double d;
  switch (how->edges) {
  case COUPLING_ISOTROPIC:
    d = growth_of(g, 1, observe_trace(pressure) - p0, xi[0]) / 3;
    log_edge[0] = log_edge[1] = log_edge[2] = d;
    break;
  case COUPLING_ANISOTROPIC:
    for (int k = 0; k < 3; k++)
      log_edge[k] = growth_of(g, 1.0 / 3, pressure[4 * k] - p0, xi[k]);
    break;
  case COUPLING_CONSTANT_AREA:
    log_edge[0] = log_edge[1] = 0;
    log_edge[2] = growth_of(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  default:
    d = growth_of(g, 2.0 / 3, lateral - (p0 - tension), xi[0]) / 2;
    log_edge[0] = log_edge[1] = d;
    log_edge[2] = growth_of(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  }
}

HD void couple_barostat(const struct coupling_params *how, const struct observables *o,
                        const double box[3], double stretch[3])
{
  double xi[4], log_edge[3];
  double kT = UNITS_BOLTZMANN * how->temperature * UNITS_BAR; /* bar nm3 */
  struct growth g;
  g.rate = how->compressibility * how->barostat_time / how->barostat_tau;
  g.noise = 0;
  if (how->barostat == BAROSTAT_CRESCALE) g.noise = sqrt(2 * kT * g.rate / o->volume);
  rng_normal(how->seed, (uint64_t)how->step, 0, RNG_CRESCALE, xi);
  couple_edges(how, o->pressure, box, g, xi, log_edge);
  for (int k = 0; k < 3; k++)
    stretch[k] = how->barostat == BAROSTAT_CRESCALE ? exp(log_edge[k]) : 1 + log_edge[k];
}

/* Of the move that starts from this state. Returns the energy put into the system by scale and
   shift, kJ/mol. */
HD double couple_factors(const struct coupling_params *how, const struct observables *o,
                         const double box[3], struct scaling *by)
{
  double kinetic = o->kinetic + o->rotational, work = 0;
  double n = how->dof.translation + how->dof.rotation;
  *by = scaling_none();
  if (how->thermostat != THERMOSTAT_NONE && kinetic > 0) {
    by->scale = how->thermostat == THERMOSTAT_BUSSI ? couple_bussi(how, kinetic, n)
                                                    : couple_berendsen(how, o->temperature);
    work += (by->scale * by->scale - 1) * kinetic;
  }
  if (how->momentum)
    for (int k = 0; k < 3; k++) {
      double momentum = by->scale * o->momentum[k];
      by->shift[k] = momentum / how->mass;
      work -= 0.5 * momentum * momentum / how->mass;
    }
  if (how->barostat != BAROSTAT_NONE) couple_barostat(how, o, box, by->stretch);
  return work;
}

/* The square of the displacement up to which no pair that was further apart than reach is inside
   the cutoff: while scale (reach - 2 d) >= rc. Negative: there is none. */
HD double couple_displacement2(double cutoff, double reach, const double box[3],
                               const double build_box[3])
{
  double scale = 1e300;
  for (int k = 0; k < 3; k++)
    scale = fmin(scale, box[k] / build_box[k]);
  double d = 0.5 * (reach - cutoff / scale);
  return d > 0 ? d * d : -1;
}

HD void couple_list_thresholds(const struct coupling_params *how, struct coupling_state *now)
{
  now->search_above2 = couple_displacement2(how->cutoff, how->reach[0], now->box, how->build_box);
  now->rebuild_above2 = couple_displacement2(how->cutoff, how->reach[1], now->box, how->build_box);
}

/* Is the factor of an edge one that leaves a box? */
HD int couple_stretches(double factor)
{
  return factor > 0 && factor < 2;
}

/* From sums over all ranks; where parts of them did not fit, or make no box, only that is noted. */
HD void couple_apply(const struct coupling_params *how, const struct sums *s,
                     struct coupling_state *now)
{
  struct observables o;
  now->step = how->step;
  now->overflow = sum_overflow(s);
  if (now->overflow) return;
  observe(&o, s, how->bits, now->box, how->dof);
  struct scaling by;
  double work = couple_factors(how, &o, now->box, &by);
  for (int k = 0; k < 3; k++)
    now->overflow += !couple_stretches(by.stretch[k]);
  if (now->overflow) return;
  now->scaling = by;
  now->work += work;
  for (int k = 0; k < 3; k++)
    now->box[k] *= by.stretch[k];
  couple_list_thresholds(how, now);
}

#endif
