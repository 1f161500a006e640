/* The kernel of maps on a GPU: the potential of charges and dipoles at the points of a lattice.

   A warp computes a block of MAP_X x MAP_Y x MAP_Z points, at multiples of these in the whole
   lattice. A thread computes MAP_Z points along z, which share the load of a source from shared
   memory and the differences along x and y. The warp goes over the bins within the cutoff of the
   box around its points. Each lane tests one source of a bin against this box, and the sources that
   pass are appended to a buffer in shared memory. When the buffer is full, every thread adds all
   its sources. With points 0.05 nm apart and a cutoff of 1.2 nm, 62 % of the computed pairs are
   inside the cutoff; with blocks of 8^3 points and whole bins of 0.4 nm it would be 37 %.

   A lattice of few blocks would leave most of a GPU idle. There the MAP_WARPS warps of a thread
   block share one block of points: each processes every MAP_WARPS-th group of MAP_LANES sources,
   and their sums are added at the end. This depends on the whole lattice alone, not on its division
   over ranks.

   The unit of length is box edge / 2^32 along z, so that differences along z need no factor.
   Differences of coordinates are exact integers, which are then converted. A thread adds sources in
   the order of the bins around its block, which depends on the lattice and the sources alone.
   Without compensated summation the sources of a buffer are summed before they are added to the
   total, which makes rounding errors smaller. Outside the cutoff a source adds exactly 0. */
#ifndef MAP_KERNEL_CUH
#define MAP_KERNEL_CUH

#include <stdint.h>

#include "cuda/runtime/device.cuh"
#include "maps/map.h"

enum {
  MAP_X = 8,
  MAP_Y = 4,
  MAP_Z = MAP_BLOCK,
  MAP_LANES = MAP_X * MAP_Y, /* of a warp */
  MAP_WARPS = 4,             /* of a thread block */
  MAP_THREADS = MAP_WARPS * MAP_LANES,
  MAP_BUFFER = 128 /* sources in the buffer of a warp */
};

static_assert((MAP_WARPS & (MAP_WARPS - 1)) == 0, "warps take turns by a mask");

/* A source: position, box / 2^32, and charge or dipole, scaled so that no constant is left in
   map_term_of. */
template <class T> struct alignas(4 * sizeof(T)) map_charge {
  int32_t x[3];
  T q;
};
template <class T> struct alignas(4 * sizeof(T)) map_moment {
  T p[3], unused;
};

/* A block of points along one axis: the interval from centre - half to centre + half, box / 2^32,
   that contains them, and the bins within the cutoff of it: `bins` from `first` on, around the
   box. */
struct map_interval {
  uint32_t centre, half;
  int first, bins;
};

template <class T> struct map_view {
  const map_charge<T> *charge;
  const map_moment<T> *moment; /* NULL without dipoles */
  const int *start;            /* of the sources of bins (struct map_sources) */
  int bins[3];
  int low[3], held[3];           /* bins that this rank has (struct map_sources) */
  double bin[3];                 /* edge of a bin, box / 2^32 of its axis */
  const map_interval *block[3];  /* along each axis, of the whole lattice */
  int blocks[2];                 /* of the lattice, along x and y */
  const int32_t *at[3];          /* coordinates of points, box / 2^32 */
  int n[3];                      /* points of the lattice */
  int first_block, first, end;   /* the first layer of blocks of a launch; its planes */
  int64_t regions;               /* blocks of the launch */
  T unit[3];                     /* box / 2^32 of each axis, in that of z */
  T least;                       /* MAP_NEAREST squared */
  T inverse;                     /* MAP_CUTOFF: 1/cutoff^2; MAP_FORCE_FIELD: 1/(2 cutoff) */
  float reach2;                  /* cutoff squared and a little more */
  T *value;                      /* [end - first][n[1]][n[0]] */
  unsigned long long *processed; /* number of sources that passed, summed over blocks */
};

/* 2 / sqrt(s). For float, the instruction for 1 / sqrt(s) has an error of up to 2 units in the last
   place, which would be the largest error of a map. A step of Newton's method follows; without its
   factor of 1/2 it takes three instructions. */
DEVICE float map_two_over_root(float s)
{
  const float ir = rsqrtf(s);
  return ir * fmaf(-(s * ir), ir, 3.0f);
}
DEVICE double map_two_over_root(double s)
{
  return rsqrt(0.25 * s);
}
/* max(1 - a b, 0). For float the instruction saturates (.sat). */
DEVICE float map_rest(float a, float b)
{
  float t;
  asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(t) : "f"(-a), "f"(b), "f"(1.0f));
  return t;
}
DEVICE double map_rest(double a, double b)
{
  return fmax(fma(-a, b, 1.0), 0.0);
}

