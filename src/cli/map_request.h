/* What the options of `lamella map` ask for. */
#ifndef MAP_REQUEST_H
#define MAP_REQUEST_H

#include "cli/options.h"
#include "maps/map.h"
#include "mpi/comm/ranks.h"

struct map_request {
  const char *output;
  enum map_method method;
  int double_precision, compensated;
  double cutoff, spacing, bin; /* nm; 0: not given */
  int has_extent;
  double low[3], high[3]; /* nm */
};

/* Dies with status 2 if a value is wrong. Local, the same on all ranks. */
struct map_request map_request_read(const struct arguments *a);

/* 1 for OpenDX, 0 for HDF5. */
int map_request_is_dx(const char *path);
/* The name of the second OpenDX file, of the deviation over frames. The caller frees it. */
char *map_request_deviation(const char *path);
/* Dies with status 2 unless the name ends in .h5 or .dx, such a file can be written there, and it
   is not the input; with status 4 if its folder is not writable. Collective. */
void map_request_check_output(const struct ranks *r, const char *input, const char *path);

#endif
