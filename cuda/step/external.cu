/* External fields: one kernel for all of them, after all passes of a step, over a list of the owned
   beads that some field acts on, and one before it if fields change in time. In double for both
   precisions, and so compiled once. Not launched in a run without fields. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

/* A field that changes in time. */
struct external_motion {
  int form;
  struct ramp value[EXTERNAL_PARAMETERS_MOST];
};

/* An owned bead that some field acts on. */
struct external_member {
  int bead;
  uint32_t fields; /* as bits */
};

/* The external fields of the run: arrays in device memory, the rest in host memory. Written by
   step/external.cu. */
struct gpu_external {
  struct external_type *of_type; /* [types] */
  struct external_kernel field[EXTERNAL_FIELDS_MOST];
  struct external_motion *motion;             /* [n_moving] */
  struct external_moment *moment;             /* [n_moving]: of the present step */
  struct external_work *work;                 /* [2]: of even and odd steps */
  int n_moving, moving[EXTERNAL_FIELDS_MOST]; /* moving: number of a field among them; -1: none */
  unsigned forms;                             /* those of the fields, as bits */
  int *n;                                     /* members */
  struct external_member *member;             /* per-bead array, [*n] in no order */
};

/* Argument of external_find and fields_add; arrays are device memory. */
struct external_job {
  struct external_kernel field[EXTERNAL_FIELDS_MOST];
  int n_fields, moving[EXTERNAL_FIELDS_MOST]; /* struct gpu_external */
  int *n;
  struct external_member *member;
  const struct external_moment *moment;
  struct external_work *work;          /* [2] */
  const struct external_type *of_type; /* [types] */
  int energy, parity;                  /* parity: of the last step submitted */
  struct gpu_arrays arrays;
  int rotates;                      /* struct gpu_types */
  double sum_scale;                 /* 2^sum_bits */
  const struct cuda_report *report; /* with the box */
  struct sums *sums;
};

/* One thread per owned bead. */
static __global__ void external_find(const __grid_constant__ struct external_job j, int n)
{
  const int64_t i = thread_index();
  struct external_member m = {(int)i, 0};
  if (i >= n) return;
  for (int k = 0; k < j.n_fields; k++)
    if (bead_set_has(&j.field[k].group, j.arrays.record[i].type, j.arrays.id[i]))
      m.fields |= UINT32_C(1) << k;
  if (m.fields) j.member[atomicAdd(j.n, 1)] = m;
}

/* What a thread has summed over its beads. */
struct external_sums {
  int64_t virial[9], energy[2], overflow, magnitude;
  struct external_work work;
};

/* Adds energy and virial of a field on a bead. */
DEVICE void value_count(const struct external_value &v, double scale, struct external_sums *sums)
{
  sum_add_wide(sums->energy, v.u, SUM_ENERGY_BITS, &sums->overflow);
#pragma unroll
  for (int a = 0; a < 9; a++)
    sums->virial[a] +=
        sum_addend(external_virial(&v, a / 3, a % 3), scale, &sums->overflow, &sums->magnitude);
}

/* Adds forces and torques of the fields to those of a bead, one field after the other. Loads these
   only once it has evaluated the first field and waited for the kernel before; volatile: from the
   L2 cache, since L1 may have been filled earlier. */
template <unsigned FORMS, int SUMS>
DEVICE void fields_of_bead(const struct external_job &j, const struct external_member &member,
                           struct external_sums *sums)
{
  const int64_t i = member.bead;
  const struct bead_record record = j.arrays.record[i];
  const int32_t *image = j.arrays.beads.image + 3 * i;
  const struct external_type type = j.of_type[record.type];
  double axis[3] = {0, 0, 1}, f[3] = {0, 0, 0}, t[3] = {0, 0, 0};
  if (type.dipole != 0) rotation_axis(j.arrays.beads.orientation + 4 * i, axis);
  for (uint32_t left = member.fields; left; left &= left - 1) {
    const int k = __ffs((int)left) - 1;
    const struct external_kernel *field = &j.field[k];
    const struct external_moment *m = SUMS && j.moving[k] >= 0 ? j.moment + j.moving[k] : NULL;
    const struct external_bead bead =
        external_bead_at(field, &record, image, j.report->box.now.box, type, axis);
    const struct external_value v = external_of_bead(FORMS, field, m, &bead, &sums->work);
    const int is_first = left == member.fields;
    if (is_first) chain_wait();
#pragma unroll
    for (int d = 0; d < 3; d++) {
      if (is_first) f[d] = *(const volatile double *)&j.arrays.force[3 * i + d];
      if (is_first && j.rotates) t[d] = *(const volatile double *)&j.arrays.torque[3 * i + d];
      f[d] += v.f[d];
      t[d] += v.t[d];
    }
    if (SUMS && j.energy) value_count(v, j.sum_scale, sums);
  }
#pragma unroll
  for (int d = 0; d < 3; d++) {
    j.arrays.force[3 * i + d] = f[d];
    if (j.rotates) j.arrays.torque[3 * i + d] = t[d];
  }
}

