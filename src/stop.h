/* Stopping early: signals and the wall-clock limit, agreed by all ranks. */
#ifndef STOP_H
#define STOP_H

#include "ranks.h"

/* SIGTERM, SIGINT and SIGUSR1 ask for a stop with a checkpoint; a second SIGINT ends at once. */
void stop_install(const struct ranks *r);
/* 1 when any rank was asked to stop or the limit (hours since started, 0: none) is over.
 * Collective. */
int stop_wanted(const struct ranks *r, double started, double hours);

#endif
