/* DCD of CHARMM, NAMD and X-PLOR: positions in Angstrom, as floats, with unit cells; one interval
   of frames. Records stand between their numbers of bytes; this machine's order of bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/frame_format.h"

enum { BEADS_MOST = INT32_MAX / 4, NUMBERS = 20, TITLE = 80, PIECE = 4096 };

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

static void open_file(FILE *out, const struct frame_series *s)
{
  char head[4 + 4 * NUMBERS] = "CORD", title[4 + TITLE], text[TITLE + 1];
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
  memset(title + 4, ' ', TITLE);
  snprintf(text, sizeof text, "force field %.*s", TITLE - 12, s->forcefield);
  for (int k = 0; text[k] != '\0'; k++)
    title[4 + k] = text[k];
  put_record(out, title, sizeof title);
  put_record(out, &beads, sizeof beads);
}

static void put_axis(FILE *out, const struct frame_block *f, int axis)
{
  const int32_t bytes = 4 * (int32_t)f->n;
  float piece[PIECE];
  put(out, &bytes, sizeof bytes);
  for (int64_t first = 0; first < f->n; first += PIECE) {
    const int64_t n = f->n - first < PIECE ? f->n - first : PIECE;
    for (int64_t k = 0; k < n; k++)
      piece[k] = (float)(10 * f->position[first + k][axis]);
    put(out, piece, (size_t)n * sizeof piece[0]);
  }
  put(out, &bytes, sizeof bytes);
}

static int add(FILE *out, const struct frame_series *s, const struct frame_block *f)
{
  /* edge along x, gamma, edge along y, beta, alpha, edge along z */
  const double cell[6] = {10 * f->box[0], 90, 10 * f->box[1], 90, 90, 10 * f->box[2]};
  (void)s;
  put_record(out, cell, sizeof cell);
  for (int axis = 0; axis < 3; axis++)
    put_axis(out, f, axis);
  return 1;
}

const struct frame_format frame_dcd = {
    .suffix = "dcd", .beads_most = BEADS_MOST, .steps_32 = 1, .open = open_file, .add = add};
