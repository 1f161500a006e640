/* External fields on the owned beads. In double, and compiled once: the same for all precisions and
   instruction sets. */
#include "base/rotation.h"
#include "cpu/backend_cpu.h"
#include "pair/external_body.h"

/* Adds a field's force and torque on bead i, and where energy is set its energy and virial. */
static void add(struct cpu *c, const struct external_field *field, int i, int energy)
{
  const struct ff_type *type = &c->config.ff->type[c->record[i].type];
  const struct external_type of_type = {type->charge, type->dipole};
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  struct sums *sums = &c->sums;
  double axis[3];
  rotation_axis(c->beads.orientation + 4 * (int64_t)i, axis);
  const struct external_bead b =
      external_bead_of(&c->record[i], c->beads.image + 3 * (int64_t)i, c->box, of_type, axis);
  const struct external_value v = external_evaluate(field->form, field->value, &b);
  for (int k = 0; k < 3; k++) {
    c->force[3 * (int64_t)i + k] += v.f[k];
    c->torque[3 * (int64_t)i + k] += v.t[k];
  }
  if (!energy) return;
  sum_add_energy(sums, ENERGY_external, v.u);
  for (int a = 0; a < 9; a++)
    sum_add(&sums->word[SUM_VIRIAL + a],
            sum_addend(v.arm[a / 3] * v.f[a % 3], scale, &sums->overflow, &sums->magnitude));
}

void cpu_external_add(struct cpu *c, int energy)
{
  for (int f = 0; f < c->config.n_fields; f++) {
    const struct external_field *field = &c->config.field[f];
    const struct bead_set group = bead_group_set(&field->group);
    for (int i = 0; i < c->base.n; i++)
      if (bead_set_has(&group, c->record[i].type, c->id[i])) add(c, field, i, energy);
  }
}
