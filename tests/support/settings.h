/* Parameters of a run by settings "section.key=value", and numbers that have to be near others. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <math.h>

#include "input/param.h"
#include "tests/support/unit.h"

#define SETTINGS(...)                                                                              \
  params_load(NULL, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),                       \
              (char *[]){__VA_ARGS__})

static inline void near(double got, double want, double tolerance)
{
  if (fabs(got - want) > tolerance) fail_msg("got %.12g, want %.12g", got, want);
}

#endif
