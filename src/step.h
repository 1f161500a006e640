/* One step, one list build: the schedule. */
#ifndef STEP_H
#define STEP_H

#include "sim.h"

void step_advance(struct sim *s);
/* keep: build from the build positions of the state, as a restart does. */
void step_rebuild(struct sim *s, int keep);
/* Must the lists be rebuilt, the largest displacement since their build being d? */
int step_lists_expired(const struct sim *s, double d);
/* What the forces of a step must yield beside themselves: enum force_want. */
int step_want(const struct sim *s, int64_t step);
int step_report_due(const struct params *p, int64_t step);

#endif
