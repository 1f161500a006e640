/* A configuration in host memory, in the order of files: beads sorted by id, each rank with one
   contiguous block. Ids run from 1 to n_total without gaps. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include "model/forcefield.h"
#include "model/topology.h"

enum field_flags { MIGRATE = 1, STATE = 2, STATIC = 4 };

enum field {
#define FIELD(member, ...) FIELD_##member,
#include "model/bead_fields.h"
#undef FIELD
  FIELDS
};

struct field_info {
  const char *name, *unit, *text;
  int components, flags;
  int bytes;     /* of one component */
  char datatype; /* 'i' int32, 'u' uint32, 'd' double */
};
extern const struct field_info field_info[FIELDS];

/* Bytes per bead of a field. */
static inline size_t field_bytes(int field)
{
  return (size_t)(field_info[field].components * field_info[field].bytes);
}

/* One array per field of bead_fields.h; members may be NULL. */
struct beads {
#define FIELD(member, name, type, ...) type *member;
#include "model/bead_fields.h"
#undef FIELD
};

/* What an observable (observe/observable.h) has accumulated: kept in checkpoints. */
struct accumulated {
  char name[32];
  char *options; /* kind and options, YAML text; owned */
  int64_t n;     /* the same on all ranks */
  double *data;  /* [n] on rank 0, NULL elsewhere; owned */
};

enum {
  RUN_ID = 17,       /* bytes of the identity of a run: 16 hexadecimal digits */
  ENERGY_LINE = 1024 /* bytes of a line of energies */
};

struct system {
  int64_t n_total; /* beads in the whole system */
  int64_t first;   /* id of the first bead of this rank's block */
  int64_t n;       /* beads in this block */
  struct beads beads;
  double box[3]; /* nm */
  int64_t step;  /* steps done since the start */
  double time;   /* ps; set by system_set_step */
  /* Origin of the clock: time = clock_time + (step - clock_step) dt. Reset when the time step
     changes. */
  int64_t clock_step;
  double clock_time;
  uint64_t seed; /* of thermostat and barostat noise */
  /* The last build of the neighbour list: a restart rebuilds the same list. build_step < 0: no list
     yet, and build_position is not set. */
  int64_t build_step;
  double build_box[3];
  double skin;           /* nm; may have grown in interval mode */
  double conserved_work; /* kJ/mol; energy added by thermostat and barostat */
  /* Counters over all jobs of the run. */
  int64_t builds;      /* neighbour lists built */
  int64_t missed;      /* pairs inside the cutoff that lists lacked, interval mode */
  int64_t worst_build; /* largest number of missed pairs at one build */
  double missed_force; /* largest force of a missed pair, kJ/mol/nm */
  char kernel[64]; /* backend, precision and instruction set that computed it; empty: none yet */
  char git[64];    /* version of the program that wrote the state file; empty: unknown */
  /* Provenance of the run, kept in its checkpoints. */
  char run[RUN_ID]; /* identity of the run, also in its files; empty: no run, or unknown */
  char energies[ENERGY_LINE]; /* last line of PREFIX.csv, rank 0 in a run; empty: none; "?": unknown
                               */
  uint64_t input_hash;        /* fingerprint_state of the input state; 0: no run */
  char *input;                /* path of the input state; owned, may be NULL */
  char *run_text;             /* effective parameters (YAML) of the last job; owned, may be NULL */
  char *history;         /* log of all jobs of the run, a line or more each; owned, may be NULL */
  struct forcefield *ff; /* owned */
  struct topology topology;
  int n_accumulated;
  struct accumulated *accumulated; /* owned */
};

/* Address of the array pointer of a field, for loops over all fields. */
void **beads_field(struct beads *b, int field);
/* Allocates or grows the arrays whose flags have a bit of the mask from old_n to n beads. New
   elements are 0. */
void beads_reserve(struct beads *b, int mask, int64_t old_n, int64_t n);
void beads_free(struct beads *b);

void accumulated_free(struct accumulated *o, int n);

/* Creates a system of n_total beads and allocates this rank's block: positions 0, unit quaternions,
   bonded_env and molecule_type -1, molecule 0, build_step -1, no topology. Takes ownership of the
   force field. Local; dies if memory does not suffice. */
struct system *system_create(int64_t n_total, int rank, int size, struct forcefield *ff);
void system_destroy(struct system *s);
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
/* Sets step, and time = clock_time + (step - clock_step) dt (ps). */
void system_set_step(struct system *s, int64_t step, double dt);
/* Makes the present step the origin of the clock; call before the time step changes. */
void system_reset_clock(struct system *s);
/* Appends one line to the history. printf format, without newline. */
__attribute__((format(printf, 2, 3))) void system_history_add(struct system *s, const char *format,
                                                              ...);
/* The degrees of freedom that constraints take: of the cluster that begins at bead k of the block,
   0 if none does; of all clusters that begin in the block. Local. */
int system_constraints_at(const struct system *s, int64_t k);
int64_t system_constraints(const struct system *s);
/* 1 if bead k of the block has a mass, or a cluster that moves it. */
int system_has_motion(const struct system *s, int64_t k);
/* Draws momenta and angular momenta of all beads of the block from the Maxwell-Boltzmann
   distribution at a temperature (K). Depends on seed and ids only. The total momentum is not
   removed. */
void system_thermalise(struct system *s, double temperature);

#endif
