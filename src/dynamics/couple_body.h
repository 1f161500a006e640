/* Thermostats and barostats on host and device: from the sums of a state they compute factors for
   momenta and box, the new box, and the list thresholds in it. Every rank computes the same values
   from the same sums. Equations: Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101, 2007;
   Bernetti and Bussi, J. Chem. Phys. 153, 114107, 2020; Berendsen et al., J. Chem. Phys. 81, 3684,
   1984. */
#ifndef COUPLE_BODY_H
#define COUPLE_BODY_H

#include <math.h>

#include "base/box.h"
#include "base/portable.h"
#include "base/rng.h"
#include "dynamics/integrate_params.h"
#include "input/param.h"
#include "model/thermo.h"

struct bath_params {
  double temperature, tau, dof; /* K, ps, degrees of freedom that its factor scales */
  double mass;                  /* amu; not used with one bath */
};

/* What couples to the state of one step, and with which parameters. */
struct coupling_params {
  int64_t step;
  uint64_t seed;
  int thermostat;    /* THERMOSTAT_...; THERMOSTAT_NONE if not due at this step */
  int barostat;      /* BAROSTAT_...; BAROSTAT_NONE if not due at this step */
  int probe;         /* 1: displace the box before the step that measures the pressure */
  int momentum;      /* 1: remove the centre-of-mass motion */
  int coupling_mode; /* COUPLING_ISOTROPIC, ... */
  int n_baths;       /* at least 1 */
  struct bath_params bath[HEAT_BATHS_MOST];
  int n_teams, n_groups; /* at least 1; of momenta */
  struct team team[TEAMS_MOST];
  double group_mass[MOMENTUM_GROUPS_MOST][3]; /* of struct teams */
  /* Of the centres of mass of the baths in motion relative to each other, where several baths must
     not change the total momentum. dof 0: each bath scales the motion of its centre too. */
  struct bath_params centres;
  double temperature; /* of the barostat, K */
  /* Of replicas that exchange parameters after this state: momenta are multiplied by rescale before
     all else (0: not), and `added` kJ/mol is the change of the potential energy. */
  double rescale, added;
  double thermostat_time, barostat_time; /* intervals between couplings, ps */
  double barostat_tau;                   /* relaxation time, ps */
  double pressure, tension;              /* bar, bar nm */
  double compressibility[3];             /* of the edges, 1/bar; 0: the edge stays */
  struct dof dof;
  double mass; /* total, amu */
  int bits;    /* sum_bits of the number of beads */
  /* For the list thresholds, nm. Two beads that were further apart than reach[k] at the build can
     only be inside the cutoff if one of them has moved more than the threshold: search_above2 for
     reach[0] (list radius), rebuild_above2 for reach[1] (halo width). */
  double cutoff, reach[2], build_box[BOX];
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
    if (portable_log(draw_uniform(d)) < 0.5 * x * x + a - a * v + a * portable_log(v)) return a * v;
  }
}

HD double draw_gamma(struct draws *d, double shape)
{
  if (shape >= 1) return draw_gamma_large(d, shape);
  double large = draw_gamma_large(d, shape + 1);
  return large * portable_pow(draw_uniform(d), 1 / shape);
}

/* 1 if the coupling needs the sums of the state. */
HD int couple_measures(const struct coupling_params *how)
{
  return how->thermostat != THERMOSTAT_NONE || how->barostat != BAROSTAT_NONE || how->momentum ||
         how->rescale > 0;
}

/* Stochastic velocity rescaling (Bussi et al., eq. A7): the factor of momenta. The numbers of bath
   b are the blocks from 2^32 b on. kinetic: kJ/mol. */
HD double couple_bussi(const struct coupling_params *how, const struct bath_params *of, int bath,
                       double kinetic)
{
  struct draws d = {how->seed, (uint64_t)how->step, (uint64_t)bath << 32, RNG_BUSSI};
  double dof = of->dof;
  double c = portable_exp(-how->thermostat_time / of->tau);
  double target = 0.5 * dof * UNITS_BOLTZMANN * of->temperature;
  double ratio = target / (dof * kinetic), r = draw_normal(&d);
  double s = dof > 1 ? 2 * draw_gamma(&d, 0.5 * (dof - 1)) : 0;
  double alpha2 = c + ratio * (1 - c) * (r * r + s) + 2 * r * sqrt(c * (1 - c) * ratio);
  return sqrt(fmax(alpha2, 0.0));
}

