/* A configuration on the host, as files hold it: beads in the order of their ids, each rank with
   one contiguous block. Ids run from 1 to n_total without gaps. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include "model/forcefield.h"
#include "model/topology.h"

enum field_flags { MIGRATE = 1, STATE = 2, STATIC = 4 };

enum field {
#define FIELD(name, ...) FIELD_##name,
#include "model/bead_fields.h"
#undef FIELD
  FIELDS
};

struct field_info {
  const char *name, *unit, *text;
  int components, flags;
  int bytes; /* of one component */
  char kind; /* 'i' int32, 'u' uint32, 'd' double */
};
extern const struct field_info field_info[FIELDS];

/* Bytes that a field takes for each bead. */
static inline size_t field_bytes(int field)
{
  return (size_t)(field_info[field].components * field_info[field].bytes);
}

/* The arrays of n beads, any of them NULL. */
struct beads {
#define FIELD(name, type, components, ...) type *name;
#include "model/bead_fields.h"
#undef FIELD
};

struct system {
  int64_t n_total; /* beads in the whole system */
  int64_t first;   /* id of the first bead of this rank's block */
  int64_t n;       /* beads in this block */
  struct beads beads;
  double box[3]; /* nm */
  int64_t step;  /* steps done since the start */
  double time;   /* ps; system_set_step */
  /* The step from which time is counted, and its time: reset where the time step changes. */
  int64_t clock_step;
  double clock_time;
  uint64_t seed; /* of the noise */
  /* The last neighbour list: a restart builds the same one. build_step < 0: none was built, and
     build_position holds nothing. */
  int64_t build_step;
  double build_box[3];
  double skin;           /* nm; as the interval mode grew it */
  double conserved_work; /* kJ/mol; energy that thermostat and barostat have put in */
  /* Counters of the whole run, over all its jobs. */
  int64_t builds;      /* neighbour lists built */
  int64_t missed;      /* pairs that lists had left out, interval mode */
  int64_t worst_build; /* the most of them at one build */
  double missed_force; /* largest force left out, kJ/mol/nm */
  char kernel[64]; /* backend, precision and instruction set that computed it; empty: none yet */
  /* Where a run comes from; kept in its checkpoints. */
  uint64_t input_hash; /* fingerprint_state of the input that the run began from; 0: no run */
  char *input;         /* its path; owned, may be NULL */
  char *run_text; /* effective input (YAML) of the job that wrote the file; owned, may be NULL */
  char *history;  /* a line or more for each job of the run; owned, may be NULL */
  struct forcefield *ff; /* owned */
  struct topology topology;
};

/* The address of a field's array pointer, for loops over all fields. */
void **beads_field(struct beads *b, int field);
/* Allocates (or grows) every array whose flags meet the mask to hold n beads; new bytes are 0. */
void beads_reserve(struct beads *b, int mask, int64_t old_n, int64_t n);
void beads_free(struct beads *b);

/* An empty system of n_total beads, this rank's block of it allocated: positions 0, unit
   quaternions, no topology (slot -1, molecule 0, kind -1), build_step -1. Takes the force field. */
struct system *system_create(int64_t n_total, int rank, int size, struct forcefield *ff);
void system_destroy(struct system *s);
/* The first id of a rank's block, 1 <= rank's ids < n_total + 1; system_first(n, size, size) ends.
 */
int64_t system_first(int64_t n_total, int rank, int size);

/* Sets the position of bead k of the block from a coordinate in nm: fraction, residual and image.
 */
void system_set_position(struct system *s, int64_t k, const double x[3]);
/* The coordinate in nm, unwrapped or inside the box. */
void system_get_position(const struct system *s, int64_t k, int unwrapped, double x[3]);
/* Sets step, and time = clock_time + (step - clock_step) dt (ps). */
void system_set_step(struct system *s, int64_t step, double dt);
/* Counts time from the present step on, for a time step that changes. */
void system_reset_clock(struct system *s);
/* Appends to the history: printf format, one line, without its end. */
__attribute__((format(printf, 2, 3))) void system_history_add(struct system *s, const char *format,
                                                              ...);
/* Gives every bead of the block momenta and angular momenta at a temperature (K), from the seed;
   depends on ids only. The total momentum is not removed. */
void system_thermalise(struct system *s, double temperature);

#endif
