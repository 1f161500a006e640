/* Computes the observables of a simulation from the frames of a trajectory, without running steps.
 */
#ifndef ANALYZE_H
#define ANALYZE_H

#include "io/h5md/read.h"
#include "md/sim.h"

/* The frames to use, from the first to the last, counted from 0. */
struct analyze_range {
  int64_t first, last;
};

/* An open trajectory, the frames to use, and a system of the same run. */
struct analyze_input {
  struct h5_reader file;
  struct trajectory_reader reader;
  struct analyze_range range;
  struct system *system;
};

/* Opens a trajectory, and reads a state of the same run. first, last: the frames to use, counted
   from 1; 0: the first and the last of the file. Dies with status 2 if there are none. Collective.
 */
void analyze_open(struct analyze_input *in, const struct ranks *r, const char *path,
                  const char *state, int64_t first, int64_t last);
/* Closes the trajectory; the system is the caller's. */
void analyze_close(struct analyze_input *in);
/* The observables if the user lists none, as the key `observe`: those that need positions and
   orientations only. lipids: their number in the system. Local. */
const char *analyze_standard(int64_t lipids);
/* Sets the system to a frame: each rank reads its block. Collective. */
void analyze_read_frame(const struct ranks *r, struct trajectory_reader *t, int64_t frame,
                        struct system *y);
/* Samples each observable in the frames of the range at which it is due: at multiples of its
   `every` and of the interval of the frames.
   Dies with status 2 if an observable has no frame or needs what frames lack: momenta,
   orientations, all beads; or if the trajectory belongs to another system. Collective. */
void analyze_frames(struct sim *s, struct analyze_input *in);

#endif
