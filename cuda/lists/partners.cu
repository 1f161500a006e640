/* Bonded terms of the owned beads with partners as local indices, and the map from ids to local
   indices. */
#include <string.h>

#include "backend/offender.h"
#include "cuda/lists/ids.cuh"
#include "cuda/lists/sort.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"

/* Argument of the kernels that fill in bonded terms; arrays are device memory. */
struct partners {
  int n;
  struct gpu_topology from;
  struct gpu_bonded to;
  const int64_t *id;
  const int32_t *slot;
  int *boundary;
  int *count;              /* [owned + 1] entries of a bead */
  int64_t room;            /* entries */
  const int32_t *position; /* of the build, box / 2^32 */
  double h[BOX], longest;  /* nm; box of the build / 2^32; build_params.term_length */
  enum build_checks checks;
  struct cuda_report *report;
};

static __global__ void ids_set(struct cuda_ids ids, int n, const int64_t *id)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  if (ids.index)
    ids.index[id[i]] = (int)i;
  else
    id_insert(ids, id[i], (int)i);
}

static __global__ void terms_count(const __grid_constant__ struct partners p)
{
  int64_t i = thread_index();
  chain_start_next();
  if (i > p.n) return;
  int slot = i < p.n ? p.slot[i] : -1;
  p.count[i] = slot < 0 ? 0 : p.from.term_start[slot + 1] - p.from.term_start[slot];
}

static __device__ int partner_of(const struct partners &p, int64_t i, int64_t offset)
{
  int64_t id = p.id[i] + offset;
  const int j = id_index(p.to.ids, id);
  if (j >= p.n) p.boundary[i] = 1;
  if (j >= 0) return j;
  if (p.checks != CHECK_NOTHING && fault_is_first(&p.report->broken)) {
    p.report->broken.bead = p.id[i];
    p.report->broken.other = id;
  }
  return (int)i;
}

/* Reports partner j of bead i if it is further away than longest (nm). Only the first report is
   kept. */
static __device__ void partner_check(const struct partners &p, int64_t i, int64_t j, double longest)
{
  if (j == i) return;
  const int32_t *x = p.position + 3 * i, *y = p.position + 3 * j;
  const int32_t a[3] = {x[0], x[1], x[2]}, b[3] = {y[0], y[1], y[2]};
  const double d2 = torus_distance2(a, b, p.h);
  struct cuda_fault *f = &p.report->broken;
  if (d2 <= longest * longest || !fault_is_first(f)) return;
  f->bead = p.id[i];
  f->other = p.id[j];
  f->value[0] = sqrt(d2);
  f->value[1] = longest;
}

/* rest: the length of the term at rest, nm, or 0. */
static __device__ void entry_check(const struct partners &p, int64_t i,
                                   const struct bonded_entry *e, double rest)
{
  const double longest = offender_term_length(rest, p.longest);
  if (p.checks != CHECK_BONDS) return;
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++)
    partner_check(p, i, e->partner[k], longest);
}

static __global__ void terms_fill(const __grid_constant__ struct partners p)
{
  int64_t i = thread_index();
  chain_wait();
  if (i >= p.n) return;
  if (i == 0) p.report->bonded = p.to.row[p.n];
  int slot = p.slot[i];
  if (slot < 0) return;
  const struct topology_term *term = p.from.term + p.from.term_start[slot];
  for (int k = p.to.row[i]; k < p.to.row[i + 1]; k++, term++) {
    struct bonded_entry e;
    e.type_and_role = bonded_type_and_role(term->type, term->role);
    for (int b = 0; b < BONDED_BEADS_MOST - 1; b++)
      e.partner[b] = b < term->beads - 1 ? partner_of(p, i, term->partner[b]) : (int)i;
    entry_check(p, i, &e, p.from.rest[term->type]);
    if (term->section == SECTION_restraint)
      e.partner[0] = bonded_anchor((int32_t)anchor_find(&p.from.anchors, p.id[i]));
    if (k < p.room) p.to.entry[k] = e;
  }
}

void cuda_bonded_open(struct gpu *c)
{
  struct gpu_bonded *b = NEW_STATE(gpu_bonded, c, bonded);
  cuda_per_bead(c, &b->row, sizeof *b->row, 0, 1, "row of bonded terms");
  if (c->topology->term_start) b->ids.n_total = c->config.n_total;
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, b, sizeof *b);
}

static const char *const ids_use = "the table of ids";

/* Empties the hash table, with at least two slots per bead. */
static void slots_clear(struct gpu *c, struct cuda_ids *ids, int64_t n)
{
  int64_t slots = 1024;
  while (slots < 2 * n)
    slots *= 2;
  cuda_grow(c, &ids->slot, slots * (int64_t)sizeof *ids->slot, 0, ids_use);
  ids->mask = (uint64_t)slots - 1;
  CUDA(cudaMemsetAsync(ids->slot, 0xff, (size_t)slots * sizeof *ids->slot, c->streams->main));
}

int *cuda_ids_index(struct gpu *c)
{
  struct cuda_ids *ids = &OWN(gpu_bonded, c->bonded)->ids;
  if (!c->topology->term_start || c->config.ranks > 1) return NULL;
  cuda_grow(c, &ids->index, (ids->n_total + 1) * (int64_t)sizeof *ids->index, 0, ids_use);
  return ids->index;
}

void cuda_ids_set(struct gpu *c)
{
  struct cuda_ids *ids = &OWN(gpu_bonded, c->bonded)->ids;
  const int n = c->base.n + c->base.n_halo;
  if (!c->topology->term_start) return;
  if (!cuda_ids_index(c)) slots_clear(c, ids, n);
  LAUNCH(ids_set, n, THREADS, c, *ids, n, c->arrays->id);
}

void cuda_partners_find(struct gpu *c, const struct build_params *params, cudaStream_t stream)
{
  int n = c->base.n;
  if (!c->topology->term_start) return;
  struct partners p;
  memset(&p, 0, sizeof p); /* with its padding: arguments are compared byte by byte */
  p.n = n;
  p.id = c->arrays->id;
  p.slot = c->arrays->beads.bonded_env;
  memcpy(&p.from, c->topology, sizeof p.from);
  memcpy(&p.to, c->bonded, sizeof p.to);
  p.boundary = c->sorting->flag;
  p.count = (int *)c->sorting->key; /* not in use now */
  p.room = cuda_room(c, c->bonded->entry) / (int64_t)sizeof *c->bonded->entry;
  p.report = c->reports->device;
  p.position = c->arrays->beads.build_position;
  torus_units(c->reports->build_box, p.h);
  p.longest = params->term_length;
  p.checks = c->base.checks;
  if (graph_renewed(c, &p, sizeof p)) return;
  LAUNCH_ON(stream, terms_count, n + 1, THREADS, p);
  cuda_sum_before(c, p.count, c->bonded->row, n + 1, stream);
  struct chained_launch fill = chain_in_main(c, n, THREADS, n < SUM_FEW_MOST);
  fill.stream = stream;
  launch_chained(fill, terms_fill, p);
  graph_note(c, stream, 0, &p, sizeof p);
}

int cuda_partners_read(struct gpu *c)
{
  struct gpu_bonded *b = OWN(gpu_bonded, c->bonded);
  const int64_t bytes = c->reports->host->bonded * (int64_t)sizeof *b->entry;
  const int again = bytes > cuda_room(c, b->entry);
  cuda_grow_more(c, &b->entry, bytes, "bonded terms");
  return again;
}
