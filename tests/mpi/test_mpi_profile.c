/* The bins of profiles, added over ranks, are the same bits on any number of ranks. */
#include "tests/support/profiles.h"

#include "tests/support/scatter.h"

static struct ranks ranks;

static void same_on_any_ranks(const char *forcefield)
{
  struct system *membrane = membrane_make(forcefield);
  struct tables tables;
  const double radius = membrane->ff->cutoff + 0.05;
  const struct build_params lists = {.radius = radius, .term_length = radius};
  const enum tally_quantity quantity[] = {TALLY_CENTRE, TALLY_PROFILE, TALLY_STRESS};
  tables_make(&tables, membrane, BINS);
  struct system block = block_of(membrane, &ranks);
  struct backend *b = scatter_load(&block), *whole = scatter_load(membrane);
  struct regions regions;
  struct transport transport;
  scatter_regions(&regions, &ranks, SCATTER_GRIDS - 1);
  scatter_transport(&transport, &ranks, &regions);
  regions_set_reach(&regions, radius, 0, membrane->box);
  regions_balance(&regions, &ranks, b);
  scatter_build(&regions, &transport, b, radius);
  halo_start(&transport, b);
  halo_finish(&transport, b);
  whole->ops->sort(whole, radius);
  whole->ops->build(whole, &lists);
  AGREE(&ranks, ranks.size == 1 || b->n_halo > 0);
  for (int k = 0; k < 3; k++) {
    int n;
    int64_t *mine = bins_of(b, membrane, quantity[k], &tables.profile, &n);
    int64_t *all = bins_of(whole, membrane, quantity[k], &tables.profile, &n);
    ranks_sum_int64(&ranks, mine, n);
    AGREE(&ranks, !memcmp(mine, all, (size_t)n * sizeof *all));
    free(mine);
    free(all);
  }
  transport_close(&transport);
  regions_destroy(&regions);
  b->ops->destroy(b);
  whole->ops->destroy(whole);
  tables_free(&tables);
  system_destroy(membrane);
}

static void one_list(void **state)
{
  (void)state;
  same_on_any_ranks("elba");
}

static void more_lists(void **state)
{
  (void)state;
  same_on_any_ranks("brahms");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_list), cmocka_unit_test(more_lists)};
  ranks_open(&ranks, &argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
