/* Every transport that these ranks can use carries messages of every size between neighbours, and
   keeps what is in flight apart from what comes next. */
#include "tests/support/agree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "mpi/domain/regions.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/transport.h"

#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

static struct ranks ranks;

/* A GPU for each rank, which ranks may share; 0: none. */
static int gpu_take(void)
{
#ifdef HAVE_CUDA
  int devices;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
    return cudaSetDevice(ranks.local_rank % devices) == cudaSuccess;
#endif
  return 0;
}

enum { ROUNDS = 8, LARGEST = 1000010 };

/* Bytes that a rank sends another in a round; in one of them buffers of some ranks grow. */
static int64_t amount(int from, int to, int round)
{
  if (round == 5 && from % 2 == 0) return 300;
  static const int64_t size[ROUNDS] = {0, 1, 17, 4096, 3, 1000003, 0, 300};
  return round == 6 ? 0 : size[round] + (round == 4 ? 0 : (from * 5 + to * 3) % 7);
}

static unsigned char content(int from, int to, int round, int64_t k)
{
  return (unsigned char)(from * 31 + to * 17 + round * 101 + k * 7 + (k >> 8));
}

static void sizes_of(const struct transport *t, int round, int64_t out[PEERS_MOST],
                     int64_t in[PEERS_MOST])
{
  for (int k = 0; k < t->n_peers; k++) {
    out[k] = amount(ranks.rank, t->peer[k], round);
    in[k] = amount(t->peer[k], ranks.rank, round);
  }
}

static int round_trip(struct transport *t, int round, int reserve)
{
  static unsigned char data[LARGEST];
  int64_t out[PEERS_MOST] = {0}, in[PEERS_MOST] = {0};
  int good = 1;
  sizes_of(t, round, out, in);
  if (reserve)
    transport_reserve(t, out, in);
  else
    transport_resize(t, out, in);
  for (int k = 0; k < t->n_peers; k++) {
    for (int64_t m = 0; m < out[k]; m++)
      data[m] = content(ranks.rank, t->peer[k], round, m);
    transport_put(t, k, data, out[k]);
  }
  transport_start(t);
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++) {
    memset(data, 0, (size_t)in[k]);
    transport_get(t, k, data, in[k]);
    for (int64_t m = 0; m < in[k]; m++)
      good &= data[m] == content(t->peer[k], ranks.rank, round, m);
  }
  transport_check(t);
  return good;
}

/* The peers of this rank in a grid with so many parts along y. */
static struct domain domain_of(int parts)
{
  const int n[CUTS] = {ranks.size / parts, parts};
  struct regions g;
  regions_create(&g, 0, n);
  const struct domain d = regions_domain(&g, &ranks);
  regions_destroy(&g);
  return d;
}

/* Buffers of a GPU have the default stream. */
static void open_between(struct transport *t, const char *name, int on_device, int parts)
{
  static struct device_channel channel;
  memset(&channel, 0, sizeof channel);
  const struct domain d = domain_of(parts);
  transport_open(t, &ranks, name, &d, on_device ? &channel : NULL);
}

static void open_between_slabs(struct transport *t, const char *name, int on_device)
{
  open_between(t, name, on_device, 1);
}

static void peers_are_the_neighbours(void **state)
{
  (void)state;
  struct transport t;
  open_between_slabs(&t, "auto", 0);
  int n = ranks.size, expected = n == 1 ? 0 : n == 2 ? 1 : 2;
  AGREE(&ranks, t.n_peers == expected);
  AGREE(&ranks, expected < 1 || t.peer[0] == (ranks.rank + n - 1) % n);
  AGREE(&ranks, expected < 2 || t.peer[1] == (ranks.rank + 1) % n);
  transport_close(&t);
}

static void carries_between(const char *name, int on_device, int parts)
{
  struct transport t;
  open_between(&t, name, on_device, parts);
  AGREE(&ranks, strcmp(name, "auto") == 0 || strcmp(t.ops->name, name) == 0);
  for (int round = 0; round < ROUNDS; round++)
    AGREE(&ranks, round_trip(&t, round, 1));
  for (int round = ROUNDS - 1; round >= 0; round--) /* within what is reserved */
    AGREE(&ranks, round_trip(&t, round, round == ROUNDS - 1 || round == 5));
  transport_close(&t);
}

static void carries(const char *name, int on_device)
{
  carries_between(name, on_device, 1);
  if (ranks.size % 2 == 0) carries_between(name, on_device, 2);
}

static int64_t part(int rank, int64_t round, int64_t k)
{
  return k == 0 ? INT64_MAX / 2 + rank : (rank - 2) * (k + 1000 * round) * INT64_C(123456789);
}

/* Every rank has the sums of all, in the place of its own part, whatever halos go between; hosts do
   not wait where the transport adds by itself. */
