/* The observables of a run: the list of all kinds, and those that a run file asks for. */
#ifndef OBSERVABLES_H
#define OBSERVABLES_H

#include "input/yaml_tree.h"
#include "observe/observable.h"

/* Kind k of the list, from 0; NULL: there are no more. */
const struct observable_kind *observable_kind(int k);

/* Creates the observables of a list node: items are words or maps with one key. Errors go to the
   tree; the caller checks them. Returns an array of *n, to be freed with observables_destroy. */
struct observable *observables_create(struct yaml_tree *t, int list,
                                      const struct observe_system *about, int *n);
void observables_destroy(struct observable *o, int n);

/* The values of a sample as text: a line for each column that is a value of a sample, whose fields
   are separated by tabs: table, column, first (the index of its first value), rows, unit, labels of
   the rows (separated by spaces; empty if the rows have an axis). The names of the fields come
   first. The caller frees it. */
char *observe_frames_columns(const struct observable *o);

#endif
