/* The arrays of the CPU backend: their room, the records that pair kernels read, and views of them.
   Uses no other file of the backend. */
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "cpu/backend_cpu.h"

void cpu_reserve(struct cpu *c, int n, int n_halo)
{
  if (n > c->room) {
    int room = n + n / 8 + 64;
    beads_reserve(&c->beads, MIGRATE, c->room, room);
    c->force = grow_array(c->force, 3LL * room, sizeof *c->force);
    c->torque = grow_array(c->torque, 3LL * room, sizeof *c->torque);
    if (c->clusters) c->site_force = grow_array(c->site_force, 3LL * room, sizeof *c->site_force);
    c->exclude_row = grow_array(c->exclude_row, room + 1LL, sizeof *c->exclude_row);
    c->bonded_row = grow_array(c->bonded_row, room + 1LL, sizeof *c->bonded_row);
    c->interior = grow_array(c->interior, room, sizeof *c->interior);
    c->boundary = grow_array(c->boundary, room, sizeof *c->boundary);
    if (teams_differ(c->config.teams)) c->team = grow_array(c->team, room, sizeof *c->team);
    c->destination = grow_array(c->destination, room, sizeof *c->destination);
    c->room = room;
  }
  if (n + n_halo > c->halo_room) {
    int room = n + n_halo + (n + n_halo) / 8 + 64;
    if (room < c->room) room = c->room;
    c->id = grow_array(c->id, room, sizeof *c->id);
    c->record = grow_array(c->record, room, sizeof *c->record);
    for (int k = 0; k < c->config.plan->n_axes; k++)
      c->axis[k] = grow_array(c->axis[k], room, (unsigned long)c->kernel->axis_bytes);
    c->grid_position = grow_array(c->grid_position, 3LL * room, sizeof *c->grid_position);
    c->lipid = grow_array(c->lipid, room, sizeof *c->lipid);
    c->halo_room = room;
  }
}

int cpu_parts(const struct cpu *c, struct cpu_array part[CPU_PARTS_MOST])
{
  int n = 1;
  part[0] = (struct cpu_array){(char *)c->id, sizeof *c->id};
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      part[n++] = (struct cpu_array){beads_array(&c->beads, f), field_bytes(f)};
  return n;
}

void cpu_beads_copy(struct beads *to, const struct beads *from, int64_t n)
{
  for (int f = 0; f < FIELDS; f++)
    if (n && (field_info[f].flags & MIGRATE) && beads_array(to, f))
      memcpy(beads_array(to, f), beads_array(from, f), (size_t)n * field_bytes(f));
}

static int ids_chunk(void *of, int begin, int end, int thread)
{
  struct cpu *c = of;
  (void)thread;
  for (int i = begin; i < end; i++)
    id_map_put_new(&c->map, c->id[i], i);
  return end;
}

void cpu_map_ids(struct cpu *c)
{
  const int n = c->base.n + c->base.n_halo;
  id_map_reset(&c->map, n);
  if (c->config.topology->n_envs > 0) cpu_loop(c, n, LEAST_MOVES, ids_chunk, c);
}

void cpu_teams_find(struct cpu *c)
{
  if (!c->team) return;
  const struct team_sets sets = teams_sets(c->config.teams);
  for (int i = 0; i < c->base.n; i++)
    c->team[i] = team_byte(&sets, c->beads.type[i], c->id[i]);
}

void cpu_sums_begin(struct cpu *c)
{
  for (int k = 0; k < c->base.threads; k++)
    memset(&c->part[k].sums, 0, sizeof c->part[k].sums);
}

void cpu_sums_end(struct cpu *c, struct sums *add_to)
{
  for (int k = 0; k < c->base.threads; k++)
    sums_join(add_to, &c->part[k].sums);
}

static int records_part(void *of, int begin, int end, int thread)
{
  struct cpu *c = of;
  (void)thread;
  for (int i = begin; i < end; i++) {
    memcpy(c->record[i].x, c->beads.position + 3 * (int64_t)i, sizeof c->record[i].x);
    c->record[i].type = c->beads.type[i];
  }
  c->kernel->axes(c->model, begin, end, c->record, c->beads.orientation, c->axis);
  return end;
}

void cpu_update_pair_records(struct cpu *c)
{
  cpu_loop(c, c->base.n, LEAST_MOVES, records_part, c);
}

void cpu_moved_begin(struct cpu *c)
{
  for (int k = 0; k < c->base.threads; k++)
    c->part[k].displacement2[0] = c->part[k].displacement2[1] = 0;
}

void cpu_moved_part(struct cpu *c, int begin, int end, int thread)
{
  double h[BOX], largest[2] = {0, 0};
  torus_units(c->build_box, h);
  records_part(c, begin, end, thread);
  for (int64_t i = begin; i < end; i++)
    largest_add(largest,
                torus_distance2(c->beads.position + 3 * i, c->beads.build_position + 3 * i, h));
  for (int k = 0; k < 2; k++)
    largest_add(c->part[thread].displacement2, largest[k]);
}

void cpu_moved_end(struct cpu *c)
{
  c->displacement2[0] = c->displacement2[1] = 0;
  for (int k = 0; k < c->base.threads; k++)
    for (int d = 0; d < 2; d++)
      largest_add(c->displacement2, c->part[k].displacement2[d]);
}

static int moved_chunk(void *of, int begin, int end, int thread)
{
  cpu_moved_part(of, begin, end, thread);
  return end;
}

void cpu_moved(struct cpu *c)
{
  cpu_moved_begin(c);
  cpu_loop(c, c->base.n, LEAST_MOVES, moved_chunk, c);
  cpu_moved_end(c);
}

struct offender_state cpu_offender(const struct cpu *c, int64_t step)
{
  return (struct offender_state){.prefix = c->config.prefix,
                                 .ff = c->config.ff,
                                 .step = step,
                                 .box = BOX_COPY(c->box),
                                 .n = c->base.n,
                                 .n_all = c->base.n + c->base.n_halo,
                                 .id = c->id,
                                 .record = c->record,
                                 .momentum = c->beads.momentum};
}

struct force_job cpu_force_job(struct cpu *c)
{
  return (struct force_job){.end = c->base.n,
                            .record = c->record,
                            .axis = {c->axis[0], c->axis[1]},
                            .list = c->list,
                            .bonded_row = c->bonded_row,
                            .bonded = c->bonded,
                            .anchor = (const int32_t(*)[3])c->config.topology->anchors.place,
                            .box = BOX_COPY(c->box),
                            .model = c->model,
                            .force = c->force,
                            .torque = c->torque,
                            .sum_scale = (double)(INT64_C(1) << sum_bits(c->config.n_total))};
}