static void adds(const char *name, int on_device)
{
  enum { ALL = 40, WORDS = 2 * DEVICE_WORDS + 7 };
  static int64_t word[ALL][WORDS];
  struct transport t;
  int64_t size[PEERS_MOST] = {16, 16}, bytes = (int64_t)sizeof word;
  int good = 1;
  open_between_slabs(&t, name, on_device);
  transport_reserve(&t, size, size);
  for (int round = 0; round < ALL; round++)
    for (int k = 0; k < WORDS; k++)
      word[round][k] = part(ranks.rank, round, k);
  int64_t *at = on_device ? device_grow(NULL, bytes) : word[0];
  if (on_device) device_copy(at, word, bytes, t.channel->stream);
  for (int round = 0; round < ALL; round++) {
    if (round % 9 == ranks.rank) usleep(3000);
    for (int k = 0; k < round % 3; k++) {
      transport_start(&t);
      transport_finish(&t);
    }
    transport_sum(&t, at + round * WORDS, round % 2 ? WORDS : 1 + round);
  }
  if (on_device) {
    device_copy(word, at, bytes, t.channel->stream);
    device_wait(t.channel->stream);
    device_free(at);
  }
  for (int round = 0; round < ALL; round++)
    for (int k = 0; k < WORDS; k++) {
      int added = round % 2 || k < 1 + round;
      uint64_t want = 0;
      for (int r = 0; r < ranks.size; r++)
        if (added || r == ranks.rank) want += (uint64_t)part(r, round, k);
      good &= (uint64_t)word[round][k] == want;
    }
  AGREE(&ranks, good);
  transport_check(&t);
  transport_close(&t);
}

static void host_transports(void **state)
{
  (void)state;
  carries("auto", 0);
  carries(ranks.size == 1 ? "self" : "staged", 0);
  adds("auto", 0);
}

/* Other messages may travel between start and finish. */
static void keeps_apart(const char *name, int on_device, int64_t steps)
{
  struct transport t;
  open_between_slabs(&t, name, on_device);
  int64_t size[PEERS_MOST] = {8, 8}, came = -1;
  struct halo_count out[PEERS_MOST], got[PEERS_MOST];
  transport_reserve(&t, size, size);
  for (int64_t step = 0; step < steps; step++) {
    for (int k = 0; k < t.n_peers; k++) {
      transport_put(&t, k, &step, sizeof step);
      out[k] = (struct halo_count){1000 * ranks.rank + step, k + step};
    }
    transport_start(&t);
    transport_counts(&t, out, got);
    double two[2] = {(double)step, 0};
    ranks_largest_start(&ranks, two);
    ranks_largest_finish(&ranks, two);
    int good = two[0] == (double)step;
    transport_finish(&t);
    for (int k = 0; k < t.n_peers; k++) {
      transport_get(&t, k, &came, sizeof came);
      good &= came == step && got[k].beads == 1000 * t.peer[k] + step;
      good &= got[k].oriented == (ranks.size == 2 ? k : 1 - k) + step;
    }
    AGREE(&ranks, good);
  }
  transport_close(&t);
}

static void host_transports_keep_apart(void **state)
{
  (void)state;
  keeps_apart("auto", 0, 200);
}

enum { STREAM_STEPS = 200, STREAM_BYTES = 4096 };

static unsigned char stream_byte(int from, int to, int64_t m)
{
  return content(from, to, (int)(m / STREAM_BYTES), m % STREAM_BYTES);
}

/* Messages one after the other, packed and unpacked on the device by hosts that do not wait; some
   are unpacked so late that the next ones have come. */
static void streams(const char *name)
{
  enum { ALL = STREAM_STEPS * STREAM_BYTES };
  static unsigned char data[ALL];
  struct transport t;
  char *source[PEERS_MOST], *taken[PEERS_MOST];
  int64_t size[PEERS_MOST] = {STREAM_BYTES, STREAM_BYTES};
  int good = 1;
  open_between_slabs(&t, name, 1);
  transport_reserve(&t, size, size);
  for (int k = 0; k < t.n_peers; k++) {
    source[k] = device_grow(NULL, ALL);
    taken[k] = device_grow(NULL, ALL);
    for (int64_t m = 0; m < ALL; m++)
      data[m] = stream_byte(ranks.rank, t.peer[k], m);
    device_copy(source[k], data, ALL, t.channel->stream);
    device_wait(t.channel->stream);
  }
  for (int64_t step = 0; step < STREAM_STEPS; step++) {
    for (int k = 0; k < t.n_peers; k++)
      device_store(t.send[k], source[k] + step * STREAM_BYTES, STREAM_BYTES, t.channel->stream);
    transport_start(&t);
    transport_finish(&t);
    if ((step + 13 * ranks.rank) % 40 == 0) usleep(3000);
    for (int k = 0; k < t.n_peers; k++)
      device_store(taken[k] + step * STREAM_BYTES, t.receive[k], STREAM_BYTES, t.channel->stream);
  }
  device_wait(t.channel->stream);
  transport_check(&t);
  for (int k = 0; k < t.n_peers; k++) {
    device_copy(data, taken[k], ALL, t.channel->stream);
    device_wait(t.channel->stream);
    for (int64_t m = 0; m < ALL; m++)
      good &= data[m] == stream_byte(t.peer[k], ranks.rank, m);
    device_free(source[k]);
    device_free(taken[k]);
  }
  AGREE(&ranks, good);
  transport_close(&t);
}

