/* Summary of a system in a few lines. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "model/lipids.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Prints beads, molecules by type, box, area per lipid and temperatures to stdout. l: the lipids;
   NULL: by default. bilayers: how many are stacked along z, for the area per lipid. Collective. */
void summary_print(const struct ranks *r, const struct system *s, const struct lipids *l,
                   int bilayers);
/* Both end all ranks with STATUS_INPUT if no force kernel supports the bead types of the system.
   Collective. box_suffices: 1 if the box is large enough for the cutoffs of its beads. Otherwise 0,
   with a warning if say is 1. */
void summary_require_kernels(const struct ranks *r, const struct system *s);
int summary_box_suffices(const struct ranks *r, const struct system *s, int say);

#endif
