/* Configurations of GROMACS (.gro), of any precision; whole ones may be PDB files. Local. */
#ifndef GRO_H
#define GRO_H

#include <stdint.h>

#include "base/box.h"
#include "base/error_list.h"

enum { GRO_NAME = 6 };

struct gromacs_gro_atom {
  double x[3], v[3]; /* nm, nm/ps */
  char name[GRO_NAME];
};

struct gromacs_gro {
  const char *path;
  int64_t n, first_line; /* atoms; where the first of them stands */
  int has_velocities;
  struct gromacs_gro_atom *atom;
  double box[BOX]; /* nm */
};

/* A file whose atoms are read some at a time. */
struct gromacs_gro_file;

/* Opens a file of the given number of atoms, which is that of `whose`; path and m outlive the
   result, and mistakes are added to m. Dies if it is no file, or no text. */
struct gromacs_gro_file *gromacs_gro_open(const char *path, int64_t expected, const char *whose,
                                          struct error_list *m);
/* Reads the next n atoms; none after the end of the file, or after many mistakes. */
void gromacs_gro_next(struct gromacs_gro_file *f, struct gromacs_gro_atom *atom, int64_t n);
/* After the last atom: reads the box and closes the file. 1 if an atom has a velocity. */
int gromacs_gro_end(struct gromacs_gro_file *f, double box[BOX]);

/* Reads a whole file of as many atoms as the topology has; the path outlives the result. Mistakes
   are added to m. */
struct gromacs_gro *gromacs_gro_read(const char *path, int64_t expected, struct error_list *m);
/* The same of a PDB file: pdb_read.c. gromacs_gro_read calls it for such files. */
struct gromacs_gro *gromacs_pdb_read(const char *path, int64_t expected, struct error_list *m);
void gromacs_gro_destroy(struct gromacs_gro *c);

#endif
