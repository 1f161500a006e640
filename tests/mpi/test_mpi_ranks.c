/* Sums, broadcasts and exchanges against what rank and size predict. */
#include "tests/support/agree.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static struct ranks ranks;

static void reductions(void **state)
{
  (void)state;
  int64_t n = ranks.size, sum[2] = {ranks.rank, INT64_MAX}, low[1] = {-ranks.rank},
          high[1] = {ranks.rank};
  double most[2] = {0.5 * ranks.rank, -1}, total[1] = {1};
  ranks_sum_int64(&ranks, sum, 2);
  ranks_min_int64(&ranks, low, 1);
  ranks_max_int64(&ranks, high, 1);
  ranks_max_double(&ranks, most, 2);
  ranks_sum_double(&ranks, total, 1);
  uint64_t wrapped = (uint64_t)INT64_MAX * (uint64_t)n;
  AGREE(&ranks, sum[0] == n * (n - 1) / 2 && memcmp(&sum[1], &wrapped, 8) == 0);
  AGREE(&ranks, low[0] == 1 - n && high[0] == n - 1);
  AGREE(&ranks, most[0] == 0.5 * (double)(n - 1) && most[1] == -1 && total[0] == (double)n);
  AGREE(&ranks, ranks_before(&ranks, ranks.rank + 1) == ranks.rank * (ranks.rank + 1) / 2);
  AGREE(&ranks, ranks.local_size == ranks.size && ranks.local_rank == ranks.rank);
}

enum { ROUNDS = 11 };

/* Number k of a rank. In some of the rounds each rank has the two largest of all. */
static double number(int rank, int k, int round)
{
  return (rank * 3 + k + round * 3) % ROUNDS;
}

static void later_largest(void **state)
{
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    double most = 0, second = 0,
           two[2] = {number(ranks.rank, 0, round), number(ranks.rank, 1, round)};
    for (int m = 0; m < 2 * ranks.size; m++) {
      const double x = number(m / 2, m % 2, round), lower = fmin(x, most);
      most = fmax(x, most);
      second = fmax(lower, second);
    }
    if (two[0] < two[1]) {
      two[1] = two[0];
      two[0] = number(ranks.rank, 1, round);
    }
    ranks_largest_start(&ranks, two);
    AGREE(&ranks, 1); /* other collectives may run meanwhile */
    ranks_largest_finish(&ranks, two);
    AGREE(&ranks, two[0] == most && two[1] == second);
  }
}

static void broadcast(void **state)
{
  (void)state;
  char word[32] = "";
  if (ranks.rank == 0) strcpy(word, "from the first rank");
  ranks_broadcast(&ranks, word, sizeof word);
  ranks_broadcast(&ranks, NULL, 0);
  AGREE(&ranks, strcmp(word, "from the first rank") == 0);
}

struct record {
  int32_t from, to, number;
};

/* What rank a sends to rank b in a round; often nothing. */
static int64_t amount(int from, int to, int round)
{
  return round == 0 ? 0 : (from * 7 + to * 3 + round) % 4 * (round == 2 ? 30011 : 1);
}

static void exchange(void **state)
{
  (void)state;
  for (int round = 0; round < 3; round++) {
    int64_t *send = calloc((size_t)ranks.size, sizeof *send),
            *count = calloc((size_t)ranks.size, 8);
    int64_t n = 0, received, at = 0;
    for (int to = 0; to < ranks.size; to++)
      n += send[to] = amount(ranks.rank, to, round);
    struct record *out = calloc((size_t)n + 1, sizeof *out);
    for (int to = 0; to < ranks.size; to++)
      for (int k = 0; k < send[to]; k++)
        out[at++] = (struct record){ranks.rank, to, k};
    struct record *in = ranks_exchange(&ranks, sizeof *in, out, send, count, &received);
    int good = 1;
    at = 0;
    for (int from = 0; from < ranks.size; from++) {
      good &= count[from] == amount(from, ranks.rank, round);
      for (int k = 0; k < count[from] && good; k++, at++)
        good &= in[at].from == from && in[at].to == ranks.rank && in[at].number == k;
    }
    AGREE(&ranks, good && at == received);
    free(send);
    free(count);
    free(out);
    free(in);
  }
}

static void gather(void **state)
{
  (void)state;
  char text[16];
  int64_t total;
  memset(text, 'a' + ranks.rank, sizeof text);
  char *all = ranks_gather(&ranks, text, ranks.rank, &total); /* rank 0 gives nothing */
  int good = ranks.rank == 0 ? all != NULL : all == NULL;
  if (ranks.rank == 0) {
    int64_t at = 0;
    for (int k = 0; k < ranks.size; k++)
      for (int j = 0; j < k; j++)
        good &= all[at++] == 'a' + k;
    good &= at == total;
  }
  AGREE(&ranks, good);
  free(all);
}

/* Many sums and exchanges, none of which may get what belongs to another thread's. */
static void *converse(void *argument)
{
  const struct ranks *r = argument;
  intptr_t good = 1;
  int64_t *send = calloc((size_t)r->size, sizeof *send), received;
  for (int64_t round = 0; round < 2000; round++) {
    int64_t sum = round, record[16];
    ranks_sum_int64(r, &sum, 1);
    good &= sum == r->size * round;
    for (int k = 0; k < r->size; k++) {
      send[k] = 1;
      record[k] = round;
    }
    int64_t *in = ranks_exchange(r, sizeof *in, record, send, NULL, &received);
    for (int k = 0; k < r->size; k++)
      good &= in[k] == round;
    free(in);
  }
  free(send);
  return (void *)good;
}

static void two_threads(void **state)
{
  (void)state;
  struct ranks copy;
  pthread_t thread;
  void *good;
  if (!ranks_threads(&ranks) || ranks.size > 16) skip();
  ranks_copy(&ranks, &copy);
  assert_int_equal(pthread_create(&thread, NULL, converse, &copy), 0);
  int mine = converse(&ranks) != NULL;
  pthread_join(thread, &good);
  ranks_copy_free(&copy);
  AGREE(&ranks, mine && good != NULL);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(reductions), cmocka_unit_test(later_largest),
                                     cmocka_unit_test(broadcast),  cmocka_unit_test(exchange),
                                     cmocka_unit_test(gather),     cmocka_unit_test(two_threads)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
