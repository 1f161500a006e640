/* lamella convert FRAME.gro|FRAME.trr --state=STATE.h5 -o NEW.h5 */
#ifndef CONVERT_BACK_H
#define CONVERT_BACK_H

#include "cli/options.h"
#include "mpi/comm/ranks.h"

/* 1 if a file is a frame of GROMACS by its suffix. Local. */
int convert_back_is(const char *path);
/* The command. Returns the exit status. Collective. */
int convert_back(struct ranks *r, const struct arguments *a);

#endif
