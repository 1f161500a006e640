/* DCD of CHARMM, NAMD and X-PLOR: positions in Angstrom, as floats, with unit cells; one interval
   of frames. Records stand between their numbers of bytes; this machine's order of bytes. */
#include <string.h>

#include "base/box_shape.h"
#include "io/foreign/frame_format.h"

enum { BEADS_MOST = INT32_MAX / 4, NUMBERS = 20, TITLE = 80 };

/* ps of the unit of time: of kcal/mol, Angstrom and atomic masses */
#define AKMA_PS 0.04888821

static void put(FILE *out, const void *data, size_t bytes)
{
  fwrite(data, 1, bytes, out);
}

static void put_record(FILE *out, const void *data, int32_t bytes)
{
  put(out, &bytes, sizeof bytes);
  put(out, data, (size_t)bytes);
  put(out, &bytes, sizeof bytes);
}

static void open_file(struct frame_output *o)
{
  const struct frame_series *s = o->series;
  FILE *out = o->stream;
  char head[4 + 4 * NUMBERS] = "CORD", title[4 + TITLE + 1], text[TITLE + 1];
  int32_t number[NUMBERS] = {0}, one = 1, beads = (int32_t)s->beads;
  const float dt = (float)(s->dt / AKMA_PS);
  number[0] = (int32_t)s->frames;
  number[1] = frame_step_32(s->step);
  number[2] = s->interval > 0 ? frame_step_32(s->interval) : 1;
  number[3] = frame_step_32(s->step + (s->frames - 1) * s->interval);
  memcpy(&number[9], &dt, sizeof dt);
  number[10] = 1;  /* each frame has a unit cell */
  number[19] = 24; /* as CHARMM 24 writes it */
  memcpy(head + 4, number, sizeof number);
  put_record(out, head, sizeof head);
  memcpy(title, &one, 4);
  snprintf(text, sizeof text, "force field %.*s", TITLE - 12, s->forcefield);
  snprintf(title + 4, TITLE + 1, "%-*s", TITLE, text);
  put_record(out, title, 4 + TITLE);
  put_record(out, &beads, sizeof beads);
}

static int passes(const struct frame_series *s, const struct frame_block *f)
{
  (void)s;
  (void)f;
  return 3;
}

/* The number of bytes of an axis, which stands on both sides. */
static void put_length(const struct frame_output *o)
{
  const int32_t bytes = 4 * (int32_t)o->series->beads;
  put(o->stream, &bytes, sizeof bytes);
}

static void begin(struct frame_output *o, const struct frame_block *f, int axis)
{
  const struct box_cell c = box_cell_of(f->box);
  /* a, gamma, b, beta, alpha, c */
  const double cell[6] = {10 * c.length[0], c.angle[2], 10 * c.length[1],
                          c.angle[1],       c.angle[0], 10 * c.length[2]};
  if (axis == 0) put_record(o->stream, cell, sizeof cell);
  put_length(o);
}

static int put_bead(const struct frame_series *s, const struct frame_bead *bead, int axis,
                    char bytes[FRAME_LINE])
{
  const float x = (float)(10 * bead->position[axis]);
  (void)s;
  memcpy(bytes, &x, sizeof x);
  return (int)sizeof x;
}

static int end(struct frame_output *o, const struct frame_block *f, int axis)
{
  (void)f;
  (void)axis;
  put_length(o);
  return 1;
}

const struct frame_format frame_dcd = {.suffix = "dcd",
                                       .beads_most = BEADS_MOST,
                                       .steps_32 = 1,
                                       .open = open_file,
                                       .passes = passes,
                                       .begin = begin,
                                       .bead = put_bead,
                                       .end = end};