/* What a source adds: factor * amount, so that a plain sum needs one fma. */
template <class T> struct map_term {
  T factor, amount;
};

/* The formulas of maps/map.h. s: square of the distance; along: p.d. q and p are scaled for 2/r in
   place of 1/r. */
template <class T, int METHOD, int DIPOLES>
DEVICE map_term<T> map_term_of(const map_view<T> &v, T s, T q, T along)
{
  s = fmax(s, v.least);
  const T two_ir = map_two_over_root(s);
  T t = 1, amount = q, shape = 1;
  if (METHOD == MAP_CUTOFF) t = map_rest(s, v.inverse);
  if (METHOD == MAP_FORCE_FIELD) t = map_rest(s * two_ir, v.inverse);
  const T factor = METHOD == MAP_DIRECT ? two_ir : t * two_ir;
  if (!DIPOLES) return {METHOD == MAP_DIRECT ? factor : factor * t, q};
  /* (1 - x^2)(1 + 3 x^2) = t (4 - 3 t) and 1 - 3 x^2 + 2 x^3 = t^2 (3 - 2 t) */
  if (METHOD == MAP_CUTOFF) {
    amount *= t;
    shape = fma(T(-3), t, T(4));
  }
  if (METHOD == MAP_FORCE_FIELD) shape = fma(T(-2), t, T(3));
  const T dipole = along * (two_ir * two_ir);
  amount = METHOD == MAP_DIRECT ? amount + dipole : fma(dipole, shape, amount);
  return {METHOD == MAP_FORCE_FIELD ? factor * t : factor, amount};
}

template <class T, int COMPENSATED> DEVICE void map_add(map_term<T> term, T &sum, T &lost)
{
  if (!COMPENSATED) {
    sum = fma(term.factor, term.amount, sum);
    return;
  }
  const T y = fma(term.factor, term.amount, -lost), next = sum + y;
  lost = (next - sum) - y;
  sum = next;
}

DEVICE int32_t map_minus(uint32_t a, uint32_t b)
{
  return (int32_t)(a - b);
}

/* A lower bound of the distance along an axis between two intervals, the second by its centre and
   half length: 0 where they overlap. box / 2^32. */
DEVICE float map_gap(const map_interval &m, uint32_t centre, float half)
{
  return fmaxf(fabsf((float)map_minus(centre, m.centre)) - (float)m.half - half, 0.0f);
}

/* The block of a warp, and the points of this thread. */
template <class T> struct map_block {
  map_interval interval[3];
  int index[2]; /* of the points along x and y; may be outside the lattice in its last blocks */
  int plane;    /* of the first point */
  uint32_t at[2], z[MAP_Z];
};

template <class T> DEVICE map_block<T> map_block_of(const map_view<T> &v, int64_t region, int lane)
{
  map_block<T> b;
  const int64_t row = region / v.blocks[0];
  const int x = (int)(region % v.blocks[0]), y = (int)(row % v.blocks[1]),
            z = v.first_block + (int)(row / v.blocks[1]);
  b.interval[0] = v.block[0][x];
  b.interval[1] = v.block[1][y];
  b.interval[2] = v.block[2][z];
  b.index[0] = x * MAP_X + lane % MAP_X;
  b.index[1] = y * MAP_Y + lane / MAP_X;
  b.plane = z * MAP_Z;
  for (int k = 0; k < 2; k++)
    b.at[k] = (uint32_t)v.at[k][min(b.index[k], v.n[k] - 1)];
#pragma unroll
  for (int j = 0; j < MAP_Z; j++)
    b.z[j] = (uint32_t)v.at[2][min(b.plane + j, v.n[2] - 1)];
  return b;
}

template <class T, int DIPOLES> struct map_buffer {
  enum { has_moments = DIPOLES };
  map_charge<T> charge[MAP_BUFFER];
  map_moment<T> moment[DIPOLES ? MAP_BUFFER : 1];
};

