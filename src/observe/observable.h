/* Observables: what a run measures of a membrane or fluid, and `lamella analyze` of its frames. An
   observable is an item of the list `observe` of the run file. Every so many steps it takes a
   sample: each rank adds its part in 64-bit words (counts or fixed point), the words are added over
   ranks, and rank 0 makes of the sums the numbers of the sample, whose means and block averages it
   keeps (blocks.h). Results are functions of the means.

   A kind of observable is a row in the list of kind_list.h and a file of this folder with its
   functions. All memory is host memory. */
#ifndef OBSERVABLE_H
#define OBSERVABLE_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/box.h"
#include "input/yaml_tree.h"
#include "observe/blocks.h"
#include "observe/species.h"

enum { OBSERVE_NAME = 64 };

/* What an observable needs of a step. */
enum observe_needs {
  NEEDS_POSITIONS = 1, /* positions and images of the beads of the share of each rank */
  NEEDS_MOMENTA = 2,
  NEEDS_ORIENTATIONS = 4,
  NEEDS_CENTRE = 8,       /* of the bilayer along z */
  NEEDS_ENERGIES = 16,    /* energies, virial and pressure */
  NEEDS_FORCES = 32,      /* lists and halo on the backend, as after the forces of a step */
  NEEDS_VELOCITIES = 64,  /* momenta on the backend */
  NEEDS_AXES = 128,       /* orientations on the backend */
  NEEDS_COORDINATES = 256 /* values of the coordinates of the run file */
};

/* The state at a step. Arrays are of the beads of this rank's share (observe/species.h), in order
   of id, and NULL if not asked for: they are valid during collect only. All else is the same on all
   ranks. */
struct observe_frame {
  int64_t step;
  double time;     /* ps */
  double box[BOX]; /* nm */
  /* z of the bilayer's centre, fraction of cz in units of 2^-32. */
  uint32_t centre;
  /* Not NULL: only the backend has the centre yet, of these words (backend/profile.h). Without
     positions. */
  const int64_t *centre_word;
  const int32_t *position;        /* [n][3], units of 2^-32 of the box vectors, unsigned */
  const int32_t *image;           /* [n][3]: unwrapped = (position + image) box */
  const double *momentum;         /* [n][3], amu nm/ps */
  const double *angular_momentum; /* [n][3], body frame, amu nm2/ps */
  const double *orientation;      /* [n][4], quaternions, scalar first */
  const double *coordinate;       /* values, in the units of files; or NULL */
  const struct thermo *state;     /* energies, virial, pressure (model/thermo.h); or NULL */
  struct backend *backend;        /* of this rank */
};

/* What a column of a table is, beside the index of its first value: a function of the means that
   derive sets, without autocorrelation time; or means whose values follow all before, and are added
   to the values of the observable. */
enum { OBSERVE_DERIVED = -1, OBSERVE_NEXT = -2 };

/* value: of row 0; the mean of value + k is the result of row k. Or OBSERVE_DERIVED. */
struct observe_column {
  char name[OBSERVE_NAME];
  const char *unit;
  int value;
};

/* Results as a table. The rows have values of an axis, or labels. Results of a table follow each
   other: of the axis, if there is one, then column by column. */
struct observe_table {
  char name[OBSERVE_NAME];
  const char *axis, *axis_unit; /* NULL: labels */
  char (*label)[OBSERVE_NAME];  /* [rows] */
  const double *at;             /* [rows] axis, for the mean 1 of value `edge`; NULL: of derive */
  int edge;                     /* value that the axis is proportional to; -1: it is constant */
  int rows, columns;
  struct observe_column *column; /* owned */
  int first;                     /* index of its first result */
};

struct observable_kind;

struct observable {
  const struct observable_kind *kind;
  char name[OBSERVE_NAME];
  char *options;       /* YAML text */
  char *choices;       /* what its numbers depend on, as used: "{bins: 160, ...}"; NULL: nothing */
  int64_t every, from; /* steps */
  int every_is_given;  /* 0: `every` is the default of the kind */
  int of_lipids;       /* 1: its numbers depend on which molecules are lipids */
  int frames;          /* 1: the frames of the trajectory hold the values of the last sample */
  const struct observe_system *about;
  unsigned needs; /* those of the kind, and what open adds for this system */
  int64_t words;  /* that a rank adds up */
  int values;     /* numbers of a sample */
  /* Not 0: the observable is one of a flat bilayer. It has words of flatness (molecules/flatness.h)
     with so many cells along an edge after those of its kind, and as its last value 1, or, where
     the lipids are no flat bilayer, 0 after NaN. */
  int flat_grid;
  int flat_warned; /* 1: the log says why a sample was not flat */
  int results;
  int tables;
  struct observe_table *table;
  void *own;     /* of the kind; set by open */
  void **memory; /* [n_memory]: of observe_memory */
  int n_memory;
  /* Rank 0. */
  struct blocks blocks;
  int64_t first_step, last_step; /* of the samples */
  double interval;               /* between the samples that were loaded, ps; 0: none were */
  /* Numbers beside the blocks that a continued run needs, such as time origins. Resized by
     observable_keep. */
  double *kept;
  int64_t n_kept;
  double *last; /* [values] of the last sample, NaN before the first; NULL without `frames` */
};

