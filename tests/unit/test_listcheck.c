/* When lists expire by displacements: the limit written out for boxes that are not, are less and
   are more wide than at the build; displacements that are no numbers; when backends search, and how
   far. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "input/param.h"
#include "md/listcheck.h"
#include "tests/support/unit.h"

#define CUTOFF 1.2
#define SKIN 0.2
#define BUILT 8.0 /* edge of the box at the build */

struct moved_backend {
  struct backend backend;
  double moved2[2]; /* the largest displacements (squared) of its beads, nm2 */
  int searches, finds, precision;
  double above2, reach; /* of the last search */
};

static void moved(struct backend *b, double largest[2])
{
  memcpy(largest, ((struct moved_backend *)b)->moved2, 2 * sizeof *largest);
}

static int find_unlisted(struct backend *b, double above2, double reach)
{
  struct moved_backend *of = (struct moved_backend *)b;
  of->searches++;
  of->above2 = above2;
  of->reach = reach;
  return of->finds;
}

/* What listcheck_begin of one rank says of two displacements (squared), in a box with edges
   of these multiples of those at the build. */
static int expires_of(struct moved_backend *of, enum list_expiry expiry, double x, double yz,
                      double margin)
{
  const struct backend_ops ops = {.displacement2 = moved, .find_unlisted = find_unlisted};
  struct ranks ranks = {.size = 1};
  struct system system = {.lists.skin = SKIN,
                          .box = {x * BUILT, yz * BUILT, yz * BUILT},
                          .lists.box = {BUILT, BUILT, BUILT}};
  const struct params params = {.run_precision = of->precision};
  struct sim s = {.ranks = &ranks,
                  .params = &params,
                  .system = &system,
                  .backend = &of->backend,
                  .cutoff = CUTOFF,
                  .list_margin = margin,
                  .list_expiry = expiry};
  of->backend.ops = &ops;
  const int expired = listcheck_begin(&s);
  assert_false(listcheck_end(&s));
  return expired;
}

static int expires(double first2, double second2, double x, double yz, double margin)
{
  struct moved_backend of = {.moved2 = {first2, second2}};
  const int expired = expires_of(&of, EXPIRY_DISPLACEMENT, x, yz, margin);
  assert_int_equal(of.searches, 0);
  return expired;
}

/* Lists hold while two displacements are together at most this, nm, and no longer, in whatever
   parts the two have moved. */
static void assert_limit(double together, double x, double yz, double margin)
{
  static const double share[] = {0.5, 0.6, 0.9, 1};
  assert_false(expires(0, 0, x, yz, margin));
  for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
    const double first = share[k] * together, second = together - first;
    const double less = 1 - 1e-9, more = 1 + 1e-9;
    assert_false(expires(first * first * less, second * second * less, x, yz, margin));
    assert_true(expires(first * first * more, second * second * more, x, yz, margin));
  }
}

/* Two beads that approach each other cross the skin when they have together moved so far. */
static void a_skin(void **state)
{
  (void)state;
  assert_limit(SKIN, 1, 1, 0);
  assert_limit(SKIN, 1, 1, 0.3);
}

/* In a box 2 % narrower along x pairs along x are that much closer without a displacement; at 15 %
   lists have expired at once. */
static void narrower_box(void **state)
{
  (void)state;
  assert_limit(CUTOFF + SKIN - CUTOFF / 0.98, 0.98, 1, 0);
  assert_limit(CUTOFF + SKIN - CUTOFF / 0.98, 0.98, 1.02, 0.3);
  assert_true(expires(0, 0, 0.85, 1, 0));
}

/* Pairs get farther apart in a box that is wider along every axis only; those of a smaller cutoff
   by less. */
static void wider_box(void **state)
{
  (void)state;
  const double margin = 0.3, smaller = CUTOFF - margin;
  assert_limit(SKIN, 1.02, 1, 0);
  assert_limit(CUTOFF + SKIN - CUTOFF / 1.02, 1.02, 1.02, 0);
  assert_limit(smaller + SKIN - smaller / 1.02, 1.02, 1.02, margin);
}

static void no_number(void **state)
{
  (void)state;
  assert_true(expires((double)NAN, 0, 1, 1, 0));
  assert_true(expires(0, (double)NAN, 1, 1, 0));
  assert_true(expires((double)INFINITY, 0, 1, 1, 0));
}

/* Up to `listed` together nothing is searched, up to `halo` the search decides, as far as two beads
   may have come, and beyond lists have expired. nm. */
static void assert_search(double listed, double halo, double x)
{
  for (int finds = 0; finds < 2; finds++)
    for (double together = 0.002; together < 2 * SKIN; together += 0.01) {
      struct moved_backend of = {.moved2 = {0.36 * together * together, 0.16 * together * together},
                                 .finds = finds};
      const int searches = together > listed && together < halo;
      const int expired = expires_of(&of, EXPIRY_SEARCH, x, 1, 0);
      assert_int_equal(of.searches, searches);
      assert_int_equal(expired, searches ? finds : together > listed);
      if (!searches) continue;
      assert_true(fabs(of.above2 - 0.25 * listed * listed) < 1e-12);
      assert_true(fabs(of.reach - (CUTOFF / x + together)) < 1e-8);
    }
}

static void a_search_decides(void **state)
{
  (void)state;
  assert_search(SKIN, 1.5 * SKIN, 1);
  assert_search(CUTOFF + SKIN - CUTOFF / 0.98, CUTOFF + 1.5 * SKIN - CUTOFF / 0.98, 0.98);
  struct moved_backend of = {.moved2 = {(double)NAN, 0}};
  assert_true(expires_of(&of, EXPIRY_SEARCH, 1, 1, 0));
}

/* In double precision lists expire, as on devices, when one bead has moved so far that another one
   that has may be inside the cutoff and not in the halo. */
static void one_goes_too_far(void **state)
{
  const double limit = 0.75 * SKIN;
  (void)state;
  for (double moved = 0.002; moved < 2 * SKIN; moved += 0.01)
    for (int precision = PRECISION_MIXED; precision <= PRECISION_DOUBLE; precision++) {
      struct moved_backend of = {.moved2 = {moved * moved, 0}, .precision = precision};
      const int expired = expires_of(&of, EXPIRY_SEARCH, 1, 1, 0);
      assert_int_equal(expired, moved > (precision == PRECISION_DOUBLE ? limit : 1.5 * SKIN));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_skin),           cmocka_unit_test(narrower_box),
      cmocka_unit_test(wider_box),        cmocka_unit_test(no_number),
      cmocka_unit_test(a_search_decides), cmocka_unit_test(one_goes_too_far)};
  MPI_Init(NULL, NULL); /* timers ask MPI for the time, which MPICH has only then */
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
