/* Few constraints, whose equations are solved in registers, against the way of many: the same
   equations beside others that do not act on them get the same bits. */
#include <string.h>

#include "base/rng.h"
#include "dynamics/cluster_body.h"
#include "tests/support/unit.h"

enum { MANY = CLUSTER_FEW + 3, SHAPES = 400 };

/* Numbers at random in (-1, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return (double)rng_words(12, count++, 0, RNG_BUILD).word[0] / 2147483648.0 - 1;
}

/* The lower half of the matrix of constraints, and a right hand side. */
struct equations {
  double matrix[MANY][MANY], right[MANY];
};

/* Products of n vectors, the first of them number `first`; the rest of the equations act on none of
   theirs. `rank` of the vectors are near the axes, so that there is no doubt of their independence;
   the others are multiples of those. */
static struct equations equations_of(int n, int rank, int first)
{
  struct equations e = {{{0}}, {0}};
  double v[CLUSTER_FEW][CLUSTER_FEW] = {{0}};
  for (int i = 0; i < n; i++) {
    const int copy = i >= rank;
    const double factor = copy ? 1 + 0.5 * random_number() : 1;
    for (int d = 0; d < rank; d++)
      v[(first + i) % n][d] =
          factor * (copy ? v[(first + i % rank) % n][d] : (i == d) + 0.2 * random_number());
  }
  for (int i = 0; i < MANY; i++) {
    e.right[i] = random_number();
    e.matrix[i][i] = i < n ? 0 : 1.5;
    for (int k = 0; k <= i && i < n; k++)
      for (int d = 0; d < rank; d++)
        e.matrix[i][k] += v[i][d] * v[k][d];
  }
  return e;
}

/* Decomposes and solves the first n of the equations; factors (lower half) and solution. */
static struct equations solve(const struct equations *e, int n)
{
  double matrix[MANY * MANY], right[MANY], vector[3 * MANY] = {0}, shared[MANY * MANY] = {0};
  struct cluster_type type = {.n_constraints = n, .shared = shared};
  const struct cluster c = {
      .type = &type, .vector = vector, .matrix = matrix, .multiplier = right, .lanes = {0, 1, 1}};
  struct equations out = {{{0}}, {0}};
  for (int i = 0; i < n; i++) {
    vector[3 * i] = 1;
    right[i] = e->right[i];
    shared[i * n + i] = e->matrix[i][i];
    for (int k = 0; k < n; k++)
      matrix[i * n + k] = e->matrix[i][k];
  }
  cluster_decompose(&c);
  cluster_solve(&c);
  for (int i = 0; i < n; i++) {
    out.right[i] = right[i];
    for (int k = 0; k <= i; k++)
      out.matrix[i][k] = matrix[i * n + k];
  }
  return out;
}

/* By how much the equations are not solved. */
static double residual(const struct equations *e, const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double lack = e->right[i];
    for (int k = 0; k < n; k++)
      lack -= e->matrix[k < i ? i : k][k < i ? k : i] * x[k];
    most = fmax(most, fabs(lack));
  }
  return most;
}

/* rank < n: constraints that follow from others, which have no pivot. */
static void few_and_many(void **state)
{
  (void)state;
  for (int k = 0; k < SHAPES; k++)
    for (int n = 1; n <= CLUSTER_FEW; n++)
      for (int rank = 1; rank <= n; rank++) {
        const struct equations e = equations_of(n, rank, k % n);
        const struct equations few = solve(&e, n), many = solve(&e, MANY);
        int pivots = 0;
        for (int i = 0; i < n; i++) {
          assert_memory_equal(few.matrix[i], many.matrix[i], sizeof few.matrix[i]);
          pivots += few.matrix[i][i] > 0;
        }
        assert_memory_equal(few.right, many.right, (size_t)n * sizeof *few.right);
        assert_int_equal(pivots, rank);
        if (rank == n) assert_true(residual(&e, few.right, n) < 1e-12);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_and_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
