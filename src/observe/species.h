/* What observables know of a system beside the state of its beads: the same at all steps. A species
 * is a type of bead in a type of molecule. Host memory. */
#ifndef SPECIES_H
#define SPECIES_H

#include <stdint.h>

#include "base/box.h"
#include "model/lipids.h"
#include "mpi/comm/ranks.h"

struct bias_set;
struct params;
struct system;

/* A molecule, a row of beads with the same number, or a bead with number 0: beads first ... first +
 * n - 1 of the share, from 0. */
struct observe_molecule {
  int64_t first;
  int n;
  int type; /* molecule type; -1: unknown */
};

/* The beads of this rank, in order of id; index k is id first + k. Shares are of nearly equal
   length and of whole molecules. */
struct share {
  int64_t *border; /* [ranks + 1]: rank r has the ids border[r] ... border[r + 1] - 1 */
  int64_t first, n;
  int32_t *type, *env; /* [n] */
  int64_t molecules;
  struct observe_molecule *molecule; /* in order of their first bead */
  int64_t *molecule_of;              /* [n]: index */
};

/* From the blocks of ids of all ranks (model/system.h). Status 2 if molecules are not rows of
   consecutive beads. Collective. */
void share_create(struct share *s, const struct ranks *r, const struct system *y);
void share_free(struct share *s);

/* The sum of n over all ranks; *before, unless NULL, receives that over the ranks below this one.
   Collective. */
int64_t share_sum(const struct ranks *r, int64_t n, int64_t *before);

struct species {
  int type, molecule_type; /* molecule_type -1: beads of no molecule type */
  int is_lipid;            /* in a lipid */
  char name[64]; /* DOPC_P; W for beads whose molecule has the name of the type, or none */
};

struct observe_system {
  const struct ranks *ranks;
  const struct forcefield *ff; /* borrowed, as is topology */
  const struct topology *topology;
  const struct lipids *lipids; /* borrowed */
  /* For open: the run file, NULL: none, and the blocks of all ranks. Borrowed. */
  const struct params *params;
  struct system *system;
  int64_t n_total;
  double temperature; /* of the thermostat, K */
  double dt;          /* ps */
  double box[BOX];    /* nm, when this was created */
  int bilayers;
  struct bias_set *coordinates; /* of the run file: kinds and names; NULL: none; owned */
  int continued;                /* 1: of a run that measured before */
  int no_rotation;              /* 1: angular momenta are unknown */
  int n_species;
  struct species *species;
  int32_t *species_of_env;  /* [n_envs] */
  int32_t *species_of_type; /* [types]: of beads without a bonded environment */
  double *lipid_mass;       /* [species]: mass of a bead of a lipid, else 0 */
  int64_t solvent, waters;  /* beads of no lipid; molecules of H2O that these stand for */
  struct share share;       /* the beads of this rank; all else is the same on all ranks */
};

/* From the blocks of all ranks; a->lipids is set. Status 2 if molecules are not rows of consecutive
   beads. Warns if species share a bonded environment, so that profiles cannot tell them apart.
   Collective. */
void observe_system_create(struct observe_system *a, const struct ranks *r, struct system *y);
void observe_system_destroy(struct observe_system *a);
/* The beads of a molecule of the share. */
struct molecule_beads observe_beads(const struct observe_system *a,
                                    const struct observe_molecule *m);
/* Sets mark[] of the beads of a molecule of the share, and *headed: lipids_mark. */
int observe_mark(const struct observe_system *a, const struct observe_molecule *m, char *mark,
                 int *headed);
/* 1 if a molecule of the share has the beads of its type. */
int observe_is_whole(const struct observe_system *a, const struct observe_molecule *m);
/* 1 if a molecule of the share is a lipid. */
int observe_is_lipid(const struct observe_system *a, const struct observe_molecule *m);
/* The name of a molecule type, or "other" for -1. */
const char *observe_molecule_name(const struct observe_system *a, int molecule_type);

#endif
