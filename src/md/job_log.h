/* PREFIX.log: what the jobs of a run were, said and ended with, appended job after job. */
#ifndef JOB_LOG_H
#define JOB_LOG_H

#include "md/sim.h"

/* Opens the log of the prefix and writes the head of a job: version, command line, hosts and
   devices, transport, force field, effective input, and how the job before ended. Adds the job to
   the history of the system. Collective. */
void job_log_open(struct sim *s, int argc, char **argv);
/* The last line. Rank 0. */
void job_log_close(int status);

#endif