HD double couple_berendsen(const struct coupling_params *how, const struct bath_params *of,
                           double kinetic)
{
  double rate = how->thermostat_time / of->tau;
  double temperature = temperature_of(kinetic, of->dof);
  return sqrt(fmax(1 + rate * (of->temperature / temperature - 1), 0.0));
}

/* The factor of the momenta that a bath controls, from their kinetic energy (kJ/mol). bath:
   HEAT_BATHS_MOST for how->centres. Fewer than 0.5 degrees of freedom are none: rounding. */
HD double couple_scale(const struct coupling_params *how, int bath, double kinetic)
{
  const struct bath_params *of = bath < HEAT_BATHS_MOST ? &how->bath[bath] : &how->centres;
  if (how->thermostat == THERMOSTAT_NONE || !(kinetic > 0) || !(of->dof > 0.5)) return 1;
  return how->thermostat == THERMOSTAT_BUSSI ? couple_bussi(how, of, bath, kinetic)
                                             : couple_berendsen(how, of, kinetic);
}

/* Removes the momentum that a group has after the scaling. Returns `work`, kJ/mol, less its energy.
 */
HD double couple_momentum(const struct coupling_params *how, const struct thermo *o, int group,
                          double work, struct scaling *scaling)
{
  for (int k = 0; k < 3; k++) {
    const double mass = how->group_mass[group][k];
    double momentum = 0;
    for (int t = 0; t < how->n_teams; t++)
      if (how->team[t].momentum == group) momentum += scaling->scale[t] * o->team[t].momentum[k];
    if (!(mass > 0)) continue; /* all is frozen */
    work -= 0.5 * momentum * momentum / mass;
    for (int t = 0; t < how->n_teams; t++)
      if (how->team[t].momentum == group) scaling->shift[t][k] = momentum / mass;
  }
  return work;
}

/* Scales the momenta of each bath as a whole, and removes the momentum of each group if that is
   due. Returns the energy that this adds, kJ/mol. */
HD double couple_baths(const struct coupling_params *how, const struct thermo *o,
                       struct scaling *scaling)
{
  double work = 0;
  for (int b = 0; b < how->n_baths; b++) {
    double kinetic = 0;
    for (int t = 0; t < how->n_teams; t++)
      if (how->team[t].bath == b) kinetic += o->team[t].kinetic;
    const double scale = couple_scale(how, b, kinetic);
    for (int t = 0; t < how->n_teams; t++)
      if (how->team[t].bath == b) scaling->scale[t] = scale;
    work += (scale * scale - 1) * kinetic;
  }
  for (int g = 0; g < how->n_groups && how->momentum; g++)
    work = couple_momentum(how, o, g, work, scaling);
  return work;
}

/* The same where the total momentum stays, and teams are baths: the motion of a bath is scaled
   relative to its centre of mass, and the motion of the centres relative to that of the system by a
   factor of their own. */
HD double couple_baths_apart(const struct coupling_params *how, const struct thermo *o,
                             struct scaling *scaling)
{
  double own[HEAT_BATHS_MOST][3], between = 0, work = 0;
  for (int b = 0; b < how->n_baths; b++) {
    const double mass = how->bath[b].mass;
    double inside = o->team[b].kinetic;
    for (int k = 0; k < 3; k++) {
      const double velocity = o->team[b].momentum[k] / mass;
      own[b][k] = velocity - o->momentum[k] / how->mass;
      inside -= 0.5 * mass * velocity * velocity;
      between += 0.5 * mass * own[b][k] * own[b][k];
    }
    scaling->scale[b] = couple_scale(how, b, inside);
    work += (scaling->scale[b] * scaling->scale[b] - 1) * inside;
  }
  const double scale = couple_scale(how, HEAT_BATHS_MOST, between);
  work += (scale * scale - 1) * between;
  for (int k = 0; k < 3; k++) {
    const double velocity = o->momentum[k] / how->mass, wanted = how->momentum ? 0 : velocity;
    work -= 0.5 * how->mass * (velocity * velocity - wanted * wanted);
    for (int b = 0; b < how->n_baths; b++)
      scaling->shift[b][k] =
          scaling->scale[b] * (velocity + own[b][k]) - (wanted + scale * own[b][k]);
  }
  return work;
}

