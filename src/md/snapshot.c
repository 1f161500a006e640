/* Copies of beads, redistributed from domains to blocks of ids: see snapshot.h. */
#include "md/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Beads on their way to the ranks that have their ids in a block. */
struct delivery {
  const struct ranks *ranks;
  const int64_t *border; /* rank r has the ids border[r] ... border[r + 1] - 1 */
  const int64_t *id;     /* [n] */
  int n;
  int parts; /* arrays that are sent: of a field, of forces or torques */
  struct {
    const char *from; /* [n], as id */
    char *to;         /* of the block of this rank, in the order of ids */
    size_t bytes;     /* of an element */
  } part[FIELDS + 1];
};

static void add_part(struct delivery *d, const void *from, void *to, size_t bytes)
{
  d->part[d->parts].from = from;
  d->part[d->parts].to = to;
  d->part[d->parts++].bytes = bytes;
}

/* Bytes of what is sent of a bead: its id and the parts. */
static size_t record_bytes(const struct delivery *d)
{
  size_t bytes = sizeof *d->id;
  for (int k = 0; k < d->parts; k++)
    bytes += d->part[k].bytes;
  return bytes;
}

/* The records of all beads, sorted by destination rank, and their number for each, [ranks]. The
   caller frees the result. */
static char *pack(const struct delivery *d, int64_t *count)
{
  const int size = d->ranks->size;
  const size_t bytes = record_bytes(d);
  int64_t *next = alloc_array(size + 1, sizeof *next);
  char *data = alloc_array(d->n, (unsigned long)bytes);
  for (int i = 0; i < d->n; i++)
    count[system_rank_within(d->border, size, d->id[i])]++;
  for (int k = 0; k < size; k++)
    next[k + 1] = next[k] + count[k];
  for (int i = 0; i < d->n; i++) {
    char *to = data + (size_t)next[system_rank_within(d->border, size, d->id[i])]++ * bytes;
    memcpy(to, &d->id[i], sizeof *d->id);
    to += sizeof *d->id;
    for (int k = 0; k < d->parts; to += d->part[k++].bytes)
      memcpy(to, d->part[k].from + (size_t)i * d->part[k].bytes, d->part[k].bytes);
  }
  free(next);
  return data;
}

/* Puts the records of the beads of this rank into its arrays. */
static void unpack(const struct delivery *d, const char *data, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    int64_t id;
    memcpy(&id, data, sizeof id);
    data += sizeof id;
    for (int k = 0; k < d->parts; data += d->part[k++].bytes)
      memcpy(d->part[k].to + (size_t)(id - d->border[d->ranks->rank]) * d->part[k].bytes, data,
             d->part[k].bytes);
  }
}

/* The same without messages: on one rank, which has all ids. A part after the other. */
static void deliver_alone(const struct delivery *d)
{
  for (int k = 0; k < d->parts; k++)
    for (int i = 0; i < d->n; i++)
      memcpy(d->part[k].to + (size_t)(d->id[i] - 1) * d->part[k].bytes,
             d->part[k].from + (size_t)i * d->part[k].bytes, d->part[k].bytes);
}

/* Status 3 if there are too few or too many beads. step: for the message. Collective. */
static void deliver(const struct delivery *d, int64_t step)
{
  const struct ranks *r = d->ranks;
  const int64_t n = d->border[r->rank + 1] - d->border[r->rank];
  int64_t received;
  if (r->size == 1 && d->n == n) {
    deliver_alone(d);
    return;
  }
  int64_t *count = alloc_array(r->size, sizeof *count);
  char *sent = pack(d, count);
  char *data = ranks_exchange(r, record_bytes(d), sent, count, NULL, &received);
  if (received != n)
    die(STATUS_NUMERIC, "step %lld: %lld beads where there should be %lld: beads were lost",
        (long long)step, (long long)received, (long long)n);
  free(sent);
  free(count);
  unpack(d, data, n);
  free(data);
}

/* The borders of the blocks of a system, [ranks + 1]. The caller frees them. */
static int64_t *borders_of(const struct system *y, const struct ranks *r)
{
  int64_t *border = alloc_array(r->size + 1, sizeof *border);
  for (int k = 0; k <= r->size; k++)
    border[k] = system_first(y->n_total, k, r->size);
  return border;
}

static int is_listed(unsigned fields, int f)
{
  return (fields >> f & 1) && (field_info[f].flags & STATE);
}

/* Forces in the order in which the backend stores the beads. */
static void copy_forces(struct sim *s, struct snapshot *to)
{
  double *torque = alloc_array(3LL * to->room, sizeof *torque);
  to->force = grow_array(to->force, 3LL * to->room, sizeof *to->force);
  s->backend->ops->forces(s->backend, to->force, torque);
  free(torque);
}

void snapshot_take(struct sim *s, unsigned fields, struct snapshot *to)
{
  struct beads listed;
  int n = s->backend->n;
  if (!to->id || n > to->room) {
    int room = n + n / 8;
    to->id = grow_array(to->id, room, sizeof *to->id);
    beads_reserve(&to->beads, MIGRATE, to->room, room);
    to->room = room;
  }
  memset(&listed, 0, sizeof listed);
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(fields, f)) *beads_field(&listed, f) = *beads_field(&to->beads, f);
  s->backend->ops->store(s->backend, to->id, &listed);
  if (fields & SNAPSHOT_FORCE) copy_forces(s, to);
  transport_check(&s->transport);
  to->fields = fields;
  to->n = n;
}

void snapshot_deliver_within(const struct snapshot *from, const struct ranks *r,
                             const int64_t *border, int64_t step, const struct beads *beads,
                             double *force)
{
  struct delivery d = {.ranks = r, .border = border, .id = from->id, .n = from->n};
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(from->fields, f))
      add_part(&d, beads_array(&from->beads, f), beads_array(beads, f), field_bytes(f));
  if (from->fields & SNAPSHOT_FORCE) add_part(&d, from->force, force, 3 * sizeof *force);
  deliver(&d, step);
}

void snapshot_deliver(const struct snapshot *from, const struct ranks *r, const struct system *y,
                      double *force)
{
  int64_t *border = borders_of(y, r);
  snapshot_deliver_within(from, r, border, y->clock.step, &y->beads, force);
  free(border);
}

void snapshot_free(struct snapshot *p)
{
  beads_free(&p->beads);
  free(p->force);
  free(p->id);
}

void snapshot_collect(struct sim *s, unsigned fields)
{
  struct snapshot p = {0};
  snapshot_take(s, fields, &p);
  snapshot_deliver(&p, s->ranks, s->system, NULL);
  snapshot_free(&p);
}

void snapshot_forces(struct sim *s, double **force, double **torque)
{
  const int n = s->backend->n;
  struct beads none = {0};
  const size_t bytes = 3 * sizeof **force;
  int64_t *id = alloc_array(n, sizeof *id), *border = borders_of(s->system, s->ranks);
  double *f = alloc_array(n, bytes), *t = alloc_array(n, bytes);
  struct delivery d = {.ranks = s->ranks, .border = border, .id = id, .n = n};
  s->backend->ops->store(s->backend, id, &none);
  s->backend->ops->forces(s->backend, f, t);
  *force = alloc_array(s->system->n, bytes);
  *torque = alloc_array(s->system->n, bytes);
  add_part(&d, f, *force, bytes);
  add_part(&d, t, *torque, bytes);
  deliver(&d, s->system->clock.step);
  free(border);
  free(id);
  free(f);
  free(t);
}
