/* Thermostats and barostats on host and device: from the sums of a state they compute factors for
   momenta and box, the new box, and the list thresholds in it. Every rank computes the same values
   from the same sums. Equations: Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101, 2007;
   Bernetti and Bussi, J. Chem. Phys. 153, 114107, 2020; Berendsen et al., J. Chem. Phys. 81, 3684,
   1984. */
#ifndef COUPLE_BODY_H
#define COUPLE_BODY_H

#include <math.h>

#include "base/rng.h"
#include "dynamics/integrate_params.h"
#include "input/param.h"
#include "model/thermo.h"

struct bath_params {
  double temperature, tau, dof; /* K, ps, degrees of freedom */
};

/* What couples to the state of one step, and with which parameters. */
struct coupling_params {
  int64_t step;
  uint64_t seed;
  int thermostat;     /* THERMOSTAT_...; THERMOSTAT_NONE if not due at this step */
  int barostat;       /* BAROSTAT_...; BAROSTAT_NONE if not due at this step */
  int momentum;       /* 1: remove the centre-of-mass motion */
  int keeps_momentum; /* 1: a thermostat of several baths changes no total momentum */
  int coupling_mode;  /* COUPLING_ISOTROPIC, ... */
  int n_baths;        /* at least 1 */
  struct bath_params bath[HEAT_BATHS_MOST];
  double temperature;                        /* of the barostat, K */
  double thermostat_time, barostat_time;     /* intervals between couplings, ps */
  double barostat_tau;                       /* relaxation time, ps */
  double pressure, tension, compressibility; /* bar, bar nm, 1/bar */
  struct dof dof;
  double mass; /* total, amu */
  int bits;    /* sum_bits of the number of beads */
  /* For the list thresholds, nm. Two beads that were further apart than reach[k] at the build can
     only be inside the cutoff if one of them has moved more than the threshold: search_above2 for
     reach[0] (list radius), rebuild_above2 for reach[1] (halo width). */
  double cutoff, reach[2], build_box[3];
  double margin; /* by how much the smallest cutoff of a list is less than cutoff, nm */
};

/* Random numbers of one coupling: one block of a stream after the other. */
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

/* A gamma-distributed number of unit scale, shape >= 1 (Marsaglia and Tsang, ACM Trans. Math.
   Softw. 26, 363, 2000). */
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

/* Stochastic velocity rescaling (Bussi et al., eq. A7): the factor of the momenta of a bath. The
   numbers of bath b are the blocks from 2^32 b on. kinetic: kJ/mol. */
HD double couple_bussi(const struct coupling_params *how, int bath, double kinetic)
{
  struct draws d = {how->seed, (uint64_t)how->step, (uint64_t)bath << 32, RNG_BUSSI};
  double dof = how->bath[bath].dof;
  double c = exp(-how->thermostat_time / how->bath[bath].tau);
  double target = 0.5 * dof * UNITS_BOLTZMANN * how->bath[bath].temperature;
  double ratio = target / (dof * kinetic), r = draw_normal(&d);
  double s = dof > 1 ? 2 * draw_gamma(&d, 0.5 * (dof - 1)) : 0;
  double alpha2 = c + ratio * (1 - c) * (r * r + s) + 2 * r * sqrt(c * (1 - c) * ratio);
  return sqrt(fmax(alpha2, 0.0));
}

HD double couple_berendsen(const struct coupling_params *how, int bath, double kinetic)
{
  double rate = how->thermostat_time / how->bath[bath].tau;
  double temperature = temperature_of(kinetic, how->bath[bath].dof);
  return sqrt(fmax(1 + rate * (how->bath[bath].temperature / temperature - 1), 0.0));
}

/* The factor of the momenta of a bath. */
HD double couple_scale(const struct coupling_params *how, int bath, double kinetic)
{
  if (how->thermostat == THERMOSTAT_NONE || !(kinetic > 0)) return 1;
  return how->thermostat == THERMOSTAT_BUSSI ? couple_bussi(how, bath, kinetic)
                                             : couple_berendsen(how, bath, kinetic);
}

/* Sets the velocity that takes the total momentum back to what it shall be after momenta were
   scaled, and adds the energy of this change to *work (kJ/mol). momentum: of the system after
   scaling. */
HD void couple_shift(const struct coupling_params *how, const double before[3],
                     const double momentum[3], double shift[3], double *work)
{
  const int keeps = how->thermostat != THERMOSTAT_NONE && how->n_baths > 1 && how->keeps_momentum;
  for (int k = 0; k < 3 && (how->momentum || keeps); k++) {
    const double now = momentum[k], wanted = how->momentum ? 0 : before[k];
    shift[k] = (now - wanted) / how->mass;
    *work -= (0.5 * now * now - 0.5 * wanted * wanted) / how->mass;
  }
}

/* Coefficients of the change of the logarithm of the volume in one coupling: `rate` per bar of
   excess pressure, and the amplitude of the noise, whose variance is 2 kT beta h / (V tau). share:
   the part of both that a set of edges takes. */
struct volume_step {
  double rate, noise;
};

HD double log_edge_step(struct volume_step g, double share, double excess, double xi)
{
  return share * g.rate * excess + sqrt(share) * g.noise * xi;
}

/* Changes of the logarithms of the edges; pressures in bar. Shares: 1 for the volume, 2/3 for the
   area, 1/3 for one edge. */
