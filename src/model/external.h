/* External fields: the forms as data, made from external_list.h, and the fields of a run, each with
   the group of beads that it acts on. Host memory. */
#ifndef EXTERNAL_FIELD_H
#define EXTERNAL_FIELD_H

#include "model/bead_group.h"
#include "model/bonded_form.h"

enum external_form {
#define EXTERNAL(form, ...) EXTERNAL_##form,
#include "model/external_list.h"
  EXTERNALS
};

enum { EXTERNAL_PARAMETERS_MOST = 8, EXTERNAL_FIELDS_MOST = 8 };

/* The members are those of a row of external_list.h. */
struct external_form_info {
  const char *name, *formula;
  struct form_parameter parameter[EXTERNAL_PARAMETERS_MOST + 1]; /* then one without a name */
};

struct external_field {
  int form; /* enum external_form */
  double value[EXTERNAL_PARAMETERS_MOST];
  struct bead_group group;
};

extern const struct external_form_info external_form_info[EXTERNALS];
/* Frees the groups of n fields and the array. */
void external_fields_destroy(struct external_field *field, int n);

#endif
