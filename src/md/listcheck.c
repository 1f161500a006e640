#include "md/listcheck.h"

#include <math.h>

#include "dynamics/couple_body.h"

double listcheck_halo_width(const struct sim *s)
{
  const struct system *y = s->system;
  return s->cutoff + y->skin + (s->list_expiry == EXPIRY_SEARCH ? 0.5 * y->skin : 0);
}

/* 1 if two beads with the two largest displacements (squared, nm2) may have come nearer to each
   other than a pair can without being in the lists. Also 1 for NaN. */
static int exceeds_limit(const struct sim *s, const double largest2[2])
{
  const struct system *y = s->system;
  const double limit =
      couple_approach(s->cutoff, s->list_margin, s->cutoff + y->skin, y->box, y->build_box);
  return !(sqrt(largest2[0]) + sqrt(largest2[1]) <= limit);
}

/* Searches for unlisted pairs inside the cutoff. If the host runs ahead: does not wait and returns
   0; the devices reduce the result until listcheck_agree, and if a pair was found, later kernels
   are no-ops. Otherwise waits and returns 1 if any rank found one. */
static int search(struct sim *s)
{
  struct backend *b = s->backend;
  const struct async_ops *async = b->ops->async;
  async->search_unlisted(b, listcheck_halo_width(s));
  if (s->runs_ahead) {
    if (s->ranks->size > 1)
      transport_flag_start(&s->transport);
    else
      async->lists_agreed(b);
    return 0;
  }
  int64_t step = async->drain(b, NULL);
  ranks_max_int64(s->ranks, &step, 1);
  return step >= 0;
}

void listcheck_agree(struct sim *s)
{
  if (!s->runs_ahead || s->ranks->size == 1) return;
  transport_flag_finish(&s->transport);
  s->backend->ops->async->lists_agreed(s->backend);
}

int listcheck_begin(struct sim *s)
{
  const struct backend_ops *ops = s->backend->ops;
  const int alone = s->ranks->size == 1;
  if (s->list_expiry == EXPIRY_INTERVAL)
    return s->system->step - s->system->build_step >= s->params->neighbor_every;
  timers_switch(&s->timers, TIMER_halo);
  if (s->list_expiry == EXPIRY_SEARCH) return alone && search(s);
  double largest2[2];
  ops->displacement2(s->backend, largest2);
  if (alone) return exceeds_limit(s, largest2);
  ranks_largest_start(s->ranks, largest2);
  return 0;
}

int listcheck_end(struct sim *s)
{
  if (s->ranks->size == 1 || s->list_expiry == EXPIRY_INTERVAL) return 0;
  if (s->list_expiry == EXPIRY_SEARCH) return search(s);
  double largest2[2];
  ranks_largest_finish(s->ranks, largest2);
  return exceeds_limit(s, largest2);
}
