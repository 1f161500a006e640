/* External fields of a run file, `fields`: a list of a form, its parameters and a group of beads.
   Mistakes are added to a list, with lines and the nearest known word. Local: every rank reads the
   list. */
#ifndef FIELD_READER_H
#define FIELD_READER_H

#include "input/param.h"
#include "model/external.h"
#include "model/forcefield.h"

/* The fields of a run; sets *n. Their ranges of ids are not found yet, and their maps not read.
   n_total: beads of the system. */
struct external_field *external_fields_read(const struct params *p, const struct forcefield *ff,
                                            int64_t n_total, int *n, struct error_list *m);
/* Prints the forms of fields with their parameters and defaults to stdout. */
void external_forms_print(void);

#endif
