/* Wall time by phase: one phase runs at a time, switching charges the one before. */
#ifndef TIMER_H
#define TIMER_H

enum timer {
#define TIMER(name, ...) TIMER_##name,
#include "md/timer_list.h"
#undef TIMER
  TIMERS
};

struct timers {
  double total[TIMERS]; /* s */
  double beside;        /* s in which files were written while steps went on */
  double since;
  enum timer now;
};

void timers_start(struct timers *t);
/* Charges the time since the last switch to the phase before; returns that phase. */
enum timer timers_switch(struct timers *t, enum timer to);
const char *timer_name(int timer);

#endif
