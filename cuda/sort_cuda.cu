/* Owned beads by (cell, id), and the cells of owned and halo beads together. Columns are a half of
   the list radius wide, cells a sixth high. */
#include "device_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <math.h>

enum { COLUMNS_PER_RADIUS = 2, CELLS_PER_RADIUS = 6, EDGE_MOST = 1 << 20 };
static const int64_t cells_most = INT64_C(1) << 30;

static int64_t cells_of(const struct grid *g)
{
  return (int64_t)g->n[0] * g->n[1] * g->n[2];
}

/* A function of box and radius alone: lists must be the same on any number of ranks. */
static void grid_of(struct grid *g, const double box[3], double radius)
{
  for (int k = 0; k < 3; k++) {
    double n = floor(box[k] / radius * (k < 2 ? COLUMNS_PER_RADIUS : CELLS_PER_RADIUS));
    g->n[k] = n < 1 ? 1 : n > EDGE_MOST ? EDGE_MOST : (int)n;
    g->box[k] = box[k];
  }
  g->radius = radius;
  for (int k = 2; cells_of(g) > cells_most; k = (k + 1) % 3)
    g->n[k] = (g->n[k] + 1) / 2;
}

static int bits_of(int64_t most)
{
  int bits = 1;
  while (bits < 63 && most >> bits)
    bits++;
  return bits;
}

static __global__ void keys_set(int n, struct grid g, int id_bits, const int32_t *position,
                                const int64_t *id, uint64_t *key, int *value)
{
  int64_t i = thread_index();
  if (i >= n) return;
  const int32_t *x = position + 3 * i;
  uint64_t column =
      (uint64_t)cells_place(x[0], g.n[0]) * (uint64_t)g.n[1] + (uint64_t)cells_place(x[1], g.n[1]);
  uint64_t cell = column * (uint64_t)g.n[2] + (uint64_t)cells_place(x[2], g.n[2]);
  key[i] = cell << id_bits | (uint64_t)id[i];
  value[i] = (int)i;
}

/* key_sorted and order of the first n beads. */
static void keys_sort(struct gpu *c, int n)
{
  int id_bits = bits_of(c->config.n_total), bits = id_bits + bits_of(cells_of(&c->grid));
  size_t bytes = 0;
  if (n == 0) return;
  LAUNCH(keys_set, n, THREADS, c, n, c->grid, id_bits, c->beads.build_position, c->id, c->key,
         c->value);
  CUDA(cub::DeviceRadixSort::SortPairs(NULL, bytes, c->key, c->key_sorted, c->value, c->order, n, 0,
                                       bits, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, c->key, c->key_sorted, c->value, c->order, n,
                                       0, bits, c->stream));
}

void cuda_sort(struct backend *b, double radius)
{
  struct gpu *c = (struct gpu *)b;
  grid_of(&c->grid, c->build_box, radius);
  b->n_halo = 0;
  keys_sort(c, b->n);
  cuda_columns_gather(c, b->n);
  for (int k = 0; k < PEERS; k++)
    c->peer[k].n_send = c->peer[k].n_send_axis = c->peer[k].n_receive = c->peer[k].n_receive_axis =
        0;
  CUDA(cudaMemsetAsync(c->flag, 0, (size_t)b->n * sizeof *c->flag, c->stream));
  cuda_derive(c, 0, b->n);
}

/* The first bead of each cell, and after the last cell the number of beads. */
static __global__ void starts_set(int64_t cells, int n, int id_bits, const uint64_t *key,
                                  int *start)
{
  int64_t cell = thread_index();
  if (cell > cells) return;
  uint64_t wanted = (uint64_t)cell << id_bits;
  int low = 0, high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (key[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  start[cell] = low;
}

/* order NULL: sorted already. */
static __global__ void sorted_set(int n, const int *order, const int32_t *position,
                                  const int32_t *type, const struct cuda_type *types,
                                  struct bead_record *sorted)
{
  int64_t k = thread_index();
  if (k >= n) return;
  int i = order ? order[k] : (int)k;
  const int32_t *x = position + 3 * (int64_t)i;
  int charged = types[type[i]].interaction == CLASS_CHARGED;
  *(int4 *)(sorted + k) = make_int4(x[0], x[1], x[2], charged ? i | ~SORTED_BEAD : i);
}

void cuda_cells(struct gpu *c)
{
  int n = c->base.n + c->base.n_halo, id_bits = bits_of(c->config.n_total);
  int64_t cells = cells_of(&c->grid);
  if (c->base.n_halo) keys_sort(c, n);
  int64_t bytes = (cells + 1) * (int64_t)sizeof *c->start;
  if (bytes > c->start_room)
    cuda_grow(c, (void **)&c->start, &c->start_room, bytes + bytes / 8, 0, "the table of cells");
  LAUNCH(starts_set, cells + 1, THREADS, c, cells, n, id_bits, c->key_sorted, c->start);
  LAUNCH(sorted_set, n, THREADS, c, n, c->base.n_halo ? c->order : NULL, c->beads.build_position,
         c->beads.type, c->type, c->sorted);
}

/* Beads on one point, which are in one cell. */
static __global__ void points_check(int n, int id_bits, const uint64_t *key,
                                    const struct bead_record *sorted, const int64_t *id,
                                    struct cuda_report *report)
{
  int64_t k = thread_index();
  if (k >= n) return;
  const int4 me = ((const int4 *)sorted)[k];
  const uint64_t cell = key[k] >> id_bits;
  for (int64_t m = k + 1; m < n && key[m] >> id_bits == cell; m++) {
    const int4 other = ((const int4 *)sorted)[m];
    if (me.x != other.x || me.y != other.y || me.z != other.z) continue;
    struct cuda_fault *f = &report->point;
    if (!fault_take(f)) return;
    f->bead = id[me.w & SORTED_BEAD];
    f->other = id[other.w & SORTED_BEAD];
    const int x[3] = {me.x, me.y, me.z};
    for (int d = 0; d < 3; d++)
      f->value[d] = (double)(uint32_t)x[d] / 4294967296.0;
  }
}

void cuda_points_check(struct gpu *c)
{
  int n = c->base.n + c->base.n_halo;
  LAUNCH(points_check, n, THREADS, c, n, bits_of(c->config.n_total), c->key_sorted, c->sorted,
         c->id, c->report);
}