/* A move of the box. Of crescale: the square root of a volume has noise of an amplitude that does
   not depend on it. A quarter of the noise is added one step before the pressure is measured, and
   the rest with the pressure: the pressure then is that of the middle of the move, which makes the
   fluctuations right to second order in the interval. */
struct volume_step {
  int stochastic;
  double rate;  /* change of the logarithm of the volume per bar of excess pressure */
  double drift; /* kT / 2 V, bar */
  double noise; /* amplitude of the change of the logarithm of the volume */
};

/* The factor of `edges` edges. share: their part of the change of the logarithm of the volume: 1 of
   all edges, 2/3 of two, 1/3 of one. excess: bar. Not positive if the move is too large. */
HD double edge_factor(const struct volume_step *g, double share, int edges, double excess,
                      double xi)
{
  if (!g->stochastic) return 1 + share * g->rate * excess / edges;
  const double root =
      1 + 0.5 * (share * g->rate * (excess + g->drift) + sqrt(share) * g->noise * xi);
  if (!(root > 0)) return root;
  return edges == 3 ? portable_cbrt(root * root) : edges == 2 ? root : root * root;
}

/* Multiplies the factors of the edges, stretch; pressures in bar. g: of each edge. */
HD void couple_box_edges(const struct coupling_params *how, const double pressure[9],
                         const double box[BOX], const struct volume_step g[3], const double xi[4],
                         double stretch[3])
{
  double p0 = how->pressure, lateral = 0.5 * (pressure[0] + pressure[4]), d;
  double tension = how->coupling_mode == COUPLING_SURFACE_TENSION ? how->tension / box[2] : 0;
  switch (how->coupling_mode) {
  case COUPLING_ISOTROPIC:
    d = edge_factor(&g[0], 1, 3, tensor_trace(pressure) - p0, xi[0]);
    for (int k = 0; k < 3; k++)
      stretch[k] *= d;
    break;
  case COUPLING_ANISOTROPIC:
    for (int k = 0; k < 3; k++)
      stretch[k] *= edge_factor(&g[k], 1.0 / 3, 1, pressure[4 * k] - p0, xi[k]);
    break;
  case COUPLING_CONSTANT_AREA:
    stretch[2] *= edge_factor(&g[2], 1.0 / 3, 1, pressure[8] - p0, xi[1]);
    break;
  default:
    d = edge_factor(&g[0], 2.0 / 3, 2, lateral - (p0 - tension), xi[0]);
    stretch[0] *= d;
    stretch[1] *= d;
    stretch[2] *= edge_factor(&g[2], 1.0 / 3, 1, pressure[8] - p0, xi[1]);
    break;
  }
}

/* Change of the logarithm of the volume per bar of excess pressure in one interval, 1/bar, by the
   compressibility of an edge. */
HD double couple_barostat_rate(const struct coupling_params *how, int edge)
{
  const double part = how->barostat_time / how->barostat_tau;
  return how->compressibility[edge] *
         (how->barostat == BAROSTAT_BERENDSEN ? part : -portable_expm1(-part));
}

/* The amplitude of the noise of crescale in an interval, whose square is 2 kT rate / V. */
HD double couple_noise(const struct coupling_params *how, const double box[BOX], int edge)
{
  const double kT = UNITS_BOLTZMANN * how->temperature * UNITS_BAR; /* bar nm3 */
  return sqrt(2 * kT * couple_barostat_rate(how, edge) / box_volume(box));
}

HD void couple_barostat(const struct coupling_params *how, const struct thermo *o,
                        const double box[BOX], double stretch[3])
{
  struct volume_step g[3];
  double xi[4];
  for (int k = 0; k < 3; k++) {
    const struct volume_step none = {how->barostat == BAROSTAT_CRESCALE,
                                     couple_barostat_rate(how, k), 0, 0};
    g[k] = none;
    if (!none.stochastic) continue;
    g[k].noise = 0.75 * couple_noise(how, box, k);
    g[k].drift = 0.5 * UNITS_BOLTZMANN * how->temperature * UNITS_BAR / box_volume(box);
  }
  rng_normal(how->seed, (uint64_t)how->step, 0, RNG_CRESCALE, xi);
  couple_box_edges(how, o->pressure_of_centres, box, g, xi, stretch);
}

