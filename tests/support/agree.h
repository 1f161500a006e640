/* Checks that all ranks share: a failure on one of them fails on all, so that no rank waits for
   another that gave up. */
#ifndef AGREE_H
#define AGREE_H

#include <stdlib.h>

#include "mpi/comm/ranks.h"
#include "tests/support/unit.h"

#define AGREE(r, condition) assert_true(agree(r, (condition) != 0))

static inline int agree(const struct ranks *r, int good)
{
  int64_t all = good;
  ranks_min_int64(r, &all, 1);
  return (int)all;
}

#endif
