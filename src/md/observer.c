#include "md/observer.h"

#include <stdlib.h>

#include "base/log.h"

void observer_sum(struct sim *s, int64_t *bin, int n)
{
  transport_check(&s->transport);
  if (n) ranks_sum_int64(s->ranks, bin, n);
}

void observer_visit(struct sim *s, const struct observer *o)
{
  int n = o->bins(s);
  timers_switch(&s->timers, o->timer);
  int64_t *bin = alloc_array(n, sizeof *bin);
  o->accumulate(s, bin);
  observer_sum(s, bin, n);
  free(o->take(s, bin));
}