/* Adds a quarter of the noise of the barostat coupling that is due at the next step to stretch. */
HD void couple_probe(const struct coupling_params *how, const double box[BOX], double stretch[3])
{
  const double none[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  struct volume_step g[3];
  double xi[4], now[BOX];
  for (int k = 0; k < 3; k++) {
    const struct volume_step noise = {1, 0, 0, 0.25 * couple_noise(how, box, k)};
    g[k] = noise;
  }
  memcpy(now, box, sizeof now);
  box_scale(now, stretch);
  rng_normal(how->seed, (uint64_t)how->step + 1, 0, RNG_CRESCALE, xi);
  couple_box_edges(how, none, now, g, xi, stretch);
}

/* What replicas that exchange parameters change before all else: the motion of a state is rescaled,
   less its pressures, as no barostat acts at such a step. Returns the energy that this adds,
   kJ/mol. o: not used unless couple_measures. */
HD double couple_exchange(const struct coupling_params *how, struct thermo *o)
{
  const double f = how->rescale;
  if (!(f > 0)) return how->added;
  const double before = o->kinetic + o->rotational;
  o->kinetic *= f * f;
  o->rotational *= f * f;
  for (int k = 0; k < 3; k++)
    o->momentum[k] *= f;
  for (int t = 0; t < how->n_teams; t++) {
    o->team[t].kinetic *= f * f;
    for (int k = 0; k < 3; k++)
      o->team[t].momentum[k] *= f;
  }
  return how->added + o->kinetic + o->rotational - before;
}

/* Computes the scaling that the next half step applies to momenta and box. Returns the energy that
   scale and shift add to the system, kJ/mol, after couple_exchange. o: not used unless
   couple_measures. */
HD double couple_factors(const struct coupling_params *how, const struct thermo *o,
                         const double box[BOX], struct scaling *scaling)
{
  double work = 0;
  *scaling = scaling_none();
  if (couple_measures(how))
    work = how->thermostat != THERMOSTAT_NONE && how->centres.dof > 0
               ? couple_baths_apart(how, o, scaling)
               : couple_baths(how, o, scaling);
  for (int t = 0; t < how->n_teams && how->rescale > 0; t++)
    scaling->scale[t] *= how->rescale;
  if (how->barostat != BAROSTAT_NONE) couple_barostat(how, o, box, scaling->stretch);
  if (how->probe) couple_probe(how, box, scaling->stretch);
  return work;
}

/* By how much, nm, two beads may approach each other by their displacements so that no pair that
   was further apart than `reach` at the build can be inside the cutoff: the largest a with scale
   (reach - a) >= cutoff, where scale is the smallest ratio of a box edge to that at the build.
   margin: the same must hold for the shortest list, whose cutoff and reach are smaller by this.
   Negative: no displacement is safe. */
HD double couple_approach(double cutoff, double margin, double reach, const double box[BOX],
                          const double build_box[BOX])
{
  double scale = 1e300;
  for (int k = 0; k < 3; k++)
    scale = fmin(scale, box[k] / build_box[k]);
  double approach = reach - cutoff / scale;
  if (margin > 0 && scale > 1) approach -= margin * (1 - 1 / scale);
  return approach;
}

/* Square of the displacement up to which any two beads approach by no more, nm2. Negative: none. */
HD double couple_displacement2(double cutoff, double margin, double reach, const double box[BOX],
                               const double build_box[BOX])
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

/* 1 if a box edge may be multiplied by this factor in one step. */
HD int couple_is_valid_stretch(double factor)
{
  return factor > 0 && factor < 2;
}

/* Applies a coupling to *now, from sums over all ranks, which it only reads if couple_measures:
   scaling, work, box, thresholds. If sums overflowed, or a factor is not valid, only now->step and
   now->overflow are set. */
HD void couple_apply(const struct coupling_params *how, const struct sums *s,
                     struct coupling_state *now)
{
  struct thermo o;
  now->step = how->step;
  now->overflow = couple_measures(how) ? sum_overflow(s) : 0;
  if (now->overflow) return;
  if (couple_measures(how)) thermo_of(&o, s, how->bits, now->box, how->dof, how->n_teams);
  struct scaling scaling;
  double work = couple_exchange(how, &o);
  work += couple_factors(how, &o, now->box, &scaling);
  for (int k = 0; k < 3; k++)
    now->overflow += !couple_is_valid_stretch(scaling.stretch[k]);
  if (now->overflow) return;
  now->scaling = scaling;
  now->work += work;
  box_scale(now->box, scaling.stretch);
  couple_list_thresholds(how, now);
}

#endif
