/* What a system consists of, in a few lines. Collective. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Beads, molecules by kind, box, area per lipid, temperatures; to stdout. bilayers: stacked along
   z; more than one are said. */
void summary_print(const struct ranks *r, const struct system *s, int bilayers);
/* 1 if the box is large enough for the forces of its force field; else 0, and a warning if said. */
int summary_box_suffices(const struct system *s, int say);

#endif
