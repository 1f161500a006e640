/* The bins of profiles of the cuda backend against those of the cpu backend, with bins that fit in
   shared memory and with more. Skipped where there is no GPU. */
#include "config.h"

#ifdef HAVE_CUDA
#include "tests/support/profiles.h"

#include "backend/profile_body.h"
#include "observe/stress_profile.h"

extern const struct backend_ops backend_cuda;
static struct system *membrane;

/* SOME: more shared memory than a block has without asking; MANY: more than there is. */
enum { FEW = BINS, SOME = 160, MANY = 1000 };

static int has_gpu(void)
{
  struct backend_probe probe;
  memset(&probe, 0, sizeof probe);
  backend_cuda.probe(&probe);
  if (!probe.usable) print_message("skipped: %s\n", probe.why);
  return probe.usable;
}

static int prepare(void **state)
{
  (void)state;
  if (has_gpu()) membrane = membrane_make("elba");
  return 0;
}

static int finish(void **state)
{
  (void)state;
  if (membrane) system_destroy(membrane);
  return 0;
}

struct both {
  struct backend *cpu, *cuda;
  struct tables tables;
  int n; /* words of the last bins */
  int64_t *on_cpu, *on_cuda;
};

static void both_open(struct both *b, int precision, int bins)
{
  memset(b, 0, sizeof *b);
  b->cpu = backend_of(&backend_cpu, membrane, precision);
  b->cuda = backend_of(&backend_cuda, membrane, precision);
  b->cpu->ops->force(b->cpu, FORCE_ALL, FORCE_ENERGY); /* of which clusters keep forces */
  b->cuda->ops->force(b->cuda, FORCE_ALL, FORCE_ENERGY);
  tables_make(&b->tables, membrane, bins);
  b->tables.profile.half_step = 0.005;
}

static void both_bins(struct both *b, enum tally_quantity quantity)
{
  free(b->on_cpu);
  free(b->on_cuda);
  b->on_cpu = bins_of(b->cpu, membrane, quantity, &b->tables.profile, &b->n);
  b->on_cuda = bins_of(b->cuda, membrane, quantity, &b->tables.profile, &b->n);
}

static void both_close(struct both *b)
{
  free(b->on_cpu);
  free(b->on_cuda);
  tables_free(&b->tables);
  backend_cpu.destroy(b->cpu);
  backend_cuda.destroy(b->cuda);
}

static void counts_and_dipoles(void **state)
{
  (void)state;
  const int bins[] = {FEW, MANY,
                      10 * MANY}; /* the second with more shared memory, the third without */
  if (!has_gpu()) skip();
  for (int way = 0; way < 3; way++) {
    struct both b;
    both_open(&b, PRECISION_MIXED, bins[way]);
    both_bins(&b, TALLY_PROFILE);
    const int numbers = SPECIES * bins[way];
    assert_memory_equal(b.on_cpu, b.on_cuda, (size_t)numbers * sizeof *b.on_cpu);
    for (int k = numbers; k < b.n; k++)
      assert_true(llabs(b.on_cpu[k] - b.on_cuda[k]) < 1000);
    /* Other tables of another generation. */
    b.tables.of_env[0] = 0;
    b.tables.profile.generation++;
    both_bins(&b, TALLY_PROFILE);
    assert_memory_equal(b.on_cpu, b.on_cuda, (size_t)numbers * sizeof *b.on_cpu);
    both_close(&b);
  }
}

static void centre(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  struct both b;
  both_open(&b, PRECISION_MIXED, FEW);
  both_bins(&b, TALLY_CENTRE);
  for (int k = 0; k < b.n; k++)
    assert_true(fabs(ldexp((double)(b.on_cpu[k] - b.on_cuda[k]), -sum_bits(membrane->n_total))) <
                1e-4);
  both_close(&b);
}

