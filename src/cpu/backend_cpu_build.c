/* List builds of the cpu backend: beads that change rank, sorting, the halo, neighbour lists and
   bonded partners. All of it goes by build positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/domain.h"
#include "base/log.h"
#include "cpu/backend_cpu.h"

static struct cpu *of(struct backend *b)
{
  return (struct cpu *)b;
}

static size_t field_bytes(int f)
{
  return (size_t)(field_info[f].components * field_info[f].bytes);
}

void cpu_build_begin(struct backend *b, int keep)
{
  struct cpu *c = of(b);
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  if (!bytes) return;
  if (!keep) memcpy(c->old_position, c->beads.build_position, bytes);
  if (!keep) memcpy(c->beads.build_position, c->beads.position, bytes);
  if (keep) memcpy(c->old_position, c->beads.build_position, bytes);
}

void cpu_histogram(struct backend *b, int axis, int bins, int64_t *count)
{
  struct cpu *c = of(b);
  for (int64_t i = 0; i < b->n; i++) {
    uint64_t x = (uint32_t)c->beads.build_position[3 * i + axis];
    count[x * (uint64_t)bins >> 32]++;
  }
}

/* A packed bead: id, old position, then the migrating fields. */
static int record_bytes(void)
{
  size_t bytes = sizeof(int64_t) + 3 * sizeof(int32_t);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE) bytes += field_bytes(f);
  return (int)bytes;
}

static void record_pack(struct cpu *c, int64_t i, char *to)
{
  memcpy(to, &c->id[i], sizeof(int64_t));
  to += sizeof(int64_t);
  memcpy(to, c->old_position + 3 * i, 3 * sizeof(int32_t));
  to += 3 * sizeof(int32_t);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    size_t bytes = field_bytes(f);
    memcpy(to, (char *)*beads_field(&c->beads, f) + (size_t)i * bytes, bytes);
    to += bytes;
  }
}

static void record_unpack(struct cpu *c, int64_t i, const char *from)
{
  memcpy(&c->id[i], from, sizeof(int64_t));
  from += sizeof(int64_t);
  memcpy(c->old_position + 3 * i, from, 3 * sizeof(int32_t));
  from += 3 * sizeof(int32_t);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    size_t bytes = field_bytes(f);
    memcpy((char *)*beads_field(&c->beads, f) + (size_t)i * bytes, from, bytes);
    from += bytes;
  }
}

/* Bead from takes the place of bead to. */
static void bead_move(struct cpu *c, int64_t to, int64_t from)
{
  if (to == from) return;
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    char *a = *beads_field(&c->beads, f);
    memcpy(a + (size_t)to * field_bytes(f), a + (size_t)from * field_bytes(f), field_bytes(f));
  }
  c->id[to] = c->id[from];
  memcpy(c->old_position + 3 * to, c->old_position + 3 * from, 3 * sizeof(int32_t));
}

const void *cpu_take_leaving(struct backend *b, int axis, int size, const uint64_t *bound, int rank,
                             int64_t *count, int *record)
{
  struct cpu *c = of(b);
  int64_t leaving = 0, *next = alloc_array(size, sizeof *next);
  *record = record_bytes();
  memset(count, 0, (size_t)size * sizeof *count);
  for (int64_t i = 0; i < b->n; i++) {
    c->destination[i] = slab_owner((uint32_t)c->beads.build_position[3 * i + axis], size, bound);
    if (c->destination[i] != rank) count[c->destination[i]]++;
  }
  for (int r = 0; r < size; r++) {
    next[r] = leaving;
    leaving += count[r];
  }
  if (leaving * *record > c->packed_room) {
    c->packed_room = leaving * *record * 5 / 4;
    c->packed = grow_array(c->packed, c->packed_room, 1);
  }
  int kept = 0;
  for (int64_t i = 0; i < b->n; i++) {
    int to = c->destination[i];
    if (to == rank)
      bead_move(c, kept++, i);
    else
      record_pack(c, i, c->packed + next[to]++ * *record);
  }
  b->n = kept;
  b->n_halo = 0;
  free(next);
  return c->packed;
}

