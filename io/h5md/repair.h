/* Recovery of a damaged trajectory, which HDF5 cannot append to or whose checksums are wrong. Its
   complete frames are copied to a new file, which takes the name by a rename when it is finished; a
   job that ends before changes nothing. Collective unless said otherwise. */
#ifndef TRAJECTORY_SALVAGE_H
#define TRAJECTORY_SALVAGE_H

#include "io/h5_read.h"
#include "io/h5md/scan.h"

/* The damaged file, and the frame read last, of this rank's beads. */
struct salvage {
  const struct ranks *ranks;
  const struct selection *selection;
  const struct trajectory_resume *past;
  struct h5_reader in;
  int64_t next;         /* next frame, counted from 0 */
  char *data[ELEMENTS]; /* numbers of the beads; NULL: the file does not have the element */
  double *observed;     /* values of observables, on rank 0 */
  double edges[9], time;
  int64_t step;
};

void salvage_open(struct salvage *v, const struct ranks *r, const struct selection *selection,
                  const char *path, const struct trajectory_resume *past);
/* Reads the next frame that is complete on all ranks; returns 0 if there is none. */
int salvage_next(struct salvage *v);
void salvage_close(struct salvage *v);

/* HDF5 opens no file that is shorter than its superblock says, as a kill leaves it that comes
   before the file gets its length. Writes a copy of the wanted length and returns its name, which
   the caller frees, or NULL: the file is long enough. */
char *salvage_lengthen(const struct ranks *r, const char *path);

/* Name of the new file while it is written. Local; caller frees. */
char *salvage_name(const char *path);
/* Moves the damaged file aside, gives the finished new file with so many frames its name, and says
   so. Rank 0 only. */
void salvage_replace(const char *path, const char *written, const struct trajectory_resume *past,
                     int64_t frames);
/* Adds to the reason of the damage that salvage_lengthen has made a copy. */
void salvage_say_truncated(struct trajectory_resume *past);
/* The same as salvage_replace with the copy of salvage_lengthen, in which all frames that are kept
   are whole. Collective. */
void salvage_take_copy(const struct ranks *r, const char *path, const char *copy,
                       const struct trajectory_resume *past);
/* Finishes salvage_replace for a job that ended between its two renames, which are needed on a disk
   without hard links. */
void salvage_resume(const struct ranks *r, const char *path);
/* Makes a trajectory ready to go on after a job that was killed: salvage_resume; removes files that
   were not finished; takes back a write in the middle of which it ended (trajectory_undo). */
void salvage_clean(const struct ranks *r, const char *path, const char *run);

#endif
