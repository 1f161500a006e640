#include "md/skin.h"

#include <math.h>

#include "base/units.h"
#include "pair/pair_terms.h"

/* Lists last longer than in proportion to the skin: beads move less and less straight on. */
#define LIFE_POWER 1.25
enum { SKIN_TRIALS = 200, FIRST_BUILD = 8 };

/* Entries of the lists of a bead. */
static double entries_of(double density, int n_lists, const double *cutoff, double skin)
{
  double entries = 0;
  for (int k = 0; k < n_lists; k++)
    entries += density * 4 * UNITS_PI / 3 * pow(cutoff[k] + skin, 3);
  return entries;
}

double skin_cheapest(const struct skin_costs *c, int64_t n_beads, double density, int n_lists,
                     const double *cutoff, double now, double steps, double least, double most)
{
  double best = least, lowest = (double)INFINITY;
  for (int k = 0; k <= SKIN_TRIALS; k++) {
    const double skin = least + (most - least) * k / SKIN_TRIALS;
    const double entries = entries_of(density, n_lists, cutoff, skin), n = 1e-3 * (double)n_beads;
    const double step = c->step + n * (c->step_bead + c->step_entry * entries);
    const double build = c->build + n * (c->build_bead + c->build_entry * entries);
    const double cost = step + build / fmax(steps * pow(skin / now, LIFE_POWER), 1);
    if (cost < lowest) {
      lowest = cost;
      best = skin;
    }
  }
  return best;
}
