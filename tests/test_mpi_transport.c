/* Every transport that these ranks can use carries messages of every size between neighbours, and
   keeps what is in flight apart from what comes next. */
#include "agree.h"

#include <string.h>

#include "transport.h"

static struct ranks ranks;

enum { ROUNDS = 8 };

/* Bytes that a rank sends another in a round. */
static int64_t amount(int from, int to, int round)
{
  static const int64_t size[ROUNDS] = {0, 1, 17, 4096, 3, 1000003, 0, 300};
  return round == 6 ? 0 : size[round] + (round == 4 ? 0 : (from * 5 + to * 3) % 7);
}

static unsigned char content(int from, int to, int round, int64_t k)
{
  return (unsigned char)(from * 31 + to * 17 + round * 101 + k * 7 + (k >> 8));
}

static void sizes_of(const struct transport *t, int round, int64_t out[PEERS], int64_t in[PEERS])
{
  for (int k = 0; k < t->n_peers; k++) {
    out[k] = amount(ranks.rank, t->peer[k], round);
    in[k] = amount(t->peer[k], ranks.rank, round);
  }
}

static int round_trip(struct transport *t, int round, int reserve)
{
  int64_t out[PEERS] = {0}, in[PEERS] = {0};
  int good = 1;
  sizes_of(t, round, out, in);
  if (reserve)
    transport_reserve(t, out, in);
  else
    transport_resize(t, out, in);
  for (int k = 0; k < t->n_peers; k++)
    for (int64_t m = 0; m < out[k]; m++)
      ((unsigned char *)t->send[k])[m] = content(ranks.rank, t->peer[k], round, m);
  transport_start(t);
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    for (int64_t m = 0; m < in[k]; m++)
      good &= ((unsigned char *)t->receive[k])[m] == content(t->peer[k], ranks.rank, round, m);
  return good;
}

static void peers_are_the_neighbours(void **state)
{
  (void)state;
  struct transport t;
  transport_open(&t, &ranks, "auto", 0);
  int n = ranks.size, expected = n == 1 ? 0 : n == 2 ? 1 : 2;
  AGREE(&ranks, t.n_peers == expected);
  AGREE(&ranks, expected < 1 || t.peer[0] == (ranks.rank + n - 1) % n);
  AGREE(&ranks, expected < 2 || t.peer[1] == (ranks.rank + 1) % n);
  transport_close(&t);
}

static void carries(const char *name)
{
  struct transport t;
  transport_open(&t, &ranks, name, 0);
  AGREE(&ranks, strcmp(name, "auto") == 0 || strcmp(t.ops->name, name) == 0);
  for (int round = 0; round < ROUNDS; round++)
    AGREE(&ranks, round_trip(&t, round, 1));
  for (int round = ROUNDS - 1; round >= 0; round--) /* within what is reserved */
    AGREE(&ranks, round_trip(&t, round, round == ROUNDS - 1 || round == 5));
  transport_close(&t);
}

static void host_transports(void **state)
{
  (void)state;
  carries("auto");
  carries(ranks.size == 1 ? "self" : "staged");
}

/* Other messages may travel between start and finish. */
static void keeps_apart(void **state)
{
  (void)state;
  struct transport t;
  transport_open(&t, &ranks, "auto", 0);
  int64_t out[PEERS] = {8, 8}, in[PEERS] = {8, 8}, got[PEERS] = {-1, -1};
  transport_reserve(&t, out, in);
  for (int64_t step = 0; step < 200; step++) {
    for (int k = 0; k < t.n_peers; k++) {
      memcpy(t.send[k], &step, sizeof step);
      out[k] = 1000 * ranks.rank + step;
    }
    transport_start(&t);
    transport_counts(&t, out, got);
    ranks_max_start(&ranks, (double)step);
    int good = ranks_max_finish(&ranks) == (double)step;
    transport_finish(&t);
    for (int k = 0; k < t.n_peers; k++)
      good &= memcmp(t.receive[k], &step, sizeof step) == 0 && got[k] == 1000 * t.peer[k] + step;
    AGREE(&ranks, good);
  }
  transport_close(&t);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(peers_are_the_neighbours),
                                     cmocka_unit_test(host_transports),
                                     cmocka_unit_test(keeps_apart)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_close(&ranks);
  return failed;
}