/* Profiles about a centre that only the device knows are those about the same centre. */
static void centre_on_device(void **state)
{
  (void)state;
  static const enum tally_quantity quantity[] = {TALLY_PROFILE, TALLY_STRESS};
  if (!has_gpu()) skip();
  struct both b;
  both_open(&b, PRECISION_MIXED, FEW);
  int64_t *word = bins_of(b.cuda, membrane, TALLY_CENTRE, &b.tables.profile, &b.n);
  struct profile known = b.tables.profile, pending = b.tables.profile;
  known.centre = centre_of_words(word);
  pending.centre_word = word;
  for (int k = 0; k < 2; k++) {
    int64_t *x = bins_of(b.cuda, membrane, quantity[k], &known, &b.n);
    int64_t *y = bins_of(b.cuda, membrane, quantity[k], &pending, &b.n);
    assert_memory_equal(x, y, (size_t)b.n * sizeof *x);
    free(x);
    free(y);
  }
  free(word);
  both_close(&b);
}

static void stress_compare(int precision, int bins, double allowed)
{
  struct both b;
  double *x = alloc_array((long long)STRESS_ROWS * bins, sizeof *x);
  double *y = alloc_array((long long)STRESS_ROWS * bins, sizeof *y);
  both_open(&b, precision, bins);
  both_bins(&b, TALLY_STRESS);
  assert_int_equal(stress_profile_of(b.on_cpu, bins, membrane->n_total, membrane->box, x), 0);
  assert_int_equal(stress_profile_of(b.on_cuda, bins, membrane->n_total, membrane->box, y), 0);
  for (int row = 0; row < STRESS_ROWS; row++) {
    double largest = 0, worst = 0;
    for (int k = row * bins; k < (row + 1) * bins; k++) {
      largest = fmax(largest, fabs(x[k]));
      worst = fmax(worst, fabs(x[k] - y[k]));
    }
    print_message("row %d: largest %g bar, difference %.2g of it\n", row, largest, worst / largest);
    assert_true((largest > 1 || largest == 0) && worst <= allowed * largest); /* 0: dihedrals */
  }
  for (int c = 0; c < STRESS_COMPONENTS; c++) {
    const double a = stress_excess_of(b.on_cpu, bins, membrane->n_total, membrane->box, c);
    const double d = stress_excess_of(b.on_cuda, bins, membrane->n_total, membrane->box, c);
    assert_true((a == 0) == (membrane->ff->n_clusters == 0) && fabs(a - d) <= 1e-3 * fabs(a));
  }
  int64_t *again = bins_of(b.cuda, membrane, TALLY_STRESS, &b.tables.profile, &b.n);
  assert_memory_equal(again, b.on_cuda, (size_t)b.n * sizeof *again);
  free(again);
  free(x);
  free(y);
  both_close(&b);
}

static void stress_double(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  stress_compare(PRECISION_DOUBLE, FEW, 1e-8);
  stress_compare(PRECISION_DOUBLE, SOME, 1e-8);
  stress_compare(PRECISION_DOUBLE, MANY, 1e-7);
}

static void stress_mixed(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  stress_compare(PRECISION_MIXED, FEW, 3e-4);
}

static void stress_compare_of(const char *forcefield, double allowed)
{
  struct system *one = membrane;
  membrane = membrane_make(forcefield);
  stress_compare(PRECISION_DOUBLE, FEW, allowed);
  system_destroy(membrane);
  membrane = one;
}

/* Several lists and passes. */
static void stress_more_lists(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  stress_compare_of("brahms", 1e-8);
}

/* Constraints and virtual sites. */
static void stress_clusters(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  stress_compare_of("clusters", 1e-7);
}

/* Where only some bonded environments are of lipids. */
static void stress_some_lipids(void **state)
{
  (void)state;
  if (!has_gpu()) skip();
  unsigned char *lipid = alloc_array(membrane->topology.n_envs, 1);
  for (int env = 0; env < membrane->topology.n_envs; env += 3)
    lipid[env] = 1;
  lipid_of_env = lipid;
  stress_compare(PRECISION_DOUBLE, FEW, 1e-8);
  lipid_of_env = NULL;
  free(lipid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_and_dipoles), cmocka_unit_test(centre),
      cmocka_unit_test(centre_on_device),   cmocka_unit_test(stress_double),
      cmocka_unit_test(stress_mixed),       cmocka_unit_test(stress_more_lists),
      cmocka_unit_test(stress_clusters),    cmocka_unit_test(stress_some_lipids),
  };
  return cmocka_run_group_tests(tests, prepare, finish);
}
#else
#include "tests/support/without_cuda.h"
#endif
