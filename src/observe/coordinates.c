/* Coordinates of the run file (model/bias.h): means, and standard deviations as derived numbers. */
#include <math.h>
#include <stdio.h>

#include "model/bias.h"
#include "observe/observable.h"

void observe_coordinates_open(struct observable *o, struct yaml_tree *t, int options)
{
  const struct bias_set *set = o->about->coordinates;
  const int n = set ? set->n_coordinates : 0;
  char name[OBSERVE_NAME];
  if (n == 0) yaml_add_error(t, options, "the list `coordinates` of the run file is empty");
  o->values = 2 * n;
  observable_add_table(o, "means", NULL, NULL, 1);
  for (int k = 0; k < n; k++) {
    const struct coordinate *c = &set->coordinate[k];
    const char *unit = coordinate_kind_info[c->kind].unit;
    observable_add_column(o, c->name, unit, 2 * k);
    snprintf(name, sizeof name, "%s_deviation", c->name);
    observable_add_column(o, name, unit, OBSERVE_DERIVED);
  }
}

void observe_coordinates_collect(const struct observable *o, const struct observe_frame *f,
                                 int64_t *word)
{
  (void)o, (void)f, (void)word; /* all ranks have the values */
}

void observe_coordinates_sample(struct observable *o, const struct observe_frame *f,
                                const int64_t *word, double *value)
{
  (void)word;
  for (int k = 0; k < o->values / 2; k++) {
    value[2 * k] = f->coordinate[k];
    value[2 * k + 1] = f->coordinate[k] * f->coordinate[k];
  }
}

void observe_coordinates_derive(const struct observable *o, const double *mean, double *result)
{
  for (int k = 0; k < o->values / 2; k++) {
    const double variance = mean[2 * k + 1] - mean[2 * k] * mean[2 * k];
    *observe_column_of(o, result, 0, 2 * k + 1) = sqrt(fmax(variance, 0));
  }
}