/* Adds the sources of the buffer to the points of the thread. */
template <class T, int METHOD, int DIPOLES, int COMPENSATED>
DEVICE void map_process(const map_view<T> &v, const map_block<T> &b,
                        const map_buffer<T, DIPOLES> &from, int n, T *sum, T *lost)
{
  for (int k = 0; k < n; k++) {
    const map_charge<T> s = from.charge[k];
    const T dx = (T)map_minus(b.at[0], (uint32_t)s.x[0]) * v.unit[0];
    const T dy = (T)map_minus(b.at[1], (uint32_t)s.x[1]) * v.unit[1];
    const T s_xy = fma(dx, dx, dy * dy);
    T along_xy = 0, p_z = 0;
    if (DIPOLES) {
      const map_moment<T> m = from.moment[k];
      along_xy = fma(m.p[0], dx, m.p[1] * dy);
      p_z = m.p[2];
    }
#pragma unroll
    for (int j = 0; j < MAP_Z; j++) {
      const T dz = (T)map_minus(b.z[j], (uint32_t)s.x[2]);
      const T along = DIPOLES ? fma(p_z, dz, along_xy) : T(0);
      map_add<T, COMPENSATED>(map_term_of<T, METHOD, DIPOLES>(v, fma(dz, dz, s_xy), s.q, along),
                              sum[j], lost[j]);
    }
  }
}

/* 1 if a source can be within the cutoff of a point of the block. */
template <class T>
DEVICE int map_is_near(const map_view<T> &v, const map_block<T> &b, const map_charge<T> &s)
{
  float d2 = 0;
  for (int k = 0; k < 3; k++) {
    const float d = map_gap(b.interval[k], (uint32_t)s.x[k], 0) * (float)v.unit[k];
    d2 = fmaf(d, d, d2);
  }
  return d2 < v.reach2;
}

/* 1 if a row of bins along x can have such a source. */
template <class T>
DEVICE int map_is_row_near(const map_view<T> &v, const map_block<T> &b, int y, int z)
{
  const int bin[2] = {y, z};
  float d2 = 0;
  for (int k = 1; k < 3; k++) {
    const uint32_t centre = (uint32_t)(int64_t)((bin[k - 1] + 0.5) * v.bin[k]);
    const float half = (float)(0.5 * v.bin[k] + 1);
    const float d = map_gap(b.interval[k], centre, half) * (float)v.unit[k];
    d2 = fmaf(d, d, d2);
  }
  return d2 < v.reach2;
}

/* The address of the start of a bin: bins in the order of map_sources_at. */
template <class T> DEVICE const int *map_bin_start(const map_view<T> &v, int x, int y, int z)
{
  const int bin[3] = {x, y, z};
  int64_t index = 0;
  for (int k = 2; k >= 0; k--) {
    const int at = bin[k] - v.low[k];
    index = index * v.held[k] + (at < 0 ? at + v.bins[k] : at);
  }
  return v.start + index;
}

/* How far a warp is in the bins within reach of its block, which it reads row by row along x. The
   sources of a row form groups of MAP_LANES, of which every SHARERS-th is for this warp. begin: its
   next group; end: of the row; turn: the index of its first group in the next row. A row that goes
   around the box counts as two; second: 1 in the second. */
struct map_walk {
  int y, z, second;
  int begin, end, turn;
};

/* Goes to the next row within reach that has sources for this warp. Returns 0 if there is none. */
template <class T, int METHOD, int SHARERS>
DEVICE int map_walk_on(const map_view<T> &v, const map_block<T> &b, map_walk &w)
{
  for (;;) {
    if (w.z == b.interval[2].bins) return 0;
    int y = b.interval[1].first + w.y, z = b.interval[2].first + w.z;
    if (y >= v.bins[1]) y -= v.bins[1];
    if (z >= v.bins[2]) z -= v.bins[2];
    const int near = METHOD == MAP_DIRECT || map_is_row_near(v, b, y, z);
    const int first = b.interval[0].first, last = first + b.interval[0].bins,
              beyond = last - v.bins[0], second = w.second;
    w.second = near && !second && beyond > 0;
    if (!w.second && ++w.y == b.interval[1].bins) {
      w.y = 0;
      w.z++;
    }
    if (!near) continue;
    const int *start = map_bin_start(v, second ? 0 : first, y, z);
    w.begin = start[0] + w.turn * MAP_LANES;
    w.end = start[second ? beyond : min(last, v.bins[0]) - first];
    w.turn = (w.turn + 1) & (SHARERS - 1);
    if (w.begin < w.end) return 1;
  }
}

/* Fills the buffer, in order, with the next sources that can be within the cutoff. Returns their
   number; *done: no more follow. */
