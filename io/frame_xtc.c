/* XTC of GROMACS: compressed positions (xtc_pack.h) with time, step and box. */
#include <stdlib.h>

#include "base/log.h"
#include "base/xdr.h"
#include "io/frame_format.h"
#include "io/xtc_pack.h"

enum { MAGIC = 1995, PLAIN_MOST = 9 /* beads that are stored as floats */ };

/* More need a newer form of the file, which few programs read. */
enum { BEADS_MOST = 298261617 };

static int put_packed(FILE *out, double precision, const struct frame_block *f)
{
  int32_t(*x)[3] = alloc_array(f->n, sizeof *x);
  unsigned char *bits = alloc_array(f->n + 1, XTC_PACK_BYTES);
  struct xtc_packed head;
  int64_t bead;
  const int good = xtc_round((const double(*)[3])f->position, f->n, precision, x, &bead) &&
                   xtc_pack((const int32_t(*)[3])x, f->n, &head, bits) &&
                   head.bytes <= INT32_MAX - 3;
  if (good) {
    xdr_put_float(out, (float)precision);
    for (int d = 0; d < 3; d++)
      xdr_put_int(out, head.least[d]);
    for (int d = 0; d < 3; d++)
      xdr_put_int(out, head.most[d]);
    xdr_put_int(out, head.index);
    xdr_put_int(out, (int32_t)head.bytes);
    xdr_put_bytes(out, bits, head.bytes);
  }
  free(bits);
  free(x);
  return good;
}

static int add(FILE *out, const struct frame_series *s, const struct frame_block *f)
{
  xdr_put_int(out, MAGIC);
  xdr_put_int(out, (int32_t)f->n);
  xdr_put_int(out, frame_step_32(f->step));
  xdr_put_float(out, (float)f->time);
  for (int k = 0; k < 9; k++)
    xdr_put_float(out, k % 4 ? 0 : (float)f->box[k / 4]);
  xdr_put_int(out, (int32_t)f->n);
  if (f->n > PLAIN_MOST) return put_packed(out, (double)(float)s->precision, f);
  xdr_put_reals(out, 0, f->position[0], 3 * f->n);
  return 1;
}

const struct frame_format frame_xtc = {
    .suffix = "xtc",
    .beads_most = BEADS_MOST,
    .steps_32 = 1,
    .limit =
        "coordinates are whole numbers of steps, less than 2^31: choose a smaller --precision, "
        "or --positions=wrapped",
    .add = add};
