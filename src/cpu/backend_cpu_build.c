/* List builds of the CPU backend: sorting, neighbour lists and bonded partners. They use build
   positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/audit_body.h"
#include "base/memory.h"
#include "base/torus.h"
#include "cpu/backend_cpu.h"

void cpu_build_begin(struct backend *b, int keep)
{
  struct cpu *c = cpu_of(b);
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  c->step = b->step;
  if (!bytes) return;
  memcpy(c->old_position, c->beads.build_position, bytes);
  if (!keep) memcpy(c->beads.build_position, c->beads.position, bytes);
}

static void permute(struct cpu *c, char *array, size_t bytes, const int *order)
{
  int64_t n = c->base.n;
  if (n * (int64_t)bytes > c->spare_room) {
    c->spare_room = n * (int64_t)bytes * 5 / 4;
    c->spare = grow_array(c->spare, c->spare_room, 1);
  }
  for (int64_t k = 0; k < n; k++)
    memcpy(c->spare + (size_t)k * bytes, array + (size_t)order[k] * bytes, bytes);
  if (n) memcpy(array, c->spare, (size_t)n * bytes);
}

void cpu_sort(struct backend *b, double radius)
{
  struct cpu *c = cpu_of(b);
  struct cpu_part part[CPU_PARTS_MOST];
  struct grid g;
  grid_set(&g, c->build_box, radius, COLUMNS_PER_RADIUS);
  cells_sort(&c->cells, &g, b->n, c->beads.build_position, c->id);
  for (int k = cpu_parts(c, part) - 1; k >= 0; k--)
    permute(c, part[k].array, part[k].bytes, c->cells.order);
  b->n_halo = 0;
  for (int k = 0; k < PEERS_MOST; k++)
    c->peer[k].n_send = c->peer[k].n_receive = 0;
  cpu_update_pair_records(c);
}

static int partner_of(struct cpu *c, int i, int64_t offset, int may_widen)
{
  int j = id_map_get(&c->map, c->id[i] + offset);
  if (j >= 0) return j;
  if (c->base.checks == CHECK_NOTHING) return i;
  c->base.lost = 1;
  if (may_widen) return i;
  const struct offender_state s = cpu_offender(c, c->base.step);
  offender_broken(&s, c->id[i], c->id[i] + offset, 0, 0);
}

/* Status 3 if partners of a bonded term are too far apart. rest: the rest length of the term, nm,
   or 0. Build positions are compared, so the result does not depend on the number of ranks. */
static void entry_check(struct cpu *c, int i, const struct bonded_entry *e, double rest,
                        const double h[BOX], double term_length)
{
  if (c->base.checks != CHECK_BONDS) return;
  const double longest = offender_term_length(rest, term_length);
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++) {
    int64_t j = e->partner[k];
    double d2 = torus_distance2(c->grid_position + 3 * (int64_t)i, c->grid_position + 3 * j, h);
    if (d2 <= longest * longest) continue;
    const struct offender_state s = cpu_offender(c, c->base.step);
    offender_broken(&s, c->id[i], c->id[j], sqrt(d2), longest);
  }
}

/* Finds the local indices of excluded partners and of partners of bonded terms. An excluded partner
   outside the halo needs no entry, since no list can contain it. */
static void partners_find(struct cpu *c, const struct build_params *params)
{
  const struct topology *t = c->config.topology;
  double h[BOX];
  int n_exclude = 0, n_bonded = 0;
  torus_units(c->build_box, h);
  c->base.lost = 0;
  cpu_map_ids(c);
  for (int i = 0; i < c->base.n; i++) {
    int slot = c->beads.bonded_env[i];
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
      if (forcefield_is_constraint(c->config.ff, term->section, term->type)) continue;
      struct bonded_entry *e = &c->bonded[n_bonded++];
      e->type_and_role = bonded_type_and_role(
          forcefield_bonded(c->config.ff, term->section, term->type), term->role);
      for (int p = 0; p < BONDED_BEADS_MOST - 1; p++)
        e->partner[p] =
            p < term->beads - 1 ? partner_of(c, i, term->partner[p], params->may_widen) : i;
      entry_check(c, i, e, forcefield_rest(c->config.ff, term->section, term->type), h,
                  params->term_length);
      if (term->section == SECTION_restraint)
        e->partner[0] = bonded_anchor((int32_t)anchor_find(&t->anchors, c->id[i]));
    }
  }
  c->exclude_row[c->base.n] = n_exclude;
  c->bonded_row[c->base.n] = n_bonded;
}

