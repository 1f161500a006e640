#include "observe.h"

#include "units.h"

static double temperature(double kinetic, double freedom)
{
  return freedom > 0 ? 2 * kinetic / (freedom * UNITS_BOLTZMANN) : 0;
}

double observe_trace(const double tensor[9])
{
  return (tensor[0] + tensor[4] + tensor[8]) / 3;
}

void observe(struct observables *o, const struct sums *s, int bits, const double box[3],
             struct freedom freedom)
{
  static const int word[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  o->volume = box[0] * box[1] * box[2];
  o->potential = 0;
  for (int k = 0; k < ENERGIES; k++) {
    o->energy[k] = sum_energy(s, k);
    o->potential += o->energy[k];
  }
  o->kinetic = 0;
  for (int k = 0; k < 3; k++) {
    o->kinetic += 0.5 * sum_word(s, SUM_KINETIC + k, bits);
    o->momentum[k] = sum_word(s, SUM_MOMENTUM + k, bits);
  }
  o->rotational = 0.5 * sum_word(s, SUM_ROTATION, bits);
  o->temperature_translation = temperature(o->kinetic, freedom.translation);
  o->temperature_rotation = temperature(o->rotational, freedom.rotation);
  o->temperature = temperature(o->kinetic + o->rotational, freedom.translation + freedom.rotation);
  for (int k = 0; k < 9; k++) {
    o->virial[k] = sum_word(s, SUM_VIRIAL + k, bits) / o->volume * UNITS_BAR;
    o->pressure[k] =
        o->virial[k] + sum_word(s, SUM_KINETIC + word[k], bits) / o->volume * UNITS_BAR;
  }
}
