/* Lists of a run file whose items act on groups of beads: external fields (`fields`) and heat baths
   (`thermostat.groups`). A group is {types: [...], molecules: [...], ids: [FIRST, LAST]}. Mistakes
   are reported together, with lines and the nearest known word; then all ranks end with status 2.
   Local: every rank reads the lists. n_total: beads of the system. */
#ifndef GROUP_LISTS_H
#define GROUP_LISTS_H

#include "input/param.h"
#include "model/external.h"
#include "model/forcefield.h"
#include "model/heat_bath.h"

/* The fields of a run; sets *n. Their ranges of ids are not found yet. */
struct external_field *external_fields_read(const struct params *p, const struct forcefield *ff,
                                            int64_t n_total, int *n);
/* The baths of a run, at least one; sets *n. Their ranges of ids and degrees of freedom are not
   found yet. */
struct heat_bath *heat_baths_read(const struct params *p, const struct forcefield *ff,
                                  int64_t n_total, int *n);
/* Prints the forms of fields with their parameters and defaults to stdout. */
void external_forms_print(void);

#endif
