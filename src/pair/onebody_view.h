/* What one-body terms see and return, in double. */
#ifndef ONEBODY_VIEW_H
#define ONEBODY_VIEW_H

#include <stdint.h>

#include "base/hd.h"

struct onebody_view {
  int64_t id;
  int type;
  double r[3];    /* nm, unwrapped: (position + image) box */
  double box[3];  /* nm */
  double u[3], q; /* axis record of the bead: first axis and charge, times their scales */
};

/* Sums of the terms of a bead; u of one of them. */
struct onebody_sum {
  double u;          /* kJ/mol */
  double f[3], t[3]; /* kJ/mol/nm; kJ/mol, laboratory frame */
};

#endif
