/* State files: what is written is read, on any number of ranks; what is broken is noticed. Called
   with "write FILE" or "read FILE" it does just that, for test_state_faults.py. */
#include "tests/support/agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "io/state.h"
#include "mpi/comm/ranks_mpi.h"
#include "tests/support/death.h"
#include "tests/support/sample.h"

static struct ranks ranks;
static const char path[] = "test_mpi_state.h5";

/* Everything that a state file holds is the same to the bit. */
static int same_topology(const struct topology *a, const struct topology *b)
{
  size_t n = (size_t)a->n_envs, terms = n ? (size_t)a->term_start[n] : 0;
  size_t excluded = n ? (size_t)a->exclude_start[n] : 0;
  if (a->n_envs != b->n_envs) return 0;
  if (n == 0) return 1;
  return !memcmp(a->term_start, b->term_start, (n + 1) * sizeof(int)) &&
         !memcmp(a->exclude_start, b->exclude_start, (n + 1) * sizeof(int)) &&
         !memcmp(a->term, b->term, terms * sizeof *a->term) &&
         !memcmp(a->exclude, b->exclude, excluded * sizeof *a->exclude) &&
         !memcmp(a->cluster, b->cluster, n * sizeof *a->cluster) &&
         !memcmp(a->place, b->place, n * sizeof *a->place);
}

static int same_system(struct system *a, struct system *b)
{
  int same = a->n_total == b->n_total && a->first == b->first && a->n == b->n &&
             !memcmp(a->box, b->box, sizeof a->box) && a->clock.step == b->clock.step &&
             a->clock.time == b->clock.time && a->clock.seed == b->clock.seed &&
             a->lists.step == b->lists.step && a->lists.skin == b->lists.skin &&
             !memcmp(a->lists.box, b->lists.box, sizeof a->lists.box) &&
             a->run.conserved_work == b->run.conserved_work && !strcmp(a->ff->text, b->ff->text) &&
             same_topology(&a->topology, &b->topology);
  for (int k = 0; k < FIELDS && same; k++) {
    size_t row = (size_t)field_info[k].components * (size_t)field_info[k].bytes;
    same = !memcmp(*beads_field(&a->beads, k), *beads_field(&b->beads, k), (size_t)a->n * row);
  }
  return same;
}

/* Some of the ranks as ranks of their own; rank -1 for those that are not among them. */
static struct ranks some_ranks(int n)
{
  struct ranks r = {.rank = -1};
  MPI_Comm comm;
  MPI_Comm_split(ranks_comm(&ranks), ranks.rank < n ? 0 : MPI_UNDEFINED, ranks.rank, &comm);
  if (comm == MPI_COMM_NULL) return r;
  MPI_Comm_rank(comm, &r.rank);
  MPI_Comm_size(comm, &r.size);
  ranks_mpi_create(&r, comm);
  return r;
}

static void some_ranks_end(struct ranks *r)
{
  if (r->rank < 0) return;
  MPI_Comm comm = ranks_comm(r);
  ranks_mpi_destroy(r);
  MPI_Comm_free(&comm);
}

static int64_t trouble_of(const char *name)
{
  struct state_refusal why;
  system_destroy(state_try(&ranks, name, &why));
  return why.trouble;
}

static void write_read(void **state)
{
  (void)state;
  const int64_t sizes[][2] = {{7, 100}, {0, 1}, {3, 0}, {0, 3}}; /* ranks without beads too */
  for (int k = 0; k < 4; k++)
    for (int n = 1; n <= ranks.size; n++) {
      struct system *a = sample_system(&ranks, sizes[k][0], sizes[k][1]);
      state_write(&ranks, path, a, k == 1 ? NULL : "run:\n  steps: 5\n");
      AGREE(&ranks, trouble_of(path) == STATE_USABLE);
      struct ranks few = some_ranks(n);
      int good = 1;
      if (few.rank >= 0) {
        struct system *b = state_read(&few, path);
        struct system *expected = sample_system(&few, sizes[k][0], sizes[k][1]);
        good = same_system(b, expected);
        system_destroy(b);
        system_destroy(expected);
      }
      AGREE(&ranks, good);
      some_ranks_end(&few);
      system_destroy(a);
    }
}

