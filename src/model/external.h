/* External fields: the forms as data, made from external_list.h, and the fields of a run, each with
   the group of beads that it acts on. Host memory. */
#ifndef EXTERNAL_FIELD_H
#define EXTERNAL_FIELD_H

#include "model/bead_group.h"
#include "model/bonded_form.h"
#include "model/ramp.h"

#include <stdint.h>

enum external_form {
#define EXTERNAL(form, ...) EXTERNAL_##form,
#include "model/external_list.h"
  EXTERNALS
};

enum { EXTERNAL_PARAMETERS_MOST = 9, EXTERNAL_FIELDS_MOST = 8 };

/* The work of fields that change in time: a sum in fixed point of 2^-WORK_BITS kJ/mol, low 32 bits
   and high part, and how many addends did not fit. */
enum { WORK_WORDS = 3, WORK_BITS = 40 };

/* The members are those of a row of external_list.h. */
struct external_form_info {
  const char *name, *formula;
  struct form_parameter parameter[EXTERNAL_PARAMETERS_MOST + 1]; /* then one without a name */
};

/* Lennard-Jones of a bead type with that of a wall. */
struct external_well {
  double c6, c12; /* kJ/mol nm6, kJ/mol nm12 */
};

/* A map: coefficients of cubic B-splines at points of the box. Along the edges that it fills it is
   periodic, and scales with them; along others it is fixed in space, and 0 beyond its ends. */
struct external_map {
  int n[3], fills[3];
  double origin[3],
      spacing[3];            /* of point 0 and of points, fractions of an edge that it fills; nm */
  const double *coefficient; /* [n[2]][n[1]][n[0]], as the file has its values; NULL: no map.
                                Memory of who has the struct */
  uint64_t content;          /* fingerprint of the values and where the file puts them */
};

struct external_field {
  int form;                                    /* enum external_form */
  struct ramp value[EXTERNAL_PARAMETERS_MOST]; /* of time, ps */
  int moves;                                   /* 1: it changes in time */
  struct bead_group group;
  char *file;                 /* of the map; NULL: none */
  struct external_well *well; /* [n_types]; NULL: no parameter `type` */
  struct external_map map;    /* md/fields.h; owned */
};

extern const struct external_form_info external_form_info[EXTERNALS];
/* The number of a parameter of a form; -1: it has none of the name. */
int external_parameter(int form, const char *name);
/* Frees what n fields have, and the array. */
void external_fields_destroy(struct external_field *field, int n);

#endif
