/* Reading of .trr files: frames one after the other, each with a head of the sizes of its parts.
   Numbers are floats or doubles, big-endian. */
#include "import/gromacs_trr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/text.h"
#include "base/xdr.h"

enum { MAGIC = 1993, VERSION_MOST = 80, PIECE = 4096 };

/* Limits of edges (nm) and of coordinates, in edges; of velocities, nm/ps */
#define EDGE_LEAST 0.01
#define EDGE_MOST 1e6
#define EDGES_MOST 1e6
#define SPEED_MOST 1e6

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

struct reader {
  const char *path;
  FILE *in;
  int64_t bytes; /* of the file */
  struct error_list *m;
};

#define TRR_ERROR(r, h, format, ...)                                                               \
  error_list_add((r)->m, (r)->path, 0, "frame %lld: " format, (long long)(h)->number, __VA_ARGS__)

static int read_bytes(struct reader *r, unsigned char *data, size_t n)
{
  return fread(data, 1, n, r->in) == n;
}

static int read_int(struct reader *r, int32_t *value)
{
  unsigned char word[4];
  const int good = read_bytes(r, word, sizeof word);
  *value = good ? xdr_int(word) : 0;
  return good;
}

/* Reads n numbers. */
static int read_reals(struct reader *r, int real, double *value, int64_t n)
{
  unsigned char piece[PIECE * 8];
  for (int64_t first = 0; first < n; first += PIECE) {
    const int64_t some = n - first < PIECE ? n - first : PIECE;
    if (!read_bytes(r, piece, (size_t)(some * real))) return 0;
    for (int64_t k = 0; k < some; k++)
      value[first + k] = real == 8 ? xdr_double(piece + 8 * k) : xdr_float(piece + 4 * k);
  }
  return 1;
}

/* Magic number and version. */
static int read_start(struct reader *r)
{
  unsigned char version[VERSION_MOST];
  int32_t magic, size, length;
  return read_int(r, &magic) && magic == MAGIC && read_int(r, &size) && read_int(r, &length) &&
         length >= 0 && length <= VERSION_MOST - 4 &&
         read_bytes(r, version, (size_t)(length + 3) / 4 * 4);
}

/* Bytes of a number, by those of the box or of the positions; 0 if neither fits. */
static int real_of(const struct head *h)
{
  const int64_t row = 3 * (int64_t)h->atoms;
  const int real = h->bytes[PART_BOX]                ? h->bytes[PART_BOX] / 9
                   : h->bytes[PART_POSITIONS] && row ? (int)(h->bytes[PART_POSITIONS] / row)
                                                     : 4;
  if (real != 4 && real != 8) return 0;
  for (int k = PART_POSITIONS; k < PARTS; k++)
    if (h->bytes[k] && h->bytes[k] != row * real) return 0;
  return h->bytes[PART_BOX] && h->bytes[PART_BOX] != 9 * real ? 0 : real;
}

/* Reads the head of the next frame. 0 at the end of the file, or after a mistake. */
static int read_head(struct reader *r, struct head *h)
{
  int64_t rest = 0;
  int32_t entries;
  double origin[2];
  h->number++;
  if (ftello(r->in) == r->bytes) return 0;
  int good = read_start(r);
  for (int k = 0; k < PARTS && good; k++) {
    good = read_int(r, &h->bytes[k]) && h->bytes[k] >= 0;
    rest += h->bytes[k];
  }
  good = good && read_int(r, &h->atoms) && h->atoms >= 0 && read_int(r, &h->step) &&
         read_int(r, &entries);
  h->real = good ? real_of(h) : 0;
  good = h->real && read_reals(r, h->real, origin, 2);
  h->at = ftello(r->in);
  if (!good || h->at + rest > r->bytes) {
    TRR_ERROR(r, h, "the file is %s", good ? "cut off in it" : "no .trr file, or damaged there");
    return 0;
  }
  h->time = origin[0];
  return fseeko(r->in, h->at + rest, SEEK_SET) == 0;
}

/* Goes to a part of a frame. */
static void seek_part(struct reader *r, const struct head *h, enum part part)
{
  int64_t at = h->at;
  for (int k = 0; k < (int)part; k++)
    at += h->bytes[k];
  if (fseeko(r->in, at, SEEK_SET)) TRR_ERROR(r, h, "its part %d cannot be read", part);
}

