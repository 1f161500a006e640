/* Copies of beads, redistributed from domains to blocks of ids: see snapshot.h. */
#include "md/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Records of owned beads to be sent: an id, then the listed fields; sorted by destination rank. */
struct records {
  const int64_t *id; /* borrowed */
  int n;
  size_t bytes;   /* of a record, id included */
  int64_t *count; /* [ranks]; records for each */
  int64_t *next;  /* [n]; index of the record of the k-th bead */
  char *data;
};

static void records_open(struct records *p, const struct ranks *r, const int64_t *border,
                         const int64_t *id, int n, size_t bytes)
{
  int size = r->size;
  int64_t at = 0;
  p->id = id;
  p->n = n;
  p->bytes = bytes + sizeof(int64_t);
  p->count = alloc_array(size, sizeof *p->count);
  p->next = alloc_array(p->n, sizeof *p->next);
  p->data = alloc_array(p->n, (unsigned long)p->bytes);
  for (int i = 0; i < p->n; i++)
    p->count[system_rank_within(border, size, id[i])]++;
  int64_t *start = alloc_array(size, sizeof *start);
  for (int k = 0; k < size; k++) {
    start[k] = at;
    at += p->count[k];
  }
  for (int i = 0; i < p->n; i++) {
    p->next[i] = start[system_rank_within(border, size, id[i])]++;
    memcpy(p->data + (size_t)p->next[i] * p->bytes, &id[i], sizeof *id);
  }
  free(start);
}

/* Copies an array with an element of so many bytes per bead to offset `at` of the records. */
static void records_put(struct records *p, size_t at, const void *array, size_t bytes)
{
  for (int i = 0; i < p->n; i++)
    memcpy(p->data + (size_t)p->next[i] * p->bytes + sizeof(int64_t) + at,
           (const char *)array + (size_t)i * bytes, bytes);
}

/* Sends the records and frees them. Returns the records of the beads of this rank, which the caller
   frees. Status 3 if there are too few or too many. Collective. */
static char *records_send(struct records *p, const struct ranks *r, const int64_t *border,
                          int64_t step)
{
  const int64_t n = border[r->rank + 1] - border[r->rank];
  int64_t received;
  char *data = ranks_exchange(r, p->bytes, p->data, p->count, NULL, &received);
  if (received != n)
    die(STATUS_NUMERIC, "step %lld: %lld beads where there should be %lld: beads were lost",
        (long long)step, (long long)received, (long long)n);
  free(p->count);
  free(p->next);
  free(p->data);
  return data;
}

/* The index, relative to id `first`, of the bead of the k-th received record. */
static int64_t records_bead(const struct records *p, int64_t first, const char *data, int64_t k)
{
  int64_t id;
  memcpy(&id, data + (size_t)k * p->bytes, sizeof id);
  return id - first;
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
static void take_forces(struct sim *s, struct snapshot *to)
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
  if (fields & SNAPSHOT_FORCE) take_forces(s, to);
  transport_check(&s->transport);
  to->fields = fields;
  to->n = n;
}

/* Bytes per bead of the listed fields, without forces. */
static size_t bytes_of(unsigned fields)
{
  size_t bytes = 0;
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(fields, f)) bytes += field_bytes(f);
  return bytes;
}

/* Copies n elements of `bytes` bytes into the order of ids. */
static void scatter(char *to, const char *from, const int64_t *id, int64_t n, size_t bytes)
{
  for (int64_t k = 0; k < n; k++)
    memcpy(to + (size_t)(id[k] - 1) * bytes, from + (size_t)k * bytes, bytes);
}

/* The same without messages: on one rank, which has all ids. */
static void deliver_alone(const struct snapshot *from, const struct beads *to)
{
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(from->fields, f))
      scatter(beads_array(to, f), beads_array(&from->beads, f), from->id, from->n, field_bytes(f));
}

/* Sends the listed fields, and forces, to the ranks that have the ids. */
static char *deliver_records(const struct snapshot *from, const struct ranks *r,
                             const int64_t *border, int64_t step, struct records *p)
{
  size_t at = 0;
  for (int f = 0; f < FIELDS; f++) {
    if (!is_listed(from->fields, f)) continue;
    records_put(p, at, beads_array(&from->beads, f), field_bytes(f));
    at += field_bytes(f);
  }
  if (from->fields & SNAPSHOT_FORCE) records_put(p, at, from->force, 3 * sizeof *from->force);
  return records_send(p, r, border, step);
}

void snapshot_deliver_within(const struct snapshot *from, const struct ranks *r,
                             const int64_t *border, int64_t step, const struct beads *beads,
                             double *force)
{
  struct records p;
  const size_t three = from->fields & SNAPSHOT_FORCE ? 3 * sizeof *force : 0;
  const int64_t first = border[r->rank], n = border[r->rank + 1] - first;
  size_t at = sizeof(int64_t);
  if (r->size == 1 && from->n == n && !three) {
    deliver_alone(from, beads);
    return;
  }
  records_open(&p, r, border, from->id, from->n, bytes_of(from->fields) + three);
  char *data = deliver_records(from, r, border, step, &p);
  for (int f = 0; f < FIELDS; f++) {
    if (!is_listed(from->fields, f)) continue;
    const size_t one = field_bytes(f);
    char *to = beads_array(beads, f);
    for (int64_t k = 0; k < n; k++)
      memcpy(to + (size_t)records_bead(&p, first, data, k) * one, data + (size_t)k * p.bytes + at,
             one);
    at += one;
  }
  for (int64_t k = 0; k < n && three; k++)
    memcpy(force + 3 * records_bead(&p, first, data, k), data + (size_t)k * p.bytes + at, three);
  free(data);
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
  int n = s->backend->n;
  struct records p;
  struct beads none;
  int64_t *id = alloc_array(n, sizeof *id), *border = borders_of(s->system, s->ranks);
  double *f = alloc_array(3LL * n, sizeof *f), *t = alloc_array(3LL * n, sizeof *t);
  memset(&none, 0, sizeof none);
  s->backend->ops->store(s->backend, id, &none);
  s->backend->ops->forces(s->backend, f, t);
  records_open(&p, s->ranks, border, id, n, 6 * sizeof *f);
  records_put(&p, 0, f, 3 * sizeof *f);
  records_put(&p, 3 * sizeof *f, t, 3 * sizeof *t);
  char *data = records_send(&p, s->ranks, border, s->system->clock.step);
  *force = alloc_array(3 * s->system->n, sizeof *f);
  *torque = alloc_array(3 * s->system->n, sizeof *t);
  for (int64_t k = 0; k < s->system->n; k++) {
    int64_t i = records_bead(&p, s->system->first, data, k);
    const char *from = data + (size_t)k * p.bytes + sizeof(int64_t);
    memcpy(*force + 3 * i, from, 3 * sizeof *f);
    memcpy(*torque + 3 * i, from + 3 * sizeof *f, 3 * sizeof *t);
  }
  free(data);
  free(border);
  free(id);
  free(f);
  free(t);
}
