#include "model/clock.h"

void clock_begin(struct clock *c, uint64_t seed)
{
  *c = (struct clock){.seed = seed};
}

void clock_advance(struct clock *c, int64_t step, double dt)
{
  c->step = step;
  c->time = clock_time(c, step, dt);
}

void clock_set(struct clock *c, int64_t step, double time)
{
  c->step = step;
  c->time = time;
  clock_reset_origin(c);
}

void clock_reset_origin(struct clock *c)
{
  c->origin_step = c->step;
  c->origin_time = c->time;
}

void clock_set_seed(struct clock *c, uint64_t seed)
{
  c->seed = seed;
}

void clock_copy(struct clock *to, const struct clock *from, double dt)
{
  *to = *from;
  if (clock_time(from, from->step, dt) != from->time) clock_reset_origin(to);
}

void clock_restore(struct clock *c, const struct clock *stored)
{
  *c = *stored;
}
