/* Beads that change rank: each arrives whole where it belongs, across any number of regions, and
   none is lost or doubled; ranks may be left without beads. */
#include "tests/support/scatter.h"

static struct ranks ranks;
static struct ranks alone = {.size = 1};

enum { WATERS = 600 };

/* Bead i of the backend equals the bead of that id, field by field, and is at home. */
static int bead_is_right(const struct cpu *c, int64_t i, struct system *all,
                         const struct regions *g)
{
  struct beads have = c->beads, want = all->beads;
  int64_t row = c->id[i] - 1;
  int good = row >= 0 && row < WATERS;
  for (int f = 0; good && f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    size_t bytes = (size_t)(field_info[f].components * field_info[f].bytes);
    good &= !memcmp((char *)*beads_field(&have, f) + (size_t)i * bytes,
                    (char *)*beads_field(&want, f) + (size_t)row * bytes, bytes);
  }
  return good && scatter_is_inside(g, ranks.rank, c->beads.build_position + 3 * i, 0);
}

static void check(const struct backend *b, struct system *all, const struct regions *g)
{
  const struct cpu *c = scatter_cpu(b);
  int64_t seen[WATERS] = {0};
  int good = 1;
  for (int64_t i = 0; good && i < b->n; i++) {
    good = bead_is_right(c, i, all, g);
    if (good) seen[c->id[i] - 1]++;
  }
  AGREE(&ranks, good);
  ranks_sum_int64(&ranks, seen, WATERS);
  for (int k = 0; k < WATERS; k++)
    good &= seen[k] == 1;
  AGREE(&ranks, good);
}

/* Bounds of a round: equal, then at random, so that beads cross several regions at once; those of
   no width have no beads. */
static void bounds_set(struct region_cut *s, int round)
{
  const uint64_t whole = UINT64_C(1) << 32;
  for (int k = 1; k < s->n; k++) {
    uint64_t u = rng_words(5, (uint64_t)round, (uint64_t)k, RNG_BUILD).word[0];
    s->bound[k] = round == 0   ? whole / (uint64_t)s->n * (uint64_t)k
                  : round == 1 ? 0
                  : round == 2 ? whole
                               : u;
  }
  for (int a = 1; a < s->n; a++)
    for (int b = 1; b + 1 < s->n; b++)
      if (s->bound[b] > s->bound[b + 1]) {
        uint64_t swap = s->bound[b];
        s->bound[b] = s->bound[b + 1];
        s->bound[b + 1] = swap;
      }
}

/* Through hosts where the halo has no room, and with room for all. */
static void beads_come_home(void **state)
{
  (void)state;
  for (int grid = 0; grid < SCATTER_GRIDS; grid++) {
    int64_t room[PEERS_MOST];
    for (int k = 0; k < PEERS_MOST; k++)
      room[k] = 200 * WATERS * grid;
    struct transport t;
    struct regions g;
    scatter_regions(&g, &ranks, grid);
    scatter_transport(&t, &ranks, &g);
    transport_reserve(&t, room, room);
    struct system *mine = sample_system(&ranks, 0, WATERS), *all = sample_system(&alone, 0, WATERS);
    memcpy(mine->beads.build_position, mine->beads.position, 12 * (size_t)mine->n);
    struct backend *b = scatter_load(mine);
    for (int round = 0; round < 12; round++) {
      for (int c = 0; c < CUTS; c++)
        bounds_set(&g.cut[c], round);
      const struct domain d = regions_domain(&g, &ranks);
      migrate_beads(&d, &t, b);
      check(b, all, &g);
      AGREE(&ranks, round != 1 || (b->n == WATERS) == (ranks.rank == ranks.size - 1));
      AGREE(&ranks, round != 2 || (b->n == WATERS) == (ranks.rank == 0));
    }
    regions_destroy(&g);
    transport_close(&t);
    b->ops->destroy(b);
    system_destroy(mine);
    system_destroy(all);
  }
}

/* Bounds by bead counts: equal shares where regions may be thin, never thinner than the halo. */
static void bounds_follow_the_beads(void **state)
{
  (void)state;
  struct system *mine = sample_system(&ranks, 0, WATERS);
  for (int64_t k = 0; k < mine->n; k++) /* more of them at small x */
    mine->beads.position[3 * k] = (int32_t)((uint32_t)mine->beads.position[3 * k] >> (k % 2));
  struct backend *b = scatter_load(mine);
  struct transport t;
  struct regions g;
  scatter_regions(&g, &ranks, 0);
  scatter_transport(&t, &ranks, &g);
  const struct region_cut *s = &g.cut[0];
  for (int wide = 0; wide < 2; wide++) {
    double reach = wide ? 0.24 * mine->box[0] : 0.01;
    int64_t low = 0, high = 0;
    regions_set_reach(&g, reach, 0, mine->box);
    regions_balance(&g, &ranks, b);
    const struct domain d = regions_domain(&g, &ranks);
    migrate_beads(&d, &t, b);
    low = high = b->n;
    ranks_min_int64(&ranks, &low, 1);
    ranks_max_int64(&ranks, &high, 1);
    AGREE(&ranks, wide || high - low <= 3);
    int good = s->bound[0] == 0 && s->bound[ranks.size] == UINT64_C(1) << 32;
    for (int k = 0; k < ranks.size && ranks.size > 1; k++)
      good &= s->bound[k + 1] - s->bound[k] >= s->width;
    AGREE(&ranks, good);
  }
  regions_destroy(&g);
  transport_close(&t);
  b->ops->destroy(b);
  system_destroy(mine);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(beads_come_home),
                                     cmocka_unit_test(bounds_follow_the_beads)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
