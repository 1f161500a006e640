/* The beads of the rank in device memory, and the bead types in the precision of the run. */
#ifndef BEADS_CUDA_H
#define BEADS_CUDA_H

#include "cuda/runtime/gpu.h"
#include "dynamics/move_body.h"
#include "pair/bead_record.h"
#include "pair/pair_terms.h"

BEGIN_C

/* Interaction classes and the loops over partners that they need: runtime/classes.h. */
enum interaction_class {
#define CLASS(name, ...) CLASS_##name,
#include "cuda/runtime/classes.h"
#undef CLASS
  CLASSES
};
enum rows_set {
#define ROWS(name, terms) ROWS_##name,
#include "cuda/runtime/classes.h"
#undef ROWS
  ROWS_SETS
};

struct cuda_type {
  struct body_type body;
  double axis_scale, charge; /* as in the model, in the precision of the run */
  int oriented;              /* 1: has axes that are sent in halo messages */
  int interaction;           /* enum interaction_class */
  int list_class;            /* pair/pair_pass.h */
};

/* Written by runtime/beads.c. */
struct gpu_types {
  struct cuda_type *type;
  int rotates; /* some type does */
};

/* Beads: the owned ones, then those of the halo. Written by runtime/beads.c. */
struct gpu_arrays {
  /* Halo beads: build position, type, and bonded_env 0 if they are in a lipid, else -1. */
  struct beads beads, spare;
  int64_t *id, *spare_id;
  int32_t *old_position, *spare_old; /* build positions of the build before */
  int room;                          /* beads that every array has room for */
  int n_migrated; /* rows of beads that have left, among and after the owned ones */
  struct bead_record *record;
  void *axis[PAIR_AXES_MOST]; /* records of axes: struct axis_record; NULL: none */
  int axis_bytes;             /* of a record of one axis */
  double *force, *torque;
};

/* Migrating fields, ids and old positions as arrays of 32-bit words, for sorting and migration. */
struct column {
  uint32_t *data, *spare;
  int words; /* of a bead */
};
enum { COLUMNS_MOST = FIELDS + 2 };
struct columns {
  int n, words, id; /* words: of a bead in all columns; id: index of the column of ids */
  struct column column[COLUMNS_MOST];
};

void cuda_beads_open(struct gpu *c);
/* Copies the bead types to the device; type: host memory. Once. */
void cuda_types_set(struct gpu *c, const struct cuda_type *type);
/* Grows the bead arrays to n beads, owned and halo; keeps their contents. */
void cuda_reserve(struct gpu *c, int64_t n);
/* n of the rows are of beads that have left. */
void cuda_beads_left(struct gpu *c, int n);
struct columns cuda_columns(const struct gpu *c);
/* Swaps the columns with their spares, after a kernel has written those. */
void cuda_columns_swap(struct gpu *c);

END_C

#endif
