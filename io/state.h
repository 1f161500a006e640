/* State file: the HDF5 format of starting states and checkpoints. Complete, and readable on any
   number of ranks. All functions are collective. */
#ifndef STATE_H
#define STATE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The bytes of a state file, at most. run_text: as below. Local. */
double state_bytes(const struct system *s, const struct run_record *run, const char *run_text);
/* Writes path.tmp, flushes and closes it, reads it back and compares, and renames it to path; an
   existing file becomes path.prev, so checkpoints have two generations. If anything fails, all
   ranks die with STATUS_IO and existing files are kept. Before any file is touched, dies with
   STATUS_NUMERIC if state_read would refuse the state (for example momenta that are not finite).
   run_text: effective parameters, may be NULL. */
void state_write(const struct ranks *r, const char *path, const struct system *s,
                 const char *run_text);
/* Why a state file cannot be used. MISSING: there is no such file. UNREADABLE: the system does not
   let it be read (permission, I/O error); the file itself may be good. UNUSABLE: it is damaged, of
   a newer format, or holds values that no simulation can continue from. */
enum state_trouble { STATE_USABLE, STATE_MISSING, STATE_UNUSABLE, STATE_UNREADABLE };
struct state_refusal {
  int64_t trouble;  /* enum state_trouble; the maximum over ranks */
  char reason[512]; /* part of a sentence, without the name of the file */
};
/* Reads and checks a state file: sizes before memory is allocated, checksums, values, topology.
   Returns NULL and fills *why if the file cannot be used; all ranks get the same answer. Otherwise
   each rank gets its block. */
struct system *state_try(const struct ranks *r, const char *path, struct state_refusal *why);
/* The same, but dies with STATUS_IO and the reason if the file cannot be used. */
struct system *state_read(const struct ranks *r, const char *path);

#endif
