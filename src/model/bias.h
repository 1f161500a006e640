/* Coordinates of groups of beads, and biases: potentials on coordinates. Their kinds as data, made
   from coordinate_list.h and bias_list.h, those of a run, and their state. Plain structs, the same
   on host and device; pair/bias_body.h computes with them. */
#ifndef BIAS_H
#define BIAS_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "model/bead_group.h"
#include "model/clock.h"
#include "model/hills.h"
#include "model/ramp.h"
#include "model/tabulated.h"

enum {
  CENTRES_MOST = 32, /* bits of a mask */
  COORDINATES_MOST = 32,
  BIASES_MOST = 64,
  COORDINATE_CENTRES_MOST = 7, /* of a coordinate */
  BIAS_PARAMETERS_MOST = 4,
  BIAS_NAME = 32,          /* bytes */
  CENTRE_WEIGHT = 1 << 30, /* of the heaviest bead of a group */
  /* Sums of a group: of the low and high halves of weight times displacement, by axis; how many of
     its beads are nearly half the box from the centre; with constraints, of the digits below 2^-32
     of the box, by axis. */
  CENTRE_WIDE = 6,
  CENTRE_FINE = CENTRE_WIDE + 1,
  CENTRE_WORDS = CENTRE_FINE + 3,
  MOMENTS_MOST = 26,
  CONTACT_POWER_MOST = 64,
  CONTACT_MOMENTS = 7, /* value; xx yy zz xy xz yz of its slope by the strain of the box */
  /* Beads of the smaller groups of all contacts. The words of a step have the position of each, and
     the derivative of the value by this position. */
  SLOTS_MOST = 1024,
  SLOT_PLACE_WORDS = 2,
  SLOT_WORDS = SLOT_PLACE_WORDS + 3,
  BIAS_WORDS_MOST =
      CENTRES_MOST * CENTRE_WORDS + COORDINATES_MOST * MOMENTS_MOST + SLOTS_MOST * SLOT_WORDS,
  WIDE_CONTACTS = CENTRES_MOST + 1, /* struct bias_state.wide */
  CONSTRAINTS_MOST = 16,
  MOTION_WORDS = 18, /* sums of a group: of velocity and acceleration, 3 words each, by axis */
  BIAS_ROWS = 128,   /* rows for files that a backend keeps: more than the host lets it run ahead */
  BIAS_NUMBERS = 4   /* of a bias in a row: energy, force, place, work */
};

enum coordinate_kind {
#define COORDINATE(kind, ...) COORDINATE_##kind,
#include "model/coordinate_list.h"
  COORDINATE_KINDS
};

enum bias_kind {
#define BIAS(kind, ...) BIAS_##kind,
#include "model/bias_list.h"
  BIAS_KINDS
};

/* The members are those of a row of coordinate_list.h. */
struct coordinate_kind_info {
  const char *name, *unit;
  int turns, moments, least, most;
  const char *options, *formula;
};
extern const struct coordinate_kind_info coordinate_kind_info[COORDINATE_KINDS];

struct bias_parameter {
  const char *name, *unit;
  double low, high, preset;
  int is_place;
};
struct bias_kind_info {
  const char *name, *options, *formula;
  struct bias_parameter parameter[BIAS_PARAMETERS_MOST + 1]; /* then one without a name */
};
extern const struct bias_kind_info bias_kind_info[BIAS_KINDS];

/* Of contacts: the function that is 1 at small distances and 0 from d_max on, and the slots of the
   beads of the smaller group. */
struct contacts {
  double r0, d0, d_max; /* nm */
  int n, m;             /* exponents */
  double end;           /* s(d_max), which is subtracted */
  int order;            /* among the coordinates of this kind */
  double scale;         /* of its words */
  int few;              /* which of its two centres is the smaller group */
  int first_slot, n_slots;
};

struct coordinate {
  char name[BIAS_NAME];
  int kind;                            /* enum coordinate_kind */
  int n_centres;                       /* those of `of`, then that of `from` */
  int centre[COORDINATE_CENTRES_MOST]; /* of struct bias_set */
  int is_length;                       /* 1: a length in the axes that are 1; 0: a component */
  int follows;                         /* 1: the image is followed from step to step */
  int n_moments, first_moment;         /* its words of struct bias_set */
  double radius;                       /* nm */
  struct contacts contacts;
  double unit;    /* of files in that of the program: 1, or rad in deg */
  double period;  /* of values, unit of the program; 0: none */
  double axis[3]; /* unit vector, or 0 and 1 */
};

struct bias {
  char name[BIAS_NAME];
  int kind;                                    /* enum bias_kind */
  int coordinate;                              /* of struct bias_set; of hills the first */
  struct ramp parameter[BIAS_PARAMETERS_MOST]; /* in time, ps */
  double rate;                                 /* of places, unit of files / ps */
  double unit, period;                         /* those of the coordinate */
  int places;                                  /* which parameters are places, as bits */
  int starts;     /* which of them count from the value of the coordinate at the start, as bits */
  int by_replica; /* which parameters the run file gives a number of each replica, as bits */
  double
      start; /* that value, unit of files, which is added to them once it is known (md/biases.c) */
  /* Of a table: pieces as those of struct tabulated, in memory of the backend, and where the first
     begins and how wide they are, unit of files; 0: no table. */
  int n_pieces;
  double table_start, table_step;
  struct tabulated_piece *piece;
  int moves; /* 1: a parameter changes in time */
};

