/* When lists expire by displacements: the limit written out for boxes that are not, are less and
   are more wide than at the build; displacements that are no numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "md/listcheck.h"

#define CUTOFF 1.2
#define SKIN 0.2
#define BUILT 8.0 /* edge of the box at the build */

struct moved_backend {
  struct backend backend;
  double moved2; /* the largest displacement (squared) of its beads, nm2 */
};

static double moved(struct backend *b)
{
  return ((struct moved_backend *)b)->moved2;
}

/* What listcheck_begin of one rank says of a displacement (squared), in a box with edges
   of these multiples of those at the build. */
static int expires(double displacement2, double x, double yz, double margin)
{
  const struct backend_ops ops = {.displacement2 = moved};
  struct moved_backend of = {{.ops = &ops}, displacement2};
  struct ranks ranks = {.size = 1};
  struct system system = {
      .skin = SKIN, .box = {x * BUILT, yz * BUILT, yz * BUILT}, .build_box = {BUILT, BUILT, BUILT}};
  struct sim s = {.ranks = &ranks,
                  .system = &system,
                  .backend = &of.backend,
                  .cutoff = CUTOFF,
                  .list_margin = margin,
                  .list_expiry = EXPIRY_DISPLACEMENT};
  const int expired = listcheck_begin(&s);
  assert_false(listcheck_end(&s));
  return expired;
}

/* Lists hold up to a displacement d, nm, and not beyond. */
static void assert_limit(double d, double x, double yz, double margin)
{
  assert_false(expires(0, x, yz, margin));
  assert_false(expires(d * d * (1 - 1e-9), x, yz, margin));
  assert_true(expires(d * d * (1 + 1e-9), x, yz, margin));
}

/* Two beads that approach each other cross the skin when each has moved half of it. */
static void half_a_skin(void **state)
{
  (void)state;
  assert_limit(SKIN / 2, 1, 1, 0);
  assert_limit(SKIN / 2, 1, 1, 0.3);
}

/* In a box 2 % narrower along x pairs along x are that much closer without a displacement; at 15 %
   lists have expired at once. */
static void narrower_box(void **state)
{
  (void)state;
  assert_limit((CUTOFF + SKIN - CUTOFF / 0.98) / 2, 0.98, 1, 0);
  assert_limit((CUTOFF + SKIN - CUTOFF / 0.98) / 2, 0.98, 1.02, 0.3);
  assert_true(expires(0, 0.85, 1, 0));
}

/* Pairs get farther apart in a box that is wider along every axis only; those of a smaller cutoff
   by less. */
static void wider_box(void **state)
{
  (void)state;
  const double margin = 0.3, smaller = CUTOFF - margin;
  assert_limit(SKIN / 2, 1.02, 1, 0);
  assert_limit((CUTOFF + SKIN - CUTOFF / 1.02) / 2, 1.02, 1.02, 0);
  assert_limit((smaller + SKIN - smaller / 1.02) / 2, 1.02, 1.02, margin);
}

static void no_number(void **state)
{
  (void)state;
  assert_true(expires((double)NAN, 1, 1, 0));
  assert_true(expires((double)INFINITY, 1, 1, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(half_a_skin), cmocka_unit_test(narrower_box),
                                     cmocka_unit_test(wider_box), cmocka_unit_test(no_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
