/* H5MD 1.1 trajectory in the layout that common readers accept (particle group "trajectory", beads
   in the order of ids), flushed after each frame, with a PSF topology and an .xmf file beside it.
   All functions are collective. */
#ifndef H5MD_WRITE_H
#define H5MD_WRITE_H

#include "io/h5md/layout.h"
#include "model/system.h"

struct trajectory;

/* Opens prefix.h5md, prefix.psf and prefix.xmf. restart_step < 0: creates new files. restart_step
   >= 0: appends to existing ones after removing the frames after that step; creates the trajectory
   if it is missing. Dies with STATUS_IO if it belongs to another system or cannot be read. An
   existing file keeps elements, positions, selection and observables, with a warning where *want
   differs. */
struct trajectory *trajectory_open(const struct ranks *r, const char *prefix,
                                   const struct system *s, int64_t restart_step,
                                   const struct trajectory_request *want);
/* Dies with STATUS_INPUT if the library cannot write such files. Returns the bytes that each frame
   adds to the trajectory and its .xmf, at most. */
double trajectory_check_request(const struct system *s, const struct trajectory_request *want);
/* The elements of the open file, a bit each. Local. */
int trajectory_has(const struct trajectory *t);
/* 1 if prefix.h5md exists. */
int trajectory_exists(const struct ranks *r, const char *prefix);
/* Appends a frame and flushes it to disk: step, time, box edges and the elements of the file.
   force: of the beads of the block, kJ/mol/nm; NULL if the file has no forces. observed: on rank 0
   the values of the observables of the request, one after the other; may be NULL if it has none. A
   step that the file has already (the first after a restart) is not written again. */
void trajectory_write(struct trajectory *t, const struct system *s, const double (*force)[3],
                      const double *observed);
void trajectory_close(struct trajectory *t);

#endif
