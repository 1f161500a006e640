/* The operations of the minimiser on systems without clusters: one thread per bead runs
   dynamics/move_body.h, as the CPU backend does. */
#include "cuda/step/minimise.h"

#include <math.h>
#include <string.h>

#include "cuda/runtime/memory.h"
#include "cuda/step/motion.cuh"

static __global__ void beads_descend(const __grid_constant__ struct motion m, double step,
                                     double limit)
{
  const int64_t i = thread_index();
  if (i >= m.n || is_expired(m.report)) return;
  const struct body_type *t = &m.types[m.beads.type[i]].body;
  const int turns = body_turns(t);
  struct body b;
  body_load<1>(m, i, turns, &b);
  body_part(&b, m.id[i]);
  if (b.frozen) body_hold_force(&b);
  body_descend(&b, t, m.now->box, step, limit);
  body_store_alone(m, i, turns, &b);
  for (int k = 0; k < 3; k++)
    m.beads.image[3 * i + k] += b.image[k];
}

/* The largest displacement since the build, to the report. */
static __global__ void displacement_find(const __grid_constant__ struct motion m)
{
  const int64_t i = thread_index();
  double d2 = 0;
  if (i < m.n) d2 = torus_distance2(m.beads.position + 3 * i, m.beads.build_position + 3 * i, m.h);
  warp_max(ordered_bits(d2), &m.report->displacement2_bits[m.parity]);
}

/* What follows from new positions and orientations. */
static void beads_moved(struct gpu *c)
{
  const struct motion m = motion_of(c);
  unsigned long long *largest = &m.report->displacement2_bits[m.parity];
  cuda_update_pair_records(c, 0, m.n, c->streams->main);
  CUDA_CLEAR(c, largest, sizeof *largest);
  LAUNCH(displacement_find, m.n, THREADS, c, m);
}

/* Copies what a move changes to the spare arrays, which are free between builds; back 1: from
   them. */
static void positions_copy(struct gpu *c, int back)
{
  static const int moved[] = {FIELD_position, FIELD_residual, FIELD_image, FIELD_orientation};
  struct beads beads = c->arrays->beads, spare = c->arrays->spare;
  for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) {
    void *now = *beads_field(&beads, moved[k]), *kept = *beads_field(&spare, moved[k]);
    CUDA(cudaMemcpyAsync(back ? now : kept, back ? kept : now,
                         (size_t)c->base.n * field_bytes(moved[k]), cudaMemcpyDeviceToDevice,
                         c->streams->main));
  }
}

void cuda_save_positions(struct backend *b)
{
  positions_copy(gpu_of(b), 0);
}

void cuda_restore_positions(struct backend *b)
{
  positions_copy(gpu_of(b), 1);
  beads_moved(gpu_of(b));
}

void cuda_descend(struct backend *b, double step, double limit)
{
  struct gpu *c = gpu_of(b);
  LAUNCH(beads_descend, b->n, THREADS, c, motion_of(c), step, limit);
  beads_moved(c);
}

/* Device memory: the square of the largest force by ordered_bits, and the smallest id of the beads
   that feel it. */
struct largest {
  unsigned long long force2, id;
};

/* The square of the force on bead i along the axes along which it may move, by ordered_bits. */
DEVICE unsigned long long force2_bits(const struct motion &m, int64_t i)
{
  const int frozen = m.frozen ? team_frozen(m.team[i]) : 0;
  double f2 = 0;
  for (int k = 0; k < 3; k++)
    if (!(frozen >> k & 1)) f2 += m.force[3 * i + k] * m.force[3 * i + k];
  return ordered_bits(f2 < HUGE_VAL ? f2 : HUGE_VAL);
}

static __global__ void largest_find(const __grid_constant__ struct motion m, struct largest *out)
{
  const int64_t i = thread_index();
  warp_max(i < m.n ? force2_bits(m, i) : 0, &out->force2);
}

static __global__ void largest_find_bead(const __grid_constant__ struct motion m,
                                         struct largest *out)
{
  const int64_t i = thread_index();
  if (i < m.n && force2_bits(m, i) == out->force2) atomicMin(&out->id, (unsigned long long)m.id[i]);
}

double cuda_largest_force(struct backend *b, int64_t *id)
{
  struct gpu *c = gpu_of(b);
  struct largest found = {0, INT64_MAX};
  struct largest *device = (struct largest *)cuda_scratch(c, sizeof *device);
  double force2;
  CUDA_TO_DEVICE(c, device, &found, sizeof found);
  LAUNCH(largest_find, b->n, THREADS, c, motion_of(c), device);
  LAUNCH(largest_find_bead, b->n, THREADS, c, motion_of(c), device);
  CUDA_TO_HOST(c, &found, device, sizeof found);
  cuda_report_read(c);
  memcpy(&force2, &found.force2, sizeof force2);
  *id = (int64_t)found.id;
  return sqrt(force2);
}
