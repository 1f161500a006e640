/* Packing of XTC coordinates. The beads are a sequence of groups, each of a bead whose coordinates
   are stored in full, and a run of up to RUN_MOST small differences. A group of more than one bead
   begins with its second bead in full; the first is a difference from it, the third one from the
   first, and each further one from the bead before, which suits water (O H H). A difference is
   small if each component is less than half a step size of a list. The size in use moves along that
   list by one place where that pays; one bit says whether the length of the run or the size
   changes, and 5 more bits how. The three numbers of a bead share their bits: they are digits of
   one number in a mixed base. */
#include "io/foreign/xtc_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  INDEX_LEAST = 9,       /* a small difference of size index k has k bits: size^3 <= 2^k */
  INDEX_END = 73,        /* of the list */
  AROUND = 2,            /* sizes that a frame uses beside the first, to each side; measured */
  RUN_MOST = 8,          /* beads */
  PIECE = 4096,          /* beads packed at a time */
  RANGE_SHARED = 1 << 24 /* larger ranges: each component has bits of its own */
};

static const int32_t step_size[INDEX_END] = {
    0,        0,        0,       0,       0,       0,       0,       0,       0,       8,
    10,       12,       16,      20,      25,      32,      40,      50,      64,      80,
    101,      128,      161,     203,     256,     322,     406,     512,     645,     812,
    1024,     1290,     1625,    2048,    2580,    3250,    4096,    5060,    6501,    8192,
    10321,    13003,    16384,   20642,   26007,   32768,   41285,   52015,   65536,   82570,
    104031,   131072,   165140,  208063,  262144,  330280,  416127,  524287,  660561,  832255,
    1048576,  1321122,  1664510, 2097152, 2642245, 3329021, 4194304, 5284491, 6658042, 8388607,
    10568983, 13316085, 16777216};

/* Beads that are held: a piece, those before it that are no whole group without it, and the one
   before them. */
enum { HELD = PIECE + RUN_MOST + 1 };

/* Bits are filled in from the highest of each byte. */
struct bits {
  unsigned char out[XTC_PACK_BYTES * (HELD + 1)];
  int64_t bytes;
  uint64_t word;
  int held; /* of the word */
};

struct xtc_packer {
  struct bits bits;
  int32_t x[HELD][3];
  int held, at;  /* beads in x; the first of the next group */
  int64_t bytes; /* written */
  /* Of the scan: beads, the last one, ranges, and numbers of differences of each size. */
  int64_t n;
  int32_t last[3], least[3], most[3];
  int64_t count[INDEX_END + 1];
  uint32_t range[3];
  int full_bits, each_bits[3]; /* of full coordinates; full_bits 0: each component has its own */
  int index, index_least, index_most;
  int run; /* of the last group that said it */
};

static void put_bits(struct bits *b, int n, uint32_t value)
{
  b->word = b->word << n | value;
  b->held += n;
  for (; b->held >= 8; b->held -= 8)
    b->out[b->bytes++] = (unsigned char)(b->word >> (b->held - 8));
}

/* The product of three sizes or digits of 24 bits. */
__extension__ typedef unsigned __int128 wide;

static int bit_length(wide value)
{
  int n = 0;
  for (; value; value >>= 1)
    n++;
  return n;
}

/* Writes three digits in n bits: the lowest byte of their number first, what is left last. */
static void put_shared(struct bits *b, int n, const uint32_t size[3], const uint32_t digit[3])
{
  wide number = ((wide)digit[0] * size[1] + digit[1]) * size[2] + digit[2];
  for (; n > 0; n -= 8, number >>= 8)
    put_bits(b, n < 8 ? n : 8, (uint32_t)(number & 0xff));
}

static void put_full(struct xtc_packer *p, const int32_t x[3])
{
  uint32_t digit[3];
  for (int d = 0; d < 3; d++)
    digit[d] = (uint32_t)x[d] - (uint32_t)p->least[d];
  if (p->full_bits)
    put_shared(&p->bits, p->full_bits, p->range, digit);
  else
    for (int d = 0; d < 3; d++)
      put_bits(&p->bits, p->each_bits[d], digit[d]);
}

static int64_t difference(const int32_t a[3], const int32_t b[3], int d)
{
  return (int64_t)a[d] - b[d];
}

static int is_near(const int32_t a[3], const int32_t b[3], int64_t distance)
{
  for (int d = 0; d < 3; d++)
    if (llabs(difference(a, b, d)) >= distance) return 0;
  return 1;
}

/* The k-th small difference, from 0, of the group that begins with bead i: of which beads. */
static const int32_t *small_of(const struct xtc_packer *p, int i, int k)
{
  return p->x[k == 0 ? i : i + k + 1];
}

static const int32_t *small_from(const struct xtc_packer *p, int i, int k)
{
  return p->x[k == 0 ? i + 1 : k == 1 ? i : i + k];
}

static int count_small(const struct xtc_packer *p, int i)
{
  int run = 0;
  while (run < RUN_MOST && i + run + 1 < p->held &&
         is_near(small_of(p, i, run), small_from(p, i, run), step_size[p->index] / 2))
    run++;
  return run;
}

/* 1 if all small differences of a group are shorter than those of the next smaller size. */
static int fits_smaller(const struct xtc_packer *p, int i, int run)
{
  const int64_t half = step_size[p->index - 1] / 2;
  for (int k = 0; k < run; k++) {
    int64_t square = 0;
    for (int d = 0; d < 3; d++) {
      const int64_t c = difference(small_of(p, i, k), small_from(p, i, k), d);
      square += c * c;
    }
    if (square >= half * half) return 0;
  }
  return run > 0;
}

/* By how many places the size changes after a group: 1 where the largest size would hold the
   distance from the bead before. */
