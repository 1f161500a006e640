/* Observables on several ranks: each rank has about N / ranks beads, whole molecules of them, and
   memory in proportion; what is saved after some samples is the same bits as on one rank. */
#include "tests/support/profiles.h"

#include <malloc.h>

#include "input/forcefield_file.h"
#include "mpi/comm/ranks_mpi.h"
#include "observe/observable.h"
#include "tests/support/agree.h"

static struct ranks ranks, alone;

/* Shares */

/* 1 if the share has these beads of the system, in whole molecules. */
static int is_right(const struct share *s, const struct system *y)
{
  const int32_t *molecule = y->beads.molecule;
  const int64_t first = s->first - 1, end = first + s->n;
  int good = s->border[0] == 1 && s->border[ranks.size] == y->n_total + 1;
  if (s->n == 0) return good && s->molecules == 0;
  if (first > 0) good &= molecule[first] == 0 || molecule[first] != molecule[first - 1];
  if (end < y->n_total) good &= molecule[end] == 0 || molecule[end] != molecule[end - 1];
  for (int64_t k = 0; k < s->n; k++) {
    const struct observe_molecule *m = &s->molecule[s->molecule_of[k]];
    good &= s->type[k] == y->beads.type[first + k] && s->env[k] == y->beads.bonded_env[first + k];
    good &= k >= m->first && k < m->first + m->n;
    good &= k == m->first || molecule[first + k] == molecule[first + k - 1];
  }
  return good;
}

/* Molecules of so many beads each, then beads without a molecule. */
static void share_of(int64_t beads, int32_t length, int64_t rest)
{
  struct system *y = system_create(beads + rest, 0, 1, forcefield_load("lj"));
  for (int64_t k = 0; k < beads; k++)
    y->beads.molecule[k] = 1 + (int32_t)(k / length);
  struct system block = block_of(y, &ranks);
  struct share s = {0};
  share_create(&s, &ranks, &block);
  const int64_t most = y->n_total / ranks.size + 1 + (length > 1 ? length - 1 : 0);
  AGREE(&ranks, is_right(&s, y));
  AGREE(&ranks, s.n <= most);
  assert_int_equal(share_sum(&ranks, s.n, NULL), y->n_total);
  assert_int_equal(share_sum(&ranks, s.molecules, NULL), (beads + length - 1) / length + rest);
  share_free(&s);
  system_destroy(y);
}

static void test_shares(void **state)
{
  (void)state;
  for (int32_t length = 1; length < 120; length += 7)
    share_of(100, length, 21);
  share_of(100, 100, 0); /* one molecule */
  share_of(0, 1, 30);    /* no molecules */
  share_of(1, 1, 0);
}

/* Bytes that are allocated on this rank. */
static int64_t allocated(void)
{
  const struct mallinfo2 m = mallinfo2();
  return (int64_t)(m.uordblks + m.hblkhd);
}

/* What a rank keeps of the beads is at most 40 bytes for each of its share, and nothing for others.
 */
static void test_memory(void **state)
{
  (void)state;
  enum { MOLECULES = 40000, LENGTH = 10 };
  struct system *y = system_create(MOLECULES * LENGTH, 0, 1, forcefield_load("lj"));
  for (int64_t k = 0; k < y->n; k++)
    y->beads.molecule[k] = 1 + (int32_t)(k / LENGTH);
  struct system block = block_of(y, &ranks);
  struct lipids *lipids = lipids_create(y->ff);
  struct observe_system about = {.lipids = lipids};
  const int64_t before = allocated();
  observe_system_create(&about, &ranks, &block);
  const int64_t kept = allocated() - before;
  AGREE(&ranks, kept <= 40 * (y->n_total / ranks.size + LENGTH) + (1 << 20));
  observe_system_destroy(&about);
  lipids_destroy(lipids);
  system_destroy(y);
}

/* Samples */

static const char list[] = "- membrane\n"
                           "- order\n"
                           "- undulation: {grid: 9}\n"
                           "- leaflets: {range: 1.1}\n"
                           "- msd\n"
                           "- msd: {name: some, molecules: [W, DOPE, DMPC]}\n"
                           "- rotation\n"
                           "- temperature\n"
                           "- rdf: {pairs: [[W, W], [P, T], [W, C]], range: 1.2}\n"
                           "- rdf: {name: plane, pairs: [[P, P], [T, C]], range: 1.2, "
                           "in_plane: yes}\n";

