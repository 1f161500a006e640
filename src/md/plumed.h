/* Forces of PLUMED (key `plumed` of the run file): biases on collective variables, computed on the
   host by a library that md/plumed_library.h loads. Rank 0 alone has it, so that its numbers are
   the same for any number of ranks. Each step

     plumed_begin      tells it the step and asks which beads it wants
     (the forces of all beads are computed meanwhile)
     plumed_gather     the positions of these beads, from all ranks, on rank 0
     plumed_apply      its forces, to all ranks and onto the beads, before the second half kick

   PLUMED is called once for each step of a run, also where the step is computed again with new
   lists, and where a job goes on from a state: s->system->applied then has its forces. All
   functions do nothing without PLUMED, and are collective. */
#ifndef PLUMED_H
#define PLUMED_H

#include "md/sim.h"

/* Status 2 if PLUMED or its input file is not there. Nothing is read or changed. */
void plumed_check(const struct ranks *r, const struct params *p);
/* Loads PLUMED and lets it read its input file, if the run file names one: sets s->plumed. It is
   told of a restart if the state has forces of it. */
void plumed_open(struct sim *s);
void plumed_close(struct sim *s);
/* Adds its forces to those of the first state: of a restart those that the state has, else those
   that PLUMED gives for it. Sets s->thermo. */
void plumed_start(struct sim *s);

void plumed_begin(struct sim *s);
/* Call after the forces. 0 if lists had expired before this step, and nothing must be done. */
int plumed_gather(struct sim *s);
/* enum force_flags that the force calls between plumed_begin and plumed_gather need for it. */
int plumed_force_flags(const struct sim *s);
/* After a gather that returned 1. flags: of the force calls. */
void plumed_apply(struct sim *s, int flags);
/* Adds the forces that s->system->applied has for the present step once more, for lists that were
   built anew, or in another simulation of the state. */
void plumed_apply_again(struct sim *s, int flags);

/* 1 if the present state must be completed at once, where the host runs ahead: PLUMED has waited
   for its energy, or was told of a checkpoint. Local, the same on all ranks. */
int plumed_needs_state(const struct sim *s);
/* 1 if a checkpoint of the present state fits to what PLUMED has written: it was told of one at
   this step. Else 0, and it is told at the steps that follow until this returns 1, or a checkpoint
   is due. Local. */
int plumed_is_ready(struct sim *s);
/* 1 if the run is to end at the present state: the caller (stop 1) or PLUMED has asked for it, and
   a checkpoint fits to what PLUMED has written. Replicas (ranks_divide), which PLUMED may couple,
   end at one step. Without PLUMED: stop. Collective, over all replicas. */
int plumed_stop(struct sim *s, int stop);
/* Status 2 if the replicas of a run with PLUMED are not at the same step or stage. Collective over
   all replicas. */
void plumed_agree_start(const struct ranks *r, const struct params *p, int64_t at,
                        const char *what);

#endif
