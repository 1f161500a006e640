/* The lipids of a simulation: which they are, how many, and what the log says of them. */
#ifndef MD_MEMBRANE_H
#define MD_MEMBRANE_H

#include "md/sim.h"

/* Decides by positions which molecule types are lipids, unless the user has, and warns of doubtful
   ones. Collective. */
void membrane_judge(const struct ranks *r, const struct system *y, struct lipids *l);
/* Stores the decision in the parameters (membrane.lipids), which checkpoints keep: later jobs of
   the run use what the first one decided. Does nothing if there are molecules without a molecule
   type, which the list cannot name. Collective. */
void membrane_keep(const struct ranks *r, struct params *p, const struct system *y);
/* The number of molecules of each type, by their beads, as a molecule may lie in the blocks of two
   ranks; the last entry counts beads that belong to none. The caller frees it. Collective. */
int64_t *membrane_molecules(const struct ranks *r, const struct system *y);
/* Reads the section membrane of the run file, decides what it does not say, and counts the
   molecules. The caller destroys it. Status 2 for mistakes. Collective. */
struct lipids *membrane_open(const struct ranks *r, const struct params *p, const struct system *y);
/* The number of lipids in the system, including those without a molecule type. Collective. */
int64_t membrane_count(const struct ranks *r, const struct system *y, const struct lipids *l);
/* [n_envs]: 1 for the bonded environments that beads of lipids have. The caller frees it.
   Collective. */
unsigned char *membrane_envs(const struct ranks *r, const struct system *y, const struct lipids *l);
/* Logs which molecules are lipids; sets s->lipids_are_flat by the state in host memory, and warns
   if they are not a flat bilayer. Collective. */
void membrane_say(struct sim *s);

#endif
