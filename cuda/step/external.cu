/* External fields on the owned beads: one kernel per field, after all passes of a step. In double
   for both precisions, and so compiled once. Not launched in a run without fields. */
#include <string.h>

#include "base/rotation.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

/* The external fields of the run: arrays in device memory, the rest in host memory. Written by
   step/external.cu. */
struct gpu_external {
  struct external_type *of_type; /* [types] */
  struct external_kernel field[EXTERNAL_FIELDS_MOST];
};

/* Argument of external_rows, which has one thread per owned bead; arrays are device memory. */
struct external_job {
  struct external_kernel field;
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
  const struct external_bead b = external_bead_of(
      &record, j.arrays.beads.image + 3 * i, j.report->box.now.box, j.of_type[record.type], axis);
  const struct external_value v = external_evaluate(j.field.form, j.field.value, &b);
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
    block_add(sum_addend(v.arm[a / 3] * v.f[a % 3], j.sum_scale, &sums.overflow, &sums.magnitude),
              &j.sums->word[SUM_VIRIAL + a]);
  for (int k = 0; k < 2; k++)
    block_add(sums.energy[ENERGY_external][k], &j.sums->energy[ENERGY_external][k]);
  block_add(sums.overflow, &j.sums->overflow);
  block_add(sums.magnitude, &j.sums->magnitude);
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
  for (int f = 0; f < c->config.n_fields; f++) {
    const struct external_field *from = &c->config.field[f];
    struct external_kernel *to = &own->field[f];
    to->form = from->form;
    for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
      to->value[k] = from->value[k];
    to->group = cuda_bead_set(c, &from->group, "external fields");
  }
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
  for (int f = 0; f < c->config.n_fields; f++) {
    j.field = c->external->field[f];
    LAUNCH(external_rows, j.n, THREADS, c, j);
  }
}
