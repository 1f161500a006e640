/* Names and elements of our H5MD trajectories, and writing of the parts that frames do not
   change. */
#ifndef TRAJECTORY_LAYOUT_H
#define TRAJECTORY_LAYOUT_H

#include "io/h5.h"
#include "model/system.h"

#define TRAJECTORY_GROUP "particles/trajectory"

/* Elements that change with time: group/value; step and time are shared by all. */
struct trajectory_element {
  const char *name, *unit;
  char kind;
};
enum { ELEMENT_POSITION, ELEMENT_IMAGE, ELEMENT_VELOCITY, ELEMENT_DIPOLE, ELEMENT_AXIS, ELEMENTS };
extern const struct trajectory_element trajectory_element[ELEMENTS];

/* Checksums: see trajectory_check.h. */
#define TRAJECTORY_CHECKSUMS "parameters/lamella/checksums"
enum { CHECKSUM_INDEX = ELEMENTS, CHECKSUM_ROW, CHECKSUMS };

/* Elements that a system has, a bit each. Dipoles if any type has one; otherwise the axes of
   oriented beads, if there are any. */
int trajectory_elements(const struct forcefield *ff, int velocities);

/* Writes the groups h5md, connectivity and parameters, and the fixed datasets of the particles.
   Collective. */
void trajectory_write_fixed(const struct h5_file *f, hid_t particles, const struct system *s);

#endif
