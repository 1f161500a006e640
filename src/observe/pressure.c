/* Pressure profiles across the membrane (Irving and Kirkwood; Harasima), and the tensions of the
   monolayers and the first moments of their lateral pressure from them. */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "model/thermo.h"
#include "observe/planes.h"
#include "observe/stress_profile.h"

#define BAR_NM 0.1  /* mN/m */
#define BAR_NM2 0.1 /* pN */

/* Columns of the profile, which are values of [bins] each. */
enum {
  NORMAL,
  LATERAL,
  HARASIMA,
  DIFFERENCE,
  KINETIC,
  CONTRIBUTIONS,
  BONDED = CONTRIBUTIONS + STRESS_BONDED, /* by energy channel */
  CLUSTERS = CONTRIBUTIONS + STRESS_CONSTRAINT,
  COLUMNS = CONTRIBUTIONS + STRESS_CONTRIBUTIONS
};
/* Single values after them. */
enum { GLOBAL, TENSION, TENSION_HARASIMA, TENSION_UPPER, TENSION_LOWER, UPPER, LOWER, EDGE };

void observe_pressure_open(struct observable *o, struct yaml_tree *t, int options)
{
  static const char *const name[BONDED] = {"normal",        "lateral",    "lateral_harasima",
                                           "difference",    "kinetic",    "solvent_solvent",
                                           "solvent_lipid", "lipid_lipid"};
  static const char *const energy[] = {
#define ENERGY(name, description) #name,
#include "model/energy_list.h"
#undef ENERGY
  };
  static const char *const of_clusters[] = {"constraint", "site"};
  static const char *const single[EDGE][2] = {
      {"tension", "mN m-1"},          {"tension_irving_kirkwood", "mN m-1"},
      {"tension_harasima", "mN m-1"}, {"tension_upper", "mN m-1"},
      {"tension_lower", "mN m-1"},    {"moment_upper", "pN"},
      {"moment_lower", "pN"}};
  const int bins = planes_open(o, t, options);
  observable_chose(o, "moment_contour: irving_kirkwood");
  for (int c = 0; c < COLUMNS; c++)
    observable_add_column(o,
                          c < BONDED     ? name[c]
                          : c < CLUSTERS ? energy[BONDED_CHANNEL_FIRST + c - BONDED]
                                         : of_clusters[c - CLUSTERS],
                          "bar", OBSERVE_NEXT);
  observable_add_table(o, "tension", NULL, NULL, 1);
  for (int k = 0; k < EDGE; k++)
    observable_add_column(o, single[k][0], single[k][1], OBSERVE_NEXT);
  o->words = stress_words(bins);
  planes_add_edge(o);
}

void observe_pressure_collect(const struct observable *o, const struct observe_frame *f,
                              int64_t *word)
{
  planes_collect(o, f, TALLY_STRESS, 0, word);
}

/* The columns from the rows of a stress profile. */
static void columns_set(int bins, const double *row, double *value)
{
  const double *kinetic = row + STRESS_ROW_KINETIC * bins;
  for (int k = 0; k < bins; k++) {
    double lateral = kinetic[STRESS_LATERAL * bins + k], normal = kinetic[STRESS_NORMAL * bins + k];
    value[KINETIC * bins + k] = lateral - normal;
    value[HARASIMA * bins + k] = row[STRESS_ROW_HARASIMA * bins + k] + lateral;
    for (int contribution = 0; contribution < STRESS_CONTRIBUTIONS; contribution++) {
      const double *of =
          row + (STRESS_ROW_CONTRIBUTION + contribution * STRESS_COMPONENTS) * bins + k;
      lateral += of[STRESS_LATERAL * bins];
      normal += of[STRESS_NORMAL * bins];
      value[(CONTRIBUTIONS + contribution) * bins + k] =
          of[STRESS_LATERAL * bins] - of[STRESS_NORMAL * bins];
    }
    value[NORMAL * bins + k] = normal;
    value[LATERAL * bins + k] = lateral;
    value[DIFFERENCE * bins + k] = lateral - normal;
  }
}

static double sum_of(int bins, const double *column)
{
  double sum = 0;
  for (int k = 0; k < bins; k++)
    sum += column[k];
  return sum;
}

/* Integral of |z|^power times a column over one half of the box, nm^(power + 1); the column is even
   in a bin. power: 0 or 1. */
static double half_integral(int bins, double edge, const double *column, int upper, int power)
{
  double sum = 0;
  for (int k = 0; k < bins; k++) {
    const double low = ((double)k / bins - 0.5) * edge, high = ((k + 1.0) / bins - 0.5) * edge;
    const double from = upper ? fmax(low, 0) : fmax(-high, 0),
                 to = upper ? fmax(high, 0) : fmax(-low, 0);
    sum += (power ? (to * to - from * from) / 2 : to - from) * column[k];
  }
  return sum;
}

/* excess: of the constraint forces of the profile, bar, by component: stress_excess_of. */
static void singles_set(int bins, const struct observe_frame *f, const double *excess,
                        const double *value, double *single)
{
  const double edge = f->box[2], h = edge / bins, *virial = f->state->virial;
  const double normal = sum_of(bins, value + NORMAL * bins);
  const double kinetic = sum_of(bins, value + KINETIC * bins);
  const double box =
      virial[8] + excess[STRESS_NORMAL] - ((virial[0] + virial[4]) / 2 + excess[STRESS_LATERAL]);
  single[GLOBAL] = 0.5 * (edge * box - h * kinetic) * BAR_NM;
  single[TENSION] = 0.5 * h * (normal - sum_of(bins, value + LATERAL * bins)) * BAR_NM;
  single[TENSION_HARASIMA] = 0.5 * h * (normal - sum_of(bins, value + HARASIMA * bins)) * BAR_NM;
  for (int upper = 0; upper < 2; upper++) {
    const double *difference = value + DIFFERENCE * bins;
    single[upper ? TENSION_UPPER : TENSION_LOWER] =
        -half_integral(bins, edge, difference, upper, 0) * BAR_NM;
    single[upper ? UPPER : LOWER] = half_integral(bins, edge, difference, upper, 1) * BAR_NM2;
  }
  single[EDGE] = edge;
}

void observe_pressure_sample(struct observable *o, const struct observe_frame *f,
                             const int64_t *word, double *value)
{
  const int bins = o->table[0].rows;
  double *row = alloc_array((long long)STRESS_ROWS * bins, sizeof *row);
  double excess[STRESS_COMPONENTS];
  if (stress_profile_of(word, bins, o->about->n_total, f->box, row))
    die(STATUS_NUMERIC,
        "step %lld: stresses of '%s' are not finite or too large: beads overlap, or molecules are "
        "broken; minimise the start or take a smaller run.dt",
        (long long)f->step, o->name);
  columns_set(bins, row, value);
  for (int c = 0; c < STRESS_COMPONENTS; c++)
    excess[c] = stress_excess_of(word, bins, o->about->n_total, f->box, c);
  singles_set(bins, f, excess, value, value + COLUMNS * bins);
  free(row);
}
