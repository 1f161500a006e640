/* TRR of GROMACS: positions and velocities as floats, or as doubles, with time, step and box. */
#include "base/xdr.h"
#include "io/foreign/frame_format.h"

enum { MAGIC = 1993, BEADS_MOST = INT32_MAX / 24 };

static int passes(const struct frame_series *s, const struct frame_block *f)
{
  (void)s;
  return f->velocity ? 2 : 1;
}

static void begin(struct frame_output *o, const struct frame_block *f, int pass)
{
  static const char version[] = "GMX_trn_file";
  FILE *out = o->stream;
  const int is_double = o->series->is_double;
  const int32_t beads = (int32_t)o->series->beads, real = is_double ? 8 : 4,
                rows = 3 * beads * real;
  /* Bytes of what follows: of an input record, energies, box, virial, pressure, topology, symbols,
     positions, velocities, forces. */
  const int32_t bytes[] = {0, 0, 9 * real, 0, 0, 0, 0, rows, f->velocity ? rows : 0, 0};
  const double origin[2] = {f->time, 0};
  const double box[9] = {f->box[0], 0, 0, 0, f->box[1], 0, 0, 0, f->box[2]};
  if (pass > 0) return;
  xdr_put_int(out, MAGIC);
  xdr_put_int(out, (int32_t)sizeof version);
  xdr_put_int(out, (int32_t)sizeof version - 1);
  xdr_put_bytes(out, version, sizeof version - 1);
  for (size_t k = 0; k < sizeof bytes / sizeof bytes[0]; k++)
    xdr_put_int(out, bytes[k]);
  xdr_put_int(out, beads);
  xdr_put_int(out, frame_step_32(f->step));
  xdr_put_int(out, 0);
  xdr_put_reals(out, is_double, origin, 2);
  xdr_put_reals(out, is_double, box, 9);
}

/* Positions of all beads, then velocities of all. */
static int put_bead(const struct frame_series *s, const struct frame_bead *bead, int pass,
                    char bytes[FRAME_LINE])
{
  return xdr_store_reals(bytes, s->is_double, pass ? bead->velocity : bead->position, 3);
}

const struct frame_format frame_trr = {.suffix = "trr",
                                       .beads_most = BEADS_MOST,
                                       .steps_32 = 1,
                                       .passes = passes,
                                       .begin = begin,
                                       .bead = put_bead};
