/* Topologies in the format of X-PLOR (PSF). */
#ifndef PSF_H
#define PSF_H

#include "molecules/selection.h"

/* Writes the PSF topology of the selected beads, in extended format: terms whose beads are all
   selected. Collective. */
void psf_write(const struct ranks *r, const char *path, const struct system *s,
               const struct selection *selection);

#endif
