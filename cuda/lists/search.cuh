/* The search for unlisted pairs inside the cutoff, for kernels. At least one bead of such a pair
   has moved more than search_above2 (a squared displacement) since the list build. These are few:
   the integrator lists them, and a block compares one of them with all beads that were within reach
   of it at the build. With several lists (kernels with SEVERAL 1), a pair is unlisted if it is
   inside the cutoff of a list that has pairs of its list classes but lacks this one. */
#ifndef SEARCH_CUDA_CUH
#define SEARCH_CUDA_CUH

#include "cuda/lists/list_group.cuh"

/* Two blocks for each multiprocessor of an H200: with 528 and 1,056 blocks Martini of 20,736 beads
   under a barostat lost 8 and 7 %, ELBA of 7,040 beads 2 and 30 %. */
enum { SEARCH_THREADS = 128, SEARCH_BLOCKS = 264, COLUMN_THREADS = 2 };
enum { PARTS_MOST = 4 }; /* blocks that share a bead at most; a power of 2 */

/* A list of the plan, for the search. */
struct search_plan {
  double cutoff2;                       /* nm2 */
  unsigned partners[PAIR_CLASSES_MOST]; /* of struct pair_pass */
};

struct search_job {
  struct list_job list; /* list 0, with the reach of the search of all lists */
  /* Of each list, in units of list.h[0]^2: its radius squared, and the squared distance at the
     build beyond which no pair can be inside its cutoff now. */
  float r2[PAIR_PASSES_MOST], most2[PAIR_PASSES_MOST];
  const int *displaced; /* local indices of the beads to search around */
  const struct bead_record *record;
  int n; /* lists */
  struct search_plan plan[PAIR_PASSES_MOST];
  int parity, reduce; /* parity of the step; reduce of lists_expire */
  struct cuda_report *report;
};

/* A group of one bead. */
DEVICE struct group group_alone(const struct list_job &job, int i)
{
  struct group g;
  int cell[3];
  const int *x = job.position + 3 * (int64_t)i;
  for (int k = 0; k < 3; k++) {
    cell[k] = cell_of(x[k], job.cells[k], &g.low[k]);
    g.high[k] = g.low[k];
    g.centre[k] = x[k] >> COARSE << COARSE;
  }
  g.column[0] = cell[0];
  g.column[1] = cell[1];
  g.floor = cell[2];
  return g;
}

/* The largest cutoff squared, nm2, of the lists that ought to hold a pair of these list classes but
   do not, because it was so far apart at the build (d2); 0 if there are none. */
DEVICE double lacking_cutoff2(const struct search_job &job, float d2, unsigned mine, unsigned other)
{
  double cutoff2 = 0;
  for (int l = 0; l < job.n; l++) {
    if (d2 < job.r2[l] || d2 > job.most2[l]) continue;
    if (job.plan[l].partners[mine] >> other & 1u) cutoff2 = fmax(cutoff2, job.plan[l].cutoff2);
  }
  return cutoff2;
}

/* 1 if the k-th of the sorted beads is inside the cutoff of bead `me` (present record) and not in
   its list. mine: the list class of the bead. */
template <int SEVERAL, int OBLIQUE>
DEVICE int is_unlisted(const struct search_job &job, const struct group &g, const int4 me,
                       unsigned mine, int k)
{
  const struct list_job &list = job.list;
  const int4 q = ((const int4 *)list.sorted)[k];
  const int j = q.w & SORTED_BEAD;
  const float dx = coarse(q.x, g.centre[0]), dy = coarse(q.y, g.centre[1]),
              dz = coarse(q.z, g.centre[2]);
  const float d2 = coarse2<OBLIQUE>(list, dx, dy, dz);
  double cutoff2 = job.plan[0].cutoff2;
  if (!SEVERAL && (d2 < job.r2[0] || d2 > job.most2[0])) return 0;
  if (SEVERAL) cutoff2 = lacking_cutoff2(job, d2, mine, list_class_of(q.w));
  if (SEVERAL && !(cutoff2 > 0)) return 0;
  const int4 other = ((const int4 *)job.record)[j];
  const int32_t here[3] = {me.x, me.y, me.z}, there[3] = {other.x, other.y, other.z};
  double box[BOX], unit[BOX];
  box_for<OBLIQUE>(job.report->box.now.box, box);
  torus_units(box, unit);
  return torus_distance2(here, there, unit) < cutoff2;
}

/* 1 if this thread finds an unlisted pair of bead i in its part of `parts` equal ones.
   COLUMN_THREADS threads of a block share a column of cells. */
template <int SEVERAL, int OBLIQUE>
DEVICE int find_unlisted(const struct search_job &job, int i, int part, int parts)
{
  const struct list_job &list = job.list;
  const struct group g = group_alone(list, i);
  const int4 me = ((const int4 *)job.record)[i];
  const unsigned mine = SEVERAL ? (unsigned)list.types[me.w].list_class : 0;
  const int columns = list.reach[0].n * list.reach[1].n;
  const int first = COLUMN_THREADS * part + (int)threadIdx.x % COLUMN_THREADS;
  int found = 0;
  for (int c = (int)threadIdx.x / COLUMN_THREADS; c < columns;
       c += SEARCH_THREADS / COLUMN_THREADS) {
    const struct runs r = column_runs<OBLIQUE>(list, g, c);
#pragma unroll
    for (int run = 0; run < 2; run++)
      for (int k = first; k < r.length[run]; k += COLUMN_THREADS * parts)
        found |= is_unlisted<SEVERAL, OBLIQUE>(job, g, me, mine, r.begin[run] + k);
  }
  return found;
}

/* How many blocks share each of n displaced beads: the most, as a power of 2, with which no block
   has more than one bead. Blocks wait for loads most of the time, so that the search takes as long
   as the longest loop of a block. */
DEVICE unsigned search_parts(unsigned n, unsigned blocks)
{
  unsigned parts = 1;
  while (parts < PARTS_MOST && 2 * parts * n <= blocks)
    parts *= 2;
  return parts;
}

/* Searches around displaced beads blockIdx.x, blockIdx.x + blocks, ... of n, if one block does a
   bead. */
template <int SEVERAL, int OBLIQUE>
DEVICE void search(const struct search_job &job, unsigned n, unsigned parts, unsigned blocks)
{
  for (unsigned k = blockIdx.x; k < n * parts; k += blocks)
    if (find_unlisted<SEVERAL, OBLIQUE>(job, job.displaced[k / parts], (int)(k % parts),
                                        (int)parts))
      lists_expire(job.report, job.reduce, job.report->begun[job.parity ^ 1]);
}

/* search.cu: the search that cuda_search_unlisted has left to the pass over pairs, which then does
   it. */
struct search_job cuda_search_take(struct gpu *c);

#endif
