/* Frames of a selection, whole molecules and leaflets, against sums over the molecules of the force
   field; molecules lie in the blocks of several ranks. */
#include "tests/support/agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "input/forcefield_file.h"
#include "input/group_reader.h"
#include "input/group_use.h"
#include "io/foreign/psf.h"
#include "io/h5_read.h"
#include "io/h5md/read.h"
#include "io/h5md/write.h"
#include "io/info.h"
#include "molecules/group_find.h"
#include "molecules/leaflet.h"
#include "molecules/whole.h"
#include "tests/support/sample.h"

static struct ranks ranks;
static const char prefix[] = "test_mpi_frames", path[] = "test_mpi_frames.h5md";

enum { LIPIDS = 5, WATERS = 30, ATOMS_MOST = 64 };

/* Where a bead belongs in its molecule: shifts of the boxes of all beads of a lipid of DOPC, found
   by going through its bonds again and again. x: positions inside the box. */
static void place(const struct ff_molecule *m, const double *box, double (*x)[3], int (*shift)[3])
{
  int known[ATOMS_MOST] = {1}, left = m->n_beads - 1;
  memset(shift, 0, (size_t)m->n_beads * sizeof *shift);
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  for (int k = 0; left > 0; k = (k + 1) % bonds->n)
    for (int turn = 0; turn < 2; turn++) {
      int i = bonds->term[k].bead[turn], j = bonds->term[k].bead[1 - turn];
      if (!known[i] || known[j]) continue;
      for (int d = 0; d < 3; d++)
        shift[j][d] = shift[i][d] - (int)lround((x[j][d] - x[i][d]) / box[d]);
      known[j] = 1;
      left--;
    }
}

/* Leaflet of a lipid, from the z of its whole molecule. */
static int leaflet_of(const struct forcefield *ff, const struct ff_molecule *m, const double *box,
                      double (*x)[3], int (*shift)[3])
{
  double head = 0, tail = 0;
  int heads = 0, tails = 0, p = forcefield_type(ff, "P");
  for (int k = 0; k < m->n_beads; k++) {
    const struct ff_type *type = &ff->type[m->bead[k]];
    const double z = x[k][2] + shift[k][2] * box[2];
    if (m->bead[k] == p) {
      head += z;
      heads++;
    }
    if (type->charge == 0 && type->dipole == 0) {
      tail += z;
      tails++;
    }
  }
  return head / heads > tail / tails ? 1 : -1;
}

/* Shifts and leaflet of the lipid of a row, and the bead's number in it; 0 for water. Positions do
   not depend on the number of ranks: sample_system places beads by their id. */
static int expect(const struct system *all, int64_t row, int (*shift)[3], int *bead)
{
  const struct ff_molecule *m = &all->ff->molecule[forcefield_molecule(all->ff, "DOPC")];
  double x[ATOMS_MOST][3];
  int64_t first = row / m->n_beads * m->n_beads;
  if (all->beads.molecule_type[row] != forcefield_molecule(all->ff, "DOPC")) return 0;
  for (int k = 0; k < m->n_beads; k++)
    system_get_position(all, first + k, 0, x[k]);
  place(m, all->box, x, shift);
  *bead = (int)(row - first);
  return leaflet_of(all->ff, m, all->box, x, shift);
}

static struct system *whole_system(int64_t lipids, int64_t waters)
{
  struct ranks alone = {.rank = 0, .size = 1};
  return sample_system(&alone, lipids, waters);
}

static void molecules_of(int64_t lipids, int64_t waters)
{
  struct system *s = sample_system(&ranks, lipids, waters), *all = whole_system(lipids, waters);
  struct whole *w = whole_open(&ranks, s, BY_BONDS);
  int upper = 0, lower = 0;
  struct lipids *l = lipids_create(s->ff);
  int64_t found;
  enum flatness flat;
  for (int turn = 0; turn < 3; turn++) {
    for (int64_t k = 0; k < 3 * all->n; k++) /* every bead moves along by a part of the box */
      all->beads.position[k] =
          (int32_t)((uint32_t)all->beads.position[k] + (uint32_t)turn * 715827882u);
    for (int64_t k = 0; k < 3 * s->n; k++)
      s->beads.position[k] = all->beads.position[3 * (s->first - 1) + k];
    whole_update(w, s);
    int32_t *leaflet = leaflets_find(&ranks, s, l, &found, &flat);
    int good = found == lipids && flat != FLAT;
    for (int64_t k = 0; k < s->n; k++) {
      int shift[ATOMS_MOST][3] = {{0}}, bead = 0;
      int side = expect(all, s->first - 1 + k, shift, &bead);
      good &= leaflet[k] == side;
      upper += side > 0;
      lower += side < 0;
      for (int d = 0; d < 3; d++)
        good &= whole_shift(w)[k][d] == shift[bead][d];
      good &= side != 0 || whole_first(w)[k] == s->first + k;
      good &= side == 0 || whole_first(w)[k] == s->first + k - bead;
    }
    AGREE(&ranks, good);
    free(leaflet);
  }
  AGREE(&ranks, ranks.size > 1 || lipids == 1 || (upper > 0 && lower > 0));
  lipids_destroy(l);
  whole_close(w);
  system_destroy(s);
  system_destroy(all);
}

