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
  struct external_motion *motion; /* [n_moving] */
  double *value;                  /* [n_moving][EXTERNAL_PARAMETERS_MOST]: at the present step */
  int n_moving, moving[EXTERNAL_FIELDS_MOST]; /* moving: number of a field among them; -1: none */
};

/* Argument of external_rows, which has one thread per owned bead; arrays are device memory. */
struct external_job {
  struct external_kernel field;
  const double *value;                 /* [EXTERNAL_PARAMETERS_MOST]; NULL: those of the field */
  const struct external_type *of_type; /* [types] */
  int n, energy;
  struct gpu_arrays arrays;
  int rotates;                      /* struct gpu_types */
  double sum_scale;                 /* 2^sum_bits */
  const struct cuda_report *report; /* with the box */
  struct sums *sums;
};

/* Adds the force and torque of the field to those of bead i, and returns them with energy and
   arm. */
static __device__ struct external_value external_bead_add(const struct external_job &j, int64_t i)
{
  const struct bead_record record = j.arrays.record[i];
  if (!bead_set_has(&j.field.group, record.type, j.arrays.id[i])) return external_nothing();
  double axis[3];
  rotation_axis(j.arrays.beads.orientation + 4 * i, axis);
  const struct external_value v = external_of_bead(
      &j.field, j.value ? j.value : j.field.value, &record, j.arrays.beads.image + 3 * i,
      j.report->box.now.box, j.of_type[record.type], axis);
  for (int k = 0; k < 3; k++) {
    j.arrays.force[3 * i + k] += v.f[k];
    if (j.rotates) j.arrays.torque[3 * i + k] += v.t[k];
  }
  return v;
}

static __global__ void external_rows(const __grid_constant__ struct external_job j)
{
  if (is_expired(j.report)) return;
  const int64_t i = thread_index();
  struct external_value v = external_nothing();
  if (i < j.n) v = external_bead_add(j, i);
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

/* The values of the fields that change in time, a thread each: at the time of the present state,
   whose step the report has. parity: of the last step submitted. */
static __global__ void external_values(const struct external_motion *motion, int n,
                                       const struct clock clock, double dt, int parity,
                                       const struct cuda_report *report, double *value)
{
  if (is_expired(report)) return;
  const int k = (int)thread_index();
  if (k >= n) return;
  external_values_at(motion[k].form, motion[k].value,
                     clock_time(&clock, report->begun[parity ^ 1], dt),
                     value + k * EXTERNAL_PARAMETERS_MOST);
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
    cuda_grow(c, &own->value, own->n_moving * (int64_t)sizeof own->field[0].value, 0,
              "external fields");
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
  memcpy(&j.arrays, c->arrays, sizeof j.arrays);
  j.rotates = c->types->rotates;
  j.sum_scale = cuda_sum_scale(c);
  j.report = c->reports->device;
  j.sums = c->sums->forces;
  if (c->external->n_moving)
    LAUNCH(external_values, c->external->n_moving, 32, c, c->external->motion,
           c->external->n_moving, c->base.clock, c->base.dt, c->clock->parity, c->reports->device,
           c->external->value);
  for (int f = 0; f < c->config.n_fields; f++) {
    const int moving = c->external->moving[f];
    j.field = c->external->field[f];
    j.value = moving < 0 ? NULL : c->external->value + moving * EXTERNAL_PARAMETERS_MOST;
    LAUNCH(external_rows, j.n, THREADS, c, j);
  }
}
