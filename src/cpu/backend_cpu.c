/* The CPU backend, the reference for all others. This file: its table of operations, creation,
   copies to and from host arrays, and forces with external fields. */
#include "cpu/backend_cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/applied_body.h"
#include "base/log.h"
#include "base/rotation.h"

extern const struct backend_ops backend_cpu;

static void probe(struct backend_probe *out)
{
  out->level = force_kernel_level();
  out->usable = out->level >= 0;
  if (!out->usable) snprintf(out->why, sizeof out->why, "%s", FORCE_KERNEL_NONE);
}

static void types_set(struct cpu *c, const struct forcefield *ff)
{
  c->inertia = alloc_array(ff->n_types, sizeof *c->inertia);
  c->oriented = alloc_array(ff->n_types, sizeof *c->oriented);
  for (int t = 0; t < ff->n_types; t++) {
    c->inertia[t] = body_type_of(&ff->type[t]);
    c->oriented[t] = (unsigned char)pair_oriented(c->config.plan, ff, t);
  }
}

static struct backend *create(const struct backend_config *config)
{
  struct cpu *c = alloc_array(1, sizeof *c);
  c->base.ops = &backend_cpu;
  c->config = *config;
  c->base.threads = config->threads > 0 ? config->threads : 1;
  c->part = alloc_array(c->base.threads, sizeof *c->part);
  c->kernel = force_kernel_get(config->precision, config->level);
  if (!c->kernel) die(STATUS_INPUT, "this program was built without that precision");
  c->model = c->kernel->model_create(config->ff, config->plan);
  types_set(c, config->ff);
  c->clusters = clusters_create(config->ff, config->topology, c->base.threads);
  cpu_bias_open(c);
  cpu_reserve(c, 1, 1);
  snprintf(c->description, sizeof c->description, "cpu, %s", c->kernel->isa);
  return &c->base;
}

static void destroy(struct backend *b)
{
  struct cpu *c = cpu_of(b);
  if (!b) return;
  c->kernel->model_destroy(c->model);
  clusters_destroy(c->clusters);
  cpu_bias_close(c);
  beads_free(&c->beads);
  beads_free(&c->saved);
  cells_free(&c->cells);
  for (int l = 0; l < PAIR_PASSES_MOST; l++)
    neighbor_list_free(&c->list[l]);
  id_map_free(&c->map);
  for (int k = 0; k < PEERS_MOST; k++)
    free(c->peer[k].send);
  for (int k = 0; k < b->threads; k++)
    free(c->part[k].bin);
  void *all[] = {c->inertia,     c->oriented,      c->id,       c->record,   c->axis[0],
                 c->axis[1],     c->force,         c->torque,   c->exclude,  c->exclude_row,
                 c->bonded_row,  c->bonded,        c->interior, c->boundary, c->packed,
                 c->destination, c->grid_position, c->spare,    c->lipid,    c->team,
                 c->site_force,  c->part};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    free(all[k]);
  free(c);
}

static const char *describe(const struct backend *b)
{
  return ((const struct cpu *)b)->description;
}

static void load(struct backend *b, int n, const int64_t *id, const struct beads *from)
{
  struct cpu *c = cpu_of(b);
  cpu_reserve(c, n, 0);
  cpu_beads_copy(&c->beads, from, n);
  if (n) memcpy(c->id, id, (size_t)n * sizeof *id);
  b->n = n;
  b->n_halo = 0;
  cpu_update_pair_records(c);
  cpu_map_ids(c);
  cpu_clusters_find(c);
  cpu_teams_find(c);
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  struct cpu *c = cpu_of(b);
  cpu_beads_copy(to, &c->beads, b->n);
  if (b->n) memcpy(id, c->id, (size_t)b->n * sizeof *id);
}

static void set_box(struct backend *b, const struct coupling_state *now,
                    const double build_box[BOX])
{
  memcpy(cpu_of(b)->box, now->box, sizeof now->box);
  memcpy(cpu_of(b)->build_box, build_box, sizeof cpu_of(b)->build_box);
}

struct force_loop {
  struct cpu *c;
  struct force_job job;
  int flags;
  struct external_kernel field;
  struct external_moment moment;
};

static int force_chunk(void *of, int begin, int end, int thread)
{
  const struct force_loop *o = of;
  struct force_job job = o->job;
  job.begin = begin;
  job.end = end;
  job.sums = &o->c->part[thread].sums;
  o->c->kernel->run(&job, o->flags);
  return end;
}

