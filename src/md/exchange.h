/* Exchange of temperatures and biases between replicas (lamella run --replicas, section `exchange`
   of the run file). A replica keeps its beads and takes the parameters of another rung of the
   ladder (model/ladder.h). All replicas are at the same step then, which they decide by the same
   numbers.

   An exchange comes after the output of its step and before the next step, as couplings do, and is
   repeated by a job that goes on from a checkpoint of that step. Where the run file has no
   exchange, all functions do nothing. Collective over all replicas: those that say so. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "dynamics/couple_body.h"
#include "md/sim.h"

#define EXCHANGE_RECORD "exchange" /* name of the ladder in run_record.forces */

/* Reads the section, and gives the simulation the parameters of its rung: that of its number, or of
   the record of a checkpoint. s->bath and s->biases are set. */
void exchange_open(struct sim *s);
void exchange_close(struct sim *s);
/* Status 2 if the records of the replicas do not belong together. Opens PREFIX.exchange.csv in the
   folder of the replicas. append: the file of an earlier job goes on. Over all replicas. */
void exchange_start(struct sim *s, int append);
/* The exchange that is due after the present step, which is complete: gives the simulation the
   parameters of the rung that it has now. Over all replicas. */
void exchange_attempt(struct sim *s);
/* 1 if couplings of the next step have to apply what the exchange of the present step has changed;
   adds it to their parameters. */
int exchange_couples(const struct sim *s);
void exchange_set_coupling(const struct sim *s, struct coupling_params *how);

/* The checkpoints of all replicas before this one are complete: so the last or the one before are
   of one step, whenever the job is killed. At the first step of a job, which some may have written
   already, it does not wait. Over all replicas. */
void exchange_meet(struct sim *s);
/* This replica will end the program: exchange_meet does not wait for the others any more. */
void exchange_leave(struct sim *s);
/* 1 at the steps at which replicas ask each other, about once a second. Local. */
int exchange_asks(const struct sim *s);
/* 1 if any replica wants something; without exchange, if this one does. Over all replicas. */
int exchange_any(const struct sim *s, int wants);
/* 1 if any replica has been asked to stop; the next steps at which they ask each other follow.
   Without exchange: stop. Over all replicas. */
int exchange_stop(struct sim *s, int stop);
/* Copies the ladder into the record of the system, for checkpoints. */
void exchange_save(struct sim *s);
/* In a copy of parameters for this system: the number of the replica whose biases are those of the
   present rung. */
int exchange_number(const struct sim *s);
/* Says what became of the attempts. */
void exchange_say(const struct sim *s);

#endif
