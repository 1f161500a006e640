/* List builds of the CPU backend: sorting, neighbour lists and bonded partners. They use build
   positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/apart_body.h"
#include "base/memory.h"
#include "base/torus.h"
#include "cpu/backend_cpu.h"
#include "input/param.h"

void cpu_build_begin(struct backend *b, int keep)
{
  struct cpu *c = cpu_of(b);
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  c->step = b->step;
  if (!keep && bytes) memcpy(c->beads.build_position, c->beads.position, bytes);
}

/* The arrays of owned beads, and copies of them in the new order. */
struct sorting {
  struct cpu *c;
  struct cpu_array part[CPU_PARTS_MOST];
  char *copy[CPU_PARTS_MOST];
  int n;
};

static int gather_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *o = of;
  const int *order = o->c->cells.order;
  (void)thread;
  for (int p = 0; p < o->n; p++) {
    const size_t bytes = o->part[p].bytes;
    for (int k = begin; k < end; k++)
      memcpy(o->copy[p] + (size_t)k * bytes, o->part[p].array + (size_t)order[k] * bytes, bytes);
  }
  return end;
}

static int return_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *o = of;
  (void)thread;
  for (int p = 0; p < o->n; p++) {
    const size_t at = (size_t)begin * o->part[p].bytes;
    memcpy(o->part[p].array + at, o->copy[p] + at, (size_t)(end - begin) * o->part[p].bytes);
  }
  return end;
}

/* Puts the arrays of owned beads into the order of the cells. */
static void permute(struct cpu *c)
{
  struct sorting o = {.c = c, .n = cpu_parts(c, o.part)};
  int64_t bytes = 0;
  for (int p = 0; p < o.n; p++)
    bytes += (int64_t)o.part[p].bytes * c->base.n;
  if (bytes > c->spare_room) {
    c->spare_room = bytes * 5 / 4;
    c->spare = grow_array(c->spare, c->spare_room, 1);
  }
  o.copy[0] = c->spare;
  for (int p = 1; p < o.n; p++)
    o.copy[p] = o.copy[p - 1] + o.part[p - 1].bytes * (size_t)c->base.n;
  cpu_loop(c, c->base.n, LEAST_MOVES, gather_chunk, &o);
  cpu_loop(c, c->base.n, LEAST_MOVES, return_chunk, &o);
}

void cpu_sort(struct backend *b, double radius)
{
  struct cpu *c = cpu_of(b);
  struct grid g;
  if (c->config.precision == PRECISION_DOUBLE)
    grid_fit(&g, c->build_box, radius, c->config.n_total);
  else
    grid_set(&g, c->build_box, radius, COLUMNS_PER_RADIUS);
  cells_sort(&c->cells, &g, b->n, c->beads.build_position, c->id, b->threads);
  permute(c);
  b->n_halo = 0;
  for (int k = 0; k < PEERS_MOST; k++)
    c->peer[k].n_send = c->peer[k].n_receive = 0;
  cpu_update_pair_records(c);
}

/* The search for the partners of owned beads. */
struct partners {
  struct cpu *c;
  const struct build_params *params;
  double h[BOX];
  int ends; /* 1: a mistake ends the program. 0: it is a failure of the loop */
};

/* The local index of a partner of bead i; i, and *failed is set, if there is none. */
static int partner_of(const struct partners *o, int i, int64_t offset, int *failed)
{
  struct cpu *c = o->c;
  const int j = id_map_get(&c->map, c->id[i] + offset);
  if (j >= 0) return j;
  if (c->base.checks == CHECK_NOTHING) return i;
  *failed = 1;
  if (!o->ends) return i;
  c->base.lost = 1;
  if (o->params->may_widen) return i;
  const struct offender_state s = cpu_offender(c, c->base.step);
  offender_broken(&s, c->id[i], c->id[i] + offset, 0, 0);
}

/* Sets *failed if partners of a bonded term are too far apart. rest: the rest length of the term,
   nm, or 0. Build positions are compared, so the result does not depend on the number of ranks. */
static void entry_check(const struct partners *o, int i, const struct bonded_entry *e, double rest,
                        int *failed)
{
  const struct cpu *c = o->c;
  if (c->base.checks != CHECK_BONDS) return;
  const double longest = offender_term_length(rest, o->params->term_length);
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++) {
    int64_t j = e->partner[k];
    double d2 = torus_distance2(c->grid_position + 3 * (int64_t)i, c->grid_position + 3 * j, o->h);
    if (d2 <= longest * longest) continue;
    *failed = 1;
    if (!o->ends) return;
    const struct offender_state s = cpu_offender(c, c->base.step);
    offender_broken(&s, c->id[i], c->id[j], sqrt(d2), longest);
  }
}

