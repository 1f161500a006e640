/* TRR of GROMACS: positions and velocities as floats, or as doubles, with time, step and box. */
#include "base/xdr.h"
#include "io/frame_format.h"

enum { MAGIC = 1993, BEADS_MOST = INT32_MAX / 24 };

static int add(FILE *out, const struct frame_series *s, const struct frame_block *f)
{
  static const char version[] = "GMX_trn_file";
  const int32_t real = s->is_double ? 8 : 4, rows = 3 * (int32_t)f->n * real;
  /* Bytes of what follows: of an input record, energies, box, virial, pressure, topology, symbols,
     positions, velocities, forces. */
  const int32_t bytes[] = {0, 0, 9 * real, 0, 0, 0, 0, rows, f->velocity ? rows : 0, 0};
  const double origin[2] = {f->time, 0};
  double box[9] = {f->box[0], 0, 0, 0, f->box[1], 0, 0, 0, f->box[2]};
  xdr_put_int(out, MAGIC);
  xdr_put_int(out, (int32_t)sizeof version);
  xdr_put_int(out, (int32_t)sizeof version - 1);
  xdr_put_bytes(out, version, sizeof version - 1);
  for (size_t k = 0; k < sizeof bytes / sizeof bytes[0]; k++)
    xdr_put_int(out, bytes[k]);
  xdr_put_int(out, (int32_t)f->n);
  xdr_put_int(out, frame_step_32(f->step));
  xdr_put_int(out, 0);
  xdr_put_reals(out, s->is_double, origin, 2);
  xdr_put_reals(out, s->is_double, box, 9);
  xdr_put_reals(out, s->is_double, f->position[0], 3 * f->n);
  if (f->velocity) xdr_put_reals(out, s->is_double, f->velocity[0], 3 * f->n);
  return 1;
}

const struct frame_format frame_trr = {
    .suffix = "trr", .beads_most = BEADS_MOST, .steps_32 = 1, .add = add};