static void write_nan(void *nothing)
{
  (void)nothing;
  struct system *a = sample_system(&ranks, 7, 100);
  log_open(0, 1, NULL); /* MPI cannot end a child */
  a->beads.momentum[3 * 50 + 1] = (double)NAN;
  state_write(&ranks, path, a, NULL);
}

/* A state with a bead that could not be read back replaces no good one. */
static void unfit(void **state)
{
  (void)state;
  if (ranks.size > 1) skip();
  struct system *a = sample_system(&ranks, 7, 100);
  state_write(&ranks, path, a, NULL);
  assert_true(dies_saying(write_nan, NULL, STATUS_NUMERIC, "such a state is not written"));
  struct system *b = state_read(&ranks, path);
  assert_true(same_system(b, a));
  system_destroy(b);
  system_destroy(a);
}

static void generations(void **state)
{
  (void)state;
  struct system *s = sample_system(&ranks, 2, 5);
  for (s->clock.step = 101; s->clock.step <= 103; s->clock.step++)
    state_write(&ranks, path, s, NULL);
  struct system *new = state_read(&ranks, path),
                *old = state_read(&ranks, "test_mpi_state.h5.prev");
  AGREE(&ranks, new->clock.step == 103 && old->clock.step == 102);
  AGREE(&ranks, access("test_mpi_state.h5.tmp", F_OK) != 0);
  system_destroy(s);
  system_destroy(new);
  system_destroy(old);
}

static char *load(long *bytes)
{
  FILE *file = fopen(path, "rb");
  struct stat about;
  if (!file || fstat(fileno(file), &about)) abort();
  char *data = malloc((size_t)about.st_size);
  *bytes = (long)fread(data, 1, (size_t)about.st_size, file);
  fclose(file);
  return data;
}

static void store(const char *name, const char *data, long bytes)
{
  FILE *file = fopen(name, "wb");
  if (!file || (long)fwrite(data, 1, (size_t)bytes, file) != bytes) abort();
  fclose(file);
}

static void truncated(void **state)
{
  (void)state;
  const char *broken = "test_mpi_state_broken.h5";
  struct system *s = sample_system(&ranks, 7, 100);
  state_write(&ranks, path, s, NULL);
  long bytes = 0;
  char *data = ranks.rank == 0 ? load(&bytes) : NULL;
  for (int k = 0; k <= 40; k++) {
    if (ranks.rank == 0) store(broken, data, k < 40 ? bytes * k / 40 : bytes - 1);
    AGREE(&ranks, trouble_of(broken) == STATE_UNUSABLE);
  }
  AGREE(&ranks, trouble_of("test_mpi_state_nowhere.h5") == STATE_MISSING);
  AGREE(&ranks, trouble_of("test_mpi_state.h5/below") == STATE_UNREADABLE);
  free(data);
  system_destroy(s);
}

/* A flipped bit either makes the file unreadable or lies where nothing is kept. */
static void flipped(void **state)
{
  (void)state;
  const char *broken = "test_mpi_state_broken.h5";
  if (ranks.size > 1) skip();
  struct system *s = sample_system(&ranks, 7, 100);
  state_write(&ranks, path, s, "run: {}\n");
  long bytes;
  int noticed = 0, tried = 0;
  char *data = load(&bytes);
  for (long at = 0; at < bytes; at += 61) {
    data[at] ^= 0x10;
    store(broken, data, bytes);
    tried++;
    struct state_refusal why;
    struct system *b = state_try(&ranks, broken, &why);
    if (b)
      assert_true(same_system(b, s));
    else
      noticed++;
    system_destroy(b);
    data[at] ^= 0x10;
  }
  print_message("%d of %d flipped bits noticed\n", noticed, tried);
  assert_true(noticed > tried / 2);
  free(data);
  system_destroy(s);
}

static int one_command(const char *verb, const char *file)
{
  if (strcmp(verb, "write") == 0) {
    struct system *s = sample_system(&ranks, 7, 100);
    state_write(&ranks, file, s, NULL);
    system_destroy(s);
  } else {
    system_destroy(state_read(&ranks, file));
  }
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(write_read), cmocka_unit_test(unfit),
                                     cmocka_unit_test(generations), cmocka_unit_test(truncated),
                                     cmocka_unit_test(flipped)};
  ranks_open(&ranks, &argc, &argv);
  int failed =
      argc == 3 ? one_command(argv[1], argv[2]) : cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
