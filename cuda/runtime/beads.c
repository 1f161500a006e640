#include "cuda/runtime/beads.h"

#include <string.h>

#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "input/param.h"

void cuda_beads_open(struct gpu *c)
{
  struct gpu_arrays *a = NEW_STATE(gpu_arrays, c, arrays);
  const int real_bytes = c->config.precision == PRECISION_DOUBLE ? 8 : 4;
  const char *spare = "spare for sorting";
  a->axis_bytes = 4 * real_bytes;
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    const int bytes = (int)field_bytes(f);
    cuda_per_bead(c, beads_field(&a->beads, f), bytes, 1, 0, field_info[f].name);
    cuda_per_bead(c, beads_field(&a->spare, f), bytes, 0, 0, spare);
  }
  cuda_per_bead(c, &a->id, sizeof *a->id, 1, 0, "id");
  cuda_per_bead(c, &a->spare_id, sizeof *a->id, 0, 0, spare);
  cuda_per_bead(c, &a->record, sizeof *a->record, 1, 0, "position and type record");
  cuda_per_bead(c, &a->axis[0], a->axis_bytes, 1, 0, "axis and charge record");
  if (c->config.plan->n_axes > 1)
    cuda_per_bead(c, &a->axis[1], a->axis_bytes, 1, 0, "second axis record");
  cuda_per_bead(c, &a->force, 3 * sizeof *a->force, 0, 0, "force");
  cuda_per_bead(c, &a->torque, 3 * sizeof *a->torque, 0, 0, "torque");
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, a, sizeof *a);
}

void cuda_types_set(struct gpu *c, const struct cuda_type *type)
{
  struct gpu_types *t = NEW_STATE(gpu_types, c, types);
  const int n = c->config.ff->n_types;
  CUDA_UPLOAD(c, &t->type, type, n, "coefficients");
  for (int k = 0; k < n; k++)
    t->rotates |= body_turns(&type[k].body);
}

void cuda_beads_left(struct gpu *c, int n)
{
  OWN(gpu_arrays, c->arrays)->n_migrated = n;
}

void cuda_reserve(struct gpu *c, int64_t n)
{
  struct gpu_arrays *a = OWN(gpu_arrays, c->arrays);
  if (n <= a->room) return;
  const int64_t held = c->base.n + a->n_migrated + c->base.n_halo;
  const int64_t room = held > 0 ? n + n / 8 + 256 : n + 256;
  cuda_per_bead_grow(c, room, held);
  a->room = (int)room;
}

static void array_append(struct bead_arrays *all, void *data, void *spare, size_t bytes)
{
  const int words = (int)bytes / 4;
  all->array[all->n++] = (struct bead_array){data, spare, words, all->words};
  all->words += words;
}

/* 1 if n values of so many bytes are the same. */
static int all_equal(const char *value, int64_t n, size_t bytes)
{
  return n < 2 || memcmp(value, value + bytes, (size_t)(n - 1) * bytes) == 0;
}

/* What turns stays as it is where no type rotates. Beads may come from other ranks, whose values
   are not known here. */
void cuda_fields_fix(struct gpu *c, int n, const struct beads *from)
{
  static const int turning[] = {FIELD_orientation, FIELD_angular_momentum};
  struct gpu_arrays *a = OWN(gpu_arrays, c->arrays);
  struct beads beads = *from;
  for (int k = 0; k < 2; k++) {
    const int f = turning[k];
    a->fixed[f] = c->config.ranks == 1 && !c->types->rotates &&
                  all_equal(*beads_field(&beads, f), n, field_bytes(f));
  }
}

struct bead_arrays cuda_bead_arrays(const struct gpu *c, int all_fields)
{
  const struct gpu_arrays *a = c->arrays;
  struct beads beads = a->beads, spare = a->spare;
  struct bead_arrays all;
  memset(&all, 0, sizeof all);
  for (int f = 0; f < FIELDS; f++)
    if ((field_info[f].flags & MIGRATE) && (all_fields || !a->fixed[f]))
      array_append(&all, *beads_field(&beads, f), *beads_field(&spare, f), field_bytes(f));
  all.id = all.n;
  array_append(&all, a->id, a->spare_id, sizeof *a->id);
  return all;
}

void cuda_arrays_swap(struct gpu *c)
{
  struct gpu_arrays *a = OWN(gpu_arrays, c->arrays);
  const struct gpu_arrays old = *a;
  a->beads = old.spare;
  a->spare = old.beads;
  for (int f = 0; f < FIELDS; f++) {
    if (!a->fixed[f]) continue;
    void *const kept = *beads_field(&a->spare, f);
    *beads_field(&a->spare, f) = *beads_field(&a->beads, f);
    *beads_field(&a->beads, f) = kept;
  }
  a->id = old.spare_id;
  a->spare_id = old.id;
}