/* The observables of a number of ranks. */
struct measured {
  struct observe_system about;
  struct lipids *lipids;
  struct observable *observable;
  int n;
};

static void measured_open(struct measured *m, const struct ranks *r, const struct system *whole,
                          int is_flat)
{
  struct error_list errors = {0};
  struct system block = block_of(whole, r);
  memset(m, 0, sizeof *m);
  m->about.lipids = m->lipids = lipids_create(whole->ff);
  m->lipids->is_flat = is_flat;
  observe_system_create(&m->about, r, &block);
  m->about.topology = &whole->topology; /* the block goes */
  m->about.temperature = 310;
  m->about.dt = 0.01;
  m->about.bilayers = 1;
  struct yaml_tree *t = yaml_parse(list, "list", &errors);
  m->observable = observables_create(t, yaml_root(t), &m->about, &m->n);
  error_list_check(&errors);
  yaml_destroy(t);
}

static void measured_close(struct measured *m)
{
  observables_destroy(m->observable, m->n);
  observe_system_destroy(&m->about);
  lipids_destroy(m->lipids);
}

static void measured_take(struct measured *m, const struct system *whole, int64_t step)
{
  const int64_t first = m->about.share.first - 1;
  struct observe_frame f = {.step = step,
                            .time = 0.01 * (double)step,
                            .centre = UINT32_C(1) << 31,
                            .position = whole->beads.position + 3 * first,
                            .image = whole->beads.image + 3 * first,
                            .momentum = whole->beads.momentum + 3 * first,
                            .angular_momentum = whole->beads.angular_momentum + 3 * first,
                            .orientation = whole->beads.orientation + 4 * first};
  memcpy(f.box, whole->box, sizeof f.box);
  for (int k = 0; k < m->n; k++) {
    struct observable *o = &m->observable[k];
    int64_t *word = alloc_array(o->words, sizeof *word);
    o->kind->collect(o, &f, word);
    ranks_sum_int64(m->about.ranks, word, (int)o->words);
    if (m->about.ranks->rank == 0) observable_take(o, &f, word);
    free(word);
  }
}

/* Rank 0: 1 if both would write the same. */
static int is_same(const struct measured *a, const struct measured *b)
{
  int same = a->n == b->n;
  for (int k = 0; k < a->n; k++) {
    int64_t n, m;
    double *of_a = observable_save(&a->observable[k], &n);
    double *of_b = observable_save(&b->observable[k], &m);
    const int equal = n == m && !memcmp(of_a, of_b, (size_t)n * sizeof *of_a);
    if (!equal) print_message("%s differs\n", a->observable[k].name);
    same &= equal;
    free(of_a);
    free(of_b);
  }
  return same;
}

static void samples(int is_flat)
{
  enum { SAMPLES = 9 };
  char text[sizeof specification + 16];
  snprintf(text, sizeof text, specification, "elba");
  struct system *whole = build_blocks(text, 1);
  struct measured one, all;
  system_thermalise(whole, 310);
  measured_open(&one, &alone, whole, is_flat);
  measured_open(&all, &ranks, whole, is_flat);
  AGREE(&ranks, all.about.share.n <= whole->n_total / ranks.size + 16);
  for (int k = 0; k < SAMPLES; k++) {
    measured_take(&one, whole, 10 * k);
    measured_take(&all, whole, 10 * k);
    /* Molecules move apart, and over the borders of the box; some lipids change leaflet. */
    for (int64_t i = 0; i < 3 * whole->n_total; i++) {
      const uint32_t by = (uint32_t)(whole->beads.molecule[i / 3] * 7919 + i % 3) * 2654435761u;
      whole->beads.position[i] += (int32_t)(by >> (i % 3 == 2 ? 3 : 5));
    }
  }
  AGREE(&ranks, ranks.rank > 0 || is_same(&one, &all));
  measured_close(&one);
  measured_close(&all);
  system_destroy(whole);
}

/* As a bilayer whatever becomes of it, and asked whether it is one. */
static void test_samples(void **state)
{
  (void)state;
  samples(1);
  samples(0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shares),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_samples),
  };
  ranks_open(&ranks, &argc, &argv);
  alone = (struct ranks){.size = 1, .local_size = 1};
  ranks_mpi_create(&alone, MPI_COMM_SELF);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_mpi_destroy(&alone);
  return ranks_close(&ranks, failed);
}
