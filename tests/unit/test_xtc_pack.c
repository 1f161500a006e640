/* Packed coordinates of XTC, unpacked as the format says: every bead comes back, for random gases,
   walks, water, sizes of differences of the whole list, one bead to a million, ranges up to 2^31;
   the bytes do not depend on the pieces in which beads come; and what does not fit is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "io/foreign/xtc_pack.h"
#include "tests/support/unit.h"

enum { BITS_MOST = 96, MILLION = 1000000 };

/* The list of sizes: the largest whole numbers whose cubes have so many bits, but three. */
static int64_t size_of(int index)
{
  const int64_t whole = (int64_t)floor(cbrt(ldexp(1, index)) * (1 + 1e-12));
  return index == 37 ? 5060 : index == 57 || index == 69 ? whole - 1 : whole;
}

struct unpacker {
  const unsigned char *bytes;
  int64_t at; /* bits */
};

static unsigned get_bit(struct unpacker *u)
{
  const unsigned bit = u->bytes[u->at / 8] >> (7 - u->at % 8) & 1;
  u->at++;
  return bit;
}

static int64_t get_bits(struct unpacker *u, int n)
{
  int64_t value = 0;
  while (n-- > 0)
    value = 2 * value + get_bit(u);
  return value;
}

/* Three digits of one number: its bytes come lowest first; divided by hand, byte by byte. */
static void get_digits(struct unpacker *u, int bits, const int64_t size[3], int64_t digit[3])
{
  int64_t byte[BITS_MOST / 8] = {0};
  for (int k = 0; bits > 0; k++, bits -= 8)
    byte[k] = get_bits(u, bits < 8 ? bits : 8);
  for (int d = 2; d >= 0; d--) {
    int64_t rest = 0;
    for (int k = BITS_MOST / 8 - 1; k >= 0; k--) {
      rest = 256 * rest + byte[k];
      byte[k] = rest / size[d];
      rest %= size[d];
    }
    digit[d] = rest;
  }
}

static int bits_of(double value)
{
  int n = 0;
  while (ldexp(1, n) <= value)
    n++;
  return n;
}

/* Full coordinates. */
static void get_full(struct unpacker *u, const struct xtc_packed *head, int64_t x[3])
{
  int64_t size[3];
  int wide = 0;
  double product = 1;
  for (int d = 0; d < 3; d++) {
    size[d] = (int64_t)head->most[d] - head->least[d] + 1;
    wide |= size[d] > 0xffffff;
    product *= (double)size[d];
  }
  if (!wide) get_digits(u, bits_of(product), size, x);
  for (int d = 0; d < 3; d++) {
    if (wide) x[d] = get_bits(u, bits_of((double)size[d]));
    x[d] += head->least[d];
  }
}

/* Returns the bits that were used. */
static int64_t unpack(const struct xtc_packed *head, const unsigned char *bytes, int64_t n,
                      int32_t (*out)[3])
{
  struct unpacker u = {.bytes = bytes};
  int index = head->index, run = 0;
  for (int64_t i = 0; i < n;) {
    int64_t before[3], size = size_of(index), sizes[3] = {size, size, size}, digit[3];
    int change = 0;
    get_full(&u, head, before);
    if (get_bit(&u)) {
      const int code = (int)get_bits(&u, 5);
      run = code / 3;
      change = code % 3 - 1;
    }
    for (int d = 0; d < 3; d++)
      out[run ? i + 1 : i][d] = (int32_t)before[d];
    for (int k = 0; k < run; k++) {
      get_digits(&u, index, sizes, digit);
      for (int d = 0; d < 3; d++) {
        before[d] += digit[d] - size / 2;
        out[k ? i + k + 1 : i][d] = (int32_t)before[d];
      }
    }
    i += run + 1;
    index += change;
    assert_in_range(index, 9, 72);
    assert_in_range(i, 1, n);
  }
  return u.at;
}

/* Packs n beads that come in pieces. Returns the bytes, which are in *bytes, for the caller to
   free; -1: they do not fit. */
static int64_t pack(const int32_t (*x)[3], int64_t n, int64_t piece, struct xtc_packed *head,
                    unsigned char **bytes)
{
  char *text = NULL;
  size_t written;
  FILE *out = open_memstream(&text, &written);
  struct xtc_packer *p = xtc_packer_create();
  int64_t packed = -1;
  for (int frame = 0; frame < 2; frame++) { /* nothing is left of the first */
    xtc_scan_begin(p);
    for (int64_t i = 0; i < n; i += piece)
      xtc_scan(p, x + i, n - i < piece ? n - i : piece);
    if (!xtc_pack_begin(p, head)) continue;
    rewind(out);
    for (int64_t i = 0; i < n; i += piece)
      xtc_pack(p, x + i, n - i < piece ? n - i : piece, out);
    packed = xtc_pack_end(p, out);
  }
  xtc_packer_destroy(p);
  fclose(out);
  assert_int_equal(written, packed < 0 ? 0 : packed);
  *bytes = (unsigned char *)text;
  return packed;
}

