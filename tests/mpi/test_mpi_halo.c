/* Copies of the neighbours' beads: each that is needed comes once, with what its owner has, at a
   build and in a step; the lists of all ranks together are those of one; and the ranks find the
   pairs that lists lack. */
#include "tests/support/scatter.h"

#include <math.h>

static struct ranks ranks;
static struct ranks alone = {.size = 1};

enum { WATERS = 500 };
static const double radius = 1.3, halo = 1.36;

/* The same beads on all ranks together, and whole on each. */
struct pair {
  struct system *mine, *all;
  struct backend *b, *whole;
  struct regions regions;
  struct transport transport;
};

static void pair_open_of(struct pair *p, int grid, const char *forcefield, const char *water,
                         int64_t lipids)
{
  p->mine = sample_system_of(&ranks, forcefield, water, lipids, WATERS);
  p->all = sample_system_of(&alone, forcefield, water, lipids, WATERS);
  p->mine->box[1] = p->all->box[1] = 6.3;
  p->b = scatter_load(p->mine);
  p->whole = scatter_load(p->all);
  p->b->checks = p->whole->checks = lipids ? CHECK_NOTHING : CHECK_BONDS;
  scatter_regions(&p->regions, &ranks, grid);
  scatter_transport(&p->transport, &ranks, &p->regions);
  regions_set_reach(&p->regions, halo, 0, p->mine->box);
  regions_balance(&p->regions, &ranks, p->b);
  scatter_build(&p->regions, &p->transport, p->b, radius);
  p->whole->ops->sort(p->whole, radius);
  const struct build_params lists = {.radius = radius, .term_length = radius};
  p->whole->ops->build(p->whole, &lists);
}

static void pair_open(struct pair *p, int grid)
{
  pair_open_of(p, grid, "elba", "W", 0);
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
  int n = c->list[0].n[i];
  const int *row = c->list[0].row[i];
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

/* All beads of a backend have moved by so much since the build, each into a direction of its own.
 */
static void move_all(struct backend *b, double distance, uint64_t trial)
{
  struct cpu *c = (struct cpu *)b;
  for (int i = 0; i < b->n; i++) {
    double u[4], length = 0;
    rng_normal(31, trial, (uint64_t)c->id[i], RNG_BUILD, u);
    for (int d = 0; d < 3; d++)
      length += u[d] * u[d];
    for (int d = 0; d < 3; d++) {
      const double units = u[d] / sqrt(length) * distance / c->build_box[d] * TORUS_EDGE;
      c->beads.position[3 * i + d] =
          (int32_t)((uint32_t)c->beads.build_position[3 * i + d] + (uint32_t)llround(units));
    }
  }
  cpu_update_pair_records(c);
}

/* Pairs inside the cutoff of a list now that were outside its radius at the build. */
static int64_t count_unlisted(const struct backend *b)
{
  const struct cpu *c = scatter_cpu(b);
  const struct pair_plan *plan = c->config.plan;
  int64_t found = 0;
  double built[BOX], now[BOX];
  torus_units(c->build_box, built);
  torus_units(c->box, now);
  for (int64_t i = 0; i < b->n; i++)
    for (int64_t j = 0; j < i; j++) {
      const double then2 = torus_distance2(c->beads.build_position + 3 * i,
                                           c->beads.build_position + 3 * j, built),
                   now2 = torus_distance2(c->record[i].x, c->record[j].x, now);
      const unsigned mine = plan->class_of[c->beads.type[i]],
                     other = plan->class_of[c->beads.type[j]];
      for (int l = 0; l < plan->n_passes; l++) {
        const double cutoff = plan->pass[l].cutoff, narrower = c->config.ff->cutoff - cutoff;
        found += (plan->pass[l].partners[mine] >> other & 1) && sqrt(now2) < cutoff &&
                 sqrt(then2) >= radius - narrower;
      }
    }
  return found;
}

static void set_edges(struct backend *b, const double build_box[BOX], double scale)
{
  double box[BOX];
  for (int k = 0; k < BOX; k++)
    box[k] = scale * build_box[k];
  const struct coupling_state now = coupling_state_start(box);
  b->ops->set_box(b, &now, build_box);
}

/* Moves all beads in a box of this scale. How many pairs are missing; whether ranks find them. */
static int64_t searched(struct pair *p, double distance, double scale, uint64_t trial)
{
  const double cutoff = p->mine->ff->cutoff, limit = radius - cutoff / scale;
  const double above = 0.5 * limit, reach = cutoff / scale + 2 * distance + 1e-6;
  set_edges(p->b, p->mine->box, scale);
  set_edges(p->whole, p->mine->box, scale);
  move_all(p->b, distance, trial);
  move_all(p->whole, distance, trial);
  halo_start(&p->transport, p->b);
  halo_finish(&p->transport, p->b);
  const int64_t lacking = count_unlisted(p->whole);
  int64_t found = p->b->ops->find_unlisted(p->b, above * above, reach);
  ranks_max_int64(&ranks, &found, 1);
  AGREE(&ranks, reach < halo && found == (distance > above && lacking > 0));
  AGREE(&ranks, found == p->whole->ops->find_unlisted(p->whole, above * above, reach));
  AGREE(&ranks, p->b->ops->find_unlisted(p->b, -1, reach) >=
                    p->b->ops->find_unlisted(p->b, above * above, reach));
  AGREE(&ranks, !p->b->ops->find_unlisted(p->b, 1.01 * distance * distance, reach));
  AGREE(&ranks, distance > above || lacking == 0);
  return lacking;
}

static void missing_pairs_of(const char *forcefield, const char *water, int64_t lipids)
{
  for (int grid = 0; grid < SCATTER_GRIDS; grid++) {
    struct pair p;
    int with = 0, without = 0;
    pair_open_of(&p, grid, forcefield, water, lipids);
    for (uint64_t trial = 0; trial < 48; trial++) {
      const double distance = 0.045 + 0.0005 * (double)trial, scale = trial % 3 ? 1 : 0.995;
      const int64_t lacking = searched(&p, distance, scale, trial);
      with += lacking > 0;
      without += lacking == 0 && distance > 0.05;
    }
    if (ranks.rank == 0) print_message("pairs missing in %d trials, none in %d\n", with, without);
    AGREE(&ranks, with > 5 && without > 5);
    pair_close(&p);
  }
}

/* Of one list, and of several with cutoffs of their own. */
static void missing_pairs_are_found(void **state)
{
  (void)state;
  missing_pairs_of("elba", "W", 0);
  missing_pairs_of("brahms", "WATER", 4);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_comes_once), cmocka_unit_test(lists_are_those_of_one_rank),
      cmocka_unit_test(steps_bring_what_moved), cmocka_unit_test(missing_pairs_are_found)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
