/* Going on with a trajectory after a job that has ended or was killed. Frames after the step of the
   state are removed. Of a file that HDF5 cannot append to, or whose checksums are wrong, the
   complete frames are copied to a new file, which takes the name by a rename when it is finished; a
   job that ends before changes nothing. Collective unless said otherwise. */
#ifndef H5MD_REPAIR_H
#define H5MD_REPAIR_H

#include "io/h5md/layout.h"

/* What a run finds. */
struct trajectory_past {
  /* frames: those that stay; of a damaged file those up to the step that may be complete. Its
     layout borrows the observables. */
  struct trajectory_index index;
  int damaged; /* 1: HDF5's own records may be damaged by a kill; the file must not be written to */
  char reason[512]; /* why, on rank 0 */
  /* HDF5 opens no file that is shorter than its superblock says, as a kill leaves it that comes
     before the file gets its length. This is a copy of the wanted length, which is read in place of
     the file; NULL: the file is long enough. */
  char *copy;
};

/* Makes a trajectory ready to go on after a job that was killed: trajectory_find_name; removes
   files that were not finished; takes back a write in the middle of which the job ended (undo.h).
   run: the identity of the run. */
void trajectory_clean(const struct ranks *r, const char *path, const char *run);
/* Checks that the file is a trajectory of the system and removes its frames after a step. *layout
   and *selection are those that the run asks for. A file keeps those that it began with, which are
   then set, with a warning. Dies with STATUS_IO if the file belongs to another system, and with
   STATUS_INPUT if it has other observables under the same names. */
void trajectory_resume(const struct ranks *r, const char *path, const struct system *s,
                       int64_t step, struct selection *selection, struct trajectory_layout *layout,
                       struct trajectory_past *past);
void trajectory_past_free(const struct ranks *r, struct trajectory_past *past);

/* Reads this rank's beads of a frame of a damaged file, and its edges; the values of observables on
   rank 0. data: a buffer for each element of the file. Returns 1 if all ranks could read theirs and
   checksums agree. Dies if the system did not let a rank read. */
int trajectory_read_whole(const struct ranks *r, struct h5_reader *in,
                          const struct trajectory_index *c, int64_t frame,
                          const struct selection *selection, char *const *data, double edges[9],
                          double *observed);
/* Name of the new file while it is written. Local; caller frees. */
char *trajectory_new_name(const char *path);
/* Moves the damaged file aside, gives the finished new file with so many frames its name, and says
   so. Rank 0 only. */
void trajectory_replace(const char *path, const char *written, const struct trajectory_past *past,
                        int64_t frames);
/* Finishes trajectory_replace for a job that ended between its two renames, which are needed on a
   disk without hard links. */
void trajectory_find_name(const struct ranks *r, const char *path);

#endif