/* What one rank says all hear with that message and not before, whatever halos go between, and
   hosts do not wait for it. */
static void agrees(const char *name)
{
  enum { ALL = 40, AT = 20 };
  uint64_t heard[ALL], step, nothing = 0;
  struct transport t;
  int64_t size[PEERS_MOST] = {16, 16};
  int good = 1;
  open_between_slabs(&t, name, 1);
  transport_reserve(&t, size, size);
  uint64_t *words = device_grow(NULL, (int64_t)((ALL + 2) * sizeof *words));
  t.channel->flag_local = words + ALL;
  t.channel->flag_global = words + ALL + 1;
  device_copy(t.channel->flag_local, &nothing, sizeof nothing, t.channel->stream);
  device_copy(t.channel->flag_global, &nothing, sizeof nothing, t.channel->stream);
  for (step = 0; step < ALL; step++) {
    if (step == AT && ranks.rank == ranks.size - 1)
      device_copy(t.channel->flag_local, &step, sizeof step, t.channel->stream);
    if (step % 9 == (uint64_t)ranks.rank) usleep(3000);
    for (uint64_t k = 0; k < step % 3; k++) {
      transport_start(&t);
      transport_finish(&t);
    }
    transport_flag_start(&t);
    transport_flag_finish(&t);
    device_copy(words + step, t.channel->flag_global, sizeof *words, t.channel->stream);
  }
  device_copy(heard, words, sizeof heard, t.channel->stream);
  device_wait(t.channel->stream);
  for (step = 0; step < ALL; step++)
    good &= heard[step] == (step < AT ? 0 : AT);
  AGREE(&ranks, good);
  transport_check(&t);
  transport_close(&t);
  device_free(words);
}

/* UUIDs decide, whatever numbers the GPUs have. */
static void shared_devices(void **state)
{
  (void)state;
  struct device_uuid device[4];
  memset(device, 0, sizeof device);
  assert_int_equal(devices_ranks_most(device, 1), 1);
  assert_int_equal(devices_ranks_most(device, 4), 4);
  for (int k = 0; k < 4; k++)
    device[k].byte[15] = (unsigned char)k;
  assert_int_equal(devices_ranks_most(device, 4), 1);
  device[3] = device[1];
  assert_int_equal(devices_ranks_most(device, 4), 2);
}

static void device_transport(const struct transport_ops *ops)
{
  carries(ops->name, 1);
  keeps_apart(ops->name, 1, 40);
  streams(ops->name);
  adds(ops->name, 1);
  if (ops->flag_finish) agrees(ops->name);
}

static void device_transport_if_usable(const struct transport_ops *ops, const char *where)
{
  char why[400];
  struct device_channel channel = {0};
  struct transport t = {.ranks = &ranks, .channel = &channel};
  const struct domain d = domain_of(1);
  t.n_peers = d.n_peers;
  memcpy(t.peer, d.peer, sizeof t.peer);
  const int usable =
      ranks_agree(&ranks, ops->usable(&t, why, (int)sizeof why), why, (int)sizeof why);
  if (usable) device_transport(ops);
  if (ranks.rank != 0) return;
  if (usable)
    printf("transport %s carries buffers of GPUs%s\n", ops->name, where);
  else
    printf("transport %s: skipped%s: %s\n", ops->name, where, why);
}

/* The ranks as those of two nodes: links within a node and between nodes. */
static void device_transport_of_nodes(const struct transport_ops *ops)
{
  const int node = ranks.node, nodes = ranks.nodes;
  ranks.nodes = 2;
  ranks.node = 2 * ranks.rank / ranks.size;
  device_transport_if_usable(ops, ", two nodes");
  ranks.node = node;
  ranks.nodes = nodes;
}

static void device_transports(void **state)
{
  (void)state;
  char why[400] = "no GPU on some rank";
  if (!ranks_agree(&ranks, gpu_take(), why, (int)sizeof why)) {
    printf("buffers of GPUs: skipped\n");
    skip();
  }
  for (int k = 0; transport_all[k]; k++) {
    device_transport_if_usable(transport_all[k], "");
    if (strncmp(transport_all[k]->name, "ipc+", 4) == 0)
      device_transport_of_nodes(transport_all[k]);
  }
  carries("auto", 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peers_are_the_neighbours), cmocka_unit_test(host_transports),
      cmocka_unit_test(host_transports_keep_apart), cmocka_unit_test(shared_devices),
      cmocka_unit_test(device_transports)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
