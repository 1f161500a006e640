/* The section `membrane` of a run file, with the keys `lipids` and `heads`:
   {lipids: [POPC, CHOL], heads: {POPC: [PO4], CHOL: [ROH]}}. */
#ifndef MEMBRANE_FILE_H
#define MEMBRANE_FILE_H

#include "input/param.h"
#include "model/lipids.h"

/* The lipids of a run; p NULL: by default. The caller destroys them. Mistakes are reported
   together, with lines and the nearest known word; then all ranks end with status 2. Local: every
   rank reads the section. */
struct lipids *membrane_lipids_read(const struct params *p, const struct forcefield *ff);

#endif
