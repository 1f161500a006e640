/* A file that a command writes: nothing else may stand at its path, and its lock is held until it
   is written. Collective. */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include "model/lipids.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

struct output_file {
  const struct ranks *ranks;
  const char *path;
  char *target; /* what the path names, if it is a link */
  int lock;
};

/* Dies with STATUS_INPUT unless a file can be written there, and with STATUS_IO if another process
   writes it. */
struct output_file output_file_lock(const struct ranks *r, const char *path);
/* Writes a state, and prints what it holds: beads, molecules by type, box, area per lipid and
   temperatures. lipids: NULL: by default. copies: how many bilayers are stacked along z, for the
   area. Warns of a box that is too small to run, and ends with STATUS_INPUT, before it writes, if
   no force kernel supports the bead types. */
void output_file_state(const struct output_file *f, struct system *s, const struct lipids *lipids,
                       int copies);
/* 1 if the box of a system is large enough for the cutoffs of its beads. */
int output_file_box_suffices(const struct ranks *r, const struct system *s);
void output_file_release(struct output_file *f);

#endif
