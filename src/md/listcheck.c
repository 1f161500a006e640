#include "md/listcheck.h"

#include <math.h>

#include "dynamics/couple_body.h"
#include "md/schedule.h"

/* A step of fewer beads takes less than 50 us on a GPU, and a look at the state as long. Biases
   keep less there than STATE_EVERY_FEW steps give (BIAS_ROWS, HILLS_RECENT). */
enum { FEW_BEADS = 30000 };

void listcheck_choose(struct sim *s)
{
  const struct backend_ops *ops = s->backend->ops;
  const int few = s->system->n_total < FEW_BEADS && s->ranks->groups == 1 && !s->biases;
  s->runs_ahead = ops->async != NULL;
  s->state_every = s->runs_ahead && few ? STATE_EVERY_FEW : STATE_EVERY;
  s->list_expiry = s->runs_ahead || ops->find_unlisted ? EXPIRY_SEARCH : EXPIRY_DISPLACEMENT;
}

double listcheck_radius(const struct sim *s)
{
  return s->cutoff + s->system->lists.skin;
}

double listcheck_halo_of(const struct sim *s, double skin)
{
  return s->cutoff + skin + (s->list_expiry == EXPIRY_SEARCH ? 0.5 * skin : 0);
}

double listcheck_halo_width(const struct sim *s)
{
  return listcheck_halo_of(s, s->system->lists.skin);
}

static double approach(const struct sim *s, double reach)
{
  const struct system *y = s->system;
  return couple_approach(s->cutoff, s->list_margin, reach, y->box, y->lists.box);
}

/* Searches for unlisted pairs inside the cutoff. together: upper bound, nm, of the approach of any
   two beads since the build. 1 if any rank found one. */
static int is_any_unlisted(struct sim *s, double together)
{
  const struct system *y = s->system;
  const double halo = listcheck_halo_width(s), rounding = 1 + 1e-9;
  const double above2 =
      couple_displacement2(s->cutoff, s->list_margin, listcheck_radius(s), y->box, y->lists.box);
  const double reach = (halo - approach(s, halo) + together) * rounding;
  int64_t found = s->backend->ops->find_unlisted(s->backend, above2, reach);
  ranks_max_int64(s->ranks, &found, 1);
  return found != 0;
}

/* 1 if a bead has moved so far that another one that has may be inside the cutoff and not in the
   halo. In double precision lists expire then, as on devices. */
static int is_too_far(const struct sim *s, double largest2)
{
  const struct system *y = s->system;
  return !(largest2 <= couple_displacement2(s->cutoff, s->list_margin, listcheck_halo_width(s),
                                            y->box, y->lists.box));
}

/* 1 if the lists have expired, given the two largest displacements (squared, nm2) of all ranks. If
   two beads with these displacements cannot have brought an unlisted pair inside the cutoff, the
   lists hold. Otherwise a search decides, as long as the halo has all beads that may have come so
   near. Also 1 for NaN. */
static int have_expired(struct sim *s, const double largest2[2])
{
  const double together = sqrt(largest2[0]) + sqrt(largest2[1]);
  const int search = s->list_expiry == EXPIRY_SEARCH;
  if (search && s->params->run_precision == PRECISION_DOUBLE && is_too_far(s, largest2[0]))
    return 1;
  if (together <= approach(s, listcheck_radius(s))) return 0;
  if (!search) return 1;
  return !(together <= approach(s, listcheck_halo_width(s))) || is_any_unlisted(s, together);
}

/* Devices search for unlisted pairs inside the cutoff, and reduce the result until listcheck_agree.
   Does not wait: if a pair is found, later kernels are no-ops. */
static void search(struct sim *s)
{
  struct backend *b = s->backend;
  const struct device_signal found = transport_flag_begin(&s->transport);
  b->ops->async->search_unlisted(b, listcheck_halo_width(s), &found);
  transport_flag_send(&s->transport);
  if (s->ranks->size == 1) b->ops->async->lists_agreed(b);
}

void listcheck_agree(struct sim *s)
{
  if (!s->runs_ahead || s->ranks->size == 1) return;
  transport_flag_finish(&s->transport);
  s->backend->ops->async->lists_agreed(s->backend);
}

int listcheck_drain(struct sim *s)
{
  return s->runs_ahead && s->backend->ops->async->drain(s->backend, NULL) >= 0;
}

int listcheck_begin(struct sim *s)
{
  const struct backend_ops *ops = s->backend->ops;
  const int alone = s->ranks->size == 1;
  timers_switch(&s->timers, TIMER_halo);
  if (s->runs_ahead) {
    if (alone) search(s);
    return 0;
  }
  double largest2[2];
  ops->displacement2(s->backend, largest2);
  if (alone) return have_expired(s, largest2);
  ranks_largest_start(s->ranks, largest2);
  return 0;
}

int listcheck_end(struct sim *s)
{
  if (s->ranks->size == 1) return 0;
  if (s->runs_ahead) {
    search(s);
    return 0;
  }
  double largest2[2];
  ranks_largest_finish(s->ranks, largest2);
  return have_expired(s, largest2);
}
