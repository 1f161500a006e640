/* Chooses the state that a run starts from, and decides whether the run continues an earlier one
   and its files. */
#ifndef START_H
#define START_H

#include "md/sim.h"

/* Written by md/start.c. */
struct start {
  struct system *system; /* with the identity of the run, unless append and it has none */
  char *file;            /* the state file that was read */
  int continued;     /* 1: step, time, seed, counters and lists of the file are kept; 0: reset */
  int append;        /* 1: the files of the prefix belong to this run and are continued; 0: they are
                        moved to a backup */
  int used_previous; /* 1: PREFIX.checkpoint.h5 is unusable, and PREFIX.checkpoint.h5.prev was read
                      */
  int drops_last;    /* 1: PREFIX.checkpoint.h5 is of a later step than those of the replicas that
                        this one is exchanged with, and .prev takes its place */
};

/* Reads the state that restart, input and the checkpoints of the prefix lead to, compares it with
   the run file, and adopts the force field that the run file names. Does not change any file. Logs
   differences from the previous job and adds them to the history of the system. Status 2 if
   input is not what the run began from; status 4 if there are checkpoints and none is usable.
   A seed is drawn for step 0, for a state that no run has written, and for a replica that goes on
   from a named state. Collective. */
struct start start_choose(const struct ranks *r, const struct params *p);
/* The newest usable checkpoint of the prefix; system NULL: there is none. Status 4 if there are
   checkpoints and none is usable. Collective. */
struct start start_find(const struct ranks *r, const struct params *p);
/* Status 2 if the input that the run file names is not what the run of a checkpoint began from, or
   one of both is a minimisation and the other is not. Collective. */
void start_compare_input(const struct ranks *r, const struct params *p, const struct start *t);
/* Replaces the force field of a state by the one that the run file names ("": none). 1 if it is
   different. Status 2 if it does not fit. Local, the same on all ranks. */
int start_replace_forcefield(struct system *y, const char *name);
/* Moves the files of an older run to a backup, or an unusable checkpoint aside, as t says.
   Collective. */
void start_make_room(const struct ranks *r, const struct params *p, const struct start *t);
/* Compares trajectory, PSF and energies of the prefix with the checkpoint from which the run goes
   on, before any of them is changed. Files of another run end the program with STATUS_INPUT;
   missing files are logged. Collective. */
void start_check_files(const struct sim *s);
/* For a job that has nothing to do: removes the temporary files that a killed job has left, and
   repairs the trajectory if it was left in the middle of a write. Collective. */
void start_clean_files(const struct ranks *r, const struct params *p, const struct system *y);
/* Frees all but the system. Local. */
void start_free(struct start *t);

#endif
