/* Where an H5MD trajectory of ours keeps what; and the parts of it that no frame changes. */
#ifndef TRAJECTORY_LAYOUT_H
#define TRAJECTORY_LAYOUT_H

#include "io/h5.h"
#include "model/system.h"

#define TRAJECTORY_GROUP "particles/trajectory"

/* Elements that change with time: group/value beside step and time, which all share. */
struct trajectory_element {
  const char *name, *unit;
  char kind;
};
enum { ELEMENT_POSITION, ELEMENT_IMAGE, ELEMENT_VELOCITY, ELEMENT_DIPOLE, ELEMENT_AXIS, ELEMENTS };
extern const struct trajectory_element trajectory_element[ELEMENTS];

/* Checksums: see trajectory_check.h. */
#define TRAJECTORY_SUMS "parameters/lamella/checksums"
enum { SUM_CLOCK = ELEMENTS, SUM_GUARD, SUMS };

/* Which of them a system has: a bit each. Dipoles where any type has one, otherwise the axes of
   oriented beads, if there are any. */
int trajectory_elements(const struct forcefield *ff, int velocities);

/* Groups h5md, connectivity and parameters, and the fixed datasets of the particles. Collective. */
void trajectory_write_fixed(const struct h5_file *f, hid_t particles, const struct system *s);

#endif
