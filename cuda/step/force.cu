/* Forces, torques, energies and virial, each bead wholly in one pass: its candidates in list order
   by a fixed number of lanes, added by a fixed tree, then its bonded terms. A kernel for each set
   of pair terms, with and without energies; compiled once for each precision (PRECISION: mixed,
   double). */
#include "cuda/step/force_pass.cuh"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

enum { FORCE_THREADS = 128 };

/* What a thread has summed: of its bead's pairs its share, of its bonded terms its own. */
struct extra {
  double u[ENERGIES], w[9]; /* pairs, each from both sides */
  int64_t virial[9], energy[ENERGIES][2], overflow, magnitude;
};

/* The same of a few pairs, in working precision. */
struct few {
  real u[ENERGIES], w[9];
};

HD constexpr int needs_axes(unsigned set)
{
  return (set & PAIR_AXIS_TERMS) != 0 || (set & PAIR_BIT(qq)) != 0;
}

/* Adds candidate j. */
template <unsigned SET, int WANT>
static __device__ __forceinline__ void
pair_add(const struct force_pass &pass, const struct centre &c, int j,
         const struct bead_record &other, const struct axis_record &axis, struct pair_sum *sum,
         struct few *few)
{
  constexpr int axes = needs_axes(SET);
  struct vec3 r = vec3_make(R(torus_difference(c.me.x[0], other.x[0])) * c.h[0],
                            R(torus_difference(c.me.x[1], other.x[1])) * c.h[1],
                            R(torus_difference(c.me.x[2], other.x[2])) * c.h[2]);
  struct vec3 ui = axis_of(&c.axis), uj = axis_of(&axis);
  struct pair_arg p = pair_arguments(r, ui, uj, c.axis.q, axis.q, j == c.i, axes);
  struct pair_value v = pair_evaluate(SET, coef_load<WANT>(c, other.type), p);
  *sum = pair_gather(*sum, v.slope, r, uj, axes);
  if (!WANT) return;
  struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, uj, axes), ui);
  const real d[3] = {r.x, r.y, r.z}, g[3] = {f.x, f.y, f.z};
#pragma unroll
  for (int k = 0; k < 9; k++)
    few->w[k] = real_fma(d[k / 3], g[k % 3], few->w[k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) few->u[k] += v.energy[k];
}

static __device__ __forceinline__ void few_clear(struct few *few)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    few->w[k] = 0;
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    few->u[k] = 0;
}

template <unsigned SET>
static __device__ __forceinline__ void few_add(const struct few &few, struct extra *extra)
{
#pragma unroll
  for (int k = 0; k < 9; k++)
    extra->w[k] += (double)few.w[k];
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (set_channels(SET) >> k & 1) extra->u[k] += (double)few.u[k];
}