/* Reads the options, sets words and own, and adds the tables and other values; words and the value
   of flatness are added afterwards. Errors go to the tree, and are the same on all ranks.
   Collective over the ranks of o->about. */
typedef void observable_open(struct observable *o, struct yaml_tree *t, int options);
/* Adds the part of this rank of the state to word[words]. What rank 0 needs of single beads or
   molecules is gathered here too (observe/items.h). Collective. */
typedef void observable_collect(const struct observable *o, const struct observe_frame *f,
                                int64_t *word);
/* Rank 0. Sets value[values], which are 0, from the words of all ranks. */
typedef void observable_sample(struct observable *o, const struct observe_frame *f,
                               const int64_t *word, double *value);
/* Sets those of result[results] that are no means, from the means of the values; o->blocks.samples
   is the number of all samples. Rank 0; called from any thread, changes nothing. */
typedef void observable_derive(const struct observable *o, const double *mean, double *result);

/* A row of kind_list.h. */
struct observable_kind {
  const char *name;
  int64_t every;       /* default */
  unsigned needs;      /* enum observe_needs, of any system */
  int even;            /* 1: the samples must be equally far apart in time */
  const char *options; /* beside every, from, name and frames: "bins|range" */
  const char *summary;
  observable_open *open;
  observable_collect *collect;
  observable_sample *sample;
  observable_derive *derive; /* NULL: all results are means */
};

/* The functions of the kinds. */
#define KIND(name, ...)                                                                            \
  observable_open observe_##name##_open;                                                           \
  observable_collect observe_##name##_collect;                                                     \
  observable_sample observe_##name##_sample;                                                       \
  observable_derive observe_##name##_derive;
#include "observe/kind_list.h"
#undef KIND

/* For open. Zeroed memory that is freed with the observable. */
void *observe_memory(struct observable *o, int64_t count, size_t size);
/* Frees everything that the observable has. */
void observable_free(struct observable *o);
/* For open. Adds a table with room for columns that follow; returns it. axis NULL: rows have
   labels, which are empty at first. The pointer is valid until the next table is added. */
struct observe_table *observable_add_table(struct observable *o, const char *name, const char *axis,
                                           const char *axis_unit, int rows);
/* Adds a column to the table that was added last. value: of its first row, OBSERVE_DERIVED or
   OBSERVE_NEXT. */
void observable_add_column(struct observable *o, const char *name, const char *unit, int value);
/* Sets result[results] from the means of the values. */
void observable_results(const struct observable *o, const double *mean, double *result);
/* For open. Adds to the choices, which the results hold, one that numbers depend on, given or by
   default: "bins: %d". */
void observable_chose(struct observable *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The results of a column of a table (from 0), or of its axis, in result[results]. */
double *observe_column_of(const struct observable *o, double *result, int table, int column);
double *observe_axis_of(const struct observable *o, double *result, int table);
/* The words of flatness among those of the observable; NULL: it has none. */
int64_t *observe_flat_words(const struct observable *o, int64_t *word);
/* Makes kept n numbers long; new ones are 0. */
void observable_keep(struct observable *o, int64_t n);

/* 1 if a sample is due at a step. */
int observable_due(const struct observable *o, int64_t step);
/* Rank 0: takes the sums of the words over all ranks as a sample. */
void observable_take(struct observable *o, const struct observe_frame *f, const int64_t *word);

/* Everything that a continued run needs of an observable, as an array of *n numbers that the caller
   frees. Rank 0. */
double *observable_save(const struct observable *o, int64_t *n);
/* The reverse. Returns 0 if the numbers do not fit the observable. Rank 0. */
int observable_load(struct observable *o, const double *saved, int64_t n);

/* For open: names of bead types, or of molecule types, of an option that is a word or a list of
   words. Returns their number, and indices in index[most]; unknown ones are errors with the nearest
   known. */
enum observe_names { NAMED_BEAD_TYPES, NAMED_MOLECULES };
int observe_read_names(struct observable *o, struct yaml_tree *t, int node, enum observe_names of,
                       int *index, int most);

/* Kind k of the list, from 0; NULL: there are no more. Of observables.c, as what follows. */
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
