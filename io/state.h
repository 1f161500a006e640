/* State file: a start and a checkpoint are the same format. HDF5, complete, readable on any number
   of ranks. Collective. */
#ifndef STATE_H
#define STATE_H

#include "ranks.h"
#include "system.h"

/* Written as path.tmp, flushed, closed, read back and verified, renamed; an existing file becomes
   path.prev (checkpoints keep two generations). Nothing is lost when it fails: status 4. run_text
   is the effective input (may be NULL). */
void state_write(const struct ranks *r, const char *path, const struct system *s,
                 const char *run_text);
/* Checks everything that the file says about sizes before memory is taken. Status 4 with a message
   that names the file and what is wrong with it. */
struct system *state_read(const struct ranks *r, const char *path);
/* 1 if the file exists and is whole (opens, checksums right, complete mark set); else 0, and why
   (a static string) if not NULL. Rank 0 looks, all know. */
int state_is_whole(const struct ranks *r, const char *path, const char **why);

#endif
