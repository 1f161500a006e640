/* The thread that sends messages of GPUs, with the main thread in place of the GPU: it packs,
   writes the numbers of messages into lines, and waits for them. */
#include "tests/support/agree.h"

#include <string.h>
#include <unistd.h>

#include "mpi/transport/messenger.h"

static struct ranks ranks;
static struct device_line line[4];
static const struct message_lines halo = {&line[0], &line[1]}, reduction = {&line[2], &line[3]};

enum { MESSAGES = 120, AHEAD = 20, LARGEST = 70000, SIDES = 2, TAIL = 8 };

static struct {
  unsigned char send[LARGEST], receive[2][LARGEST + TAIL];
} side[SIDES];

static int peer_of(int k)
{
  return (ranks.rank + (k ? 1 : ranks.size - 1)) % ranks.size;
}

/* What a rank sends to its side k. */
static int64_t amount(int from, int k, uint64_t number)
{
  static const int64_t size[] = {0, 1, 300, 65537, 17};
  return size[(number + (uint64_t)(3 * from + k)) % 5];
}

static unsigned char content(int from, int k, uint64_t number, int64_t m)
{
  return (unsigned char)((uint64_t)(from * 31 + k * 7 + m * 3 + (m >> 8)) + number * 11);
}

static void signal_number(struct device_line *to, uint64_t number)
{
  __atomic_store_n(&to->message[number % 2], number, __ATOMIC_RELEASE);
}

static void await_number(struct device_line *from, uint64_t number)
{
  while (__atomic_load_n(&from->message[number % 2], __ATOMIC_ACQUIRE) < number)
    usleep(20);
}

/* With one or two ranks both sides are the same rank, which receives in the order of its sends:
   side k of this rank then gets what side k of the other sent. */
static int sent_side(int k)
{
  return ranks.size <= 2 ? k : 1 - k;
}

static void order(struct messenger *m, uint64_t number)
{
  struct parcel p[SIDES];
  for (int k = 0; k < SIDES; k++)
    p[k] = (struct parcel){peer_of(k), side[k].send, side[k].receive[number % 2],
                           amount(ranks.rank, k, number), amount(peer_of(k), sent_side(k), number)};
  messenger_exchange(m, number, SIDES, p);
}

static int arrived(int k, uint64_t number)
{
  const int from = peer_of(k);
  const int64_t n = amount(from, sent_side(k), number);
  const unsigned char *data = side[k].receive[number % 2];
  for (int64_t m = 0; m < n; m++)
    if (data[m] != content(from, sent_side(k), number, m)) return 0;
  return data[n] == 0xee;
}

static int64_t word_of(int rank, uint64_t number, int k)
{
  return k == 0 ? INT64_MAX / 2 + rank : (int64_t)number * (rank + 3) * (k - 20);
}

/* One reduction: sums of words, and in between the largest flag. */
static int reduces(struct messenger *m, uint64_t number)
{
  const int parity = (int)(number % 2), words = number % 3 ? (int)(number % DEVICE_WORDS) : 0;
  int good = 1;
  messenger_reduce(m, number, words);
  for (int k = 0; k < words; k++)
    reduction.out->word[parity][k] = word_of(ranks.rank, number, k);
  reduction.out->flag[parity] =
      number * 10 + (number + (uint64_t)ranks.rank) % (uint64_t)ranks.size;
  if ((int)number % ranks.size == ranks.rank) usleep(300);
  signal_number(reduction.out, number);
  await_number(reduction.in, number);
  for (int k = 0; k < words; k++) {
    uint64_t sum = 0;
    for (int r = 0; r < ranks.size; r++)
      sum += (uint64_t)word_of(r, number, k);
    good &= (uint64_t)reduction.in->word[parity][k] == sum;
  }
  const uint64_t largest = number * 10 + (uint64_t)ranks.size - 1;
  return good && (words > 0 || reduction.in->flag[parity] == largest);
}

/* Messages are ordered far ahead, and each is packed just before its number is written: one that is
   sent earlier has the content of another. */
static void carries(void **state)
{
  (void)state;
  memset(line, 0, sizeof line);
  memset(side, 0xee, sizeof side);
  struct messenger *m = messenger_open(&ranks, halo, reduction);
  uint64_t ordered = 0, reductions = 0;
  int good = 1;
  for (uint64_t number = 1; number <= MESSAGES; number++) {
    while (ordered < MESSAGES && ordered < number + AHEAD &&
           ordered / AHEAD == (number - 1) / AHEAD)
      order(m, ++ordered);
    for (int k = 0; k < SIDES; k++) {
      for (int64_t b = 0; b < amount(ranks.rank, k, number); b++)
        side[k].send[b] = content(ranks.rank, k, number, b);
      memset(side[k].receive[(number + 1) % 2], 0xee, sizeof side[k].receive[0]);
    }
    if ((int)(number % 7) == ranks.rank) usleep(1000);
    signal_number(halo.out, number);
    await_number(halo.in, number);
    for (int k = 0; k < SIDES; k++)
      good &= arrived(k, number);
    if (number == ordered) good &= reduces(m, ++reductions);
  }
  AGREE(&ranks, good);
  AGREE(&ranks, reductions == MESSAGES / AHEAD);
  messenger_close(m);
}

/* Reductions alone, one after the other; the largest flag is not that of an earlier one. */
static void reduces_alone(void **state)
{
  (void)state;
  memset(line, 0, sizeof line);
  struct messenger *m = messenger_open(&ranks, halo, reduction);
  int good = 1;
  for (uint64_t number = 1; number <= MESSAGES; number++)
    good &= reduces(m, number);
  AGREE(&ranks, good);
  messenger_close(m);
}

/* What was ordered and may be sent is complete when the messenger has been closed, and more than
   its queue holds can be ordered. */
static void completes_at_close(void **state)
{
  (void)state;
  enum { MANY = 100 };
  static int64_t out[MANY + 1];
  int64_t in = 0;
  memset(line, 0, sizeof line);
  struct messenger *m = messenger_open(&ranks, halo, reduction);
  signal_number(halo.out, MANY - 1);
  signal_number(halo.out, MANY);
  for (uint64_t number = 1; number <= MANY; number++) {
    out[number] = 1000 * (int64_t)number + ranks.rank;
    const struct parcel both = {peer_of(1), &out[number], &in, sizeof *out, sizeof in},
                        p[SIDES] = {{peer_of(1), &out[number], NULL, sizeof *out, 0},
                                    {peer_of(0), NULL, &in, 0, sizeof in}};
    if (ranks.size <= 2)
      messenger_exchange(m, number, 1, &both);
    else
      messenger_exchange(m, number, SIDES, p);
  }
  messenger_close(m);
  AGREE(&ranks, in == 1000 * MANY + peer_of(0));
  AGREE(&ranks, halo.in->message[MANY % 2] == MANY && halo.in->message[1] == MANY - 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(carries), cmocka_unit_test(reduces_alone),
                                     cmocka_unit_test(completes_at_close)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