/* Adds the force and torque of a field on bead i, and its work and, with flags, its energy and
   virial to those of a thread. */
static void external_bead_add(const struct force_loop *o, int i, struct cpu_part *part)
{
  const struct cpu *c = o->c;
  const struct ff_type *type = &c->config.ff->type[c->record[i].type];
  const struct external_type of_type = {type->charge, type->dipole};
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  struct sums *sums = &part->sums;
  double axis[3];
  rotation_axis(c->beads.orientation + 4 * (int64_t)i, axis);
  const struct external_bead bead = external_bead_at(
      &o->field, &c->record[i], c->beads.image + 3 * (int64_t)i, c->box, of_type, axis);
  const struct external_value v =
      external_of_bead(EXTERNAL_ALL, &o->field, &o->moment, &bead, &part->work);
  for (int k = 0; k < 3; k++) {
    c->force[3 * (int64_t)i + k] += v.f[k];
    c->torque[3 * (int64_t)i + k] += v.t[k];
  }
  if (!o->flags) return;
  sum_add_energy(sums, ENERGY_external, v.u);
  for (int a = 0; a < 9; a++)
    sum_add(&sums->word[SUM_VIRIAL + a], sum_addend(external_virial(&v, a / 3, a % 3), scale,
                                                    &sums->overflow, &sums->magnitude));
}

static int external_chunk(void *of, int begin, int end, int thread)
{
  const struct force_loop *o = of;
  for (int i = begin; i < end; i++)
    if (bead_set_has(&o->field.group, o->c->record[i].type, o->c->id[i]))
      external_bead_add(o, i, &o->c->part[thread]);
  return end;
}

/* Adds the forces of all external fields, in double: the same for all precisions and instruction
   sets. */
static void external_add(struct force_loop *o)
{
  struct cpu *c = o->c;
  const struct external_work none = {{0, 0}, {0, 0}, 0};
  struct external_work *work = &c->work[c->step & 1];
  external_work_begin(&c->work[(c->step & 1) ^ 1], work);
  for (int k = 0; k < c->base.threads; k++)
    c->part[k].work = none;
  for (int f = 0; f < c->config.n_fields; f++) {
    const struct external_field *from = &c->config.field[f];
    o->field = (struct external_kernel){.form = from->form,
                                        .group = bead_group_set(&from->group),
                                        .well = from->well,
                                        .map = from->map};
    external_moment_set(&o->moment, from->form, from->value, &c->base.clock, c->step, c->base.dt);
    cpu_loop(c, c->base.n, LEAST_MOVES, external_chunk, o);
  }
  for (int k = 0; k < c->base.threads; k++)
    external_work_join(work, &c->part[k].work);
}

static void external_work(struct backend *b, int64_t step, int64_t word[WORK_WORDS])
{
  const struct external_work *w = &cpu_of(b)->work[step & 1];
  word[0] = w->done[0];
  word[1] = w->done[1];
  word[2] = w->overflow;
}

static void force(struct backend *b, enum force_beads beads, int flags)
{
  struct cpu *c = cpu_of(b);
  struct force_loop o = {.c = c, .job = cpu_force_job(c), .flags = flags};
  const int n = beads == FORCE_ALL ? b->n : beads == FORCE_INTERIOR ? b->interior : b->boundary;
  o.job.bead = beads == FORCE_ALL ? NULL : beads == FORCE_INTERIOR ? c->interior : c->boundary;
  if (flags && beads != FORCE_BOUNDARY) memset(&c->sums, 0, sizeof c->sums);
  if (flags) cpu_sums_begin(c);
  cpu_loop(c, n, LEAST_FORCES, force_chunk, &o);
  if (beads != FORCE_INTERIOR) {
    external_add(&o);
    cpu_bias_add(c, flags != 0);
    cpu_clusters_spread(c, flags != 0, 1);
  }
  if (flags) cpu_sums_end(c, &c->sums);
}

/* The local index of an owned bead; -1: another rank owns it. */
static int owned_index(const struct cpu *c, int64_t id)
{
  const int i = id_map_get(&c->map, id);
  return i < c->base.n ? i : -1;
}

static int gather(struct backend *b, int n, const int64_t *id, uint32_t *position, double box[BOX])
{
  const struct cpu *c = cpu_of(b);
  memcpy(box, c->box, sizeof c->box);
  for (int k = 0; k < n; k++) {
    const int i = owned_index(c, id[k]);
    for (int d = 0; d < 3; d++)
      position[3 * (int64_t)k + d] = i < 0 ? 0 : (uint32_t)c->beads.position[3 * (int64_t)i + d];
  }
  return 1;
}

