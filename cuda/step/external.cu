/* External fields on the owned beads: one kernel per field, after all passes of a step, and one
   before these if fields change in time. In double for both precisions, and so compiled once. Not
   launched in a run without fields. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

/* A field that changes in time. */
struct external_motion {
  int form;
  struct ramp value[EXTERNAL_PARAMETERS_MOST];
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
};

/* Argument of external_rows, which has one thread per owned bead; arrays are device memory. */
struct external_job {
  struct external_kernel field;
  const struct external_moment *moment; /* only of a field that changes in time */
  struct external_work *work;           /* [2] */
  const struct external_type *of_type;  /* [types] */
  int n, energy, parity;                /* parity: of the last step submitted */
  struct gpu_arrays arrays;
  int rotates;                      /* struct gpu_types */
  double sum_scale;                 /* 2^sum_bits */
  const struct cuda_report *report; /* with the box */
  struct sums *sums;
};

/* Adds the force and torque of the field to those of bead i, and returns them with energy and
   arm. moment, work: as in external_of_bead. */
static __device__ __forceinline__ struct external_value
external_bead_add(const struct external_job &j, int64_t i, const struct external_moment *moment,
                  struct external_work *work)
{
  const struct bead_record record = j.arrays.record[i];
  const struct bead_set *group = &j.field.group;
  double axis[3] = {0, 0, 1};
  if (!group->type[record.type]) return external_nothing(); /* most beads: before more is loaded */
  if (!bead_set_has(group, record.type, j.arrays.id[i])) return external_nothing();
  if (j.of_type[record.type].dipole != 0) rotation_axis(j.arrays.beads.orientation + 4 * i, axis);
  const struct external_value v =
      external_of_bead(&j.field, moment, &record, j.arrays.beads.image + 3 * i,
                       j.report->box.now.box, j.of_type[record.type], axis, work);
  for (int k = 0; k < 3; k++) {
    j.arrays.force[3 * i + k] += v.f[k];
    if (j.rotates) j.arrays.torque[3 * i + k] += v.t[k];
  }
  return v;
}

/* The step of the present state. parity: of the last step submitted. */
DEVICE int64_t external_step(const struct cuda_report *report, int parity)
{
  return report->begun[parity ^ 1];
}

/* Block-collective. */
DEVICE void work_add(const struct external_work &own, struct external_work *to)
{
  for (int k = 0; k < 2; k++) {
    block_add(own.done[k], &to->done[k]);
    block_add(own.next[k], &to->next[k]);
  }
  block_add(own.overflow, &to->overflow);
}

/* MOVES 1: of a field that changes in time. */
template <int MOVES>
static __global__ void external_rows(const __grid_constant__ struct external_job j)
{
  if (is_expired(j.report)) return;
  const int64_t i = thread_index();
  struct external_value v = external_nothing();
  struct external_work work = {};
  if (i < j.n)
    v = MOVES ? external_bead_add(j, i, j.moment, &work) : external_bead_add(j, i, NULL, NULL);
  if (MOVES && j.moment->changes) work_add(work, j.work + (external_step(j.report, j.parity) & 1));
  if (!j.energy) return;
  struct sums sums = {};
  sum_add_energy(&sums, ENERGY_external, v.u);
  for (int a = 0; a < 9; a++)
    block_add(
        sum_addend(external_virial(&v, a / 3, a % 3), j.sum_scale, &sums.overflow, &sums.magnitude),
        &j.sums->word[SUM_VIRIAL + a]);
  for (int k = 0; k < 2; k++)
    block_add(sums.energy[ENERGY_external][k], &j.sums->energy[ENERGY_external][k]);
  block_add(sums.overflow, &j.sums->overflow);
  block_add(sums.magnitude, &j.sums->magnitude);
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
}

void cuda_external_begin(struct gpu *c)
{
  if (c->external && c->external->n_moving) cuda_step_set(c, c->base.step);
}

void cuda_external_add(struct gpu *c, int energy)
{
  struct external_job j;
  if (!c->external) return;
  j.of_type = c->external->of_type;
  j.n = c->base.n;
  j.energy = energy;
  j.parity = c->clock->parity;
  j.work = c->external->work;
  memcpy(&j.arrays, c->arrays, sizeof j.arrays);
  j.rotates = c->types->rotates;
  j.sum_scale = cuda_sum_scale(c);
  j.report = c->reports->device;
  j.sums = c->sums->forces;
  if (c->external->n_moving)
    LAUNCH(external_values, c->external->n_moving, 32, c, c->external->motion,
           c->external->n_moving, c->base.clock, c->base.dt, c->clock->parity, c->reports->device,
           c->external->moment, c->external->work);
  for (int f = 0; f < c->config.n_fields; f++) {
    const int moving = c->external->moving[f];
    j.field = c->external->field[f];
    const auto rows = moving < 0 ? external_rows<0> : external_rows<1>;
    j.moment = moving < 0 ? NULL : c->external->moment + moving;
    LAUNCH(rows, j.n, THREADS, c, j);
  }
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
