/* The undo file of a trajectory: PATH.undo has what HDF5 overwrites when frames are added or taken
   away, as it was before. HDF5 changes the index of a dataset in several writes, in any order, and
   by several ranks: after a kill or a failed write in between, no frame of the dataset may be
   found. With the undo file the trajectory is again what it was before. Data of frames are never
   overwritten. Local: for rank 0; other ranks must not write the trajectory meanwhile. */
#ifndef UNDO_H
#define UNDO_H

#include <hdf5.h>
#include <stdint.h>

struct undo;

/* path: of the trajectory. run: the identity of its run. Writes nothing. */
struct undo *undo_create(const char *path, const char *run);
void undo_destroy(struct undo *u);
/* Names a dataset whose first dimension is that of frames. */
void undo_watch(struct undo *u, hid_t set);
/* Writes the undo file of a trajectory that is flushed and has this many frames that stay. Dies
   with STATUS_IO if that fails, or the file does not have their index. */
void undo_keep(const struct undo *u, int64_t frames);

/* 1 if there is a whole undo file of this run. */
int undo_exists(const char *path, const char *run);
/* Makes the trajectory what it was. Dies with STATUS_IO if that fails; it can be repeated. */
void undo_apply(const char *path);
/* Removes the undo file, if there is one. */
void undo_remove(const char *path);

#endif
