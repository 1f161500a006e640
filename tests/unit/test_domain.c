/* Owners, peers and halos of slabs, against what the words mean: each point counted out. */
#include "tests/support/agree.h"

#include <string.h>

#include "mpi/domain/slab.h"

#include "base/rng.h"

enum { SIZES = 9, POINTS = 400 };
static const uint64_t whole = UINT64_C(1) << 32;

/* Slabs of these many ranks, no thinner than the halo, whose width is a part of the thinnest. */
static void slabs_set(struct slab *s, struct ranks *r, int size, int axis, int equal)
{
  memset(r, 0, sizeof *r);
  r->size = size;
  slab_create(s, r, axis);
  s->width = whole / (uint64_t)(2 * size) - 3;
  s->thickness = whole / (uint64_t)size - 5; /* also what clusters that reach out of it need */
  for (int k = 1; k < size && !equal; k++)
    s->bound[k] +=
        rng_words(3, (uint64_t)size, (uint64_t)k, RNG_BUILD).word[0] % (whole / 8 / (uint64_t)size);
}

/* Points at random, and, of the first, those on bounds and where halos end. */
static uint32_t point(const struct slab *s, int size, int m)
{
  const uint64_t at = s->bound[m % (size + 1)];
  const uint64_t special[] = {
      at, at - 1, at + s->width, at + s->width + 1, at - s->width, at - s->width - 1};
  if (m < 6 * (size + 1)) return (uint32_t)special[m / (size + 1)];
  return (uint32_t)rng_words(4, (uint64_t)m, 0, RNG_BUILD).word[0];
}

static int is_inside(const struct slab *s, int rank, uint32_t x)
{
  return x >= s->bound[rank] && x < s->bound[rank + 1];
}

/* Is a point inside the slab of a rank, or no further than the width from one of its faces? */
static int is_reached(const struct slab *s, int rank, uint32_t x)
{
  const uint32_t below = (uint32_t)s->bound[rank] - x, above = x - (uint32_t)s->bound[rank + 1];
  return is_inside(s, rank, x) || below <= s->width || above <= s->width;
}

static void owners_and_peers(void **state)
{
  (void)state;
  for (int size = 1; size < SIZES; size++)
    for (int axis = 0; axis < 3; axis++) {
      struct slab s;
      struct ranks r;
      slabs_set(&s, &r, size, axis, axis == 2);
      for (r.rank = 0; r.rank < size; r.rank++) {
        const struct domain d = slab_domain(&s, &r);
        assert_int_equal(d.n_peers, size == 1 ? 0 : size == 2 ? 1 : 2);
        for (int m = 0; m < POINTS; m++) {
          int32_t x[3] = {7, -9, 11};
          x[axis] = (int32_t)point(&s, size, m);
          const uint32_t at = (uint32_t)x[axis];
          const int owner = domain_owner(&d, x);
          assert_true(is_inside(&s, owner, at));
          assert_int_equal(domain_is_own(&d, x), owner == r.rank);
          for (int k = 0; k < d.n_peers; k++) {
            const struct domain one = domain_with_peer(&d, k);
            assert_true(d.peer[k] != r.rank && (k == 0 || d.peer[k] != d.peer[0]));
            assert_int_equal(domain_is_near(&d, k, x), is_reached(&s, d.peer[k], at));
            assert_int_equal(domain_is_near(&one, 0, x), domain_is_near(&d, k, x));
          }
        }
      }
      slab_destroy(&s);
    }
}

/* A bead that another rank needs is needed by a peer: the halo reaches no further than a slab. */
static void only_peers_are_near(void **state)
{
  (void)state;
  for (int size = 2; size < SIZES; size++) {
    struct slab s;
    struct ranks r;
    slabs_set(&s, &r, size, 0, 0);
    for (r.rank = 0; r.rank < size; r.rank++) {
      const struct domain d = slab_domain(&s, &r);
      for (int m = 0; m < POINTS; m++) {
        const int32_t x[3] = {(int32_t)point(&s, size, m), 0, 0};
        int needed = 0, near = 0;
        if (!domain_is_own(&d, x)) continue;
        for (int k = 0; k < size; k++)
          needed += k != r.rank && is_reached(&s, k, (uint32_t)x[0]);
        for (int k = 0; k < d.n_peers; k++)
          near += domain_is_near(&d, k, x);
        assert_int_equal(near, needed);
      }
    }
    slab_destroy(&s);
  }
}

/* Bounds that have moved together, at both ends of the edge, become slabs as thick as they have to
 * be. */
static void widened(void **state)
{
  (void)state;
  for (int size = 1; size < SIZES; size++)
    for (int high = 0; high < 2; high++) {
      struct slab s;
      struct ranks r;
      slabs_set(&s, &r, size, 2, 1);
      for (int k = 1; k < size; k++)
        s.bound[k] = high ? whole - (uint64_t)(size - k) : (uint64_t)k;
      slab_widen(&s, &r);
      assert_true(s.bound[0] == 0 && s.bound[size] == whole);
      for (int k = 0; k < size; k++)
        assert_true(s.bound[k + 1] >= s.bound[k] + s.thickness);
      slab_destroy(&s);
    }
}

static void extents_and_bins(void **state)
{
  (void)state;
  struct slab s;
  struct ranks r;
  int64_t low = 0, high = 0;
  slabs_set(&s, &r, 4, 1, 1);
  struct domain d = slab_domain(&s, &r);
  assert_false(domain_extent(&d, 0, &low, &high));
  assert_true(domain_extent(&d, 1, &low, &high));
  assert_true(low == -(int64_t)s.width && high == (int64_t)(s.bound[1] + s.width));
  for (int k = 0; k < 4; k++) {
    const int32_t x[3] = {0, (int32_t)(uint32_t)(s.bound[k] + 1), 0};
    assert_int_equal(domain_bin(&d, x, 4), k);
  }
  d.n_ranks = 1;
  assert_false(domain_extent(&d, 1, &low, &high));
  slab_destroy(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(owners_and_peers),
                                     cmocka_unit_test(only_peers_are_near),
                                     cmocka_unit_test(widened), cmocka_unit_test(extents_and_bins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
