/* The lipids of a simulation: which they are, how many, and what the log says of them. */
#ifndef MD_MEMBRANE_H
#define MD_MEMBRANE_H

#include "md/sim.h"

/* Decides by the positions which molecule types are lipids, where the user does not say it, and
   warns of doubtful ones. Collective. */
void membrane_judge(const struct ranks *r, const struct system *y, struct lipids *l);
/* Writes what was decided into the parameters (membrane.lipids), and so into checkpoints: for a run
   that goes on, what its first job decided. Not where molecules have no molecule type, which such a
   list would leave out. Collective. */
void membrane_keep(const struct ranks *r, struct params *p, const struct system *y);
/* Reads the section membrane of the run file, decides what it does not say, and counts the
   molecules; a molecule may lie in the blocks of two ranks, so molecules are counted by their
   beads. The caller destroys it. Status 2 for mistakes. Collective. */
struct lipids *membrane_open(const struct ranks *r, const struct params *p, const struct system *y);
/* The lipids of the system, those of no molecule type among them. Collective. */
int64_t membrane_count(const struct ranks *r, const struct system *y, const struct lipids *l);
/* [n_envs]: 1 for the bonded environments that beads of lipids have. The caller frees it.
   Collective. */
unsigned char *membrane_envs(const struct ranks *r, const struct system *y, const struct lipids *l);
/* Says which molecules are lipids, finds whether these are a flat bilayer in the state that the
   system has in host memory, and warns where not. Collective. */
void membrane_say(struct sim *s);

#endif