static void read_box(struct reader *r, const struct head *h, double edge[3])
{
  double box[9] = {0};
  if (h->bytes[PART_BOX] == 0) {
    TRR_ERROR(r, h, "it has no box%s", "");
    return;
  }
  seek_part(r, h, PART_BOX);
  if (!read_reals(r, h->real, box, 9)) TRR_ERROR(r, h, "its box cannot be read%s", "");
  for (int k = 0; k < 9; k++)
    if (k % 4 && box[k] != 0) {
      TRR_ERROR(r, h, "the box is not rectangular (number %d is %g): others are not implemented",
                k + 1, box[k]);
      return;
    }
  for (int d = 0; d < 3; d++) {
    edge[d] = box[4 * d];
    if (!(edge[d] >= EDGE_LEAST && edge[d] <= EDGE_MOST))
      TRR_ERROR(r, h, "an edge of %g nm along %c: expected %g to %g", edge[d], axis_name(d),
                EDGE_LEAST, EDGE_MOST);
  }
}

/* Reads positions or velocities, which are to be less than `most` each. */
static void read_rows(struct reader *r, const struct head *h, enum part part,
                      struct gromacs_gro_atom *atom, const double most[3])
{
  const char *what = part == PART_POSITIONS ? "coordinate" : "velocity";
  seek_part(r, h, part);
  for (int64_t k = 0; k < h->atoms && !r->m->count; k++) {
    double *value = part == PART_POSITIONS ? atom[k].x : atom[k].v;
    if (!read_reals(r, h->real, value, 3)) TRR_ERROR(r, h, "a %s cannot be read", what);
    for (int d = 0; d < 3; d++)
      if (!(fabs(value[d]) < most[d]))
        TRR_ERROR(r, h, "atom %lld: %s %g along %c: expected less than %g", (long long)k + 1, what,
                  value[d], axis_name(d), most[d]);
  }
}

/* Finds the last frame of the time range that has positions. */
static struct head find_frame(struct reader *r, double from, double to)
{
  struct head h = {0}, found = {0};
  while (read_head(r, &h)) {
    const double slack = 1e-6 * (1 + fabs(h.time)); /* times may be floats */
    if (h.bytes[PART_POSITIONS] && h.time >= from - slack && h.time <= to + slack) found = h;
  }
  if (found.number == 0 && !r->m->count)
    error_list_add(r->m, r->path, 0,
                   "none of its %lld frames has positions and a time from %g to %g ps",
                   (long long)h.number - 1, from, to);
  return found;
}

struct gromacs_gro *gromacs_trr_read(const char *path, int64_t expected, double from, double to,
                                     struct gromacs_trr_frame *frame, struct error_list *m)
{
  static const double speeds[3] = {SPEED_MOST, SPEED_MOST, SPEED_MOST};
  char why[160];
  struct gromacs_gro *c = alloc_array(1, sizeof *c);
  struct reader r = {.path = path, .in = text_open(path, file_most, why), .m = m};
  c->path = path;
  if (!r.in) {
    error_list_add(m, path, 0, "%s", why);
    return c;
  }
  fseeko(r.in, 0, SEEK_END);
  r.bytes = ftello(r.in);
  rewind(r.in);
  const struct head h = find_frame(&r, from, to);
  *frame = (struct gromacs_trr_frame){h.number, h.step, h.time};
  if (!m->count && h.atoms != expected)
    TRR_ERROR(&r, &h, "%d atoms, but the state has %lld", h.atoms, (long long)expected);
  if (!m->count) read_box(&r, &h, c->box);
  if (!m->count) {
    const double most[3] = {EDGES_MOST * c->box[0], EDGES_MOST * c->box[1], EDGES_MOST * c->box[2]};
    c->n = h.atoms;
    c->atom = alloc_array(c->n, sizeof *c->atom);
    read_rows(&r, &h, PART_POSITIONS, c->atom, most);
    c->has_velocities = h.bytes[PART_VELOCITIES] > 0;
    if (c->has_velocities) read_rows(&r, &h, PART_VELOCITIES, c->atom, speeds);
  }
  fclose(r.in);
  return c;
}