/* The rows of one lane of a bead, a step apart; the indices of the next row are fetched ahead. */
template <unsigned SET, int LANES, int WANT>
static __device__ __forceinline__ void rows_add(const struct force_pass &pass,
                                                const struct centre &c, const int4 *index, int step,
                                                int rows, struct pair_sum *sum, struct extra *extra)
{
  constexpr int axes = needs_axes(SET);
  struct few few;
  int4 next = make_int4(0, 0, 0, 0);
  if (rows > 0) next = __ldcs(index);
  for (int row = 0; row < rows; row++) {
    const int j[4] = {next.x, next.y, next.z, next.w};
    struct bead_record other[4];
    struct axis_record axis[4];
    if (row + 1 < rows) next = __ldcs(index + (row + 1) * step);
    if (WANT) few_clear(&few);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      other[k] = record_load(pass.view, j[k]);
      axis[k].u[0] = axis[k].u[1] = axis[k].u[2] = axis[k].q = 0;
      if (axes) axis[k] = axis_load(pass.view, j[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
      pair_add<SET, WANT>(pass, c, j[k], other[k], axis[k], sum, &few);
    if (WANT) few_add<SET>(few, extra);
  }
}

/* All rows of a bead; no warp has beads of two classes. */
template <unsigned SET, int LANES, int WANT>
static __device__ __forceinline__ struct pair_sum pairs_add(const struct force_pass &pass,
                                                            const struct centre &c, int place,
                                                            int lane, struct extra *extra)
{
  struct pair_sum sum = pair_none();
  struct list_head head = {{0, 0}};
  if (c.i >= 0) head = pass.head[c.i];
  const int4 *index = pass.index + (int64_t)c.i * pass.most_rows * LANES + lane;
  constexpr unsigned uncharged = set_uncharged(SET), point = set_point(SET);
  for (int part = 0, step = LANES; part < 2; part++, step = -LANES) {
    if (SET == point || place >= pass.point)
      rows_add<point, LANES, WANT>(pass, c, index, step, head.rows[part], &sum, extra);
    else if (SET == uncharged || (part == 0 && place >= pass.axis))
      rows_add<uncharged, LANES, WANT>(pass, c, index, step, head.rows[part], &sum, extra);
    else
      rows_add<SET, LANES, WANT>(pass, c, index, step, head.rows[part], &sum, extra);
    index += (pass.most_rows - 1) * LANES;
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
  sum_carry(extra->energy[channel]);
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
    if (count) extra->virial[k] += sum_part(w, pass.sum_scale, &extra->overflow, &extra->magnitude);
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
    extra->virial[a] +=
        sum_part(arm[a / 3] * pull[a % 3], pass.sum_scale, &extra->overflow, &extra->magnitude);
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
      const struct force_view view = view_now(pass);
      s = bonded_term(&pass.model, &view, i, e);
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
  block_add(extra.magnitude, &out->magnitude);
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
  e->overflow = e->magnitude = 0;
}

static __device__ __forceinline__ struct centre
centre_of(const struct force_pass &pass, const struct shared_coef *shared, int place)
{
  struct centre c;
  c.i = -1;
  if (place < pass.end) c.i = pass.place[place];
  int at = c.i < 0 ? 0 : c.i;
  c.me = record_load(pass.view, at);
  c.axis = axis_load(pass.view, at);
  for (int k = 0; k < 3; k++)
    c.h[k] = R(pass.report->box.now.box[k] * pass.in_cutoffs);
  c.coef = pass.model.pair + c.me.type * pass.model.n_types;
  const unsigned row = (unsigned)__cvta_generic_to_shared(shared + c.me.type * pass.model.n_types);
  /* No load from there may come before the barrier after which this is called. */
  asm volatile("mov.u32 %0, %1;" : "=r"(c.shared) : "r"(row) : "memory");
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
  int64_t t = thread_index();
  int place = pass.first + (int)(t / LANES), lane = (int)(t % LANES);
  struct extra extra;
  extern __shared__ double2 shared_bytes[];
  struct shared_coef *shared = (struct shared_coef *)shared_bytes;
  if (is_expired(pass.report)) return;
  if (!WANT) {
    for (int k = (int)threadIdx.x; k < pass.model.n_types * pass.model.n_types;
         k += FORCE_THREADS) {
      shared[k].a12 = pass.model.pair[k].lj.a12;
      shared[k].b6 = pass.model.pair[k].lj.b6;
    }
    __syncthreads();
  }
  if (WANT) extra_clear(&extra);
  const struct centre c = centre_of(pass, shared, place);
  struct pair_sum sum = pairs_add<SET, LANES, WANT>(pass, c, place, lane, &extra);
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
      if (pass.torque) pass.torque[3 * (int64_t)c.i + k] = torque[k];
    }
  constexpr unsigned bonded = 1u << ENERGY_bond | 1u << ENERGY_angle | 1u << ENERGY_dipole_angle;
  if (WANT) extra_add(extra, set_channels(SET) | bonded, pass.sums);
}

static struct force_pass pass_of(struct gpu *c, int group)
{
  struct force_pass p;
  p.model = *(const struct model *)c->coefficients.model;
  p.view.record = c->arrays.record;
  p.view.axis = (const struct axis_record *)c->arrays.axis;
  for (int k = 0; k < 3; k++)
    p.view.h[k] = 0;
  p.in_cutoffs = 1 / 4294967296.0 / p.model.cutoff;
  p.first = c->list.group_first[group];
  p.end = c->list.group_first[group + CLASSES];
  p.axis = c->list.group_first[group + CLASS_AXIS];
  p.point = c->list.group_first[group + CLASS_POINT];
  p.place = c->list.place;
  p.most_rows = c->list.most_rows;
  p.head = c->list.head;
  p.index = (const int4 *)c->list.index;
  p.bonded_row = c->bonded.local ? c->bonded.row : NULL;
  p.bonded = c->bonded.entry;
  p.force = c->arrays.force;
  p.torque = c->coefficients.rotates ? c->arrays.torque : NULL;
  p.sums = c->sums.forces;
  p.report = c->reports.device;
  p.sum_scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  return p;
}

static int coef_bytes(const struct force_pass &pass)
{
  return pass.model.n_types * pass.model.n_types * (int)sizeof(struct shared_coef);
}

template <unsigned SET, int LANES>
static void launch_lanes(struct gpu *c, const struct force_pass &pass, int want)
{
  int64_t threads = (int64_t)(pass.end - pass.first) * LANES;
  if (want)
    LAUNCH((force_rows<SET, LANES, 1>), threads, FORCE_THREADS, c, pass);
  else
    LAUNCH_SHARED((force_rows<SET, LANES, 0>), threads, FORCE_THREADS, coef_bytes(pass),
                  c->streams.main, pass);
}

template <unsigned SET> static void launch(struct gpu *c, const struct force_pass &pass, int want)
{
#ifdef REAL_DOUBLE
  launch_lanes<SET, 8>(c, pass, want);
#else
  if (c->list.lanes == 4)
    launch_lanes<SET, 4>(c, pass, want);
  else
    launch_lanes<SET, 8>(c, pass, want);
#endif
}

static void run(struct gpu *c, int group, int want)
{
  struct force_pass pass = pass_of(c, group);
  if (!want && coef_bytes(pass) > SHARED_BYTES) {
    pass.sums = c->sums.spare;
    want = FORCE_ENERGY;
  }
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
  int n, lanes;
  const int32_t *position, *old_position;
  double now[3], old[3], reach2, old2;
  struct cuda_report *report;
};

static __global__ void audit_rows(const __grid_constant__ struct force_pass pass,
                                  const __grid_constant__ struct audit_job job)
{
  int64_t i = thread_index() / job.lanes, lane = thread_index() % job.lanes, missed = 0;
  double largest = 0;
  struct list_head head = {{0, 0}};
  if (i < job.n) head = pass.head[i];
  const int *index = (const int *)(pass.index + i * pass.most_rows * job.lanes + lane);
  const struct force_view view = view_now(pass);
  for (int k = 0; k < 4 * (head.rows[0] + head.rows[1]); k++) {
    int row = k / 4 < head.rows[0] ? k / 4 : pass.most_rows - 1 - (k / 4 - head.rows[0]);
    int64_t j = index[row * 4 * job.lanes + k % 4];
    if (body_displacement2(job.old_position + 3 * i, job.old_position + 3 * j, job.old) < job.old2)
      continue;
    if (body_displacement2(job.position + 3 * i, job.position + 3 * j, job.now) >= job.reach2)
      continue;
    missed++;
    largest = fmax(largest, pair_size(&pass.model, pass.model.set, &view, (int)i, (int)j));
  }
  warp_max(ordered_bits(largest), &job.report->missed_force);
  block_add(missed, &job.report->missed);
}

static void audit(struct gpu *c, double reach, double old_radius, const double old_box[3])
{
  struct audit_job j;
  j.n = c->base.n;
  j.lanes = c->list.lanes;
  j.position = c->arrays.beads.build_position;
  j.old_position = c->arrays.old_position;
  for (int k = 0; k < 3; k++) {
    j.now[k] = c->sorting.build_box[k] / 4294967296.0;
    j.old[k] = old_box[k] / 4294967296.0;
  }
  j.reach2 = reach * reach;
  j.old2 = old_radius * old_radius;
  j.report = c->reports.device;
  LAUNCH(audit_rows, (int64_t)j.n * j.lanes, FORCE_THREADS, c, pass_of(c, 0), j);
}

extern "C" const struct force_cuda NAME(force_cuda_, PRECISION) = {
    (int)sizeof(struct axis_record), model_upload, model_free, run, audit};
