/* Migration and halo messages of the CPU backend. Everything but HALO_STEP messages uses build
   positions. */
#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/log.h"
#include "cpu/backend_cpu.h"

int64_t cpu_extent(struct backend *b, int axis)
{
  const struct cpu *c = cpu_of(b);
  int64_t most = 0;
  for (int k = 0; c->clusters && k < c->clusters->n; k++)
    for (int m = c->clusters->row[k]; m < c->clusters->row[k + 1]; m++) {
      const int64_t lead = clusters_lead(c->clusters, k), bead = c->clusters->bead[m];
      const int64_t d = torus_difference(c->beads.build_position[3 * bead + axis],
                                         c->beads.build_position[3 * lead + axis]);
      if (d > most || -d > most) most = d < 0 ? -d : d;
    }
  return most;
}

void cpu_histogram(struct backend *b, const struct domain *d, int cut, int bins, int64_t *count)
{
  struct cpu *c = cpu_of(b);
  for (int64_t i = 0; i < b->n; i++)
    count[domain_bin(d, cut, c->beads.build_position + 3 * i, bins)]++;
}

static int record_bytes(struct cpu *c)
{
  struct cpu_array part[CPU_PARTS_MOST];
  size_t bytes = 0;
  for (int k = cpu_parts(c, part) - 1; k >= 0; k--)
    bytes += part[k].bytes;
  return (int)bytes;
}

/* The record of a migrating bead: its parts, one after the other. */
static void record_pack(struct cpu *c, int64_t i, char *to)
{
  struct cpu_array part[CPU_PARTS_MOST];
  const int parts = cpu_parts(c, part);
  for (int k = 0; k < parts; to += part[k++].bytes)
    memcpy(to, part[k].array + (size_t)i * part[k].bytes, part[k].bytes);
}

static void record_unpack(struct cpu *c, int64_t i, const char *from)
{
  struct cpu_array part[CPU_PARTS_MOST];
  const int parts = cpu_parts(c, part);
  for (int k = 0; k < parts; from += part[k++].bytes)
    memcpy(part[k].array + (size_t)i * part[k].bytes, from, part[k].bytes);
}

/* Overwrites bead `to` with bead `from`. */
static void bead_move(struct cpu *c, int64_t to, int64_t from)
{
  struct cpu_array part[CPU_PARTS_MOST];
  for (int k = cpu_parts(c, part) - 1; k >= 0; k--) {
    const size_t bytes = part[k].bytes;
    memcpy(part[k].array + (size_t)to * bytes, part[k].array + (size_t)from * bytes, bytes);
  }
}

/* Sets c->destination to the owners of the beads, and count[r] to the number of migrants to rank r.
   The owner of a cluster is that of its lead bead. Returns the number of all migrants. */
static int64_t destinations_find(struct cpu *c, const struct domain *d, int64_t *count)
{
  int64_t n_leaving = 0;
  for (int64_t i = 0; i < c->base.n; i++)
    c->destination[i] = domain_owner(d, c->beads.build_position + 3 * i);
  for (int k = 0; c->clusters && k < c->clusters->n; k++) {
    const int to = c->destination[clusters_lead(c->clusters, k)];
    for (int m = c->clusters->row[k]; m < c->clusters->row[k + 1]; m++)
      c->destination[c->clusters->bead[m]] = to;
  }
  for (int64_t i = 0; i < c->base.n; i++) {
    const int to = c->destination[i];
    if (to == d->rank) continue;
    count[to]++;
    n_leaving++;
  }
  return n_leaving;
}

const void *cpu_pack_migrants(struct backend *b, const struct domain *d, int64_t *count,
                              int *record)
{
  struct cpu *c = cpu_of(b);
  int64_t *next = alloc_array(d->n_ranks, sizeof *next);
  *record = record_bytes(c);
  memset(count, 0, (size_t)d->n_ranks * sizeof *count);
  int64_t bytes = destinations_find(c, d, count) * *record;
  for (int r = 1; r < d->n_ranks; r++)
    next[r] = next[r - 1] + count[r - 1];
  if (bytes > c->packed_room) {
    c->packed_room = bytes * 5 / 4;
    c->packed = grow_array(c->packed, c->packed_room, 1);
  }
  int kept = 0;
  for (int64_t i = 0; i < b->n; i++) {
    int to = c->destination[i];
    if (to != d->rank)
      record_pack(c, i, c->packed + next[to]++ * *record);
    else if (kept++ < i)
      bead_move(c, kept - 1, i);
  }
  b->n = kept;
  b->n_halo = 0;
  free(next);
  return c->packed;
}

