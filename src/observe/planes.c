#include "observe/planes.h"

int planes_read_bins(struct observable *o, struct yaml_tree *t, int options)
{
  const int bins = (int)yaml_int(t, yaml_get(t, options, "bins"), 160, 1, 100000);
  observable_chose(o, "bins: %d", bins);
  return bins;
}

struct profile planes_profile(const struct observe_system *a, const struct observe_frame *f,
                              int bins, unsigned arrays)
{
  struct profile p = {.bins = bins,
                      .species = a->n_species,
                      .centre = f->centre,
                      .centre_word = f->centre_word,
                      .arrays = arrays,
                      .species_of_env = a->species_of_env,
                      .species_of_type = a->species_of_type,
                      .weight = a->lipid_mass,
                      .generation = 1};
  return p;
}

void planes_collect(const struct observe_frame *f, enum tally_quantity quantity,
                    const struct profile *p, int words, int64_t *word)
{
  const struct tally what = {quantity, words, p};
  f->backend->ops->accumulate(f->backend, &what, word);
}

void planes_axis(int bins, double edge, double *z)
{
  for (int k = 0; k < bins; k++)
    z[k] = ((k + 0.5) / bins - 0.5) * edge;
}
