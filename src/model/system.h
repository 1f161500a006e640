/* A system in host memory: its configuration, here, and its clock, its last list build and the
   record of its run, which have headers of their own. Beads are in the order of files: sorted by
   id, each rank with one contiguous block. Ids run from 1 to n_total without gaps. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "model/applied_forces.h"
#include "model/clock.h"
#include "model/forcefield.h"
#include "model/list_build.h"
#include "model/run_record.h"
#include "model/thermo.h"
#include "model/topology.h"

enum field_flags { MIGRATE = 1, STATE = 2, STATIC = 4 };

enum field {
#define FIELD(member, ...) FIELD_##member,
#include "model/bead_fields.h"
  FIELDS
};

struct field_info {
  const char *name, *unit, *text;
  int components, flags;
  int bytes;     /* of one component */
  char datatype; /* 'i' int32, 'u' uint32, 'd' double */
};
extern const struct field_info field_info[FIELDS];

static inline size_t field_bytes(int field)
{
  return (size_t)(field_info[field].components * field_info[field].bytes);
}

/* One array per field of bead_fields.h; members may be NULL. What is in the arrays of a system is
   set by who makes it (io/state_read.c, src/import, src/setup, commands that draw momenta), then by
   md/enforce.c and md/teams.c before a simulation begins, and during one by md/snapshot.c alone; in
   analyses by md/analyze.c, frame by frame. */
struct beads {
#define FIELD(member, name, type, ...) type *member;
#include "model/bead_fields.h"
};

/* Written by model/system.c, but for the structs within, which have owners of their own. */
struct system {
  int64_t n_total; /* beads in the whole system */
  int64_t first;   /* id of the first bead of this rank's block */
  int64_t n;       /* beads in this block */
  struct beads beads;
  double box[BOX];       /* nm */
  struct forcefield *ff; /* owned */
  struct topology topology;

  struct clock clock;
  struct list_build lists;
  struct run_record run;
  struct applied_forces applied;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Address of the array pointer of a field, for loops over all fields. */
void **beads_field(struct beads *b, int field);
/* The array of a field. */
void *beads_array(const struct beads *b, int field);
/* Allocates or grows the arrays whose flags have a bit of the mask from old_n to n beads. New
   elements are 0. */
void beads_reserve(struct beads *b, int mask, int64_t old_n, int64_t n);
void beads_free(struct beads *b);

/* Creates a system of n_total beads and allocates this rank's block: positions 0, unit quaternions,
   bonded_env and molecule_type -1, molecule 0, no lists, no topology. Takes ownership of the
   force field. Local; dies if memory does not suffice. */
struct system *system_create(int64_t n_total, int rank, int size, struct forcefield *ff);
/* The same for any block: the n beads from id `first` on. system_shift_block makes it another block
   of at most as many beads, whose contents the caller then sets. */
struct system *system_create_block(int64_t n_total, int64_t first, int64_t n,
                                   struct forcefield *ff);
void system_shift_block(struct system *s, int64_t first, int64_t n);
void system_destroy(struct system *s);
/* A copy with arrays of its own; the force field is shared. Without what
   observables have accumulated. */
struct system *system_copy(const struct system *s);
/* Copies all members but beads, topology, force field and what observables have accumulated, from
   the same system at another step. */
void system_copy_state(struct system *to, const struct system *from);
void system_set_box(struct system *s, const double box[BOX]);
void system_scale_box(struct system *s, const double factor[3]);
/* Takes ownership, and destroys the former one. */
void system_set_forcefield(struct system *s, struct forcefield *ff);
/* Takes ownership of the array of a field, and frees the former one. */
void system_set_beads(struct system *s, int field, void *array);
/* Moves the bead arrays of a system to another one of the same block; the first has none then. */
void system_move_beads(struct system *to, struct system *from);
/* Exchanges the positions of the beads and those of the list build. */
void system_exchange_positions(struct system *s);
/* First id of a rank's block; rank = size gives n_total + 1. */
int64_t system_first(int64_t n_total, int rank, int size);
/* The rank whose block contains an id. */
int system_rank_of(int64_t n_total, int size, int64_t id);
/* The rank that has an id if rank r of `size` has the ids border[r] ... border[r + 1] - 1. */
int system_rank_within(const int64_t *border, int size, int64_t id);

/* Sets position, residual and image of bead k of the block from a coordinate in nm. Dies with
   STATUS_INPUT if the coordinate is not finite or more than 2^31 boxes away. */
void system_set_position(struct system *s, int64_t k, const double x[3]);
/* Coordinate of bead k in nm, unwrapped or inside the box. */
void system_get_position(const struct system *s, int64_t k, int unwrapped, double x[3]);
/* Adds the beads of each type in the block. Local. */
void system_count_types(const struct system *s, int64_t *count);
/* Beads per nm3. */
double system_density(const struct system *s);
/* The degrees of freedom of a bead. */
struct dof system_dof_of_type(const struct ff_type *type);
/* The degrees of freedom that constraints remove: from the cluster whose first bead is bead k of
   the block (0: there is none), or from all clusters whose first bead is in the block. Local. */
int system_constraints_at(const struct system *s, int64_t k);
int64_t system_constraints(const struct system *s);
/* 1 if bead k of the block has a mass, or a cluster that moves it. */
int system_has_motion(const struct system *s, int64_t k);
/* Draws momenta and angular momenta of all beads of the block from the Maxwell-Boltzmann
   distribution at a temperature (K). Depends on seed and ids only. The total momentum is not
   removed. */
void system_thermalise(struct system *s, double temperature);

#ifdef __cplusplus
}
#endif

#endif
