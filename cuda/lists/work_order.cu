/* The order in which threads process the beads of a list. */
#include "cuda/lists/list.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"

/* How groups of a work order are numbered (GROUPS_MOST). classes: list classes; half: groups of the
   interior beads; listed: bits of the list classes that are in the list. */
struct grouping {
  int classes, half;
  unsigned listed;
};

static struct grouping grouping_of(const struct gpu *c, int list)
{
  const struct pair_plan *plan = c->config.plan;
  struct grouping g = {plan->n_classes, c->orders->of[list].half, 0};
  for (int k = 0; k < plan->n_classes; k++)
    g.listed |= (unsigned)pair_class_listed(plan, list, k) << k;
  return g;
}

/* Sets the group of each owned bead, and the values to sort. */
static __global__ void groups_set(int n, struct grouping of, const int *flag, const int32_t *type,
                                  const struct cuda_type *types, unsigned char *group, int *value)
{
  int i = (int)thread_index();
  if (i >= n) return;
  const struct cuda_type *t = &types[type[i]];
  const int here = t->interaction * of.classes + t->list_class;
  const int listed = (int)(of.listed >> t->list_class & 1u);
  group[i] = (unsigned char)(flag[i] * of.half + (listed ? here : of.half - 1));
  value[i] = i;
}

static __global__ void groups_find(int n, const unsigned char *sorted, int *group_end)
{
  int g = (int)threadIdx.x, low = 0, high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle] <= g)
      low = middle + 1;
    else
      high = middle;
  }
  group_end[g] = low;
}

HD int aligned(int place)
{
  return (place + PLACES_ALIGN - 1) / PLACES_ALIGN * PLACES_ALIGN;
}

/* Fills in the places from the sorted beads. unlisted: the group of the interior beads that are not
   in the list; above all groups if there is none. */
static __global__ void places_fill(int n, int half, int unlisted, const unsigned char *sorted,
                                   const int *bead, const int *group_end, struct cuda_place *place)
{
  int k = (int)thread_index(), begin = 0, first = 0;
  if (k >= n) return;
  const int mine = sorted[k];
  if (mine == unlisted || mine - half == unlisted) return;
  for (int g = 0; g < mine; g++) {
    if (g != unlisted) first = aligned(first + group_end[g] - begin);
    begin = group_end[g];
  }
  place[first + k - begin].bead = bead[k];
}

static int group_unlisted(const struct work_order *l)
{
  return l->all ? 2 * l->half : l->half - 1;
}

void cuda_orders_open(struct gpu *c)
{
  const struct pair_plan *plan = c->config.plan;
  struct gpu_orders *orders = NEW_STATE(gpu_orders, c, orders);
  for (int k = 0; k < plan->n_passes; k++) {
    struct work_order *l = &orders->of[k];
    l->all = plan->pass[k].all;
    l->half = CLASSES * plan->n_classes + !l->all;
    cuda_per_bead(c, &l->place, sizeof *l->place, 0, 2 * l->half * PLACES_ALIGN, "bead at a place");
  }
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, orders, sizeof *orders);
}

static void work_order_set(struct gpu *c, int list, cudaStream_t stream)
{
  struct work_order *l = &OWN(gpu_orders, c->orders)->of[list];
  const int n = c->base.n, groups = 2 * l->half, bits = bits_for(groups - 1);
  int *group_end = c->reports->device->group_end[list];
  l->n_places = n > 0 ? n + groups * PLACES_ALIGN : 0;
  if (n == 0) return;
  LAUNCH_ON(stream, groups_set, n, THREADS, n, grouping_of(c, list), c->sorting->flag,
            c->arrays->beads.type, c->types->type, c->sorting->group, c->sorting->value);
  cuda_sort_groups(c, n, bits, stream);
  LAUNCH_ON(stream, groups_find, groups, groups, n, c->sorting->group_sorted, group_end);
  CUDA(cudaMemsetAsync(l->place, -1, (size_t)l->n_places * sizeof *l->place, stream));
  LAUNCH_ON(stream, places_fill, n, THREADS, n, l->half, group_unlisted(l),
            c->sorting->group_sorted, c->sorting->order, group_end, l->place);
}

void cuda_orders_set(struct gpu *c, cudaStream_t stream)
{
  for (int l = 0; l < c->config.plan->n_passes; l++)
    work_order_set(c, l, stream);
}

/* Argument of windows_sort; arrays are device memory. */
struct balance {
  int n_places;
  const struct list_head *head;
  struct cuda_place *place;
};

/* A warp runs as long as its longest list. So the beads of each window of PLACES_ALIGN places,
   which are of one class and neighbours, are sorted by the lengths of their lists. Also stores
   these in the places. */
static __global__ __launch_bounds__(PLACES_ALIGN) void windows_sort(const struct balance b)
{
  __shared__ unsigned key[PLACES_ALIGN];
  int p = (int)thread_index(), me = (int)threadIdx.x, before = 0;
  int bead = p < b.n_places ? b.place[p].bead : -1;
  struct list_head head = {{4095, 4095}};
  if (bead >= 0) head = b.head[bead];
  unsigned mine = (unsigned)min(head.halves[0], 4095) << 20 | (unsigned)min(head.halves[1], 4095)
                                                                  << 8;
  mine += (unsigned)me; /* makes keys distinct */
  key[me] = mine;
  __syncthreads();
#pragma unroll 16
  for (int k = 0; k < PLACES_ALIGN; k++)
    before += key[k] < mine;
  if (bead < 0) return;
  const struct cuda_place place = {bead, {(uint16_t)head.halves[0], (uint16_t)head.halves[1]}};
  b.place[p - me + before] = place;
}

void cuda_orders_balance(struct gpu *c)
{
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    const struct cuda_list *list = &c->lists->of[l];
    struct balance b;
    b.n_places = c->orders->of[l].n_places;
    b.head = list->head;
    b.place = c->orders->of[l].place;
    LAUNCH(windows_sort, b.n_places, PLACES_ALIGN, c, b);
  }
}

void cuda_orders_read(struct gpu *c)
{
  const struct cuda_report *r = c->reports->host;
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    struct work_order *order = &OWN(gpu_orders, c->orders)->of[l];
    const int half = order->half, unlisted = group_unlisted(order);
    int *first = order->group_first, end = 0;
    first[0] = 0;
    for (int g = 0; g < 2 * half; g++) {
      const int has = g != unlisted && g - half != unlisted;
      first[g + 1] = has ? aligned(first[g] + r->group_end[l][g] - end) : first[g];
      end = r->group_end[l][g];
    }
  }
  c->base.interior = r->group_end[0][c->orders->of[0].half - 1];
  c->base.boundary = c->base.n - c->base.interior;
}
