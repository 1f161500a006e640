/* `lamella import` of GROMACS files: rank 0 reads them, and sends the others the force field as
   text and their beads. */
#ifndef GROMACS_IMPORT_H
#define GROMACS_IMPORT_H

#include "import/gromacs.h"
#include "mpi/comm/ranks.h"

/* What is to be read; NULL: not given. Borrowed. */
struct gromacs_request {
  const char *top, *gro, *ndx, *reference;
  int n_mdp; /* files of run parameters: the stages of a run, in their order */
  const char *const *mdp;
  int n_substitutes; /* values of --substitute */
  const char *const *substitute;
  const char *observe;            /* kinds of observables, "a,b" */
  int64_t minimise;               /* steps of a minimiser before the first stage; 0: none */
  const char *state;              /* that the run file names as its input */
  int renamed;                    /* 1: names of atoms may differ from those of the topology */
  struct gromacs_options options; /* those of the run parameters are added */
  struct gromacs_tables tables;
  int n_groups; /* values of --group */
  const char *const *group;
};

/* What becomes of it, on rank 0, beside the system. Owned; gromacs_imported_free. */
struct gromacs_imported {
  struct gromacs *topology;
  char *forcefield, *run; /* texts; run NULL: without run parameters or configuration */
  int n_stages;
  struct gromacs_stage *stage;
};

/* The system, on all ranks; NULL if no configuration is given. Mistakes end the program with
   STATUS_INPUT. Collective. */
struct system *gromacs_import(const struct ranks *r, const struct gromacs_request *q,
                              struct gromacs_imported *out);
void gromacs_imported_free(struct gromacs_imported *out);

/* A state of a frame of GROMACS: force field, topology and orientations of the state file `state`,
   positions, momenta and box of `path`, which is read as a .gro file, or (is_trr) the last frame
   from ... to (ps) of a .trr file. Mistakes end the program with STATUS_INPUT. Collective.
   gromacs_frame.c. */
struct system *gromacs_frame_system(struct ranks *r, const char *path, int is_trr, double from,
                                    double to, const char *state);

#endif
