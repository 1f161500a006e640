/* Copies of the neighbours' beads: each that is needed comes once, with what its owner has, at a
   build and in a step; and the lists of all ranks together are those of one. */
#include "tests/support/scatter.h"

#include <math.h>

static struct ranks ranks;
static struct ranks alone = {.size = 1};

enum { WATERS = 500 };
static const double radius = 1.3;

/* The same beads on all ranks together, and whole on each. */
struct pair {
  struct system *mine, *all;
  struct backend *b, *whole;
  struct regions regions;
  struct transport transport;
};

static void pair_open(struct pair *p, int grid)
{
  p->mine = sample_system(&ranks, 0, WATERS);
  p->all = sample_system(&alone, 0, WATERS);
  p->mine->box[1] = p->all->box[1] = 6.3;
  p->b = scatter_load(p->mine);
  p->whole = scatter_load(p->all);
  scatter_regions(&p->regions, &ranks, grid);
  scatter_transport(&p->transport, &ranks, &p->regions);
  regions_set_reach(&p->regions, radius, 0, p->mine->box);
  regions_balance(&p->regions, &ranks, p->b);
  scatter_build(&p->regions, &p->transport, p->b, radius);
  p->whole->ops->sort(p->whole, radius);
  const struct build_params lists = {.radius = radius, .audit_reach = -1, .term_length = radius};
  p->whole->ops->build(p->whole, &lists, NULL);
}

static void pair_close(struct pair *p)
{
  transport_close(&p->transport);
  regions_destroy(&p->regions);
  p->b->ops->destroy(p->b);
  p->whole->ops->destroy(p->whole);
  system_destroy(p->mine);
  system_destroy(p->all);
}

/* Where a bead of an id lies in a backend, copies included; -1: nowhere. */
static void places(const struct backend *b, int place[WATERS + 1], int *doubled)
{
  const struct cpu *c = scatter_cpu(b);
  *doubled = 0;
  for (int k = 0; k <= WATERS; k++)
    place[k] = -1;
  for (int i = 0; i < b->n + b->n_halo; i++) {
    *doubled += place[c->id[i]] >= 0;
    place[c->id[i]] = i;
  }
}

static void each_comes_once(void **state)
{
  (void)state;
  for (int grid = 0; grid < SCATTER_GRIDS; grid++) {
    struct pair p;
    int place[WATERS + 1], doubled, good = 1;
    pair_open(&p, grid);
    places(p.b, place, &doubled);
    for (int k = 1; k <= WATERS; k++) {
      const int32_t *x = p.all->beads.position + 3 * (k - 1);
      good &= (place[k] >= 0) == scatter_is_inside(&p.regions, ranks.rank, x, 1);
    }
    AGREE(&ranks, good && doubled == 0);
    int64_t owned = p.b->n;
    ranks_sum_int64(&ranks, &owned, 1);
    AGREE(&ranks, owned == WATERS);
    AGREE(&ranks, p.b->interior + p.b->boundary == p.b->n);
    pair_close(&p);
  }
}

/* Row of bead i as ids, without the padding. */
static int row_ids(const struct backend *b, int i, int64_t *out)
{
  const struct cpu *c = scatter_cpu(b);
  int n = c->list[0].count[i];
  const int *row = c->list[0].index + c->list[0].row[i];
  while (n > 0 && row[n - 1] == i)
    n--;
  for (int k = 0; k < n; k++)
    out[k] = c->id[row[k]];
  return n;
}

static void lists_are_those_of_one_rank(void **state)
{
  (void)state;
  for (int grid = 0; grid < SCATTER_GRIDS; grid++) {
    struct pair p;
    int place[WATERS + 1], doubled, good = 1;
    static int64_t mine[WATERS], all[WATERS];
    pair_open(&p, grid);
    places(p.whole, place, &doubled);
    for (int i = 0; i < p.b->n; i++) {
      int n = row_ids(p.b, i, mine);
      good &= n == row_ids(p.whole, place[scatter_cpu(p.b)->id[i]], all);
      good &= n > 0 && !memcmp(mine, all, (size_t)n * sizeof *all);
    }
    AGREE(&ranks, good);
    pair_close(&p);
  }
}

/* Records and axes of owned beads and of copies, against the backend that has all. */
static int records_agree(const struct pair *p)
{
  const struct cpu *c = scatter_cpu(p->b), *w = scatter_cpu(p->whole);
  size_t bytes = (size_t)c->kernel->axis_bytes;
  int place[WATERS + 1], doubled, good = 1;
  places(p->whole, place, &doubled);
  for (int i = 0; i < p->b->n + p->b->n_halo; i++) {
    int k = place[c->id[i]];
    good &= !memcmp(&c->record[i], &w->record[k], sizeof c->record[i]);
    good &= !memcmp((const char *)c->axis[0] + (size_t)i * bytes,
                    (const char *)w->axis[0] + (size_t)k * bytes, bytes);
  }
  return good;
}

/* Nothing pushes: what moves is noise. */
static void without_forces(struct backend *b)
{
  struct cpu *c = (struct cpu *)b;
  memset(c->force, 0, 3 * (size_t)b->n * sizeof *c->force);
  memset(c->torque, 0, 3 * (size_t)b->n * sizeof *c->torque);
}

static void steps_bring_what_moved(void **state)
{
  (void)state;
  struct pair p;
  struct integrate_params m;
  memset(&m, 0, sizeof m);
  m.dt = 0.01;
  m.scaling = scaling_none();
  m.max_displacement = 1;
  m.bath[0] = (struct bath_noise){exp(-m.dt), 2.5};
  m.seed = 4;
  m.noise = 1;
  pair_open(&p, SCATTER_GRIDS - 1);
  without_forces(p.b);
  without_forces(p.whole);
  AGREE(&ranks, records_agree(&p));
  for (m.step = 0; m.step < 5; m.step++) {
    p.b->ops->integrate_first_half(p.b, &m);
    p.whole->ops->integrate_first_half(p.whole, &m);
    halo_start(&p.transport, p.b);
    halo_finish(&p.transport, p.b);
    AGREE(&ranks, records_agree(&p));
    double d2[2], whole[2];
    p.b->ops->displacement2(p.b, d2);
    p.whole->ops->displacement2(p.whole, whole);
    ranks_largest_start(&ranks, d2);
    ranks_largest_finish(&ranks, d2);
    AGREE(&ranks, whole[0] > whole[1] && whole[1] > 0);
    AGREE(&ranks, d2[0] == whole[0] && d2[1] == whole[1]);
  }
  pair_close(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_comes_once),
                                     cmocka_unit_test(lists_are_those_of_one_rank),
                                     cmocka_unit_test(steps_bring_what_moved)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