HD void couple_box_edges(const struct coupling_params *how, const double pressure[9],
                         const double box[3], struct volume_step g, const double xi[4],
                         double log_edge[3])
{
  double p0 = how->pressure, lateral = 0.5 * (pressure[0] + pressure[4]);
  double tension = how->coupling_mode == COUPLING_SURFACE_TENSION ? how->tension / box[2] : 0;
  double d;
  switch (how->coupling_mode) {
  case COUPLING_ISOTROPIC:
    d = log_edge_step(g, 1, tensor_trace(pressure) - p0, xi[0]) / 3;
    log_edge[0] = log_edge[1] = log_edge[2] = d;
    break;
  case COUPLING_ANISOTROPIC:
    for (int k = 0; k < 3; k++)
      log_edge[k] = log_edge_step(g, 1.0 / 3, pressure[4 * k] - p0, xi[k]);
    break;
  case COUPLING_CONSTANT_AREA:
    log_edge[0] = log_edge[1] = 0;
    log_edge[2] = log_edge_step(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  default:
    d = log_edge_step(g, 2.0 / 3, lateral - (p0 - tension), xi[0]) / 2;
    log_edge[0] = log_edge[1] = d;
    log_edge[2] = log_edge_step(g, 1.0 / 3, pressure[8] - p0, xi[1]);
    break;
  }
}

HD void couple_barostat(const struct coupling_params *how, const struct thermo *o,
                        const double box[3], double stretch[3])
{
  double xi[4], log_edge[3];
  double kT = UNITS_BOLTZMANN * how->temperature * UNITS_BAR; /* bar nm3 */
  struct volume_step g;
  g.rate = how->compressibility * how->barostat_time / how->barostat_tau;
  g.noise = 0;
  if (how->barostat == BAROSTAT_CRESCALE) g.noise = sqrt(2 * kT * g.rate / o->volume);
  rng_normal(how->seed, (uint64_t)how->step, 0, RNG_CRESCALE, xi);
  couple_box_edges(how, o->pressure, box, g, xi, log_edge);
  for (int k = 0; k < 3; k++)
    stretch[k] = how->barostat == BAROSTAT_CRESCALE ? exp(log_edge[k]) : 1 + log_edge[k];
}

/* Computes the scaling that the next half step applies to momenta and box. Returns the energy that
   scale and shift add to the system, kJ/mol. */
HD double couple_factors(const struct coupling_params *how, const struct thermo *o,
                         const double box[3], struct scaling *scaling)
{
  double momentum[3] = {0, 0, 0}, work = 0;
  *scaling = scaling_none();
  for (int b = 0; b < how->n_baths; b++) {
    const struct bath_motion *m = &o->bath[b];
    const double scale = couple_scale(how, b, m->kinetic);
    scaling->scale[b] = scale;
    work += (scale * scale - 1) * m->kinetic;
    for (int k = 0; k < 3; k++)
      momentum[k] += scale * m->momentum[k];
  }
  couple_shift(how, o->momentum, momentum, scaling->shift, &work);
  if (how->barostat != BAROSTAT_NONE) couple_barostat(how, o, box, scaling->stretch);
  return work;
}

/* By how much, nm, two beads may approach each other by their displacements so that no pair that
   was further apart than `reach` at the build can be inside the cutoff: the largest a with scale
   (reach - a) >= cutoff, where scale is the smallest ratio of a box edge to that at the build.
   margin: the same must hold of lists with both smaller by this. Negative: no displacement is safe.
 */
HD double couple_approach(double cutoff, double margin, double reach, const double box[3],
                          const double build_box[3])
{
  double scale = 1e300;
  for (int k = 0; k < 3; k++)
    scale = fmin(scale, box[k] / build_box[k]);
  double approach = reach - cutoff / scale;
  if (margin > 0 && scale > 1) approach -= margin * (1 - 1 / scale);
  return approach;
}

/* Square of the displacement up to which any two beads approach by no more, nm2. Negative: none. */
HD double couple_displacement2(double cutoff, double margin, double reach, const double box[3],
                               const double build_box[3])
{
  const double d = 0.5 * couple_approach(cutoff, margin, reach, box, build_box);
  return d > 0 ? d * d : -1;
}

HD void couple_list_thresholds(const struct coupling_params *how, struct coupling_state *now)
{
  now->search_above2 =
      couple_displacement2(how->cutoff, how->margin, how->reach[0], now->box, how->build_box);
  now->rebuild_above2 =
      couple_displacement2(how->cutoff, how->margin, how->reach[1], now->box, how->build_box);
}

/* Is the factor of an edge one that leaves a valid box? */
HD int couple_is_valid_stretch(double factor)
{
  return factor > 0 && factor < 2;
}

/* Applies a coupling to *now, from sums over all ranks: scaling, work, box, thresholds. If sums
   overflowed, or a factor is not valid, only now->step and now->overflow are set. */
HD void couple_apply(const struct coupling_params *how, const struct sums *s,
                     struct coupling_state *now)
{
  struct thermo o;
  now->step = how->step;
  now->overflow = sum_overflow(s);
  if (now->overflow) return;
  thermo_of(&o, s, how->bits, now->box, how->dof, how->n_baths);
  struct scaling scaling;
  double work = couple_factors(how, &o, now->box, &scaling);
  for (int k = 0; k < 3; k++)
    now->overflow += !couple_is_valid_stretch(scaling.stretch[k]);
  if (now->overflow) return;
  now->scaling = scaling;
  now->work += work;
  for (int k = 0; k < 3; k++)
    now->box[k] *= scaling.stretch[k];
  couple_list_thresholds(how, now);
}

#endif