void cpu_unpack_migrants(struct backend *b, const void *record, int64_t n)
{
  struct cpu *c = cpu_of(b);
  int bytes = record_bytes(c);
  if (b->n + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  cpu_reserve(c, b->n + (int)n, 0);
  for (int64_t k = 0; k < n; k++)
    record_unpack(c, b->n + k, (const char *)record + k * bytes);
  b->n += (int)n;
}

static struct halo_count select_near(struct cpu *c, const struct domain *d, int k)
{
  const struct backend *b = &c->base;
  struct cpu_peer *p = &c->peer[k];
  struct halo_count count = {0, 0};
  if (p->send_room < b->n) {
    p->send_room = c->room;
    p->send = grow_array(p->send, p->send_room, sizeof *p->send);
  }
  p->n_send = 0;
  for (int i = 0; i < b->n; i++) {
    if (!domain_is_near(d, k, c->beads.build_position + 3 * (int64_t)i)) continue;
    p->send[p->n_send++] = i;
    count.oriented += c->oriented[c->beads.type[i]];
  }
  count.beads = p->n_send;
  return count;
}

void cpu_halo_select(struct backend *b, const struct domain *d, struct halo_count *count)
{
  for (int k = 0; k < d->n_peers; k++)
    count[k] = select_near(cpu_of(b), d, k);
}

/* A bead in a HALO_BUILD message. */
struct halo_record {
  int64_t id;
  int32_t position[3], type, lipid; /* lipid: 1 if it is in one */
};

static void pack_build(struct cpu *c, int k, void *buffer)
{
  struct halo_record *to = buffer;
  for (int m = 0; m < c->peer[k].n_send; m++) {
    int64_t i = c->peer[k].send[m];
    to[m].id = c->id[i];
    memcpy(to[m].position, c->beads.build_position + 3 * i, sizeof to[m].position);
    to[m].type = c->beads.type[i];
    to[m].lipid = stress_is_lipid(c->config.lipid, c->beads.bonded_env[i]);
  }
}

static void unpack_build(struct cpu *c, int k, const void *buffer, struct halo_count n)
{
  struct backend *b = &c->base;
  const struct halo_record *from = buffer;
  int first = b->n + b->n_halo, beads = (int)n.beads;
  cpu_reserve(c, b->n, b->n_halo + beads);
  c->peer[k].first = first;
  c->peer[k].n_receive = beads;
  for (int64_t m = 0; m < beads; m++) {
    int64_t i = first + m;
    c->id[i] = from[m].id;
    memcpy(c->grid_position + 3 * i, from[m].position, sizeof from[m].position);
    memcpy(c->record[i].x, from[m].position, sizeof from[m].position);
    c->record[i].type = from[m].type;
    c->lipid[i] = (unsigned char)from[m].lipid;
  }
  b->n_halo += beads;
  c->kernel->axes(c->model, first, first + beads, c->record, NULL, c->axis);
}

/* Bytes of an axis in a message: three components. The fourth number of a record never changes. */
static size_t axis_sent(const struct cpu *c)
{
  return (size_t)c->kernel->axis_bytes / 4 * 3;
}

/* HALO_STEP: for each bead its position and, if its type is oriented, its axes. */
static void pack_step(struct cpu *c, int k, void *buffer)
{
  const size_t bytes = (size_t)c->kernel->axis_bytes, sent = axis_sent(c);
  char *to = buffer;
  for (int m = 0; m < c->peer[k].n_send; m++) {
    int i = c->peer[k].send[m];
    memcpy(to, c->record[i].x, 12);
    to += 12;
    if (!c->oriented[c->record[i].type]) continue;
    for (int a = 0; a < c->config.plan->n_axes; a++, to += sent)
      memcpy(to, (const char *)c->axis[a] + (size_t)i * bytes, sent);
  }
}

static void unpack_step(struct cpu *c, int k, const void *buffer)
{
  const size_t bytes = (size_t)c->kernel->axis_bytes, sent = axis_sent(c);
  const char *from = buffer;
  for (int m = 0; m < c->peer[k].n_receive; m++) {
    int i = c->peer[k].first + m;
    memcpy(c->record[i].x, from, 12);
    from += 12;
    if (!c->oriented[c->record[i].type]) continue;
    for (int a = 0; a < c->config.plan->n_axes; a++, from += sent)
      memcpy((char *)c->axis[a] + (size_t)i * bytes, from, sent);
  }
}

int64_t cpu_halo_bytes(struct backend *b, enum halo_message message, struct halo_count n)
{
  const struct cpu *c = cpu_of(b);
  if (message == HALO_BUILD) return n.beads * (int64_t)sizeof(struct halo_record);
  return 12 * n.beads + c->config.plan->n_axes * (int64_t)axis_sent(c) * n.oriented;
}

void cpu_halo_pack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                   const struct device_signal *then)
{
  (void)then;
  for (int k = 0; k < peers; k++)
    (message == HALO_BUILD ? pack_build : pack_step)(cpu_of(b), k, buffer[k]);
}

void cpu_halo_unpack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                     const struct halo_count *n, const struct device_wait *until)
{
  (void)until;
  for (int k = 0; k < peers; k++)
    if (message == HALO_BUILD)
      unpack_build(cpu_of(b), k, buffer[k], n[k]);
    else
      unpack_step(cpu_of(b), k, buffer[k]);
}