/* Packs and unpacks; returns the bytes. */
static int64_t check(const int32_t (*x)[3], int64_t n)
{
  struct xtc_packed head, other;
  unsigned char *bytes, *again;
  int32_t(*back)[3] = malloc((size_t)n * sizeof *back);
  const int64_t packed = pack(x, n, n, &head, &bytes);
  assert_in_range(packed, 1, XTC_PACK_BYTES * (n + 1));
  assert_int_equal((unpack(&head, bytes, n, back) + 7) / 8, packed);
  assert_memory_equal(back, x, (size_t)n * sizeof *x);
  for (int64_t piece = 1; piece < 20 && n < MILLION; piece += 1 + n / 40) {
    assert_int_equal(pack(x, n, piece, &other, &again), packed);
    assert_memory_equal(&other, &head, sizeof head);
    assert_memory_equal(again, bytes, (size_t)packed);
    free(again);
  }
  free(bytes);
  free(back);
  return packed;
}

static uint32_t draw(int seed, int64_t k, int d)
{
  return rng_words((uint64_t)seed, (uint64_t)d, (uint64_t)k, RNG_BUILD).word[0];
}

/* Whole numbers in -span ... span. */
static int32_t spread(int seed, int64_t k, int d, int64_t span)
{
  return (int32_t)((int64_t)(draw(seed, k, d) % (uint64_t)(2 * span + 1)) - span);
}

enum shape { GAS, WALK, WATER, SHAPES };

static void make(int32_t (*x)[3], int64_t n, enum shape shape, int64_t span, int64_t step, int seed)
{
  for (int64_t k = 0; k < n; k++)
    for (int d = 0; d < 3; d++) {
      const int fresh = k == 0 || shape == GAS || (shape == WATER && k % 3 == 0);
      const int64_t from = shape == WATER ? k - k % 3 : k - 1;
      int64_t value = spread(seed, k, d, fresh ? span : step);
      if (!fresh) value += x[from][d];
      /* Walks turn back at the ends of the range. */
      if (value > span || value < -span) value = x[from][d];
      x[k][d] = (int32_t)value;
    }
}

static void beads_come_back(void **state)
{
  (void)state;
  static const int64_t spans[] = {0, 1, 40, 30000, 8388607, 8388608, 1073741821};
  enum { MOST = 700 };
  int32_t(*x)[3] = malloc(MOST * sizeof *x);
  int seed = 0;
  for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++)
    for (int shape = 0; shape < SHAPES; shape++)
      for (int64_t step = 1; step <= spans[s] || step == 1; step *= 3)
        for (int64_t n = 1; n <= MOST; n += n < 30 ? 1 : 223) {
          make(x, n, shape, spans[s], step < spans[s] ? step : spans[s], seed++);
          check((const int32_t(*)[3])x, n);
        }
  free(x);
}

/* Differences just below and at half a size, of every size of the list, in both directions. */
static void every_size_is_used(void **state)
{
  (void)state;
  int32_t x[40][3];
  for (int index = 9; index <= 72; index++)
    for (int off = -1; off <= 1; off++) {
      const int64_t step = size_of(index) / 2 + off;
      for (int k = 0; k < 40; k++)
        for (int d = 0; d < 3; d++)
          x[k][d] = (int32_t)((k + d) % 3 == 0 ? 5 : (k + d) % 3 == 1 ? 5 + step : 5 - step);
      check((const int32_t(*)[3])x, 40);
    }
}

/* A size that shrinks and grows in one frame. */
static void sizes_move(void **state)
{
  (void)state;
  enum { N = 3000 };
  int32_t(*x)[3] = malloc(N * sizeof *x);
  for (int k = 0; k < N; k++)
    for (int d = 0; d < 3; d++)
      x[k][d] = (k ? x[k - 1][d] : 0) + spread(77, k, d, 1 << (k / 100 % 14));
  check((const int32_t(*)[3])x, N);
  free(x);
}

/* A million beads: a gas has the bits of its range, and water fewer. */
static void a_million(void **state)
{
  (void)state;
  int32_t(*x)[3] = malloc(MILLION * sizeof *x);
  make(x, MILLION, WATER, 50000, 300, 5);
  const int64_t water = check((const int32_t(*)[3])x, MILLION);
  make(x, MILLION, GAS, 50000, 0, 6);
  const int64_t gas = check((const int32_t(*)[3])x, MILLION);
  print_message("a million beads: %lld bytes of water, %lld of gas\n", (long long)water,
                (long long)gas);
  assert_in_range(gas, 6 * MILLION, 7 * MILLION); /* log2(100001^3) + 1 = 50.8 bits */
  assert_in_range(water, 4 * MILLION, 5 * MILLION);
  free(x);
}

static void rounding(void **state)
{
  (void)state;
  const double x[][3] = {{0.0004999, -0.0005001, 12.3456}, {2147483.6, 0, -2147483.6}};
  const double far[3] = {0, 2147483.646, 0}, none[3] = {0, 0, NAN};
  int32_t out[2][3];
  for (int k = 0; k < 2; k++)
    assert_true(xtc_round(x[k], 1000, out[k]));
  const int32_t expected[2][3] = {{0, -1, 12346}, {2147483600, 0, -2147483600}};
  assert_memory_equal(out, expected, sizeof out);
  assert_false(xtc_round(far, 1000, out[0]));
  assert_false(xtc_round(none, 1000, out[0]));
}

static void too_wide(void **state)
{
  (void)state;
  struct xtc_packed head;
  unsigned char *bytes;
  const int32_t wide[2][3] = {{0, -1073741824, 0}, {0, 1073741822, 0}};
  assert_int_equal(pack(wide, 2, 2, &head, &bytes), -1);
  free(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beads_come_back), cmocka_unit_test(every_size_is_used),
      cmocka_unit_test(sizes_move),      cmocka_unit_test(a_million),
      cmocka_unit_test(rounding),        cmocka_unit_test(too_wide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
