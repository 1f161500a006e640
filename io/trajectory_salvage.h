/* A trajectory that HDF5 cannot go on with, or whose checksums are wrong: the frames that are whole
   are copied to a new file, which takes the name by one rename when it is complete. A job that ends
   before that rename leaves everything as it was. Collective where nothing else is said. */
#ifndef TRAJECTORY_SALVAGE_H
#define TRAJECTORY_SALVAGE_H

#include "io/h5_read.h"
#include "io/trajectory_read.h"
#include "model/system.h"

/* The frames of a damaged file, and the one that was read last, of this rank's beads. */
struct salvage {
  const struct ranks *ranks;
  const struct system *system;
  const struct trajectory_past *past;
  struct h5_reader in;
  int64_t next;         /* frame, from 0 */
  char *data[ELEMENTS]; /* 12 bytes a bead; NULL: the file has no such element */
  double edges[9], time;
  int64_t step;
};

void salvage_open(struct salvage *v, const struct ranks *r, const struct system *s,
                  const char *path, const struct trajectory_past *past);
/* Reads the next frame that is whole on all ranks; 0 where there is none. */
int salvage_next(struct salvage *v);
void salvage_close(struct salvage *v);

/* The name of the new file while it is written. Local; caller frees. */
char *salvage_name(const char *path);
/* Gives the damaged file the name that is returned (caller frees), and the complete new one its old
   name. Rank 0 only. */
char *salvage_replace(const char *path, const char *written);
/* Gives a complete new file its name, where a job ended between the two renames that
   salvage_replace makes on a disk without hard links. */
void salvage_resume(const struct ranks *r, const char *path);

#endif
