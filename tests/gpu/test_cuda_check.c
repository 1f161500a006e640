/* What the cuda backend says at its end: a kernel that went wrong, and memory that does not
   suffice. Each happens in a child, and the parent makes no CUDA call: a context does not survive a
   fork. Skipped where there is no GPU. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

#ifdef HAVE_CUDA
#include "base/log.h"
#include "cuda/runtime/streams.h"
#include "input/forcefield_file.h"
#include "input/param.h"
#include "mpi/transport/device_memory.h"

extern const struct backend_ops backend_cuda;

enum { MILLION = 1000000, BEADS = 2 * MILLION, PARTNERS = 100, LEFT = 256 << 20 };

static void look_for_gpu(void *argument)
{
  struct backend_probe probe = {0};
  (void)argument;
  backend_cuda.probe(&probe);
  if (!probe.usable) exit(STATUS_INPUT);
}

static void need_gpu(void)
{
  char said[1024];
  if (death_of(look_for_gpu, NULL, said, sizeof said) != 0) skip();
}

static struct backend *make(void)
{
  static struct topology none;
  static struct pair_plan plan;
  struct backend_config c;
  memset(&c, 0, sizeof c);
  c.precision = PRECISION_MIXED;
  c.n_total = BEADS;
  c.partners = PARTNERS;
  c.ranks = 1;
  c.ff = forcefield_load("lj");
  plan = pair_plan_of(c.ff, NULL);
  c.plan = &plan;
  c.topology = &none;
  return backend_cuda.create(&c);
}

/* A kernel stores where there is no memory; the next look finds out. */
static void store_astray(void *argument)
{
  struct backend *b = make();
  char *here = device_grow(NULL, 4096);
  (void)argument;
  device_store(here + (INT64_C(1) << 46), here, 4096, ((struct gpu *)b)->streams->main);
  double largest[2];
  b->ops->displacement2(b, largest);
}

/* What a function says that ends with this status; where there is a GPU. */
static const char *last_words(void (*function)(void *), int status)
{
  static char said[4096];
  need_gpu();
  assert_int_equal(death_of(function, NULL, said, sizeof said), status);
  print_message("%s", said);
  return said;
}

static void fault(void **state)
{
  (void)state;
  const char *said = last_words(store_astray, STATUS_NUMERIC);
  assert_non_null(strstr(said, "illegal memory access"));
  assert_non_null(strstr(said, ".c:"));
  assert_non_null(strstr(said, "last checkpoint"));
}

/* Somebody else holds all but a little of the memory. */
static void load_too_many(void *argument)
{
  struct beads none;
  size_t available, all;
  void *held;
  (void)argument;
  memset(&none, 0, sizeof none);
  struct backend *b = make();
  CUDA(cudaMemGetInfo(&available, &all));
  CUDA(cudaMalloc(&held, available - LEFT));
  b->ops->load(b, BEADS, NULL, &none);
}

/* A bead takes at least its arrays, 4 bytes a partner, and no more than twice that. */
static void memory(void **state)
{
  (void)state;
  const char *said = last_words(load_too_many, STATUS_INPUT);
  const char *need = strstr(said, "need about "), *use = strstr(said, "use about ");
  assert_non_null(strstr(said, "does not suffice"));
  assert_non_null(need);
  assert_non_null(use);
  double bytes = strtod(need + strlen("need about "), NULL) * 1073741824.0;
  double gpus = strtod(use + strlen("use about "), NULL);
  double least = (double)BEADS * (400 + 4 * PARTNERS);
  assert_true(bytes > least && bytes < 2 * least);
  assert_true(gpus * LEFT > bytes && gpus * LEFT < 2 * bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fault), cmocka_unit_test(memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "input/forcefield_file.h"
#include "tests/support/without_cuda.h"
#endif
