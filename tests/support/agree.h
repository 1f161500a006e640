/* Checks that all ranks share: a failure on one of them fails on all, so that no rank waits for
   another that gave up. */
#ifndef AGREE_H
#define AGREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mpi/comm/ranks.h"

#define AGREE(r, condition) assert_true(agree(r, (condition) != 0))

static inline int agree(const struct ranks *r, int good)
{
  int64_t all = good;
  ranks_min_int64(r, &all, 1);
  return (int)all;
}

#endif
