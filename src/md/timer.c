#include "md/timer.h"

#include <string.h>

#include "mpi/comm/ranks.h"

static const char *const name[] = {
#define TIMER(name, ...) #name,
#include "md/timer_list.h"
#undef TIMER
};

void timers_start(struct timers *t)
{
  memset(t, 0, sizeof *t);
  t->since = ranks_time();
  t->now = TIMER_other;
}

void timers_switch(struct timers *t, enum timer to)
{
  double now = ranks_time();
  t->total[t->now] += now - t->since;
  t->since = now;
  t->now = to;
}

void timers_overlap(struct timers *t, double seconds)
{
  t->overlapped += seconds;
}

const char *timer_name(int timer)
{
  return name[timer];
}
