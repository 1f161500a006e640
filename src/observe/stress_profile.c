#include "observe/stress_profile.h"

#include <math.h>

#include "base/units.h"
#include "model/sums.h"

/* Integrals of one contribution and component over the bins, from its ends by edge and what it has
   at place, in units of the fixed point. total: of all bins. The ends of a pair are opposite
   numbers up to rounding: what is left of their sum is taken out in equal shares at every edge. */
static void integrals(const int64_t *end, const int64_t *place, int64_t total, int bins,
                      double width, double *out)
{
  int64_t rest = 0, sum = 0, placed = 0;
  double all = 0;
  for (int k = 0; k < bins; k++)
    rest += end[k];
  for (int k = 0; k < bins; k++) {
    sum += end[k];
    placed += place[k];
    out[k] = width * ((double)sum - (double)rest * ((double)(k + 1) / bins));
    all += out[k];
  }
  const double constant = ((double)(total - placed) - all) / bins;
  for (int k = 0; k < bins; k++)
    out[k] += constant + (double)place[k];
}

int64_t stress_profile_of(const int64_t *word, int bins, int64_t n_total, const double box[BOX],
                          double *pressure)
{
  const int64_t *single = word + (int64_t)STRESS_ARRAYS * bins;
  const double volume = box_volume(box) / bins;
  const double unit = ldexp(UNITS_BAR / volume, -sum_bits(n_total));
  for (int k = 0; k < STRESS_CONTRIBUTIONS * STRESS_COMPONENTS; k++)
    integrals(word + (int64_t)(STRESS_END + k) * bins, word + (int64_t)(STRESS_PLACE + k) * bins,
              single[STRESS_TOTAL + k], bins, box[2] / bins,
              pressure + (int64_t)(STRESS_ROW_CONTRIBUTION + k) * bins);
  for (int k = 0; k < (1 + STRESS_COMPONENTS) * bins; k++)
    pressure[(int64_t)STRESS_ROW_HARASIMA * bins + k] =
        (double)word[(int64_t)STRESS_HARASIMA * bins + k];
  for (int k = 0; k < STRESS_ROWS * bins; k++)
    pressure[k] *= unit;
  if (single[STRESS_OVERFLOW]) return single[STRESS_OVERFLOW];
  return !(single[STRESS_MAGNITUDE] < INT64_C(1) << 42);
}

double stress_excess_of(const int64_t *word, int bins, int64_t n_total, const double box[BOX],
                        int component)
{
  const int64_t sum = word[(int64_t)STRESS_ARRAYS * bins + STRESS_EXCESS + component];
  return sum_real(sum, sum_bits(n_total)) * UNITS_BAR / box_volume(box);
}
