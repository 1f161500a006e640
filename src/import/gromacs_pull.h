/* What the pull code of GROMACS is given in run parameters (.mdp), of version 4.0 to 2026. Local.
 */
#ifndef GROMACS_PULL_H
#define GROMACS_PULL_H

#include "import/gromacs_rule.h"
#include "import/gromacs_writer.h"

enum { PULL_GROUPS_MOST = 6 };

enum pull_geometry {
  PULL_DISTANCE,
  PULL_DIRECTION,
  PULL_CYLINDER,
  PULL_PERIODIC,
  PULL_RELATIVE,
  PULL_ANGLE,
  PULL_DIHEDRAL,
  PULL_AXIS
};

enum pull_type { PULL_UMBRELLA, PULL_FORCE, PULL_BELOW, PULL_ABOVE, PULL_CONSTRAINT };

/* A coordinate and its potential, in the units of .mdp files: nm, degrees, kJ/mol, rad. */
struct pull_coordinate {
  int number; /* from 1 */
  enum pull_geometry geometry;
  enum pull_type type;
  int n_groups, group[PULL_GROUPS_MOST]; /* numbers; 0: the place of origin, or a group of 4.x */
  int dim[3];
  double origin[3], vec[3];
  int starts; /* 1: init is added to the value at the start */
  double init, rate, k;
};

/* The pull code of a file. */
struct gromacs_pull {
  const struct gromacs_mdp *mdp;
  int is_old; /* 1: of GROMACS 4, where each group after group 0 has a coordinate */
  int n_groups, n_coordinates;
};

/* Without pulling, or with an error, there are none. */
struct gromacs_pull gromacs_pull_open(const struct gromacs_mdp *mdp);
/* The name of a group, from 1, of old files from 0; "": it has none. */
const char *gromacs_pull_group(const struct gromacs_pull *p, int number);
/* The key of a list "a|b", with the number in the place of its #, that the file has; else the
   first. Returns key. */
const char *gromacs_pull_key(const struct gromacs_pull *p, const char *names, int number,
                             char key[GROMACS_KEY]);
/* Reads a coordinate, from 1. 0: it is refused, with errors. */
int gromacs_pull_read(const struct gromacs_pull *p, int number, struct pull_coordinate *c);

#endif
