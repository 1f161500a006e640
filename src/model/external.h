/* External fields: the forms as data, made from external_list.h, and the fields of a run, each with
   the group of beads that it acts on. Host memory. */
#ifndef EXTERNAL_FIELD_H
#define EXTERNAL_FIELD_H

#include <stdint.h>

#include "base/hd.h"

enum external_form {
#define EXTERNAL(form, ...) EXTERNAL_##form,
#include "model/external_list.h"
#undef EXTERNAL
  EXTERNALS
};

enum { EXTERNAL_PARAMETERS_MOST = 8, EXTERNAL_FIELDS_MOST = 8 };

struct external_parameter {
  const char *name, *unit;
  double low, high, preset;
};

/* The members are those of a row of external_list.h. */
struct external_form_info {
  const char *name, *formula;
  struct external_parameter parameter[EXTERNAL_PARAMETERS_MOST + 1]; /* then one without a name */
};

/* A group of beads: those of some types, in some molecule types, with some ids. */
struct bead_group {
  char *type;          /* [n_types]: 1 for those of the group */
  char *molecule;      /* [n_molecules], likewise; NULL: any, and beads of no molecule */
  int64_t first, last; /* ids */
  int64_t (*range)[2]; /* [n_ranges]: first and last id of what lies between first and last and is
                          of these molecules, ascending and disjoint; NULL: not found yet */
  int n_ranges;
};

struct external_field {
  int form; /* enum external_form */
  double value[EXTERNAL_PARAMETERS_MOST];
  struct bead_group group;
};

/* 1 if an id lies in one of n ranges, ascending and disjoint. On host and device. */
HD int ranges_have(const int64_t (*range)[2], int n, int64_t id)
{
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (range[middle][1] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && range[low][0] <= id;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct external_form_info external_form_info[EXTERNALS];
/* Frees the groups of n fields and the array. */
void external_fields_destroy(struct external_field *field, int n);

#ifdef __cplusplus
}
#endif

#endif
