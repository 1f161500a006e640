/* Sites and orientations of starting configurations: see place.h. Random rotations: Shoemake
   (Graphics Gems III, 1992). Permutation: a Feistel network over the next power of four, applied
   until the result is below count (Black and Rogaway, 2002). */
#include "model/place.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/rng.h"
#include "base/units.h"

void place_orientation(const double u[3], double q[4])
{
  double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  double x = u[0] / length, y = u[1] / length, z = u[2] / length;
  /* cos and sin of half the angle. Each is computed in the half where no digits cancel. */
  double xy = sqrt(x * x + y * y), c, s;
  if (z >= 0) {
    c = sqrt(0.5 * (1 + z));
    s = 0.5 * xy / c;
  } else {
    s = sqrt(0.5 * (1 - z));
    c = 0.5 * xy / s;
  }
  q[0] = c;
  q[1] = xy > 0 ? -s * y / xy : s; /* u = -z: any axis in the plane */
  q[2] = xy > 0 ? s * x / xy : 0;
  q[3] = 0;
}

void place_draw_orientation(uint64_t seed, uint32_t draw, int64_t id, double q[4])
{
  double r[4];
  rng_uniform(seed, draw, (uint64_t)id, RNG_BUILD_ORIENTATION, r);
  double a = sqrt(1 - r[0]), b = sqrt(r[0]);
  q[0] = b * portable_cos(2 * UNITS_PI * r[2]);
  q[1] = a * portable_sin(2 * UNITS_PI * r[1]);
  q[2] = a * portable_cos(2 * UNITS_PI * r[1]);
  q[3] = b * portable_sin(2 * UNITS_PI * r[2]);
}

void place_random_orientation(struct system *s, int64_t k)
{
  const double *inertia = s->ff->type[s->beads.type[k]].inertia;
  if (inertia[0] == 0 && inertia[1] == 0 && inertia[2] == 0) return;
  place_draw_orientation(s->clock.seed, 0, s->first + k, s->beads.orientation + 4 * k);
}

void place_fraction(struct system *s, int64_t k, int axis, int64_t whole, int32_t position,
                    uint32_t residual, int64_t parts)
{
  int64_t image = whole / parts, rest = whole % parts;
  if (rest < 0) {
    image -= 1;
    rest += parts;
  }
  /* Long division with 32-bit digits. */
  uint64_t divisor = (uint64_t)parts;
  uint64_t high = (uint64_t)rest << 32 | (uint32_t)position;
  uint64_t low = high % divisor << 32 | residual;
  uint32_t digit = (uint32_t)(high / divisor);
  memcpy(&s->beads.position[3 * k + axis], &digit, sizeof digit);
  s->beads.residual[3 * k + axis] = (uint32_t)(low / divisor);
  s->beads.image[3 * k + axis] = (int32_t)image;
}

/* First of the count items in a row; rows have nearly equal lengths. */
static int64_t row_start(int64_t count, int64_t rows, int64_t row)
{
  return row * (count / rows) + row * (count % rows) / rows;
}

/* Row of item k; also the length of that row and the position of the item in it. */
static int64_t row_of(int64_t count, int64_t rows, int64_t k, int64_t *length, int64_t *in_row)
{
  int64_t row = (int64_t)(((double)k + 0.5) / (double)count * (double)rows);
  while (row > 0 && row_start(count, rows, row) > k)
    row--;
  while (row_start(count, rows, row + 1) <= k)
    row++;
  *in_row = k - row_start(count, rows, row);
  *length = row_start(count, rows, row + 1) - row_start(count, rows, row);
  return row;
}

static int64_t at_least_one(double x)
{
  return x < 1 ? 1 : (int64_t)llround(x);
}

void place_in_layer(int64_t count, int64_t k, const double edge[2], double x[2])
{
  int64_t rows = at_least_one(sqrt((double)count * edge[1] / edge[0])), length, in_row;
  if (rows > count) rows = count;
  int64_t row = row_of(count, rows, k, &length, &in_row);
  double stagger = row % 2 ? 0.75 : 0.25;
  x[0] = ((double)in_row + stagger) / (double)length * edge[0];
  x[1] = ((double)row + 0.5) / (double)rows * edge[1];
}

void place_in_slab(int64_t count, int64_t k, const double edge[3], double x[3])
{
  double spacing = portable_cbrt(edge[0] * edge[1] * edge[2] / (double)count);
  int64_t layers = at_least_one(edge[2] / spacing), length, in_layer;
  if (layers > count) layers = count;
  int64_t layer = row_of(count, layers, k, &length, &in_layer);
  place_in_layer(length, in_layer, edge, x);
  x[2] = ((double)layer + 0.5) / (double)layers * edge[2];
}

void place_check_distance(const struct forcefield *ff, int type, double r, const char *where)
{
  const double closest = 0.75; /* of sigma: there the Lennard-Jones energy is 105 epsilon */
  const double sigma = ff->pair[type * ff->n_types + type].sigma;
  if (r >= closest * sigma) return;
  warn("%s: beads %s are %.3g nm apart, and their sigma is %.3g nm: minimise before a run, or take "
       "a lower density",
       where, ff->type[type].name, r, sigma);
}

int64_t place_shuffled(int64_t count, int64_t k, uint64_t seed, uint64_t deck)
{
  int half = 1;
  while (half < 31 && (int64_t)1 << 2 * half < count)
    half++;
  uint64_t mask = (UINT64_C(1) << half) - 1, card = (uint64_t)k;
  do {
    uint64_t left = card >> half, right = card & mask;
    for (uint64_t round = 0; round < 6; round++) {
      struct rng_block b = rng_words(seed, deck << 8 | round, right, RNG_BUILD_SHUFFLE);
      uint64_t next = left ^ (b.word[0] & mask);
      left = right;
      right = next;
    }
    card = left << half | right;
  } while (card >= (uint64_t)count);
  return (int64_t)card;
}

int32_t place_molecule_number(int64_t molecule)
{
  if (molecule > INT32_MAX)
    die(STATUS_INPUT, "more than %d molecules: make the system smaller", INT32_MAX);
  return (int32_t)molecule;
}

int64_t place_count_product(int64_t a, int64_t b, const char *what)
{
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product) || product > INT64_MAX / 2)
    die(STATUS_INPUT, "%lld times %lld %s are more than can be counted", (long long)a, (long long)b,
        what);
  return product;
}
