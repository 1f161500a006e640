#include "md/sampling_frame.h"

#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/memory.h"
#include "observe/planes.h"

static unsigned fields_of(unsigned needs)
{
  unsigned fields = 0;
  if (needs & NEEDS_POSITIONS) fields |= 1u << FIELD_position | 1u << FIELD_image;
  if (needs & NEEDS_MOMENTA) fields |= 1u << FIELD_momentum | 1u << FIELD_angular_momentum;
  if (needs & NEEDS_ORIENTATIONS) fields |= 1u << FIELD_orientation;
  return fields;
}

/* Sends the fields of all beads to the ranks that have them in their share. */
static void deliver(struct sim *s, const struct observe_system *a, unsigned fields,
                    struct sampling_frame *to)
{
  for (int f = 0; f < FIELDS; f++) {
    void **array = beads_field(&to->beads, f);
    if (fields >> f & 1u && !*array)
      *array = alloc_array(a->share.n, (unsigned long)field_bytes(f));
  }
  snapshot_take(s, fields, &to->own);
  snapshot_deliver_within(&to->own, s->ranks, a->share.border, s->system->clock.step, &to->beads,
                          NULL);
}

/* The circular mean of z over the beads of lipids, weighted by mass; without lipids the middle of
   the box. Profiles of a single rank do not need it on the host, which then does not wait. */
static void centre_take(struct sim *s, const struct observe_system *a, int on_host,
                        struct sampling_frame *to)
{
  const struct observe_frame none = {0};
  const struct profile how = planes_profile(a, &none, 1, 0);
  const struct tally what = {TALLY_CENTRE, 2, &how};
  s->backend->ops->accumulate(s->backend, &what, to->centre_word);
  if (s->ranks->size == 1 && s->backend->ops->async && !on_host) {
    to->frame.centre_word = to->centre_word;
    return;
  }
  backend_bins_wait(s->backend);
  ranks_sum_int64(s->ranks, to->centre_word, 2);
  to->frame.centre = centre_of_words(to->centre_word);
}

void sampling_frame_take(struct sim *s, const struct observe_system *a, unsigned needs,
                         struct sampling_frame *to)
{
  struct observe_frame *f = &to->frame;
  const unsigned fields = fields_of(needs);
  memset(f, 0, sizeof *f);
  f->step = s->system->clock.step;
  f->time = s->system->clock.time;
  memcpy(f->box, s->system->box, sizeof f->box);
  f->backend = s->backend;
  if (needs & NEEDS_CENTRE) centre_take(s, a, fields != 0, to);
  if (fields) deliver(s, a, fields, to);
  f->position = to->beads.position;
  f->image = to->beads.image;
  f->momentum = to->beads.momentum;
  f->angular_momentum = to->beads.angular_momentum;
  f->orientation = to->beads.orientation;
  to->state = s->thermo;
  if (needs & NEEDS_ENERGIES) f->state = &to->state;
}

void sampling_frame_free(struct sampling_frame *to)
{
  beads_free(&to->beads);
  snapshot_free(&to->own);
}
