/* TRR of GROMACS: frames one after the other, each with a head of the sizes of its parts: box,
   positions and velocities, as floats or as doubles, big-endian. */
#include "io/foreign/trr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/file_kind.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/xdr.h"
#include "io/foreign/frame_format.h"
#include "io/foreign/gromacs_box.h"

enum { MAGIC = 1993, BEADS_MOST = INT32_MAX / 24 };

/* Writing */

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
  double box[9];
  if (pass > 0) return;
  box_rows(f->box, box);
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

/* Reading */

enum { VERSION_MOST = 80 };

static const size_t file_most = (size_t)1 << 50;

/* What the head of a frame has, in this order, as 4-byte integers. */
enum part {
  PART_INPUT,
  PART_ENERGY,
  PART_BOX,
  PART_VIRIAL,
  PART_PRESSURE,
  PART_TOPOLOGY,
  PART_SYMBOLS,
  PART_POSITIONS,
  PART_VELOCITIES,
  PART_FORCES,
  PARTS
};

struct head {
  int64_t number, at; /* from 1; of the first part, bytes of the file */
  int32_t bytes[PARTS], atoms, step;
  int real; /* bytes of a number */
  double time;
};

struct gromacs_trr_file {
  const char *path;
  FILE *in;
  int64_t bytes; /* of the file */
  struct head head;
  int64_t read;    /* atoms that have been read */
  double reach[3]; /* coordinates are less, nm */
  struct error_list *m;
};

#define TRR_ERROR(f, h, format, ...)                                                               \
  error_list_add((f)->m, (f)->path, 0, "frame %lld: " format, (long long)(h)->number, __VA_ARGS__)

static int read_bytes(struct gromacs_trr_file *f, unsigned char *data, size_t n)
{
  return fread(data, 1, n, f->in) == n;
}

static int read_int(struct gromacs_trr_file *f, int32_t *value)
{
  unsigned char word[4];
  const int good = read_bytes(f, word, sizeof word);
  *value = good ? xdr_int(word) : 0;
  return good;
}

/* Reads up to 9 numbers. */
static int read_reals(struct gromacs_trr_file *f, int real, double *value, int n)
{
  unsigned char bytes[9 * 8];
  if (!read_bytes(f, bytes, (size_t)(n * real))) return 0;
  for (int k = 0; k < n; k++)
    value[k] = real == 8 ? xdr_double(bytes + 8 * k) : xdr_float(bytes + 4 * k);
  return 1;
}

/* Magic number and version, a text of a size that stands before it, once with and once without its
   end. */
static int read_start(struct gromacs_trr_file *f)
{
  unsigned char version[VERSION_MOST];
  int32_t magic, size, length;
  return read_int(f, &magic) && magic == MAGIC && read_int(f, &size) && read_int(f, &length) &&
         length >= 0 && length <= VERSION_MOST - 4 && size == length + 1 &&
         read_bytes(f, version, (size_t)(length + 3) / 4 * 4);
}

/* Bytes of a number, by those of the box or of the positions; 0 if a part has another size than so
   many numbers. */
static int real_of(const struct head *h)
{
  const int64_t row = 3 * (int64_t)h->atoms;
  const int real = h->bytes[PART_BOX]                ? h->bytes[PART_BOX] / 9
                   : h->bytes[PART_POSITIONS] && row ? (int)(h->bytes[PART_POSITIONS] / row)
                                                     : 4;
  if (real != 4 && real != 8) return 0;
  for (int k = PART_POSITIONS; k < PARTS; k++)
    if (h->bytes[k] && h->bytes[k] != row * real) return 0;
  for (int k = PART_BOX; k <= PART_PRESSURE; k++)
    if (h->bytes[k] && h->bytes[k] != 9 * real) return 0;
  return real;
}

/* Reads the head of the next frame. 0 at the end of the file, or after a mistake. */
static int read_head(struct gromacs_trr_file *f, struct head *h)
{
  int64_t rest = 0;
  int32_t entries;
  double origin[2];
  h->number++;
  if (ftello(f->in) == f->bytes) return 0;
  int good = read_start(f);
  for (int k = 0; k < PARTS && good; k++) {
    good = read_int(f, &h->bytes[k]) && h->bytes[k] >= 0;
    rest += h->bytes[k];
  }
  good = good && read_int(f, &h->atoms) && h->atoms >= 0 && read_int(f, &h->step) &&
         read_int(f, &entries);
  h->real = good ? real_of(h) : 0;
  good = h->real && read_reals(f, h->real, origin, 2) && isfinite(origin[0]);
  h->at = ftello(f->in);
  if (!good || h->at + rest > f->bytes) {
    TRR_ERROR(f, h, "the file is %s", good ? "cut off in it" : "no .trr file, or damaged there");
    return 0;
  }
  h->time = origin[0];
  return fseeko(f->in, h->at + rest, SEEK_SET) == 0;
}