/* Sets the rows of exclusions and of bonded terms to their lengths. */
static int count_chunk(void *of, int begin, int end, int thread)
{
  const struct partners *o = of;
  struct cpu *c = o->c;
  const struct topology *t = c->config.topology;
  (void)thread;
  for (int i = begin; i < end; i++) {
    const int slot = c->beads.bonded_env[i];
    c->exclude_row[i] = slot < 0 ? 0 : t->exclude_start[slot + 1] - t->exclude_start[slot];
    c->bonded_row[i] = 0;
    for (int k = slot < 0 ? 0 : t->term_start[slot]; slot >= 0 && k < t->term_start[slot + 1]; k++)
      c->bonded_row[i] +=
          !forcefield_is_constraint(c->config.ff, t->term[k].section, t->term[k].type);
  }
  return end;
}

/* Makes rows of lengths: row[i] becomes the sum of the lengths of those before. Returns that of
   all, row[n]. */
static int rows_add_up(int *row, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) {
    const int length = row[i];
    row[i] = sum;
    sum += length;
  }
  row[n] = sum;
  return sum;
}

/* An excluded partner that is neither owned nor in the halo becomes -1: no list can contain it. */
static int partners_chunk(void *of, int begin, int end, int thread)
{
  const struct partners *o = of;
  struct cpu *c = o->c;
  const struct topology *t = c->config.topology;
  (void)thread;
  for (int i = begin; i < end; i++) {
    const int slot = c->beads.bonded_env[i];
    int failed = 0;
    if (slot < 0) continue;
    for (int k = t->exclude_start[slot], e = c->exclude_row[i]; k < t->exclude_start[slot + 1]; k++)
      c->exclude[e++] = id_map_get(&c->map, c->id[i] + t->exclude[k]);
    struct bonded_entry *e = &c->bonded[c->bonded_row[i]];
    for (int k = t->term_start[slot]; k < t->term_start[slot + 1]; k++) {
      const struct topology_term *term = &t->term[k];
      if (forcefield_is_constraint(c->config.ff, term->section, term->type)) continue;
      e->type_and_role = bonded_type_and_role(
          forcefield_bonded(c->config.ff, term->section, term->type), term->role);
      for (int p = 0; p < BONDED_BEADS_MOST - 1; p++)
        e->partner[p] = p < term->beads - 1 ? partner_of(o, i, term->partner[p], &failed) : i;
      entry_check(o, i, e, forcefield_rest(c->config.ff, term->section, term->type), &failed);
      if (term->section == SECTION_restraint)
        e->partner[0] = bonded_anchor((int32_t)anchor_find(&t->anchors, c->id[i]));
      e++;
    }
    if (failed && !o->ends) return i;
  }
  return end;
}

/* Finds the local indices of excluded partners and of partners of bonded terms. */
static void partners_find(struct cpu *c, const struct build_params *params)
{
  struct partners o = {.c = c, .params = params};
  torus_units(c->build_box, o.h);
  c->base.lost = 0;
  cpu_map_ids(c);
  cpu_loop(c, c->base.n, LEAST_MOVES, count_chunk, &o);
  const int n_exclude = rows_add_up(c->exclude_row, c->base.n);
  const int n_bonded = rows_add_up(c->bonded_row, c->base.n);
  if (n_exclude > c->exclude_room) {
    c->exclude_room = n_exclude + n_exclude / 8 + 64;
    c->exclude = grow_array(c->exclude, c->exclude_room, sizeof *c->exclude);
  }
  if (n_bonded > c->bonded_room) {
    c->bonded_room = n_bonded + n_bonded / 8 + 64;
    c->bonded = grow_array(c->bonded, c->bonded_room, sizeof *c->bonded);
  }
  const int failed = cpu_loop(c, c->base.n, LEAST_MOVES, partners_chunk, &o);
  o.ends = 1;
  partners_chunk(&o, failed, c->base.n, 0);
}

/* Sets interior[i] to 1 for interior beads, else to 0. */
static int interior_chunk(void *of, int begin, int end, int thread)
{
  struct cpu *c = of;
  (void)thread;
  for (int i = begin; i < end; i++) {
    int largest = i;
    for (int l = 0; l < c->config.plan->n_passes && c->base.n_halo > 0; l++) {
      const struct neighbor_list *list = &c->list[l];
      for (int k = 0; k < list->n[i]; k++)
        largest = list->row[i][k] > largest ? list->row[i][k] : largest;
    }
    for (int k = c->bonded_row[i]; k < c->bonded_row[i + 1]; k++)
      for (int e = 0; e < BONDED_BEADS_MOST - 1; e++)
        if (c->bonded[k].partner[e] > largest) largest = c->bonded[k].partner[e];
    c->interior[i] = largest < c->base.n;
  }
  return end;
}