void cpu_unpack_migrants(struct backend *b, const void *record, int64_t n)
{
  struct cpu *c = of(b);
  int bytes = record_bytes();
  if (b->n + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  cpu_reserve(c, b->n + (int)n, 0);
  for (int64_t k = 0; k < n; k++)
    record_unpack(c, b->n + k, (const char *)record + k * bytes);
  b->n += (int)n;
}

static void permute(struct cpu *c, void *array, size_t bytes, const int *order)
{
  int64_t n = c->base.n;
  char *from = array;
  if (n * (int64_t)bytes > c->spare_room) {
    c->spare_room = n * (int64_t)bytes * 5 / 4;
    c->spare = grow_array(c->spare, c->spare_room, 1);
  }
  for (int64_t k = 0; k < n; k++)
    memcpy(c->spare + (size_t)k * bytes, from + (size_t)order[k] * bytes, bytes);
  if (n) memcpy(array, c->spare, (size_t)n * bytes);
}

void cpu_sort(struct backend *b, double radius)
{
  struct cpu *c = of(b);
  struct grid g;
  grid_set(&g, c->build_box, radius);
  cells_sort(&c->cells, &g, b->n, c->beads.build_position, c->id);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      permute(c, *beads_field(&c->beads, f), field_bytes(f), c->cells.order);
  permute(c, c->id, sizeof *c->id, c->cells.order);
  permute(c, c->old_position, 3 * sizeof *c->old_position, c->cells.order);
  b->n_halo = 0;
  for (int k = 0; k < PEERS; k++)
    c->peer[k].n_send = c->peer[k].n_receive = 0;
  cpu_derive(c);
}

static struct halo_count select_near(struct cpu *c, struct cpu_peer *p, int axis, uint64_t low,
                                     uint64_t high, uint64_t width)
{
  const struct backend *b = &c->base;
  struct halo_count count = {0, 0};
  if (p->send_room < b->n) {
    p->send_room = c->room;
    p->send = grow_array(p->send, p->send_room, sizeof *p->send);
  }
  p->n_send = 0;
  for (int i = 0; i < b->n; i++) {
    uint32_t x = (uint32_t)c->beads.build_position[3 * (int64_t)i + axis];
    uint32_t below = (uint32_t)low - x, above = x - (uint32_t)high;
    if (below > width && above > width) continue;
    p->send[p->n_send++] = i;
    count.oriented += c->type[c->beads.type[i]].oriented;
  }
  count.beads = p->n_send;
  return count;
}

void cpu_halo_select(struct backend *b, int axis, const uint64_t *bound, int peers, const int *peer,
                     uint64_t width, struct halo_count *count)
{
  struct cpu *c = of(b);
  for (int k = 0; k < peers; k++)
    count[k] = select_near(c, &c->peer[k], axis, bound[peer[k]], bound[peer[k] + 1], width);
}

struct halo_record {
  int64_t id;
  int32_t position[3], old_position[3];
  int32_t type, pad;
};

int cpu_halo_record(struct backend *b)
{
  (void)b;
  return (int)sizeof(struct halo_record);
}

void cpu_halo_pack_build(struct backend *b, int k, void *buffer)
{
  struct cpu *c = of(b);
  struct halo_record *to = buffer;
  for (int m = 0; m < c->peer[k].n_send; m++) {
    int64_t i = c->peer[k].send[m];
    to[m].id = c->id[i];
    memcpy(to[m].position, c->beads.build_position + 3 * i, sizeof to[m].position);
    memcpy(to[m].old_position, c->old_position + 3 * i, sizeof to[m].old_position);
    to[m].type = c->beads.type[i];
    to[m].pad = 0;
  }
}

void cpu_halo_unpack_build(struct backend *b, int k, const void *buffer, struct halo_count n)
{
  struct cpu *c = of(b);
  const struct halo_record *from = buffer;
  int first = b->n + b->n_halo, beads = (int)n.beads;
  cpu_reserve(c, b->n, b->n_halo + beads);
  c->peer[k].first = first;
  c->peer[k].n_receive = beads;
  for (int64_t m = 0; m < beads; m++) {
    int64_t i = first + m;
    c->id[i] = from[m].id;
    memcpy(c->grid_position + 3 * i, from[m].position, sizeof from[m].position);
    memcpy(c->old_position + 3 * i, from[m].old_position, sizeof from[m].old_position);
    memcpy(c->record[i].x, from[m].position, sizeof from[m].position);
    c->record[i].type = from[m].type;
  }
  b->n_halo += beads;
  c->kernel->axes(c->model, first, first + beads, c->record, NULL, c->axis);
}

static int partner_of(struct cpu *c, int i, int64_t offset)
{
  int j = id_map_get(&c->map, c->id[i] + offset);
  if (j >= 0) return j;
  if (c->base.checks == CHECK_NOTHING) return i;
  const struct offender_state s = cpu_offender(c, c->base.step);
  offender_broken(&s, c->id[i], c->id[i] + offset, 0, 0);
}

static double distance2(const int32_t *a, const int32_t *b, const double h[3])
{
  double s = 0;
  for (int k = 0; k < 3; k++) {
    double d = (double)(int32_t)((uint32_t)a[k] - (uint32_t)b[k]) * h[k];
    s += d * d;
  }
  return s;
}

/* By build positions, as are lists and halos: the same on any number of ranks. */
static void entry_check(struct cpu *c, int i, const struct bonded_entry *e, const double h[3],
                        double radius)
{
  double longest = radius;
  if (c->base.checks != CHECK_BONDS) return;
  if (e->kind == TOPOLOGY_BOND)
    longest = offender_bond_length(c->config.ff->bond[e->type].r0, radius);
  for (int k = 0; k < 2; k++) {
    int64_t j = e->partner[k];
    double d2 = distance2(c->grid_position + 3 * (int64_t)i, c->grid_position + 3 * j, h);
    if (d2 <= longest * longest) continue;
    const struct offender_state s = cpu_offender(c, c->base.step);
    offender_broken(&s, c->id[i], c->id[j], sqrt(d2), longest);
  }
}

/* Local indices of excluded partners and of the partners of bonded terms. An excluded partner
   outside the halo is no candidate either. */
static void partners_find(struct cpu *c, double radius)
{
  const struct topology *t = c->config.topology;
  const double part = 1 / 4294967296.0;
  const double h[3] = {c->build_box[0] * part, c->build_box[1] * part, c->build_box[2] * part};
  int n_exclude = 0, n_bonded = 0;
  id_map_reset(&c->map, c->base.n + c->base.n_halo);
  if (t->n_slots > 0)
    for (int i = 0; i < c->base.n + c->base.n_halo; i++)
      id_map_put(&c->map, c->id[i], i);
  for (int i = 0; i < c->base.n; i++) {
    int slot = c->beads.slot[i];
    c->exclude_row[i] = n_exclude;
    c->bonded_row[i] = n_bonded;
    if (slot < 0) continue;
    int more = t->exclude_start[slot + 1] - t->exclude_start[slot];
    if (n_exclude + more > c->exclude_room) {
      c->exclude_room = 2 * (n_exclude + more) + 64;
      c->exclude = grow_array(c->exclude, c->exclude_room, sizeof *c->exclude);
    }
    for (int k = t->exclude_start[slot]; k < t->exclude_start[slot + 1]; k++) {
      int j = id_map_get(&c->map, c->id[i] + t->exclude[k]);
      if (j >= 0) c->exclude[n_exclude++] = j;
    }
    more = t->term_start[slot + 1] - t->term_start[slot];
    if (n_bonded + more > c->bonded_room) {
      c->bonded_room = 2 * (n_bonded + more) + 64;
      c->bonded = grow_array(c->bonded, c->bonded_room, sizeof *c->bonded);
    }
    for (int k = t->term_start[slot]; k < t->term_start[slot + 1]; k++) {
      const struct topology_term *term = &t->term[k];
      struct bonded_entry *e = &c->bonded[n_bonded++];
      e->kind = term->kind;
      e->type = term->type;
      e->role = term->role;
      e->partner[0] = partner_of(c, i, term->partner[0]);
      e->partner[1] = term->kind == TOPOLOGY_ANGLE && term->partner[1] != 0
                          ? partner_of(c, i, term->partner[1])
                          : i;
      entry_check(c, i, e, h, radius);
    }
  }
  c->exclude_row[c->base.n] = n_exclude;
  c->bonded_row[c->base.n] = n_bonded;
}

/* Interior: every partner, listed or bonded, is owned. */
static void interior_find(struct cpu *c)
{
  int n = c->base.n, interior = 0, boundary = 0;
  for (int i = 0; i < n; i++) {
    int largest = i;
    const int *row = c->list.index + c->list.row[i];
    for (int k = 0; k < c->list.count[i]; k++)
      largest = row[k] > largest ? row[k] : largest;
    for (int k = c->bonded_row[i]; k < c->bonded_row[i + 1]; k++)
      for (int e = 0; e < 2; e++)
        if (c->bonded[k].partner[e] > largest) largest = c->bonded[k].partner[e];
    if (largest < n)
      c->interior[interior++] = i;
    else
      c->boundary[boundary++] = i;
  }
  c->base.interior = interior;
  c->base.boundary = boundary;
}

static struct force_job audit_job(struct cpu *c)
{
  struct force_job job;
  memset(&job, 0, sizeof job);
  job.record = c->record;
  for (int k = 0; k < PAIR_AXES_MOST; k++)
    job.axis[k] = c->axis[k];
  job.model = c->model;
  memcpy(job.box, c->box, sizeof job.box);
  return job;
}

/* Pairs inside reach now that lay beyond old_radius at the build before, and so were in no list at
   the end of the interval. */
static void audit_count(struct cpu *c, double reach, double old_radius, const double old_box[3])
{
  struct force_job job = audit_job(c);
  double now[3], old[3];
  for (int k = 0; k < 3; k++) {
    now[k] = c->build_box[k] / 4294967296.0;
    old[k] = old_box[k] / 4294967296.0;
  }
  for (int i = 0; i < c->base.n; i++)
    for (int k = 0; k < c->list.count[i]; k++) {
      int64_t j = c->list.index[c->list.row[i] + k];
      if (distance2(c->old_position + 3 * (int64_t)i, c->old_position + 3 * j, old) <
          old_radius * old_radius)
        continue;
      if (distance2(c->grid_position + 3 * (int64_t)i, c->grid_position + 3 * j, now) >=
          reach * reach)
        continue;
      c->audit.missed++;
      c->audit.force = fmax(c->audit.force, c->kernel->pair(&job, i, (int)j));
    }
}

void cpu_build(struct backend *b, double radius, double reach, double old_radius,
               const double old_box[3])
{
  struct cpu *c = of(b);
  struct grid g;
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  grid_set(&g, c->build_box, radius);
  cpu_reserve(c, b->n, b->n_halo);
  if (bytes) memcpy(c->grid_position, c->beads.build_position, bytes);
  cells_sort(&c->cells, &g, b->n + b->n_halo, c->grid_position, c->id);
  partners_find(c, radius);
  struct exclusions skip = {c->exclude_row, c->exclude};
  const int64_t *id = b->checks == CHECK_NOTHING ? NULL : c->id;
  c->kernel->list(&c->cells, b->n, c->grid_position, id, skip, &c->list);
  b->n_listed = b->n ? c->list.row[b->n] : 0;
  interior_find(c);
  c->moved = 0;
  memset(&c->audit, 0, sizeof c->audit);
  if (reach >= 0) audit_count(c, reach, old_radius, old_box);
}