static void molecules(void **state)
{
  (void)state;
  molecules_of(LIPIDS, WATERS);
  molecules_of(1, 0); /* in the blocks of all ranks */
}

static const char *const selections[] = {"", "DOPC", "W", "P, G", "W,P"};

static int is_selected(const struct forcefield *ff, const struct system *s, int64_t k, int choice)
{
  const char *type = ff->type[s->beads.type[k]].name;
  int lipid = s->beads.molecule_type[k] == forcefield_molecule(ff, "DOPC");
  switch (choice) {
  case 0:
    return 1;
  case 1:
    return lipid;
  case 2:
    return !lipid;
  case 3:
    return !strcmp(type, "P") || !strcmp(type, "G");
  default:
    return !lipid || !strcmp(type, "P");
  }
}

/* The beads of a text. Returns how many mistakes it has. */
static int find_beads(struct system *s, const char *text, struct bead_group *g, char why[256])
{
  struct error_list m = {0};
  bead_group_read_text(text, "text", WORDS_TYPES | WORDS_MOLECULES, NULL, s->ff, s->n_total, g, &m);
  if (m.count == 0) group_find(g, &ranks, s, NULL, &m);
  const int mistakes = m.count;
  char *all = error_list_text(&m);
  snprintf(why, 256, "%s", all);
  free(all);
  error_list_free(&m);
  return mistakes;
}

static void write_frames(int choice, enum trajectory_positions positions, int64_t restart)
{
  char why[256];
  struct system *s = sample_system(&ranks, LIPIDS, WATERS);
  struct bead_group beads = {0};
  AGREE(&ranks, find_beads(s, selections[choice], &beads, why) == 0);
  char *text = group_words_text(selections[choice], NULL, s->ff);
  const struct trajectory_request want = {0, 1, positions, 0, text, &beads, {0, NULL}, NULL};
  double(*force)[3] = alloc_array(s->n, sizeof *force);
  for (int64_t k = 0; k < s->n; k++)
    for (int d = 0; d < 3; d++)
      force[k][d] = (double)(s->first + k) + 0.25 * d;
  struct trajectory *t = trajectory_open(&ranks, prefix, s, restart, &want);
  for (s->clock.step = restart + 1; s->clock.step < restart + 3; s->clock.step++)
    trajectory_write(t, s, (const double(*)[3])force, NULL);
  trajectory_close(t);
  free(force);
  free(text);
  bead_group_free(&beads);
  system_destroy(s);
}

/* Row k of a frame against the system that was written. */
static int row_is_right(const struct trajectory_frame *f, int64_t k, int64_t id,
                        const struct system *all, enum trajectory_positions how)
{
  int shift[ATOMS_MOST][3] = {{0}}, bead = 0, good = 1;
  double x[3];
  system_get_position(all, id - 1, how == POSITIONS_UNWRAPPED, x);
  expect(all, id - 1, shift, &bead);
  for (int d = 0; d < 3; d++) {
    int moved = how == POSITIONS_WHOLE ? shift[bead][d] : 0;
    good &= fabs(f->position[k][d] - (x[d] + moved * all->box[d])) < 4e-6;
    good &= f->image[k][d] == all->beads.image[3 * (id - 1) + d] - moved;
    good &= f->value[ELEMENT_FORCE][3 * k + d] == (float)((double)id + 0.25 * d);
  }
  return good;
}

/* Every block of rows of the file, in every form of positions that can be had from it. */
static int file_is_right(int choice, enum trajectory_positions positions)
{
  struct system *all = whole_system(LIPIDS, WATERS);
  struct h5_reader in;
  struct trajectory_reader t;
  struct trajectory_frame f;
  memset(&f, 0, sizeof f);
  h5_reader_open(&in, path);
  trajectory_reader_open(&t, &in);
  int good =
      t.index.layout.positions == positions && t.index.n_system == all->n && t.index.frames == 2;
  int64_t wanted = 0, *id = alloc_array(t.index.n, sizeof *id);
  trajectory_reader_ids(&t, 1, t.index.n, id);
  for (int64_t k = 0; k < all->n; k++) {
    if (!is_selected(all->ff, all, k, choice)) continue;
    good &= wanted < t.index.n && id[wanted] == k + 1;
    wanted++;
  }
  good &= wanted == t.index.n && (t.index.selection != NULL) == (choice > 0);
  for (int how = POSITIONS_WRAPPED; how <= POSITIONS_WHOLE && good; how++) {
    if (how == POSITIONS_WHOLE && positions != POSITIONS_WHOLE) continue;
    const int64_t first = 1 + wanted * ranks.rank / ranks.size;
    const int64_t n = 1 + wanted * (ranks.rank + 1) / ranks.size - first;
    trajectory_frame_read(&t, 1, first, n, (enum trajectory_positions)how, &f);
    trajectory_frame_verify(&t, &f, &ranks);
    for (int64_t k = 0; k < n; k++)
      good &= row_is_right(&f, k, id[first - 1 + k], all, (enum trajectory_positions)how);
  }
  trajectory_frame_read(&t, 0, wanted, 2, POSITIONS_WRAPPED, &f);
  good &= strstr(in.error, "2 frames") != NULL;
  trajectory_frame_free(&f);
  trajectory_reader_close(&t);
  h5_reader_close(&in);
  free(id);
  system_destroy(all);
  return good;
}

