/* Wall time by phase of the main thread. One phase runs at a time. */
#ifndef TIMER_H
#define TIMER_H

enum timer {
#define TIMER(name, ...) TIMER_##name,
#include "md/timer_list.h"
#undef TIMER
  TIMERS
};

/* Written by md/timer.c. */
struct timers {
  double total[TIMERS]; /* s */
  double overlapped;    /* s in which the writing thread wrote files while steps ran */
  double since;         /* start of the present phase, ranks_time() */
  enum timer now;       /* the present phase */
};

/* Sets all times to 0 and begins TIMER_other. */
void timers_start(struct timers *t);
/* Adds the time since the last switch to the present phase, and begins phase `to`. Reads the clock
   of the host; does not wait for a device. */
void timers_switch(struct timers *t, enum timer to);
/* The writing thread wrote files for so many seconds while steps ran. */
void timers_overlap(struct timers *t, double seconds);
const char *timer_name(int timer);

#endif
