/* Gathering a system on one rank and copying it side by side: every copy is the original moved by
   whole boxes, bonds that crossed a face join the right neighbours, blocks fit together. */
#include "tests/support/agree.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "input/build_spec.h"
#include "input/forcefield_file.h"
#include "setup/build.h"
#include "setup/replicate.h"

static struct ranks ranks;

static struct system *build(const struct ranks *r)
{
  char path[] = "/tmp/lamella_replicate_XXXXXX";
  const char text[] = "{forcefield: elba, bilayer: {upper: {DOPC: 6}, lower: {DMPC: 7}, "
                      "water_per_lipid: 9, area_per_lipid: 0.7}}";
  int file = mkstemp(path);
  if (file < 0 || write(file, text, sizeof text - 1) != sizeof text - 1) abort();
  close(file);
  struct build_spec *spec = build_spec_load(path);
  unlink(path);
  struct system *s = bilayer_build(r, spec);
  build_spec_destroy(spec);
  for (int64_t k = 0; k < s->n; k++) {
    s->beads.momentum[3 * k] = (double)(s->first + k);
    s->beads.angular_momentum[3 * k + 1] = -(double)(s->first + k);
  }
  s->clock.step = 7;
  s->clock.time = 0.5;
  s->lists.step = 3;
  return s;
}

static int beads_equal(const struct system *a, const struct system *b)
{
  struct beads x = a->beads, y = b->beads;
  int equal = a->n == b->n;
  for (int f = 0; equal && f < FIELDS; f++)
    equal = memcmp(*beads_field(&x, f), *beads_field(&y, f),
                   (size_t)a->n * (size_t)(field_info[f].components * field_info[f].bytes)) == 0;
  return equal;
}

static void gathers_on_rank_0(void **state)
{
  (void)state;
  struct ranks alone = {.rank = 0, .size = 1};
  struct system *all = build(&alone), *mine = build(&ranks);
  struct system *whole = replicate_gather(&ranks, mine);
  AGREE(&ranks, (whole != NULL) == (ranks.rank == 0));
  AGREE(&ranks, !whole || (beads_equal(whole, all) && whole->n_total == all->n_total));
  AGREE(&ranks, !whole || whole->topology.n_envs == all->topology.n_envs);
  system_destroy(whole);
  system_destroy(mine);
  system_destroy(all);
}

static void one_copy_is_the_original(void **state)
{
  (void)state;
  const int once[3] = {1, 1, 1};
  struct ranks alone = {.rank = 0, .size = 1};
  struct system *whole = ranks.rank == 0 ? build(&alone) : NULL, *want = build(&ranks);
  struct system *s = replicate_whole(&ranks, whole, once, forcefield_load("elba"));
  AGREE(&ranks, beads_equal(s, want) && s->first == want->first && s->clock.step == 7);
  AGREE(&ranks, s->lists.step == -1 && s->topology.n_envs == want->topology.n_envs);
  AGREE(&ranks, memcmp(s->box, want->box, sizeof s->box) == 0);
  system_destroy(whole);
  system_destroy(want);
  system_destroy(s);
}

/* Squared distance of nearest images. */
static double distance2(const struct system *s, int64_t i, int64_t j)
{
  double r2 = 0;
  for (int d = 0; d < 3; d++) {
    int32_t dx =
        (int32_t)((uint32_t)s->beads.position[3 * i + d] - (uint32_t)s->beads.position[3 * j + d]);
    r2 += pow(ldexp(dx, -32) * s->box[d], 2);
  }
  return r2;
}

static uint64_t fraction(const struct system *s, int64_t k, int d)
{
  return (uint64_t)(uint32_t)s->beads.position[3 * k + d] << 32 | s->beads.residual[3 * k + d];
}

/* Bead k of the copies against its original. */
static int bead_right(const struct system *s, int64_t k, const struct system *old,
                      const int count[3])
{
  int64_t from = k % old->n, copy = k / old->n, cell = copy;
  int crossed = 0, good = s->beads.type[k] == old->beads.type[from] &&
                          s->beads.molecule_type[k] == old->beads.molecule_type[from] &&
                          s->beads.bonded_env[k] == old->beads.bonded_env[from];
  for (int d = 0; d < 3; d++) {
    uint64_t times = fraction(s, k, d) * (uint64_t)count[d] - fraction(old, from, d);
    good &= -times < (uint64_t)count[d] || times == 0; /* rounded down */
    double box = floor(ldexp((double)fraction(s, k, d), -64) * count[d] + 1e-9);
    crossed += (int64_t)box != cell % count[d];
    cell /= count[d];
  }
  /* Water stays in the box of its copy; so do lipids, or they hang together. */
  good &= !crossed || s->beads.bonded_env[k] >= 0;
  int64_t molecules = old->beads.molecule[old->n - 1];
  good &= s->beads.molecule[k] == old->beads.molecule[from] + copy * molecules;
  good &= memcmp(s->beads.momentum + 3 * k, old->beads.momentum + 3 * from, 24) == 0;
  good &=
      memcmp(s->beads.angular_momentum + 3 * k, old->beads.angular_momentum + 3 * from, 24) == 0;
  good &= memcmp(s->beads.orientation + 4 * k, old->beads.orientation + 4 * from, 32) == 0;
  int env = s->beads.bonded_env[k];
  for (int t = env < 0 ? 0 : s->topology.term_start[env];
       env >= 0 && t < s->topology.term_start[env + 1]; t++) {
    int64_t partner = s->topology.term[t].partner[0];
    double a = distance2(s, k, k + partner), b = distance2(old, from, from + partner);
    good &= fabs(a - b) < 1e-7;
  }
  return good;
}

static void copies_lie_side_by_side(void **state)
{
  (void)state;
  const int count[3] = {2, 3, 1};
  struct ranks alone = {.rank = 0, .size = 1};
  struct system *old = build(&alone);
  struct system *s =
      replicate_whole(&ranks, ranks.rank == 0 ? old : NULL, count, forcefield_load("elba"));
  AGREE(&ranks, s->n_total == 6 * old->n_total && s->clock.step == 0 && s->lists.step == -1);
  AGREE(&ranks, s->box[0] == 2 * old->box[0] && s->box[1] == 3 * old->box[1]);
  AGREE(&ranks, s->first == system_first(s->n_total, ranks.rank, ranks.size));
  struct system *whole = replicate_gather(&ranks, s);
  int good = 1;
  for (int64_t k = 0; whole && k < whole->n; k++)
    good &= bead_right(whole, k, old, count);
  AGREE(&ranks, good);
  system_destroy(whole);
  system_destroy(s);
  system_destroy(old);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gathers_on_rank_0),
      cmocka_unit_test(one_copy_is_the_original),
      cmocka_unit_test(copies_lie_side_by_side),
  };
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