static int choose_change(const struct xtc_packer *p, int i, int run)
{
  const int32_t(*x)[3] = p->x + i;
  if (p->index < p->index_most && i > 0 && is_near(x[0], x[-1], step_size[p->index_most] / 2))
    return 1;
  return p->index > p->index_least && fits_smaller(p, i, run) ? -1 : 0;
}

/* Returns the number of beads of the group. */
static int put_group(struct xtc_packer *p, int i)
{
  const int run = count_small(p, i), change = choose_change(p, i, run);
  const uint32_t size = (uint32_t)step_size[p->index], sizes[3] = {size, size, size};
  put_full(p, p->x[run ? i + 1 : i]);
  put_bits(&p->bits, 1, run != p->run || change);
  if (run != p->run || change) put_bits(&p->bits, 5, (uint32_t)(3 * run + change + 1));
  p->run = run;
  for (int k = 0; k < run; k++) {
    uint32_t digit[3];
    for (int d = 0; d < 3; d++)
      digit[d] = (uint32_t)(difference(small_of(p, i, k), small_from(p, i, k), d) + size / 2);
    put_shared(&p->bits, p->index, sizes, digit);
  }
  p->index += change;
  return run + 1;
}

/* The first size is the one that would need the fewest bits, were it used throughout: small
   differences their own, the others those of full coordinates. */
static void choose_sizes(struct xtc_packer *p)
{
  int64_t small = 0, least = INT64_MAX;
  const int full =
      p->full_bits ? p->full_bits : p->each_bits[0] + p->each_bits[1] + p->each_bits[2];
  for (int index = INDEX_LEAST; index < INDEX_END; index++) {
    small += p->count[index];
    const int64_t bits = small * index + (p->n - small) * full;
    if (bits >= least) continue;
    least = bits;
    p->index = index;
  }
  p->index_least = p->index - AROUND < INDEX_LEAST ? INDEX_LEAST : p->index - AROUND;
  p->index_most = p->index + AROUND > INDEX_END - 1 ? INDEX_END - 1 : p->index + AROUND;
}

struct xtc_packer *xtc_packer_create(void)
{
  return alloc_array(1, sizeof(struct xtc_packer));
}

void xtc_packer_destroy(struct xtc_packer *p)
{
  free(p);
}

void xtc_scan_begin(struct xtc_packer *p)
{
  p->n = 0;
  memset(p->count, 0, sizeof p->count);
  for (int d = 0; d < 3; d++) {
    p->least[d] = INT32_MAX;
    p->most[d] = INT32_MIN;
  }
}

void xtc_scan(struct xtc_packer *p, const int32_t (*x)[3], int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    int index = INDEX_LEAST;
    for (int d = 0; d < 3; d++) {
      if (x[i][d] < p->least[d]) p->least[d] = x[i][d];
      if (x[i][d] > p->most[d]) p->most[d] = x[i][d];
    }
    while (index < INDEX_END && !is_near(x[i], p->last, step_size[index] / 2))
      index++;
    if (p->n++ > 0) p->count[index]++;
    memcpy(p->last, x[i], sizeof p->last);
  }
}

int xtc_pack_begin(struct xtc_packer *p, struct xtc_packed *head)
{
  int shared = 1;
  for (int d = 0; d < 3; d++) {
    const int64_t range = (int64_t)p->most[d] - p->least[d];
    if (range >= INT32_MAX - 2) return 0;
    p->range[d] = (uint32_t)range + 1;
    p->each_bits[d] = bit_length(p->range[d]);
    shared &= p->range[d] < RANGE_SHARED;
  }
  p->full_bits = shared ? bit_length((wide)p->range[0] * p->range[1] * p->range[2]) : 0;
  choose_sizes(p);
  memcpy(head->least, p->least, sizeof head->least);
  memcpy(head->most, p->most, sizeof head->most);
  head->index = p->index;
  p->run = -1;
  p->held = p->at = 0;
  p->bytes = p->bits.bytes = 0;
  p->bits.held = 0;
  return 1;
}

/* Writes the whole bytes. */
static void write_bits(struct xtc_packer *p, FILE *out)
{
  fwrite(p->bits.out, 1, (size_t)p->bits.bytes, out);
  p->bytes += p->bits.bytes;
  p->bits.bytes = 0;
}

/* Forgets packed beads but the last, which the next group may need. */
static void forget_beads(struct xtc_packer *p)
{
  const int first = p->at > 0 ? p->at - 1 : 0;
  memmove(p->x, p->x[first], (size_t)(p->held - first) * sizeof p->x[0]);
  p->held -= first;
  p->at -= first;
}

void xtc_pack(struct xtc_packer *p, const int32_t (*x)[3], int64_t n, FILE *out)
{
  for (int64_t done = 0; done < n; done += PIECE) {
    const int piece = n - done < PIECE ? (int)(n - done) : PIECE;
    memcpy(p->x[p->held], x[done], (size_t)piece * sizeof p->x[0]);
    p->held += piece;
    while (p->at + RUN_MOST < p->held)
      p->at += put_group(p, p->at);
    write_bits(p, out);
    forget_beads(p);
  }
}

int64_t xtc_pack_end(struct xtc_packer *p, FILE *out)
{
  while (p->at < p->held)
    p->at += put_group(p, p->at);
  put_bits(&p->bits, -p->bits.held & 7, 0);
  write_bits(p, out);
  return p->bytes;
}

int xtc_round(const double position[3], double precision, int32_t x[3])
{
  for (int d = 0; d < 3; d++) {
    const double steps = round(position[d] * precision);
    if (!(fabs(steps) < INT32_MAX - 2)) return 0;
    x[d] = (int32_t)steps;
  }
  return 1;
}