/* The step of the present state. parity: of the last step submitted. */
DEVICE int64_t external_step(const struct cuda_report *report, int parity)
{
  return report->begun[parity ^ 1];
}

enum { FIELD_THREADS = 128, FIELD_SUMS = sizeof(struct external_sums) / sizeof(int64_t) };

/* Block-collective. */
DEVICE void external_sums_add(const struct external_job &j, const struct external_sums &sums)
{
  __shared__ struct block_sums<FIELD_SUMS, FIELD_THREADS / 32> all;
  struct external_work *work = j.work + (external_step(j.report, j.parity) & 1);
  int n = 0;
  for (int a = 0; j.energy && a < 9; a++)
    block_sum(&all, n++, sums.virial[a], &j.sums->word[SUM_VIRIAL + a]);
  for (int k = 0; j.energy && k < 2; k++)
    block_sum(&all, n++, sums.energy[k], &j.sums->energy[ENERGY_external][k]);
  if (j.energy) {
    block_sum(&all, n++, sums.overflow, &j.sums->overflow);
    block_sum(&all, n++, sums.magnitude, &j.sums->magnitude);
  }
  for (int k = 0; j.moment && k < 2; k++) {
    block_sum(&all, n++, sums.work.done[k], &work->done[k]);
    block_sum(&all, n++, sums.work.next[k], &work->next[k]);
  }
  if (j.moment) block_sum(&all, n++, sums.work.overflow, &work->overflow);
  block_sums_add(&all, n);
}

/* FORMS: those that the fields have, as bits. SUMS 1: with energies, or with fields that change in
   time. Threads of a block may see expired lists at different times. */
template <unsigned FORMS, int SUMS>
static __global__
__launch_bounds__(FIELD_THREADS) void fields_add(const __grid_constant__ struct external_job j)
{
  struct external_sums sums = {};
  const int expired = is_expired(j.report);
  if (SUMS ? __syncthreads_or(expired) : expired) {
    chain_wait();
    return;
  }
  const int n = *j.n;
  for (int64_t m = thread_index(); m < n; m += (int64_t)gridDim.x * FIELD_THREADS)
    fields_of_bead<FORMS, SUMS>(j, j.member[m], &sums);
  chain_wait();
  if (SUMS) external_sums_add(j, sums);
}

/* The values of the fields that change in time, a thread each, of the present state; thread 0
   begins its work. */
static __global__ void external_values(const struct external_motion *motion, int n,
                                       const struct clock clock, double dt, int parity,
                                       const struct cuda_report *report,
                                       struct external_moment *moment, struct external_work *work)
{
  if (is_expired(report)) return;
  const int k = (int)thread_index();
  const int64_t step = external_step(report, parity);
  if (k >= n) return;
  if (k == 0) external_work_begin(&work[(step & 1) ^ 1], &work[step & 1]);
  external_moment_set(&moment[k], motion[k].form, motion[k].value, &clock, step, dt);
}

/* Copies to the device what a field reads beside its values, and what changes in time. */
static void field_open(struct gpu *c, struct gpu_external *own, int f,
                       struct external_motion *motion)
{
  const struct external_field *from = &c->config.field[f];
  struct external_kernel *to = &own->field[f];
  const struct external_map *m = &from->map;
  to->form = from->form;
  own->forms |= 1u << from->form;
  external_values_at(from->form, from->value, 0, to->value);
  to->group = cuda_bead_set(c, &from->group, "external fields");
  to->map = *m;
  if (from->well) CUDA_UPLOAD(c, &to->well, from->well, c->config.ff->n_types, "external fields");
  to->map.coefficient = NULL;
  if (m->coefficient)
    CUDA_UPLOAD(c, &to->map.coefficient, m->coefficient, (int64_t)m->n[0] * m->n[1] * m->n[2],
                "external fields");
  own->moving[f] = from->moves ? own->n_moving++ : -1;
  if (!from->moves) return;
  motion[own->moving[f]].form = from->form;
  memcpy(motion[own->moving[f]].value, from->value, sizeof from->value);
}

