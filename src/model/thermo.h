/* Energies, temperatures and pressure of a state, from its sums. On host and device. */
#ifndef THERMO_H
#define THERMO_H

#include "base/box.h"
#include "base/units.h"
#include "model/sums.h"

struct dof {
  double translation, rotation; /* degrees of freedom */
};

/* Energy of translation and rotation (kJ/mol) and momentum (amu nm/ps) of the beads of a
   team. */
struct team_motion {
  double kinetic, momentum[3];
};

struct thermo {
  double energy[ENERGIES], potential;                                /* kJ/mol */
  double kinetic, rotational;                                        /* kJ/mol */
  double temperature, temperature_translation, temperature_rotation; /* K */
  double virial[9];              /* sum of r_a f_b over V, bar, row by row */
  double pressure[9];            /* virial plus kinetic part of translation, bar */
  double pressure_of_centres[9]; /* without the motion and the forces inside of clusters, bar */
  double volume;                 /* nm3 */
  double momentum[3];            /* amu nm/ps */
  struct team_motion team[TEAMS_MOST];
};

HD double temperature_of(double kinetic, double dof)
{
  return dof > 0 ? 2 * kinetic / (dof * UNITS_BOLTZMANN) : 0;
}

/* A third of the trace. */
HD double tensor_trace(const double tensor[9])
{
  return (tensor[0] + tensor[4] + tensor[8]) / 3;
}

/* Sets o->team. One team has the motion of all beads, without sums of its own. */
HD void thermo_set_teams(struct thermo *o, const struct sums *s, int bits, int n_teams)
{
  o->team[0].kinetic = o->kinetic + o->rotational;
  for (int k = 0; k < 3; k++)
    o->team[0].momentum[k] = o->momentum[k];
  for (int k = 0; k < n_teams && n_teams > 1; k++) {
    o->team[k].kinetic = 0.5 * sum_real(s->team[k][0], bits);
    for (int d = 0; d < 3; d++)
      o->team[k].momentum[d] = sum_real(s->team[k][1 + d], bits);
  }
}

/* Computes energies, temperatures and pressure of a state. s: sums over all ranks. bits: sum_bits
   of the number of beads. box: edges, nm. */
HD void thermo_of(struct thermo *o, const struct sums *s, int bits, const double box[BOX],
                  struct dof dof, int n_teams)
{
  const int word[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  o->volume = box_volume(box);
  o->potential = 0;
  for (int k = 0; k < ENERGIES; k++) {
    o->energy[k] = sum_energy(s, k);
    if (k < ENERGIES_OF_POTENTIAL) o->potential += o->energy[k];
  }
  o->kinetic = 0;
  for (int k = 0; k < 3; k++) {
    o->kinetic += 0.5 * sum_word(s, SUM_KINETIC + k, bits);
    o->momentum[k] = sum_word(s, SUM_MOMENTUM + k, bits);
  }
  o->rotational = 0.5 * sum_word(s, SUM_ROTATION, bits);
  o->temperature_translation = temperature_of(o->kinetic, dof.translation);
  o->temperature_rotation = temperature_of(o->rotational, dof.rotation);
  o->temperature = temperature_of(o->kinetic + o->rotational, dof.translation + dof.rotation);
  for (int k = 0; k < 9; k++) {
    o->virial[k] = sum_word(s, SUM_VIRIAL + k, bits) / o->volume * UNITS_BAR;
    o->pressure[k] =
        o->virial[k] + sum_word(s, SUM_KINETIC + word[k], bits) / o->volume * UNITS_BAR;
    o->pressure_of_centres[k] =
        o->pressure[k] - sum_word(s, SUM_INSIDE + k, bits) / o->volume * UNITS_BAR;
  }
  thermo_set_teams(o, s, bits, n_teams);
}

#endif
