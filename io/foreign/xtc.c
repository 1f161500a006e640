/* XTC of GROMACS: compressed positions (xtc_pack.h) with time, step and box. */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "base/xdr.h"
#include "io/foreign/frame_format.h"
#include "io/foreign/xtc_pack.h"

enum { MAGIC = 1995, PLAIN_MOST = 9 /* beads that are stored as floats */ };

/* More need a newer form of the file, which few programs read. */
enum { BEADS_MOST = 298261617 };

/* The first pass finds the ranges, which stand before the packed beads of the second. */
enum { SCAN, PACK, PASSES };

static int is_plain(const struct frame_series *s)
{
  return s->beads <= PLAIN_MOST;
}

static void open_file(struct frame_output *o)
{
  o->state = xtc_packer_create();
}

static void close_file(struct frame_output *o)
{
  xtc_packer_destroy(o->state);
}

static int passes(const struct frame_series *s, const struct frame_block *f)
{
  (void)f;
  return is_plain(s) ? 1 : PASSES;
}

static void begin(struct frame_output *o, const struct frame_block *f, int pass)
{
  FILE *out = o->stream;
  const int32_t beads = (int32_t)o->series->beads;
  double box[9];
  if (pass == PACK) return;
  box_rows(f->box, box);
  xtc_scan_begin(o->state);
  xdr_put_int(out, MAGIC);
  xdr_put_int(out, beads);
  xdr_put_int(out, frame_step_32(f->step));
  xdr_put_float(out, (float)f->time);
  for (int k = 0; k < 9; k++)
    xdr_put_float(out, (float)box[k]);
  xdr_put_int(out, beads);
}

static int put_bead(const struct frame_series *s, const struct frame_bead *bead, int pass,
                    char bytes[FRAME_LINE])
{
  int32_t x[3];
  (void)pass;
  if (is_plain(s)) return xdr_store_reals(bytes, 0, bead->position, 3);
  if (!xtc_round(bead->position, (double)(float)s->precision, x)) return 0;
  memcpy(bytes, x, sizeof x);
  return (int)sizeof x;
}

static void put(struct frame_output *o, int pass, void *bytes, int64_t n)
{
  const int32_t(*x)[3] = bytes;
  const int64_t beads = n / (int64_t)sizeof *x;
  if (is_plain(o->series))
    fwrite(bytes, 1, (size_t)n, o->stream);
  else if (pass == SCAN)
    xtc_scan(o->state, x, beads);
  else
    xtc_pack(o->state, x, beads, o->stream);
}

/* Leaves room for the number of packed bytes. */
static int end_scan(struct frame_output *o)
{
  struct xtc_packed head;
  if (!xtc_pack_begin(o->state, &head)) return 0;
  xdr_put_float(o->stream, (float)o->series->precision);
  for (int d = 0; d < 3; d++)
    xdr_put_int(o->stream, head.least[d]);
  for (int d = 0; d < 3; d++)
    xdr_put_int(o->stream, head.most[d]);
  xdr_put_int(o->stream, head.index);
  o->mark = ftello(o->stream);
  xdr_put_int(o->stream, 0);
  return 1;
}

static int end(struct frame_output *o, const struct frame_block *f, int pass)
{
  (void)f;
  if (is_plain(o->series)) return 1;
  if (pass == SCAN) return end_scan(o);
  const int64_t bytes = xtc_pack_end(o->state, o->stream);
  if (bytes > INT32_MAX - 3) return 0;
  xdr_fill(o->stream, bytes);
  fseeko(o->stream, o->mark, SEEK_SET);
  xdr_put_int(o->stream, (int32_t)bytes);
  fseeko(o->stream, 0, SEEK_END);
  return 1;
}

const struct frame_format frame_xtc = {
    .suffix = "xtc",
    .beads_most = BEADS_MOST,
    .steps_32 = 1,
    .limit =
        "coordinates are whole numbers of steps, less than 2^31: choose a smaller --precision, "
        "or --positions=wrapped",
    .open = open_file,
    .passes = passes,
    .begin = begin,
    .bead = put_bead,
    .put = put,
    .end = end,
    .close = close_file};
