/* Where our H5MD trajectories hold what: names of objects, elements of the beads, observables, and
   the datasets that have an entry for each frame. Local unless said otherwise. */
#ifndef H5MD_LAYOUT_H
#define H5MD_LAYOUT_H

#include "input/param_choices.h"
#include "io/h5.h"
#include "io/h5_read.h"
#include "model/lipids.h"
#include "model/system.h"
#include "molecules/selection.h"

#define TRAJECTORY_GROUP "particles/trajectory"

/* What is no part of H5MD. Its attribute run_id is the identity of the run (struct system). */
#define TRAJECTORY_OWN "parameters/lamella"
/* YAML text of the force field, as in state files. */
#define TRAJECTORY_FORCEFIELD "parameters/lamella/forcefield"
/* What the frames hold, if it is not all beads, or not wrapped positions: the names of the
   selection and the number of beads of the system; a word of POSITIONS_CHOICES. */
#define TRAJECTORY_SELECTION "parameters/lamella/selection"
#define TRAJECTORY_SYSTEM_BEADS "parameters/lamella/system_beads"
#define TRAJECTORY_POSITIONS "parameters/lamella/positions"
/* nm; positions are multiples of it. Only in files that are compressed. */
#define TRAJECTORY_PRECISION "parameters/lamella/precision"
/* Names of the molecule types. */
#define TRAJECTORY_MOLECULES "parameters/lamella/molecules"
/* The lipids of the system and their heads, YAML: lipids_text. */
#define TRAJECTORY_MEMBRANE "parameters/lamella/membrane"
/* Ids of the beads of a selection. Without a selection row k holds the bead with id k + 1. */
#define TRAJECTORY_ID TRAJECTORY_GROUP "/id"
#define TRAJECTORY_SPECIES TRAJECTORY_GROUP "/species"

/* Values of observables, if there are any. TRAJECTORY_OBSERVED_NAMES has their names, a line each.
   The group of one holds `value` [frame][values] (double), links to the step and time of the
   positions, and two texts: `options` and `columns` (struct trajectory_observed). */
#define TRAJECTORY_OBSERVED "observables"
#define TRAJECTORY_OBSERVED_NAMES "parameters/lamella/observables"

/* Elements that change with time: group/value, [frame][bead][components], 4 bytes a number; step
   and time are shared by all. */
struct trajectory_element {
  const char *name, *unit;
  char datatype; /* 'f' or 'i' */
  int components;
  int checksum; /* column of its checksum */
};
enum {
  ELEMENT_POSITION,
  ELEMENT_IMAGE,
  ELEMENT_VELOCITY,
  ELEMENT_DIPOLE,
  ELEMENT_AXIS,
  ELEMENT_QUATERNION,
  ELEMENT_FORCE,
  ELEMENTS
};
enum { ELEMENT_COMPONENTS = 4 }; /* of the largest element */
extern const struct trajectory_element trajectory_element[ELEMENTS];
/* Bit in `elements`, beside a bit for each element: the file has values of observables. */
enum { HAS_OBSERVED = 1 << ELEMENTS };
/* Bytes per bead of an element. */
size_t trajectory_element_bytes(int element);
/* Bytes of a frame with these elements and so many beads and values of observables, at most. */
double trajectory_frame_bytes(int elements, int64_t beads, int64_t observed);

/* Checksums: see check.h. The first columns are the same in all files, and further ones are
   appended for elements that were introduced later. */
#define TRAJECTORY_CHECKSUMS "parameters/lamella/checksums"
enum {
  CHECKSUM_INDEX = ELEMENT_AXIS + 1,
  CHECKSUM_ROW,
  CHECKSUM_QUATERNION,
  CHECKSUM_FORCE,
  CHECKSUM_OBSERVED,
  CHECKSUMS
};
/* Columns of the checksums of a file with these elements. */
int trajectory_checksum_columns(int elements);

/* An observable whose values the frames hold. */
struct trajectory_observed {
  char name[H5_NAME];
  int64_t values;
  char *options; /* kind and options, YAML text */
  char *columns; /* what the values are: observe/frames.h */
};
/* Values in memory are those of one observable after the other, in the order of the list. */
struct trajectory_observed_list {
  int n;
  struct trajectory_observed *one; /* [n] */
};
int64_t trajectory_observed_count(const struct trajectory_observed_list *l); /* of all values */
/* The observable of a name, or NULL. first: receives the place of its first value. */
const struct trajectory_observed *trajectory_observed_find(const struct trajectory_observed_list *l,
                                                           const char *name, int64_t *first);
/* The path of "options" or "columns". */
const char *trajectory_observed_path(const struct trajectory_observed *o, const char *dataset,
                                     char path[96]);
void trajectory_observed_free(struct trajectory_observed_list *l);

/* What a run asks frames to hold. */
struct trajectory_request {
  int velocities, forces; /* 1: yes */
  enum trajectory_positions positions;
  double precision;               /* nm; 0: as floats, not compressed */
  const char *select;             /* text of the selection; "": all beads */
  const struct bead_group *beads; /* of it, found; borrowed */
  struct trajectory_observed_list observed;
  const struct lipids *lipids; /* borrowed; NULL: the file has no leaflets */
};

/* Elements that a file has, a bit each: images unless positions are unwrapped, dipoles if a type
   has one, axes (body z) if a type rotates and has no dipole, quaternions if a type has three
   moments of inertia, values of observables if there are any (HAS_OBSERVED). */
int trajectory_elements(const struct forcefield *ff, const struct trajectory_request *want);

/* What the frames of a file hold. */
struct trajectory_layout {
  int elements; /* a bit each, and HAS_OBSERVED */
  enum trajectory_positions positions;
  double precision; /* nm; positions are multiples of it; 0: they are floats, not compressed */
  struct trajectory_observed_list observed; /* owned */
};
/* That of a new file. Positions are rounded to the largest power of 2 that is not larger than the
   precision asked for, so that floats have zeros at their ends. */
void trajectory_layout_of(struct trajectory_layout *l, const struct forcefield *ff,
                          const struct trajectory_request *want);
/* The datasets that have an entry for each frame, in the order in which frames are removed.
   SERIES_ELEMENT + k: element k; SERIES_OBSERVED + k: the values of observable k. */
enum {
  SERIES_STEP,
  SERIES_TIME,
  SERIES_EDGES,
  SERIES_CHECKSUMS,
  SERIES_ELEMENT,
  SERIES_OBSERVED = SERIES_ELEMENT + ELEMENTS
};
int trajectory_series_count(const struct trajectory_layout *l);
/* Sets *s to series k of a file with n beads in a frame. Returns 0 if the file does not have it. */
int trajectory_series(const struct trajectory_layout *l, int64_t n, int k, struct h5_series *s);
/* Reads `frames` entries of a series, from that of `frame` (counted from 0). Errors go to the
   reader. */
void trajectory_get(struct h5_reader *in, const struct trajectory_layout *l, int series,
                    int64_t frame, int64_t frames, void *data);

/* What a file holds. */
struct trajectory_index {
  struct trajectory_layout layout;
  int64_t n;        /* beads of a frame */
  int64_t n_system; /* beads of the system; more than n if the frames hold a selection */
  int64_t frames;   /* complete frames: all their data exist, and steps increase */
  int64_t rows;     /* frames of the longest dataset; more than `frames` after a crash */
  char *selection;  /* its names; NULL: all beads. This and the next two are owned */
  int64_t *step;    /* [frames] */
  double *time;
};
void trajectory_index_free(struct trajectory_index *c);

#endif