static void selected(void **state)
{
  (void)state;
  for (int choice = 0; choice < 5; choice++)
    for (int positions = POSITIONS_WRAPPED; positions <= POSITIONS_WHOLE; positions++) {
      write_frames(choice, (enum trajectory_positions)positions, -1);
      AGREE(&ranks, file_is_right(choice, (enum trajectory_positions)positions));
      AGREE(&ranks, info_print(&ranks, path) == STATUS_DONE);
    }
}

/* A file keeps selection, positions and elements that it began with. */
static void kept(void **state)
{
  (void)state;
  for (int choice = 0; choice < 5; choice++) {
    enum trajectory_positions positions = (enum trajectory_positions)(choice % 3);
    write_frames(choice, positions, -1);
    write_frames((choice + 1) % 5, (enum trajectory_positions)((choice + 1) % 3), 0);
    struct h5_reader in;
    struct trajectory_index c;
    h5_reader_open(&in, path);
    trajectory_scan(&in, &c);
    AGREE(&ranks,
          !in.error[0] && c.frames == 3 && c.step[2] == 2 && c.layout.positions == positions);
    AGREE(&ranks, (c.layout.elements >> ELEMENT_IMAGE & 1) == (positions != POSITIONS_UNWRAPPED));
    AGREE(&ranks, c.selection ? choice > 0 : choice == 0);
    h5_reader_close(&in);
    trajectory_index_free(&c);
    AGREE(&ranks, info_print(&ranks, path) == STATUS_DONE);
  }
}

static void names(void **state)
{
  (void)state;
  char why[256] = "";
  struct system *s = sample_system(&ranks, 5, 30);
  struct params *p = params_parse("groups: {b: {types: [P]}, a: {not: b}, c: {}}", "names");
  static const char *const given[] = {"",    " \t ", "P,DOPC",         " DOPC , P ",
                                      "W,W", "a, W", "{names: [P, C]}"};
  static const char *const wanted[] = {
      "",
      "",
      "DOPC,P",
      "DOPC,P",
      "W",
      "{any: [a, W]} of groups {\"b\": {types: [P]}, \"a\": {not: b}}",
      "{names: [P, C]}"};
  struct bead_group g = {0};
  for (int k = 0; k < 7; k++) {
    char *text = group_words_text(given[k], p, s->ff);
    assert_string_equal(text, wanted[k]);
    free(text);
  }
  AGREE(&ranks, find_beads(s, "P,DOPX", &g, why) == 1 && strstr(why, "'DOPX'"));
  AGREE(&ranks, strstr(why, "did you mean 'DOP") != NULL);
  bead_group_free(&g);
  g = (struct bead_group){0};
  AGREE(&ranks, find_beads(s, "P,,C", &g, why) == 1 && strstr(why, "a name is missing"));
  bead_group_free(&g);
  g = (struct bead_group){0};
  AGREE(&ranks, find_beads(s, ",", &g, why) == 2);
  bead_group_free(&g);
  params_destroy(p);
  system_destroy(s);
}

/* Counts in the PSF; test_mdanalysis.py looks at its contents. */
static void topology(void **state)
{
  (void)state;
  struct system *s = sample_system(&ranks, 5, 30);
  struct selection all;
  selection_open(&all, &ranks, s, NULL, "");
  psf_write(&ranks, "test_mpi_frames_all.psf", s, &all);
  selection_close(&all);
  system_destroy(s);
  int good = 1;
  if (ranks.rank == 0) {
    char word[64];
    int64_t beads = 0, bonds = 0, angles = 0;
    FILE *in = fopen("test_mpi_frames_all.psf", "r");
    char line[256];
    while (fgets(line, sizeof line, in)) {
      long long n;
      if (sscanf(line, "%lld !%60s", &n, word) != 2) continue;
      if (strcmp(word, "NATOM") == 0) beads = n;
      if (strcmp(word, "NBOND:") == 0) bonds = n;
      if (strcmp(word, "NTHETA:") == 0) angles = n;
    }
    fclose(in);
    struct forcefield *ff = forcefield_load("elba");
    const struct ff_molecule *m = &ff->molecule[forcefield_molecule(ff, "DOPC")];
    int wanted = 0;
    const struct ff_terms *bent = &m->bonded[SECTION_angle];
    for (int k = 0; k < bent->n; k++)
      wanted += !forcefield_form(ff, SECTION_angle, bent->term[k].type)->axes;
    good = beads == 5 * m->n_beads + 30 && bonds == 5 * m->bonded[SECTION_bond].n &&
           angles == 5 * wanted;
    forcefield_destroy(ff);
  }
  AGREE(&ranks, good);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(molecules),
                                     cmocka_unit_test(selected), cmocka_unit_test(kept),
                                     cmocka_unit_test(topology)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
