#include "observe/planes.h"

int planes_open(struct observable *o, struct yaml_tree *t, int options)
{
  const int bins = (int)yaml_int(t, yaml_get(t, options, "bins"), 160, 1, 100000);
  double *at = observe_memory(o, bins, sizeof *at);
  observable_chose(o, "bins: %d", bins);
  observable_add_table(o, o->kind->name, "z", "nm", bins)->at = at;
  for (int k = 0; k < bins; k++)
    at[k] = (k + 0.5) / bins - 0.5;
  return bins;
}

void planes_add_edge(struct observable *o)
{
  o->table[0].edge = o->values++;
}

struct profile planes_profile(const struct observe_system *a, const struct observe_frame *f,
                              int bins, unsigned arrays)
{
  return (struct profile){.bins = bins,
                          .species = a->n_species,
                          .centre = f->centre,
                          .centre_word = f->centre_word,
                          .arrays = arrays,
                          .species_of_env = a->species_of_env,
                          .species_of_type = a->species_of_type,
                          .weight = a->lipid_mass,
                          .generation = 1};
}

void planes_collect(const struct observable *o, const struct observe_frame *f,
                    enum tally_quantity quantity, unsigned arrays, int64_t *word)
{
  struct profile p = planes_profile(o->about, f, o->table[0].rows, arrays);
  p.half_step = o->about->dt / 2;
  const struct tally what = {quantity, (int)o->words, &p};
  f->backend->ops->accumulate(f->backend, &what, word);
}
