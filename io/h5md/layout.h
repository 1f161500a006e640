/* Names and elements of our H5MD trajectories, and writing of the parts that frames do not
   change. */
#ifndef TRAJECTORY_LAYOUT_H
#define TRAJECTORY_LAYOUT_H

#include "input/param_choices.h"
#include "io/h5.h"
#include "io/selection.h"
#include "model/lipids.h"
#include "model/system.h"

#define TRAJECTORY_GROUP "particles/trajectory"

/* What is no part of H5MD. Its attribute run_id is the identity of the run (struct system); files
   of earlier versions do not have it. */
#define TRAJECTORY_OWN "parameters/lamella"
/* YAML text of the force field, as in state files; files of earlier versions do not have it. */
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

/* Values of observables, if there are any: see trajectory_observed.h. */
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

/* Checksums: see trajectory_check.h. The first columns are the same in all files, and further ones
   are appended for elements that were introduced later. */
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
  char name[32];
  int64_t values;
  char *options; /* kind and options, YAML text */
  char *columns; /* what the values are: observe/frames.h */
};
struct trajectory_observed_list {
  int n;
  struct trajectory_observed *one; /* [n] */
};

/* What a run asks frames to hold. */
struct trajectory_request {
  int velocities, forces; /* 1: yes */
  enum trajectory_positions positions;
  double precision;   /* nm; 0: as floats, not compressed */
  const char *select; /* names of molecule types and bead types; "": all beads */
  struct trajectory_observed_list observed;
  const struct lipids *lipids; /* borrowed; NULL: the file has no leaflets */
};

/* Elements that a file has, a bit each: images unless positions are unwrapped, dipoles if a type
   has one, axes (body z) if a type rotates and has no dipole, quaternions if a type has three
   moments of inertia, values of observables if there are any (HAS_OBSERVED). */
int trajectory_elements(const struct forcefield *ff, const struct trajectory_request *want);

/* The step to which positions are rounded for a precision: the largest power of 2 that is not
   larger, so that floats have zeros at their ends. 0 for 0. */
double trajectory_step(double precision);

/* Writes the groups h5md, connectivity and parameters (without checksums), and the fixed datasets
   of the particles. Collective. */
void trajectory_write_fixed(const struct h5_file *f, hid_t particles, const struct system *s,
                            const struct selection *selection, const struct lipids *lipids,
                            enum trajectory_positions positions, double precision);

#endif