/* Divides the owned beads into interior ones, all of whose listed and bonded partners are owned,
   and boundary ones. */
static void interior_find(struct cpu *c)
{
  int interior = 0, boundary = 0;
  cpu_loop(c, c->base.n, LEAST_MOVES, interior_chunk, c);
  for (int i = 0; i < c->base.n; i++)
    if (c->interior[i])
      c->interior[interior++] = i;
    else
      c->boundary[boundary++] = i;
  c->base.interior = interior;
  c->base.boundary = boundary;
}

/* Lists to build. */
struct listing {
  struct cpu *c;
  struct cells_job job[PAIR_PASSES_MOST]; /* of the plan */
};

static int lists_chunk(void *of, int begin, int end, int thread)
{
  const struct listing *o = of;
  int failed = end;
  for (int l = 0; l < o->c->config.plan->n_passes && failed == end; l++)
    failed = o->c->kernel->list(&o->job[l], begin, end, thread);
  return failed;
}

/* Every list of the plan. radius: of the widest, nm. */
static void lists_build(struct cpu *c, double radius)
{
  struct listing o = {.c = c};
  const struct pair_plan *plan = c->config.plan;
  unsigned char part[FF_TYPES_MOST];
  for (int t = 0; t < c->config.ff->n_types; t++)
    part[t] = (unsigned char)pair_list_part(plan, c->config.ff, t);
  for (int l = 0; l < plan->n_passes; l++) {
    const struct pair_pass *pass = &plan->pass[l];
    const double margin = pair_margin(plan, c->config.ff, c->config.topology, l);
    neighbor_list_begin(&c->list[l], c->base.n, c->base.threads);
    o.job[l] = (struct cells_job){.cells = &c->cells,
                                  .position = c->grid_position,
                                  .skip = {c->exclude_row, c->exclude},
                                  .pairs = {radius - margin, pass->all ? NULL : pass->partners,
                                            plan->class_of, part, c->record},
                                  .points = c->base.checks >= CHECK_PARTNERS,
                                  .list = &c->list[l]};
  }
  const int failed = cpu_loop(c, c->base.n, LEAST_FORCES, lists_chunk, &o);
  if (failed < c->base.n) cells_refuse_point(&o.job[0], failed, c->id);
  c->base.n_listed = 0;
  for (int l = 0; l < plan->n_passes; l++)
    for (int i = 0; i < c->base.n; i++)
      c->base.n_listed += c->list[l].n[i];
}

void cpu_build(struct backend *b, const struct build_params *p)
{
  struct cpu *c = cpu_of(b);
  struct grid g = c->cells.grid;
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  cpu_reserve(c, b->n, b->n_halo);
  if (bytes) memcpy(c->grid_position, c->beads.build_position, bytes);
  if (b->n_halo > 0)
    cells_sort(&c->cells, &g, b->n + b->n_halo, c->grid_position, c->id, b->threads);
  else
    cells_renumber(&c->cells);
  partners_find(c, p);
  cpu_clusters_find(c);
  cpu_teams_find(c);
  cpu_bias_find(c);
  c->list_radius = p->radius;
  lists_build(c, p->radius);
  interior_find(c);
  c->displacement2[0] = c->displacement2[1] = 0;
}

/* A list whose pairs are counted. */
struct counting {
  struct cpu *c;
  struct apart_range range;
  const struct neighbor_list *list;
};

static int apart_chunk(void *of, int begin, int end, int thread)
{
  const struct counting *o = of;
  const struct cpu *c = o->c;
  int64_t n = 0;
  for (int i = begin; i < end; i++)
    for (int k = 0; k < o->list->n[i]; k++)
      n += apart_is(&o->range, c->grid_position, c->record, i, o->list->row[i][k]);
  o->c->part[thread].apart += n;
  return end;
}

int64_t cpu_count_apart(struct backend *b, double built, double now)
{
  struct cpu *c = cpu_of(b);
  int64_t apart = 0;
  for (int k = 0; k < b->threads; k++)
    c->part[k].apart = 0;
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    struct counting o = {c, apart_range_of(&c->config, l, built, now, c->build_box, c->box),
                         &c->list[l]};
    cpu_loop(c, b->n, LEAST_FORCES, apart_chunk, &o);
  }
  for (int k = 0; k < b->threads; k++)
    apart += c->part[k].apart;
  return apart;
}
