/* Energy channels: an ENERGY_name constant for each line of energy_list.h. */
#ifndef ENERGY_H
#define ENERGY_H

enum energy_channel {
#define ENERGY(name, ...) ENERGY_##name,
#include "model/energy_list.h"
  ENERGIES,
  ENERGIES_OF_POTENTIAL = ENERGY_dudl_lj
};

#endif