static void apply(struct backend *b, const struct applied_forces *a, int flags, int sums)
{
  struct cpu *c = cpu_of(b);
  for (int k = 0; k < a->n; k++) {
    const int i = owned_index(c, a->id[k]);
    for (int d = 0; i >= 0 && d < 3; d++)
      c->force[3 * (int64_t)i + d] += a->force[3 * (int64_t)k + d];
  }
  if (flags) cpu_sums_begin(c);
  if (a->n > 0) cpu_clusters_spread(c, flags != 0, 0);
  if (flags) cpu_sums_end(c, &c->sums);
  if (flags && sums) applied_add(a->sums, sum_bits(c->config.n_total), &c->sums);
}

static double largest_force(struct backend *b, int64_t *id)
{
  struct cpu *c = cpu_of(b);
  double largest = -1;
  *id = INT64_MAX;
  cpu_clusters_relax(c);
  for (int i = 0; i < b->n; i++) {
    const double *f = c->force + 3 * (int64_t)i;
    const int frozen = c->team ? team_frozen(c->team[i]) : 0;
    double f2 = 0;
    for (int k = 0; k < 3; k++)
      if (!(frozen >> k & 1)) f2 += f[k] * f[k];
    if (!(f2 < HUGE_VAL)) f2 = HUGE_VAL;
    if (f2 < largest || (f2 == largest && *id < c->id[i])) continue;
    largest = f2;
    *id = c->id[i];
  }
  return largest < 0 ? 0 : sqrt(largest);
}

static void forces(struct backend *b, double *f, double *t)
{
  size_t bytes = 3 * (size_t)b->n * sizeof *f;
  if (!bytes) return;
  memcpy(f, cpu_of(b)->force, bytes);
  memcpy(t, cpu_of(b)->torque, bytes);
}

static int memory(struct backend *b, struct memory_use *out)
{
  const struct cpu *c = cpu_of(b);
  int64_t bead = 0;
  int64_t lists = 0;
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE) bead += (int64_t)field_bytes(f);
  for (int l = 0; l < c->config.plan->n_passes; l++)
    lists += neighbor_list_bytes(&c->list[l]);
  bead += 6 * (int64_t)sizeof(double) + 5 * (int64_t)sizeof(int);
  int64_t all = (int64_t)sizeof *c->id + (int64_t)sizeof *c->record +
                c->config.plan->n_axes * c->kernel->axis_bytes + 25 + 5 * (int64_t)sizeof(int);
  const struct memory_use use[] = {{"owned beads", c->room * bead},
                                   {"owned and halo beads", c->halo_room * all},
                                   {"neighbour lists", lists},
                                   {"cells", cells_bytes(&c->cells)},
                                   {"ids", (int64_t)(c->map.mask + 1) * 12},
                                   {"beads that change rank", c->packed_room}};
  memcpy(out, use, sizeof use);
  return (int)(sizeof use / sizeof use[0]);
}

static const struct minimise_ops minimise = {
    .save_positions = cpu_save_positions,
    .restore_positions = cpu_restore_positions,
    .descend = cpu_descend,
    .largest_force = largest_force,
};

const struct backend_ops backend_cpu = {
    .name = "cpu",
    .probe = probe,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .load = load,
    .store = store,
    .set_box = set_box,
    .build_begin = cpu_build_begin,
    .extent = cpu_extent,
    .histogram = cpu_histogram,
    .pack_migrants = cpu_pack_migrants,
    .unpack_migrants = cpu_unpack_migrants,
    .sort = cpu_sort,
    .halo_select = cpu_halo_select,
    .halo_bytes = cpu_halo_bytes,
    .halo_pack = cpu_halo_pack,
    .halo_unpack = cpu_halo_unpack,
    .build = cpu_build,
    .count_apart = cpu_count_apart,
    .integrate_first_half = cpu_integrate_first_half,
    .displacement2 = cpu_displacement2,
    .find_unlisted = cpu_find_unlisted,
    .force = force,
    .integrate_second_half = cpu_integrate_second_half,
    .accumulate = cpu_accumulate,
    .gather = gather,
    .apply = apply,
    .external_work = external_work,
    .forces = forces,
    .memory = memory,
    .minimise = &minimise,
    .bias = &cpu_bias_ops,
};
