/* HDF5 files of maps of the electrostatic potential: a dataset `potential` [z][y][x], perhaps one
   `deviation`, and attributes of the file. The manual lists them (Files, Maps). Host memory. */
#ifndef MAP_FILE_H
#define MAP_FILE_H

#include <stdint.h>

#include "base/box.h"
#include "mpi/comm/ranks.h"

#define MAP_FILE_FORMAT "lamella map"
enum { MAP_FILE_VERSION = 1, MAP_FILE_TEXT = 1024 };

/* Values on a lattice, of which each rank has the planes [first, first + count) of constant z.
   Planes are divided over ranks in the order of ranks. */
struct map_grid {
  int n[3];                     /* points along x, y, z; point i at origin + i spacing */
  double origin[3], spacing[3]; /* nm */
  int first, count;             /* planes of this rank */
  int bytes;                    /* of a value: 4 (float) or 8 (double) */
};

/* How a map was made. The same on all ranks. */
struct map_about {
  char method[32], boundary[32], sum[32], precision[32]; /* words of the command's options */
  char types[MAP_FILE_TEXT];                             /* of the sources, comma separated */
  double cutoff;                                         /* nm; 0: none */
  double permittivity; /* relative, by which the potential was divided */
  double box[BOX];     /* nm, mean; 0: none */
  int64_t frames;
  int64_t first_step, last_step;
  double first_time, last_time; /* ps */
};

/* The bytes of host memory that writing takes on a rank beside the values, at most. values: bytes
   of the values of the rank; plane: bytes of a plane of the lattice. */
double map_file_copy(double values, double plane);
/* Writes to PATH.tmp beside the file, and renames it when it is on the disk. potential and
   deviation (NULL: none): [count][n[1]][n[0]], kJ/mol/e. A disk that is full ends the program and
   leaves what was at the path before. Collective. */
void map_file_write(const struct ranks *r, const char *path, const struct map_grid *g,
                    const struct map_about *about, const void *potential, const void *deviation);

/* Values of the potential, kJ/mol/e. */
struct map_range {
  double least, most, mean;
};

struct h5_reader;

enum { MAP_POINTS_MOST = 1 << 27 }; /* of maps that are read whole */

/* Reads a whole map: sets *g, and returns its values [n[2]][n[1]][n[0]], kJ/mol/e, which the caller
   frees; NULL: the error of the reader says why. Local. */
double *map_file_values(struct h5_reader *in, struct map_grid *g);

/* Reads all values of the potential of an open file, some planes at a time, and what it says of
   itself. Local; sets the error of the reader if the file is damaged. */
void map_file_look(struct h5_reader *in, struct map_grid *g, struct map_about *about,
                   struct map_range *range);

#endif
