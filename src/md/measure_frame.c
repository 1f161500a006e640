#include "md/measure_frame.h"

#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/log.h"
#include "observe/planes.h"

static unsigned fields_of(unsigned needs)
{
  unsigned fields = 0;
  if (needs & NEEDS_POSITIONS) fields |= 1u << FIELD_position | 1u << FIELD_image;
  if (needs & NEEDS_MOMENTA) fields |= 1u << FIELD_momentum | 1u << FIELD_angular_momentum;
  if (needs & NEEDS_ORIENTATIONS) fields |= 1u << FIELD_orientation;
  return fields;
}

static void scatter(char *to, const char *from, const int64_t *id, int64_t n, size_t row)
{
  for (int64_t k = 0; k < n; k++)
    memcpy(to + (size_t)(id[k] - 1) * row, from + (size_t)k * row, row);
}

static void gather_field(const struct sim *s, int field, const int64_t *id,
                         struct measure_frame *to)
{
  const size_t row = field_bytes(field);
  const int64_t n = s->system->n_total;
  void **array = beads_field(&to->all, field);
  const void *data = *beads_field(&to->own.beads, field);
  int64_t bytes;
  if (!*array) *array = alloc_array(n, (unsigned long)row);
  if (s->ranks->size == 1) {
    scatter(*array, data, id, n, row);
    return;
  }
  char *all = ranks_allgather(s->ranks, data, to->own.n * (int64_t)row, &bytes);
  scatter(*array, all, id, n, row);
  free(all);
}

static void gather(struct sim *s, unsigned fields, struct measure_frame *to)
{
  int64_t bytes;
  snapshot_take(s, fields, &to->own);
  int64_t *id = to->own.id;
  if (s->ranks->size > 1)
    id = ranks_allgather(s->ranks, id, to->own.n * (int64_t)sizeof *id, &bytes);
  for (int f = 0; f < FIELDS; f++)
    if (fields >> f & 1u) gather_field(s, f, id, to);
  if (id != to->own.id) free(id);
}

/* The circular mean of z over the beads of lipids, weighted by mass; without lipids the middle of
   the box. Profiles of a single rank do not need it on the host, which then does not wait. */
static void centre_take(struct sim *s, const struct observe_system *a, int on_host,
                        struct measure_frame *to)
{
  const struct observe_frame none = {0};
  const struct profile how = planes_profile(a, &none, 1, 0);
  const struct bins what = {BINS_CENTRE, 2, &how};
  s->backend->ops->accumulate(s->backend, &what, to->centre_word);
  to->frame.centre_pending = s->ranks->size == 1 && s->backend->ops->async && !on_host;
  if (to->frame.centre_pending) return;
  backend_bins_wait(s->backend);
  ranks_sum_int64(s->ranks, to->centre_word, 2);
  to->frame.centre = centre_of_words(to->centre_word);
}

void measure_frame_take(struct sim *s, const struct observe_system *a, unsigned needs,
                        struct measure_frame *to)
{
  struct observe_frame *f = &to->frame;
  const unsigned fields = fields_of(needs);
  memset(f, 0, sizeof *f);
  f->step = s->system->step;
  f->time = s->system->time;
  memcpy(f->box, s->system->box, sizeof f->box);
  f->backend = s->backend;
  f->rank = s->ranks->rank;
  f->size = s->ranks->size;
  if (needs & NEEDS_CENTRE) centre_take(s, a, fields != 0, to);
  if (fields) gather(s, fields, to);
  f->position = to->all.position;
  f->image = to->all.image;
  f->momentum = to->all.momentum;
  f->angular_momentum = to->all.angular_momentum;
  f->orientation = to->all.orientation;
  to->state = s->observables;
  if (needs & NEEDS_ENERGIES) f->state = &to->state;
}

void measure_frame_free(struct measure_frame *to)
{
  beads_free(&to->all);
  snapshot_free(&to->own);
}