/* Divides the owned beads into interior ones, all of whose listed and bonded partners are owned,
   and boundary ones. */
static void interior_find(struct cpu *c)
{
  int n = c->base.n, interior = 0, boundary = 0;
  for (int i = 0; i < n; i++) {
    int largest = i;
    for (int l = 0; l < c->config.plan->n_passes && c->base.n_halo > 0; l++) {
      const struct neighbor_list *list = &c->list[l];
      for (int64_t k = list->row[i]; k < list->row[i + 1]; k++)
        largest = list->index[k] > largest ? list->index[k] : largest;
    }
    for (int k = c->bonded_row[i]; k < c->bonded_row[i + 1]; k++)
      for (int e = 0; e < BONDED_BEADS_MOST - 1; e++)
        if (c->bonded[k].partner[e] > largest) largest = c->bonded[k].partner[e];
    if (largest < n)
      c->interior[interior++] = i;
    else
      c->boundary[boundary++] = i;
  }
  c->base.interior = interior;
  c->base.boundary = boundary;
}

/* Adds to out the pairs that a list of the build before missed. */
static void audit_count(struct cpu *c, const struct build_params *p, int l, struct audit *out)
{
  const struct neighbor_list *list = &c->list[l];
  const struct audit_range range = audit_range_of(p, &c->config, l, c->build_box);
  const struct force_job job = cpu_force_job(c);
  for (int i = 0; i < c->base.n; i++)
    for (int64_t k = list->row[i]; k < list->row[i + 1]; k++) {
      const int j = list->index[k];
      if (!audit_missed(&range, c->grid_position, c->old_position, i, j)) continue;
      out->missed++;
      out->force = fmax(out->force, c->kernel->pair(&job, l, i, j));
    }
}

/* Every list of the plan. radius: of the widest, nm. */
static void lists_build(struct cpu *c, double radius)
{
  const struct exclusions skip = {c->exclude_row, c->exclude};
  const int64_t *id = c->base.checks >= CHECK_PARTNERS ? NULL : c->id;
  c->base.n_listed = 0;
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    const struct pair_pass *pass = &c->config.plan->pass[l];
    const double margin = pair_margin(c->config.plan, c->config.ff, c->config.topology, l);
    const struct cells_pairs pairs = {radius - margin, pass->all ? NULL : pass->partners,
                                      c->config.plan->class_of, c->record};
    c->kernel->list(&c->cells, c->base.n, c->grid_position, id, skip, &pairs, &c->list[l]);
    c->base.n_listed += c->base.n ? c->list[l].row[c->base.n] : 0;
  }
}

void cpu_build(struct backend *b, const struct build_params *p, struct audit *out)
{
  struct cpu *c = cpu_of(b);
  struct grid g;
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  grid_set(&g, c->build_box, p->radius, COLUMNS_PER_RADIUS);
  cpu_reserve(c, b->n, b->n_halo);
  if (bytes) memcpy(c->grid_position, c->beads.build_position, bytes);
  cells_sort(&c->cells, &g, b->n + b->n_halo, c->grid_position, c->id);
  partners_find(c, p);
  cpu_clusters_find(c);
  cpu_teams_find(c);
  cpu_bias_find(c);
  c->list_radius = p->radius;
  lists_build(c, p->radius);
  interior_find(c);
  c->displacement2[0] = c->displacement2[1] = 0;
  if (p->audit_reach < 0) return;
  out->missed = 0;
  out->force = 0;
  for (int l = 0; l < c->config.plan->n_passes; l++)
    audit_count(c, p, l, out);
}
