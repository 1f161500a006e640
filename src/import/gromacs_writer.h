/* Rows of a run file that is made of run parameters of GROMACS (.mdp). Every number is checked by
   the range that the run file has for its key, so that what is written can be run. Local. */
#ifndef GROMACS_WRITER_H
#define GROMACS_WRITER_H

#include <stdio.h>

#include "import/gromacs_mdp.h"
#include "model/team.h"

struct gromacs_writer {
  FILE *out;
  const struct gromacs_mdp *mdp;
  const struct gromacs_index *index;
  int stage; /* as gromacs_run_keys has it */
};

/* A row "  key: value  # from = what it was" for a key "section.key" of the run file; from: the key
   of the .mdp file. */
void gromacs_write_text(const struct gromacs_writer *w, const char *key, const char *value,
                        const char *from);
void gromacs_write_real(const struct gromacs_writer *w, const char *key, double value,
                        const char *from);
void gromacs_write_int(const struct gromacs_writer *w, const char *key, int64_t value,
                       const char *from);
/* Adds an error if a number of the .mdp file is out of the range of a key of the run file. */
void gromacs_check_range(const struct gromacs_writer *w, const char *key, double value,
                         const char *from);

/* Marks the atoms of a group that the value of a key names; an error where there is none, or it has
   no atoms:
   gromacs_motion.c. */
void gromacs_mark_group(const struct gromacs_writer *w, const char *key, const char *name,
                        char *in);
/* The keys of the section `run` about the centre-of-mass motion, and the list `frozen`:
   gromacs_motion.c. */
void gromacs_write_motion(const struct gromacs_writer *w);
void gromacs_write_frozen(const struct gromacs_writer *w);
/* The lists `groups`, `coordinates` and `biases` of pull-*, and the key of `output` that says how
   often their values are written: gromacs_pull_text.c. */
void gromacs_write_pull(const struct gromacs_writer *w);
void gromacs_write_pull_every(const struct gromacs_writer *w);
/* The section `thermostat`: gromacs_thermostat.c. stochastic: the integrator is sd. 1 if there is
   one. */
int gromacs_write_thermostat(const struct gromacs_writer *w, int stochastic);
/* The list `fields`: gromacs_fields.c. */
void gromacs_write_fields(const struct gromacs_writer *w);
/* The section `soft_core`, if lambda has an effect: gromacs_free_energy.c. */
void gromacs_write_soft_core(const struct gromacs_writer *w);
/* The section `barostat`: gromacs_barostat.c. */
void gromacs_write_barostat(const struct gromacs_writer *w, int has_thermostat);
/* The temperature of group k of tc-grps as it changes in time; NULL: it does not. Caller frees.
   gromacs_annealing.c. */
char *gromacs_annealing_text(const struct gromacs_writer *w, int k, int groups);

#endif
