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
  struct body_type body;     /* mass and moments of inertia */
  double axis_scale, charge; /* of struct model, rounded to the precision of the run */
  int oriented;              /* 1: its axes are sent in halo messages */
  int interaction, part;     /* enum interaction_class, and the part of the lists of that class */
  int list_class;            /* pair/pair_pass.h */
};

/* Written by runtime/beads.c. */
struct gpu_types {
  struct cuda_type *type; /* [types], device memory */
  int rotates;            /* 1: beads of some type rotate */
};

/* Per-bead arrays in device memory: first the owned beads, then those of the halo. Written by
   runtime/beads.c. */
struct gpu_arrays {
  /* spare: target of sorting, swapped with beads afterwards. Of halo beads only build_position,
     type and bonded_env (0: in a lipid; -1: not) are set. */
  struct beads beads, spare;
  int fixed[FIELDS]; /* 1: all beads have the same value, and keep it: not sorted. On one rank */
  int64_t *id, *spare_id;
  int room;       /* beads that every array has room for */
  int n_migrated; /* beads that have migrated, still in the arrays, among and after the owned ones
                   */
  struct bead_record *record; /* present position and type */
  void *axis[PAIR_AXES_MOST]; /* [beads] of struct axis_record; NULL: the plan has fewer axes */
  int axis_bytes;             /* size of a struct axis_record in the precision of the run */
  double *force, *torque;     /* [owned][3], kJ/mol/nm and kJ/mol, laboratory frame */
};

/* A bead array as 32-bit words, for sorting and migration: a field with MIGRATE, or the ids.
 * offset: words before those of this array in a record of a bead. */
struct bead_array {
  uint32_t *data, *spare;
  int words, offset; /* of a bead */
};
enum { BEAD_ARRAYS_MOST = FIELDS + 1 };
struct bead_arrays {
  int n, words, id; /* words of a bead in all arrays; index of the array of ids */
  struct bead_array array[BEAD_ARRAYS_MOST];
};

void cuda_beads_open(struct gpu *c);
/* Copies the bead types to the device; type: host memory. Once. */
void cuda_types_set(struct gpu *c, const struct cuda_type *type);
/* Grows the bead arrays to n beads, owned and halo; keeps their contents. */
void cuda_reserve(struct gpu *c, int64_t n);
/* Sets n_migrated. */
void cuda_beads_left(struct gpu *c, int n);
/* Notes which fields are fixed; from: n beads, host memory. */
void cuda_fields_fix(struct gpu *c, int n, const struct beads *from);
/* all 0: those that are not fixed. */
struct bead_arrays cuda_bead_arrays(const struct gpu *c, int all);
/* Swaps the arrays that are not fixed with their spares, after a kernel has filled the spares. */
void cuda_arrays_swap(struct gpu *c);

END_C

#endif