template <class T, int METHOD, int SHARERS, class BUFFER>
DEVICE int map_fill(const map_view<T> &v, const map_block<T> &b, map_walk &w, BUFFER &buffer,
                    int lane, int *done)
{
  int held = 0;
  while (held <= MAP_BUFFER - MAP_LANES) {
    if (w.begin >= w.end && !map_walk_on<T, METHOD, SHARERS>(v, b, w)) {
      *done = 1;
      break;
    }
    const int i = w.begin + lane;
    map_charge<T> s;
    int near = i < w.end;
    if (near) {
      s = v.charge[i];
      if (METHOD != MAP_DIRECT) near = map_is_near(v, b, s);
    }
    const unsigned all = __ballot_sync(ALL_LANES, near);
    if (near) {
      const int to = held + __popc(all & ((1u << lane) - 1));
      buffer.charge[to] = s;
      if (buffer.has_moments) buffer.moment[to] = v.moment[i];
    }
    held += __popc(all);
    w.begin += SHARERS * MAP_LANES;
  }
  return held;
}

/* Adds the sums of the warps of a thread block, in order, to those of its first warp. */
template <class T, int COMPENSATED>
DEVICE void map_gather(T (*shared)[2][MAP_Z][MAP_LANES], int warp, int lane, T *sum, T *lost)
{
  __syncthreads(); /* the buffers, in the same memory, are no longer read */
  for (int j = 0; j < MAP_Z; j++) {
    shared[warp][0][j][lane] = sum[j];
    if (COMPENSATED) shared[warp][1][j][lane] = lost[j];
  }
  __syncthreads();
  for (int w = 1; w < MAP_WARPS && warp == 0; w++)
    for (int j = 0; j < MAP_Z; j++) {
      map_add<T, COMPENSATED>({T(1), shared[w][0][j][lane]}, sum[j], lost[j]);
      if (COMPENSATED) map_add<T, 1>({T(-1), shared[w][1][j][lane]}, sum[j], lost[j]);
    }
}

template <class T> DEVICE void map_store(const map_view<T> &v, const map_block<T> &b, const T *sum)
{
  if (b.index[0] >= v.n[0] || b.index[1] >= v.n[1]) return;
#pragma unroll
  for (int j = 0; j < MAP_Z; j++) {
    const int plane = b.plane + j;
    if (plane >= v.first && plane < v.end)
      v.value[((int64_t)(plane - v.first) * v.n[1] + b.index[1]) * v.n[0] + b.index[0]] = sum[j];
  }
}

/* SHARERS: warps that share a block of points, 1 or MAP_WARPS. The launch bound leaves registers
   for the computations of several points to overlap. */
template <class T, int METHOD, int DIPOLES, int COMPENSATED, int SHARERS>
static __global__ void __launch_bounds__(MAP_THREADS, sizeof(T) == 8 ? 4 : 5)
    map_kernel(const __grid_constant__ map_view<T> v)
{
  __shared__ union {
    map_buffer<T, DIPOLES> buffer[MAP_WARPS];
    T sum[MAP_WARPS][2][MAP_Z][MAP_LANES];
  } shared;
  const int lane = (int)(threadIdx.x % MAP_LANES), warp = (int)(threadIdx.x / MAP_LANES);
  const int64_t region = ((int64_t)blockIdx.x * MAP_WARPS + warp) / SHARERS;
  if (region >= v.regions) return; /* not where warps share a block */
  map_buffer<T, DIPOLES> &buffer = shared.buffer[warp];
  const map_block<T> b = map_block_of(v, region, lane);
  map_walk walk = {0, 0, 0, 0, 0, warp & (SHARERS - 1)};
  T sum[MAP_Z] = {}, lost[MAP_Z] = {};
  unsigned long long processed = 0;
  for (int done = 0; !done;) {
    const int held = map_fill<T, METHOD, SHARERS>(v, b, walk, buffer, lane, &done);
    T partial[MAP_Z] = {};
    __syncwarp();
    map_process<T, METHOD, DIPOLES, COMPENSATED>(v, b, buffer, held, COMPENSATED ? sum : partial,
                                                 lost);
    __syncwarp();
    for (int j = 0; j < MAP_Z && !COMPENSATED; j++)
      sum[j] += partial[j];
    processed += (unsigned)held;
  }
  if (lane == 0) atomicAdd(v.processed, processed);
  if (SHARERS > 1) map_gather<T, COMPENSATED>(shared.sum, warp, lane, sum, lost);
  if (SHARERS == 1 || warp == 0) map_store(v, b, sum);
}

#endif
