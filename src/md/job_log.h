/* PREFIX.log: a record of each job of a run, appended job after job: its set-up, its messages and
   its exit status. */
#ifndef JOB_LOG_H
#define JOB_LOG_H

#include "md/sim.h"

/* Opens the log and writes the header of this job: version, command line, hosts and devices,
   transport, force field, effective input, and how the previous job ended. Adds the job to the
   history of the system. Collective. */
void job_log_open(struct sim *s, int argc, char **argv);
/* Writes the last line, with the exit status, and closes the log. Rank 0 only. */
void job_log_close(int status);

#endif
