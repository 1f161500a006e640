/* Forces, torques, energies and virial, each bead wholly in one pass: its candidates in list order
   by a fixed number of lanes, added by a fixed tree, then its bonded terms. A kernel for each set
   of pair terms, with and without energies; compiled once for each precision (PRECISION: mixed,
   double). */
#include "device_cuda.cuh"

#include "force_body.h"
#include "model_cuda.cuh"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

enum { FORCE_THREADS = 128 };
#define ALL_LANES 0xffffffffu

struct force_pass {
  struct model model; /* arrays are device memory */
  struct force_view view;
  real h[3];      /* box / 2^32, in cutoffs */
  int first, end; /* places */
  int placed, most_rows, few_types;
  const int *place, *rows;
  const int4 *index;
  const int *bonded_row; /* NULL: no bonded terms at all */
  const struct bonded_entry *bonded;
  double *force, *torque;
  struct sums *sums;
  const struct cuda_report *report;
  double sum_scale;
};

static __device__ __forceinline__ struct bead_record record_load(const struct force_view &v, int j)
{
  int4 r = __ldg((const int4 *)v.record + j);
  struct bead_record out = {{r.x, r.y, r.z}, r.w};
  return out;
}

static __device__ __forceinline__ struct axis_record axis_load(const struct force_view &v, int j)
{
#ifdef REAL_DOUBLE
  const double2 *from = (const double2 *)(v.axis + j);
  double2 a = __ldg(from), b = __ldg(from + 1);
  struct axis_record out = {{a.x, a.y, b.x}, b.y};
#else
  float4 a = __ldg((const float4 *)v.axis + j);
  struct axis_record out = {{a.x, a.y, a.z}, a.w};
#endif
  return out;
}

/* Coefficients of all pairs of types in shared memory, as far as they have room there: forces need
   half of them. */
enum { SHARED_TYPES = 16 };
struct shared_coef {
  real a6, b3;
};

/* The bead that a few threads work for. */
struct centre {
  int i; /* -1: none */
  struct bead_record me;
  struct axis_record axis;
  int row; /* of its type in the coefficients */
};

template <int WANT>
static __device__ __forceinline__ struct pair_coef
coef_load(const struct force_pass &pass, const struct centre &c, const struct shared_coef *shared,
          int type)
{
  if (WANT || !pass.few_types) return pass.model.pair[c.row + type];
  struct pair_coef out;
  out.lj.a = out.lj.b = 0;
  out.lj.a6 = shared[c.row + type].a6;
  out.lj.b3 = shared[c.row + type].b3;
  return out;
}

/* What a thread has summed: of its bead's pairs its share, of its bonded terms its own. */
struct extra {
  double u[ENERGIES], w[9]; /* pairs, each from both sides */
  int64_t virial[9], energy[ENERGIES][2], overflow;
};

HD constexpr int needs_axes(unsigned set)
{
  return (set & PAIR_AXIS_TERMS) != 0 || (set & PAIR_BIT(qq)) != 0;
}

/* Adds candidate j. */
template <unsigned SET, int WANT>
static __device__ __forceinline__ void
pair_add(const struct force_pass &pass, const struct centre &c, const struct shared_coef *shared,
         int j, const struct bead_record &other, const struct axis_record &axis,
         struct pair_sum *sum, struct extra *extra)
{
  constexpr int axes = needs_axes(SET);
  struct vec3 r = vec3_make(R(torus_difference(c.me.x[0], other.x[0])) * pass.h[0],
                            R(torus_difference(c.me.x[1], other.x[1])) * pass.h[1],
                            R(torus_difference(c.me.x[2], other.x[2])) * pass.h[2]);
  struct vec3 ui = axis_of(&c.axis), uj = axis_of(&axis);
  struct pair_arg p = pair_arguments(r, ui, uj, c.axis.q, axis.q, j == c.i, axes);
  struct pair_value v = pair_evaluate(SET, coef_load<WANT>(pass, c, shared, other.type), p);
  *sum = pair_gather(*sum, v.slope, r, uj, axes);
  if (!WANT) return;
  struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, uj, axes), ui);
  const double d[3] = {(double)r.x, (double)r.y, (double)r.z};
  const double g[3] = {(double)f.x, (double)f.y, (double)f.z};
#pragma unroll
  for (int k = 0; k < 9; k++)
    extra->w[k] += d[k / 3] * g[k % 3];
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) extra->u[k] += (double)v.energy[k];
}

