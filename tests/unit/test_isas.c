/* The kernels of every instruction set that this processor has give the same bits: lists, forces,
   torques, energies and virial of random lipids and water, in both precisions, with and without
   energies; but those of floats without fused multiply-adds. */
#include "tests/support/scatter.h"

enum { LIPIDS = 20, WATERS = 900, BEADS_MOST = 2000 };
static const double radius = 1.3;

struct result {
  double force[BEADS_MOST][3], torque[BEADS_MOST][3];
  struct sums sums;
  int listed;
};

static void compute(struct system *s, int precision, int level, int flags, struct result *out)
{
  struct backend *b = scatter_load_as(s, precision, level);
  const struct build_params lists = {.radius = radius, .term_length = radius};
  memset(out, 0, sizeof *out);
  b->checks = CHECK_NOTHING;
  b->ops->sort(b, radius);
  b->ops->build(b, &lists);
  b->ops->force(b, FORCE_ALL, flags);
  b->ops->forces(b, out->force[0], out->torque[0]);
  out->sums = scatter_cpu(b)->sums;
  for (int i = 0; i < s->n; i++)
    out->listed += scatter_cpu(b)->list[0].n[i];
  b->ops->destroy(b);
}

static void same_bits(void **state)
{
  static const struct {
    const char *forcefield, *water;
  } of[] = {{"elba", "W"}, {"brahms", "WATER"}};
  static const int precisions[] = {PRECISION_MIXED, PRECISION_DOUBLE},
                   all[] = {0, FORCE_VIRIAL, FORCE_ENERGY};
  static struct result first, other;
  const struct ranks alone = {.size = 1};
  (void)state;
  for (int k = 0; k < 2; k++)
    for (int p = 0; p < 2; p++) {
      struct system *s = sample_system_of(&alone, of[k].forcefield, of[k].water, LIPIDS, WATERS);
      assert_true(s->n <= BEADS_MOST);
      for (int f = 0; f < 3; f++) {
        int n = 0;
        for (int level = 0; level <= force_kernel_level(); level++) {
          const struct force_kernel *kernel = force_kernel_get(precisions[p], level);
          if (!kernel || strcmp(kernel->isa, "mixed_v1") == 0) continue;
          compute(s, precisions[p], level, all[f], n++ ? &other : &first);
          if (n > 1) assert_memory_equal(&first, &other, sizeof first);
        }
        assert_true(n > 0 && first.listed > s->n && isfinite(first.force[0][0]));
      }
      system_destroy(s);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