/* Goes to a part of a frame, `bytes` after its begin. */
static void seek_part(struct gromacs_trr_file *f, const struct head *h, enum part part,
                      int64_t bytes)
{
  int64_t at = h->at + bytes;
  for (int k = 0; k < (int)part; k++)
    at += h->bytes[k];
  if (fseeko(f->in, at, SEEK_SET)) TRR_ERROR(f, h, "its part %d cannot be read", part);
}

static void read_box(struct gromacs_trr_file *f, const struct head *h, double box[BOX])
{
  double v[3][3] = {{0}};
  char text[GROMACS_BOX_WHY];
  if (h->bytes[PART_BOX] == 0) {
    TRR_ERROR(f, h, "it has no box%s", "");
    return;
  }
  seek_part(f, h, PART_BOX, 0);
  if (!read_reals(f, h->real, v[0], 9)) TRR_ERROR(f, h, "its box cannot be read%s", "");
  const char *why = gromacs_box_read((const double(*)[3])v, f->path, box, text);
  if (why) TRR_ERROR(f, h, "%s", why);
}

/* Reads positions or velocities of the next n atoms, which are to be less than `most` each. */
static void read_rows(struct gromacs_trr_file *f, enum part part, struct gromacs_gro_atom *atom,
                      int64_t n, const double most[3])
{
  const struct head *h = &f->head;
  const char *what = part == PART_POSITIONS ? "coordinate" : "velocity";
  seek_part(f, h, part, 3 * f->read * h->real);
  for (int64_t k = 0; k < n && !f->m->count; k++) {
    double *value = part == PART_POSITIONS ? atom[k].x : atom[k].v;
    if (!read_reals(f, h->real, value, 3)) TRR_ERROR(f, h, "a %s cannot be read", what);
    for (int d = 0; d < 3; d++)
      if (!(fabs(value[d]) < most[d]))
        TRR_ERROR(f, h, "atom %lld: %s %g along %c: expected less than %g",
                  (long long)(f->read + k + 1), what, value[d], axis_name(d), most[d]);
  }
}

/* Finds the last frame of the time range that has positions. */
static struct head find_frame(struct gromacs_trr_file *f, double from, double to)
{
  struct head h = {0}, found = {0};
  int positions = 0; /* 1: a frame of any time has some */
  while (read_head(f, &h)) {
    const double slack = 1e-6 * (1 + fabs(h.time)); /* times may be floats */
    positions |= h.bytes[PART_POSITIONS] > 0;
    if (h.bytes[PART_POSITIONS] && h.time >= from - slack && h.time <= to + slack) found = h;
  }
  if (found.number == 0 && !f->m->count && !positions)
    error_list_add(f->m, f->path, 0,
                   "none of its %lld frames has positions: write them with nstxout",
                   (long long)h.number - 1);
  else if (found.number == 0 && !f->m->count)
    error_list_add(f->m, f->path, 0,
                   "none of its %lld frames has positions and a time from %g to %g ps",
                   (long long)h.number - 1, from, to);
  return found;
}

struct gromacs_trr_file *gromacs_trr_open(const char *path, int64_t expected, double from,
                                          double to, struct gromacs_trr_frame *frame,
                                          struct error_list *m)
{
  char why[160];
  struct gromacs_trr_file *f = alloc_array(1, sizeof *f);
  *f = (struct gromacs_trr_file){.path = path, .in = text_open(path, file_most, why), .m = m};
  char text[FILE_KIND_TEXT];
  const char *other = file_kind_other(path, FILE_TRR, "a .trr file", text);
  if (!f->in || other) {
    error_list_add(m, path, 0, "%s", f->in ? other : why);
    return f;
  }
  fseeko(f->in, 0, SEEK_END);
  f->bytes = ftello(f->in);
  rewind(f->in);
  const struct head h = f->head = find_frame(f, from, to);
  *frame = (struct gromacs_trr_frame){.number = h.number, .step = h.step, .time = h.time};
  frame->has_velocities = h.bytes[PART_VELOCITIES] > 0;
  if (!m->count && h.atoms != expected)
    TRR_ERROR(f, &h, "%d atoms, but the state has %lld", h.atoms, (long long)expected);
  if (!m->count) read_box(f, &h, frame->box);
  for (int d = 0; d < 3; d++)
    f->reach[d] = FRAME_EDGES_MOST * frame->box[d];
  return f;
}

void gromacs_trr_next(struct gromacs_trr_file *f, struct gromacs_gro_atom *atom, int64_t n)
{
  static const double speeds[3] = {FRAME_SPEED_MOST, FRAME_SPEED_MOST, FRAME_SPEED_MOST};
  if (f->m->count) return;
  memset(atom, 0, (size_t)n * sizeof *atom);
  read_rows(f, PART_POSITIONS, atom, n, f->reach);
  if (f->head.bytes[PART_VELOCITIES] > 0) read_rows(f, PART_VELOCITIES, atom, n, speeds);
  f->read += n;
}

void gromacs_trr_close(struct gromacs_trr_file *f)
{
  if (f->in) fclose(f->in);
  free(f);
}