/* The rows of one lane of a bead; the indices of the next row are fetched ahead. */
template <unsigned SET, int WANT>
static __device__ __forceinline__ struct pair_sum
rows_add(const struct force_pass &pass, const struct centre &c, const struct shared_coef *shared,
         const int4 *index, int rows, struct extra *extra)
{
  constexpr int axes = needs_axes(SET);
  struct pair_sum sum = pair_none();
  int4 next = make_int4(0, 0, 0, 0);
  if (rows > 0) next = __ldcs(index);
  for (int row = 0; row < rows; row++) {
    const int j[4] = {next.x, next.y, next.z, next.w};
    struct bead_record other[4];
    struct axis_record axis[4];
    if (row + 1 < rows) next = __ldcs(index + (int64_t)(row + 1) * 32);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      other[k] = record_load(pass.view, j[k]);
      axis[k].u[0] = axis[k].u[1] = axis[k].u[2] = axis[k].q = 0;
      if (axes) axis[k] = axis_load(pass.view, j[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
      pair_add<SET, WANT>(pass, c, shared, j[k], other[k], axis[k], &sum, extra);
  }
  return sum;
}

template <int LANES> static __device__ __forceinline__ real lanes_total(real v)
{
#pragma unroll
  for (int w = LANES / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

template <int LANES> static __device__ __forceinline__ double lanes_total_double(double v)
{
#pragma unroll
  for (int w = LANES / 2; w > 0; w /= 2)
    v += __shfl_xor_sync(ALL_LANES, v, w);
  return v;
}

template <int LANES> static __device__ __forceinline__ struct vec3 lanes_vector(struct vec3 v)
{
  return vec3_make(lanes_total<LANES>(v.x), lanes_total<LANES>(v.y), lanes_total<LANES>(v.z));
}

static __device__ __forceinline__ void energy_add(struct extra *extra, int channel, double v)
{
  int64_t x = sum_fixed(v, (double)(INT64_C(1) << SUM_ENERGY_BITS), &extra->overflow);
  extra->energy[channel][0] += x & INT64_C(0xffffffff);
  extra->energy[channel][1] += x >> 32;
}

/* Half of the energies and virial of a bead's pairs, counted by its first lane: the partner counts
   the other half. */
template <unsigned SET, int LANES>
static __device__ __forceinline__ void pairs_count(const struct force_pass &pass, int count,
                                                   struct extra *extra)
{
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) {
      double u = 0.5 * lanes_total_double<LANES>(extra->u[k]);
      if (count) energy_add(extra, k, u);
    }
#pragma unroll
  for (int k = 0; k < 9; k++) {
    double w = 0.5 * lanes_total_double<LANES>(extra->w[k]);
    if (count) extra->virial[k] += sum_fixed(w, pass.sum_scale, &extra->overflow);
  }
}

static __device__ __forceinline__ void bonded_count(const struct force_pass &pass,
                                                    const struct bonded_entry *e,
                                                    const struct bonded_sum &s, struct extra *extra)
{
  const double arm[3] = {(double)s.arm.x, (double)s.arm.y, (double)s.arm.z};
  const double pull[3] = {(double)s.pull.x, (double)s.pull.y, (double)s.pull.z};
  const int channel = bonded_channel(&pass.model, e);
#pragma unroll
  for (int a = 0; a < 9; a++)
    extra->virial[a] += sum_fixed(arm[a / 3] * pull[a % 3], pass.sum_scale, &extra->overflow);
  if (e->role != 0) return;
  /* No index into extra that is not a constant: it would leave registers. */
  const double u = (double)s.u;
  if (channel == ENERGY_bond) energy_add(extra, ENERGY_bond, u);
  if (channel == ENERGY_angle) energy_add(extra, ENERGY_angle, u);
  if (channel == ENERGY_dipole_angle) energy_add(extra, ENERGY_dipole_angle, u);
}

/* The bonded terms of a bead, a term a lane, added in their order by every lane. */
template <int LANES, int WANT>
static __device__ __forceinline__ void bonded_add(const struct force_pass &pass, int i, int lane,
                                                  double f[3], double t[3], struct extra *extra)
{
  int begin = i >= 0 ? pass.bonded_row[i] : 0, n = i >= 0 ? pass.bonded_row[i + 1] - begin : 0;
  int most = __reduce_max_sync(ALL_LANES, n);
  for (int k = 0; k < most; k += LANES) {
    struct bonded_sum s = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (k + lane < n) {
      const struct bonded_entry *e = &pass.bonded[begin + k + lane];
      s = bonded_term(&pass.model, &pass.view, i, e);
      if (WANT) bonded_count(pass, e, s, extra);
    }
    for (int l = 0; l < LANES; l++) {
      real fx = __shfl_sync(ALL_LANES, s.f.x, l, LANES),
           fy = __shfl_sync(ALL_LANES, s.f.y, l, LANES),
           fz = __shfl_sync(ALL_LANES, s.f.z, l, LANES),
           tx = __shfl_sync(ALL_LANES, s.t.x, l, LANES),
           ty = __shfl_sync(ALL_LANES, s.t.y, l, LANES),
           tz = __shfl_sync(ALL_LANES, s.t.z, l, LANES);
      if (k + l >= n) continue;
      f[0] += (double)fx;
      f[1] += (double)fy;
      f[2] += (double)fz;
      t[0] += (double)tx;
      t[1] += (double)ty;
      t[2] += (double)tz;
    }
  }
}

/* Every thread of a block calls it. */
static __device__ __forceinline__ void extra_add(const struct extra &extra, unsigned channels,
                                                 struct sums *out)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    block_add(extra.virial[k], &out->word[SUM_VIRIAL + k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (channels >> k & 1) {
      block_add(extra.energy[k][0], &out->energy[k][0]);
      block_add(extra.energy[k][1], &out->energy[k][1]);
    }
  block_add(extra.overflow, &out->overflow);
}

static __device__ __forceinline__ void extra_clear(struct extra *e)
{
#pragma unroll
  for (int k = 0; k < 9; k++) {
    e->w[k] = 0;
    e->virial[k] = 0;
  }
#pragma unroll
  for (int k = 0; k < ENERGIES; k++) {
    e->u[k] = 0;
    e->energy[k][0] = e->energy[k][1] = 0;
  }
  e->overflow = 0;
}

static __device__ __forceinline__ struct centre centre_of(const struct force_pass &pass, int place)
{
  struct centre c;
  c.i = -1;
  if (place < pass.end) c.i = pass.placed ? pass.place[place] : place;
  int at = c.i < 0 ? 0 : c.i;
  c.me = record_load(pass.view, at);
  c.axis = axis_load(pass.view, at);
  c.row = c.me.type * pass.model.n_types;
  return c;
}

/* Registers for 7 blocks on a multiprocessor in mixed precision. */
static constexpr int blocks_wanted(int want)
{
  return sizeof(real) == 8 ? 2 : want ? 4 : 7;
}

template <unsigned SET, int LANES, int WANT>
static __global__ __launch_bounds__(FORCE_THREADS, blocks_wanted(WANT)) void force_rows(
    const __grid_constant__ struct force_pass pass)
{
  constexpr int BEADS = 32 / LANES; /* of a warp */
  int64_t t = thread_index();
  int place = pass.first + (int)(t / LANES), lane = (int)(t % LANES);
  struct extra extra;
  __shared__ struct shared_coef shared[SHARED_TYPES * SHARED_TYPES];
  if (is_stopped(pass.report)) return;
  if (!WANT && pass.few_types) {
    for (int k = (int)threadIdx.x; k < pass.model.n_types * pass.model.n_types;
         k += FORCE_THREADS) {
      shared[k].a6 = pass.model.pair[k].lj.a6;
      shared[k].b3 = pass.model.pair[k].lj.b3;
    }
    __syncthreads();
  }
  if (WANT) extra_clear(&extra);
  const struct centre c = centre_of(pass, place);
  int rows = c.i >= 0 ? pass.rows[place] : 0;
  const int4 *index =
      pass.index + (int64_t)(place / BEADS) * pass.most_rows * 32 + (place % BEADS) * LANES + lane;
  struct pair_sum sum = rows_add<SET, WANT>(pass, c, shared, index, rows, &extra);
  sum.f = lanes_vector<LANES>(sum.f);
  if (needs_axes(SET)) {
    sum.g = lanes_vector<LANES>(sum.g);
    sum.along = lanes_total<LANES>(sum.along);
  }
  const struct vec3 ui = axis_of(&c.axis);
  const struct vec3 pull = pair_force(sum, ui), turn = pair_torque(sum, ui);
  double force[3] = {(double)pull.x / pass.model.cutoff, (double)pull.y / pass.model.cutoff,
                     (double)pull.z / pass.model.cutoff};
  double torque[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
  if (WANT) pairs_count<SET, LANES>(pass, c.i >= 0 && lane == 0, &extra);
  if (pass.bonded_row) bonded_add<LANES, WANT>(pass, c.i, lane, force, torque, &extra);
  if (c.i >= 0 && lane == 0)
    for (int k = 0; k < 3; k++) {
      pass.force[3 * (int64_t)c.i + k] = force[k];
      pass.torque[3 * (int64_t)c.i + k] = torque[k];
    }
  constexpr unsigned bonded = 1u << ENERGY_bond | 1u << ENERGY_angle | 1u << ENERGY_dipole_angle;
  if (WANT) extra_add(extra, set_channels(SET) | bonded, pass.sums);
}

static struct force_pass pass_of(struct gpu *c)
{
  struct force_pass p;
  p.model = *(const struct model *)c->model;
  p.view.record = c->record;
  p.view.axis = (const struct axis_record *)c->axis;
  for (int k = 0; k < 3; k++) {
    p.view.h[k] = R(c->box[k] / 4294967296.0);
    p.h[k] = R(c->box[k] / 4294967296.0 / p.model.cutoff);
  }
  p.first = p.end = 0;
  p.placed = c->list.placed;
  p.few_types = p.model.n_types <= SHARED_TYPES;
  p.most_rows = c->list.most_rows;
  p.place = c->list.place;
  p.rows = c->list.rows;
  p.index = (const int4 *)c->list.index;
  p.bonded_row = c->local ? c->bonded_row : NULL;
  p.bonded = c->bonded;
  p.force = c->force;
  p.torque = c->torque;
  p.sums = c->sums;
  p.report = c->report;
  p.sum_scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  return p;
}

template <unsigned SET, int LANES>
static void launch_lanes(struct gpu *c, const struct force_pass &pass, int want)
{
  int64_t threads = (int64_t)(pass.end - pass.first) * LANES;
  if (want)
    LAUNCH((force_rows<SET, LANES, 1>), threads, FORCE_THREADS, c, pass);
  else
    LAUNCH((force_rows<SET, LANES, 0>), threads, FORCE_THREADS, c, pass);
}

template <unsigned SET> static void launch(struct gpu *c, const struct force_pass &pass, int want)
{
#ifdef REAL_DOUBLE
  launch_lanes<SET, 8>(c, pass, want);
#else
  if (c->list.lanes == 4)
    launch_lanes<SET, 4>(c, pass, want);
  else if (c->list.lanes == 8)
    launch_lanes<SET, 8>(c, pass, want);
  else
    launch_lanes<SET, 16>(c, pass, want);
#endif
}

static void run(struct gpu *c, int first, int end, int want)
{
  struct force_pass pass = pass_of(c);
  pass.first = first;
  pass.end = end;
#define SET(bits)                                                                                  \
  if (pass.model.set == (bits)) {                                                                  \
    launch<(bits)>(c, pass, want);                                                                 \
    return;                                                                                        \
  }
  PAIR_SETS(SET)
#undef SET
}

/* Pairs inside reach now that lay beyond the old radius at the build before, and so were in no list
   at the end of the interval. */
struct audit_job {
  int n_places, lanes;
  const int32_t *position, *old_position;
  double now[3], old[3], reach2, old2;
  struct cuda_report *report;
};

static __global__ void audit_rows(const __grid_constant__ struct force_pass pass,
                                  const __grid_constant__ struct audit_job job)
{
  int64_t t = thread_index(), missed = 0;
  int place = (int)(t / job.lanes), lane = (int)(t % job.lanes), beads = 32 / job.lanes;
  double largest = 0;
  int i = -1;
  if (place < job.n_places) i = pass.placed ? pass.place[place] : place;
  int rows = i >= 0 ? pass.rows[place] : 0;
  const int *index = (const int *)(pass.index + (int64_t)(place / beads) * pass.most_rows * 32 +
                                   (place % beads) * job.lanes + lane);
  for (int k = 0; k < 4 * rows; k++) {
    int64_t j = index[(k / 4) * 128 + k % 4];
    if (body_displacement2(job.old_position + 3 * (int64_t)i, job.old_position + 3 * j, job.old) <
        job.old2)
      continue;
    if (body_displacement2(job.position + 3 * (int64_t)i, job.position + 3 * j, job.now) >=
        job.reach2)
      continue;
    missed++;
    largest = fmax(largest, pair_size(&pass.model, pass.model.set, &pass.view, i, (int)j));
  }
  warp_max(ordered_bits(largest), &job.report->missed_force);
  block_add(missed, &job.report->missed);
}

static void audit(struct gpu *c, double reach, double old_radius, const double old_box[3])
{
  struct audit_job j;
  j.n_places = c->list.n_places;
  j.lanes = c->list.lanes;
  j.position = c->beads.build_position;
  j.old_position = c->old_position;
  for (int k = 0; k < 3; k++) {
    j.now[k] = c->build_box[k] / 4294967296.0;
    j.old[k] = old_box[k] / 4294967296.0;
  }
  j.reach2 = reach * reach;
  j.old2 = old_radius * old_radius;
  j.report = c->report;
  LAUNCH(audit_rows, (int64_t)j.n_places * j.lanes, FORCE_THREADS, c, pass_of(c), j);
}

extern "C" const struct force_cuda NAME(force_cuda_, PRECISION) = {
    (int)sizeof(struct axis_record), model_create, model_destroy, run, audit};
