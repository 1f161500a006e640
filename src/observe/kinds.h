/* The functions of the kinds of observables: each kind is in a file of its name. */
#ifndef KINDS_H
#define KINDS_H

#include "observe/observable.h"

#define KIND(name, ...)                                                                            \
  observable_open observe_##name##_open;                                                           \
  observable_collect observe_##name##_collect;                                                     \
  observable_sample observe_##name##_sample;                                                       \
  observable_derive observe_##name##_derive;
#include "observe/kind_list.h"
#undef KIND

#endif
