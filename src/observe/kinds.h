/* The kinds of observables: each is in a file of its name. */
#ifndef KINDS_H
#define KINDS_H

#include "observe/observable.h"

#define KIND(name) extern const struct observable_kind kind_##name;
#include "observe/kind_list.h"
#undef KIND

#endif