/* Those of a run. Constant. */
struct bias_set {
  int n_centres, n_coordinates, n_biases;
  int64_t total[CENTRES_MOST]; /* the weights of all beads of a group, added up; of a point 1 */
  int64_t beads[CENTRES_MOST]; /* of all ranks; 0: a point, whose reference is its place */
  int reads[CENTRES_MOST];     /* along which box vectors coordinates read its place, as bits */
  struct coordinate coordinate[COORDINATES_MOST];
  struct bias bias[BIASES_MOST];
  struct hill_grid hills;
  /* Words of a step: CENTRE_WORDS of each centre and the places of slots; then the moments, in
     units of 1 / moment_scale, and the slopes by the places of slots. Those of contacts have their
     own scale. */
  int n_moments, n_contacts, n_slots;
  double moment_scale;
  struct clock clock; /* with dt (ps) the times of steps: bias_time */
  double dt;
  int64_t rows_every; /* steps; interval of rows; 0: none */
  int adds_up;        /* 1: this rank reports energy and virial; one rank does */
  int n_constraints, constraint[CONSTRAINTS_MOST]; /* the biases that are constraints */
  uint32_t held;                                   /* the groups of their coordinates, as bits */
  /* How much an impulse of 1 along constraint b changes the velocity of the centres of constraint a
     from each other, if both have the same direction; 1/amu. */
  double coupling[CONSTRAINTS_MOST][CONSTRAINTS_MOST];
  double stiffness; /* of constraints in a minimisation, kJ/mol/nm2; 0: they are held */
};

/* The doubles of a row: the values of the coordinates, BIAS_NUMBERS of each bias, and the mean
   force of each constraint since the row before. */
HD int bias_row_length(const struct bias_set *s)
{
  return s->n_coordinates + BIAS_NUMBERS * s->n_biases + s->n_constraints;
}

/* Words of a step: the sums over beads for the places of the centres, and those for moments, which
   are summed when the places are known. */
HD int bias_place_words(const struct bias_set *s)
{
  return CENTRE_WORDS * s->n_centres + SLOT_PLACE_WORDS * s->n_slots;
}

HD int bias_moment_words(const struct bias_set *s)
{
  return s->n_moments + (SLOT_WORDS - SLOT_PLACE_WORDS) * s->n_slots;
}

HD int bias_words(const struct bias_set *s)
{
  return bias_place_words(s) + bias_moment_words(s);
}

/* Of a step. The first members follow from those of the step before, and are in checkpoints. */
struct bias_state {
  int64_t step;
  uint64_t place[CENTRES_MOST][3]; /* of the centres, box/2^64. The next sums are relative to it,
                                      rounded down to box/2^32 */
  int64_t followed[COORDINATES_MOST][3]; /* where follows: the difference, box/2^32 */
  double work[BIASES_MOST]; /* kJ/mol; by the change of parameters, since the start of the run */
  int64_t hills;            /* deposited so far; that of a step itself comes with the next step */
  /* Of constraints: the sum of their forces over the last force_steps steps, since the last row;
     and whether `force` has them, as a state of a run has. */
  double force_sum[CONSTRAINTS_MOST];
  int64_t force_steps, knows_forces;
  double value[COORDINATES_MOST]; /* nm or rad */
  double pull[COORDINATES_MOST];  /* force of all biases along it */
  double moment[COORDINATES_MOST][MOMENTS_MOST];
  double energy[BIASES_MOST];           /* kJ/mol */
  double force[BIASES_MOST];            /* along the coordinate, kJ/mol/nm or kJ/mol/rad */
  double edge[BIASES_MOST];             /* its first parameter that is a place; else 0 */
  double centre_force[CENTRES_MOST][3]; /* kJ/mol/nm */
  double potential;                     /* kJ/mol, of all biases */
  double virial[9];                     /* r_a f_b, kJ/mol, row by row */
  int64_t wide_step;                    /* the first step at which a group was too wide; 0: none */
  int64_t wide;                         /* 1 + the first such group; or WIDE_CONTACTS + the first
                                           coordinate whose d_max is more than half the box */
  int64_t outside_step;                 /* the same of a coordinate outside the grid of hills */
  int64_t outside;                      /* 1 + the axis */
  /* Of constraints: what moves the beads of a group, amu nm, and their momenta, amu nm/ps; the
     virial; as wide, the first that could not be held. */
  double push[CENTRES_MOST][3], kick[CENTRES_MOST][3];
  double held_virial[9];
  int64_t broken_step, broken;
};

/* Host memory: what a backend is created with. */
struct biases {
  struct bias_set set;
  struct bead_group group[CENTRES_MOST]; /* with their ranges */
  int by_mass[CENTRES_MOST];             /* 1: weights are masses; 0: every bead alike */
  int32_t *weight;                       /* [n_centres][types] */
  /* [n_centres][types]: by how much a push of 1 amu nm on a group moves a bead, 1/amu; 0 where the
     group is of no constraint. NULL: there are no constraints. */
  double *ease;
  int64_t *slot_id; /* [n_slots]: ids of the beads, ascending in a coordinate */
};
void biases_destroy(struct biases *b);

#endif