void cuda_external_open(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  struct external_type of_type[FF_TYPES_MOST];
  if (c->config.n_fields == 0) return;
  struct gpu_external *own = NEW_STATE(gpu_external, c, external);
  for (int t = 0; t < ff->n_types; t++) {
    of_type[t].charge = ff->type[t].charge;
    of_type[t].dipole = ff->type[t].dipole;
  }
  CUDA_UPLOAD(c, &own->of_type, of_type, ff->n_types, "external fields");
  struct external_motion *motion =
      (struct external_motion *)alloc_array(EXTERNAL_FIELDS_MOST, sizeof *motion);
  for (int f = 0; f < c->config.n_fields; f++)
    field_open(c, own, f, motion);
  if (own->n_moving > 0) {
    CUDA_UPLOAD(c, &own->motion, motion, own->n_moving, "external fields");
    cuda_grow(c, &own->moment, own->n_moving * (int64_t)sizeof *own->moment, 0, "external fields");
    cuda_grow(c, &own->work, 2 * sizeof *own->work, 0, "external fields");
    CUDA(cudaMemset(own->work, 0, 2 * sizeof *own->work));
  }
  free(motion);
  cuda_grow(c, &own->n, sizeof *own->n, 0, "external fields");
  CUDA(cudaMemset(own->n, 0, sizeof *own->n));
  cuda_per_bead(c, &own->member, sizeof *own->member, 0, 0, "external fields");
  cuda_depends(c, GRAPH_STEPS, &own->member, sizeof own->member);
}

void cuda_external_begin(struct gpu *c)
{
  if (c->external && c->external->n_moving) cuda_step_set(c, c->base.step);
}

static struct external_job external_job_of(const struct gpu *c)
{
  const struct gpu_external *own = c->external;
  struct external_job j;
  memcpy(j.field, own->field, sizeof j.field);
  memcpy(j.moving, own->moving, sizeof j.moving);
  j.n_fields = c->config.n_fields;
  j.n = own->n;
  j.member = own->member;
  j.moment = own->moment;
  j.work = own->work;
  j.of_type = own->of_type;
  j.energy = 0;
  j.parity = c->clock->parity;
  memcpy(&j.arrays, c->arrays, sizeof j.arrays);
  j.rotates = c->types->rotates;
  j.sum_scale = cuda_sum_scale(c);
  j.report = c->reports->device;
  j.sums = c->sums->forces;
  return j;
}

void cuda_external_find(struct gpu *c)
{
  if (!c->external) return;
  CUDA_CLEAR(c, c->external->n, sizeof *c->external->n);
  LAUNCH(external_find, c->base.n, THREADS, c, external_job_of(c), c->base.n);
}

template <unsigned FORMS>
static void fields_launch(const struct chained_launch &how, const struct external_job &j)
{
  launch_chained(how, j.energy || j.moment ? fields_add<FORMS, 1> : fields_add<FORMS, 0>, j);
}

void cuda_external_add(struct gpu *c, int energy, int after)
{
  constexpr unsigned map = EXTERNAL_FORM(map);
  if (!c->external) return;
  const unsigned forms = c->external->forms;
  const int moves = c->external->n_moving > 0;
  struct external_job j = external_job_of(c);
  int64_t most = 0;
  j.energy = energy;
  if (moves)
    LAUNCH(external_values, c->external->n_moving, 32, c, c->external->motion,
           c->external->n_moving, c->base.clock, c->base.dt, c->clock->parity, c->reports->device,
           c->external->moment, c->external->work);
  for (int f = 0; f < c->config.n_fields; f++)
    most += c->config.field[f].group.n;
  most = cuda_threads_at_once(c, most < c->base.n ? most : c->base.n, 4 * FIELD_THREADS);
  const struct chained_launch how = {most, FIELD_THREADS,   0, after && !moves && !energy,
                                     -1,   c->streams->main};
  if (!(forms & ~EXTERNAL_UNIFORM))
    fields_launch<EXTERNAL_UNIFORM>(how, j);
  else
    forms &map ? fields_launch<EXTERNAL_ALL>(how, j) : fields_launch<EXTERNAL_ALL & ~map>(how, j);
}

void cuda_external_work(struct backend *b, int64_t step, int64_t word[WORK_WORDS])
{
  struct gpu *c = gpu_of(b);
  struct external_work w = {};
  cuda_join_if_busy(c);
  if (c->external && c->external->n_moving)
    CUDA_TO_HOST(c, &w, c->external->work + (step & 1), sizeof w);
  CUDA(cudaStreamSynchronize(c->streams->main));
  word[0] = w.done[0];
  word[1] = w.done[1];
  word[2] = w.overflow;
}
