/* Files of maps: HDF5 read again with other planes a rank; OpenDX read again by a reader of this
   test; files of PQR; and what becomes of a file where the disk is full. */
#include "tests/support/agree.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "io/dx.h"
#include "io/foreign/pqr.h"
#include "io/h5_read.h"
#include "io/map_file.h"
#include "tests/support/death.h"

static struct ranks ranks;
static char folder[64];

static double truth(const int i[3])
{
  return (i[0] + 1.25 * i[1] - 3.0 * i[2]) * (i[2] % 3 == 1 ? -1e-7 : 2.5);
}

static char *name(const char *file)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return path;
}

/* A grid whose planes lie on the last rank, but for one on each other while there are enough. */
static struct map_grid grid_of(int nx, int ny, int nz, int bytes)
{
  struct map_grid g = {{nx, ny, nz}, {0.5, -1, 0.125}, {0.05, 0.06, 0.1 / 3}, 0, 0, bytes};
  g.first = ranks.rank < nz ? ranks.rank : nz;
  g.count = ranks.rank < nz;
  if (ranks.rank == ranks.size - 1) g.count = nz - g.first;
  return g;
}

static void *values_of(const struct map_grid *g, double factor)
{
  const int64_t plane = (int64_t)g->n[0] * g->n[1];
  char *value = alloc_array(g->count * plane + 1, (unsigned long)g->bytes);
  for (int64_t k = 0; k < g->count * plane; k++) {
    const int i[3] = {(int)(k % g->n[0]), (int)(k / g->n[0] % g->n[1]),
                      g->first + (int)(k / plane)};
    if (g->bytes == 4)
      ((float *)(void *)value)[k] = (float)(factor * truth(i));
    else
      ((double *)(void *)value)[k] = factor * truth(i);
  }
  return value;
}

static struct map_about about_of(void)
{
  struct map_about a = {
      .method = "cutoff", .boundary = "open", .sum = "plain", .precision = "float"};
  snprintf(a.types, sizeof a.types, "A,B");
  a.cutoff = 1.2;
  a.box[2] = 7.5;
  a.frames = 3;
  a.first_step = 5;
  a.last_step = INT64_C(5000000000);
  a.first_time = 0.25;
  a.last_time = 1e6;
  return a;
}

static int same_about(const struct map_about *a, const struct map_about *b)
{
  return strcmp(a->method, b->method) == 0 && strcmp(a->boundary, b->boundary) == 0 &&
         strcmp(a->sum, b->sum) == 0 && strcmp(a->precision, b->precision) == 0 &&
         strcmp(a->types, b->types) == 0 && a->cutoff == b->cutoff && a->box[2] == b->box[2] &&
         a->frames == b->frames && a->first_step == b->first_step && a->last_step == b->last_step &&
         a->first_time == b->first_time && a->last_time == b->last_time;
}

static const int sizes[][3] = {{7, 5, 9}, {1, 1, 1}, {64, 3, 2}, {2, 1, 300}, {90, 80, 70}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The potential of a file; each rank reads all of it. Caller frees. */
static void *read_map(const char *path, struct map_grid *g, struct map_about *about)
{
  struct h5_reader in;
  struct map_range range;
  h5_reader_open(&in, path);
  map_file_look(&in, g, about, &range);
  void *value = alloc_array((int64_t)g->n[0] * g->n[1] * g->n[2], (unsigned long)g->bytes);
  h5_get(&in, "potential", g->bytes == 4 ? 'f' : 'd', 0, g->n[2], value);
  h5_reader_close(&in);
  h5_reader_require_ok(&in, &ranks);
  return value;
}

static void hdf5_again(void **state)
{
  (void)state;
  const struct map_about about = about_of();
  for (int k = 0; k < 2 * SIZES; k++) {
    const int *n = sizes[k / 2];
    const struct map_grid g = grid_of(n[0], n[1], n[2], k % 2 ? 8 : 4);
    void *value = values_of(&g, 1), *deviation = values_of(&g, 0.5);
    map_file_write(&ranks, name("a.h5"), &g, &about, value, k % 3 ? deviation : NULL);
    AGREE(&ranks, access(name("a.h5.tmp"), F_OK) != 0);
    struct map_grid read;
    struct map_about read_about;
    void *again = read_map(name("a.h5"), &read, &read_about);
    void *wanted = values_of(&read, 1);
    const int64_t bytes = (int64_t)read.count * n[0] * n[1] * read.bytes;
    AGREE(&ranks, memcmp(read.n, g.n, sizeof g.n) == 0 && read.bytes == g.bytes);
    AGREE(&ranks, memcmp(read.origin, g.origin, sizeof g.origin) == 0 &&
                      memcmp(read.spacing, g.spacing, sizeof g.spacing) == 0);
    AGREE(&ranks, same_about(&about, &read_about));
    AGREE(&ranks, memcmp(again, wanted, (size_t)bytes) == 0);
    free(value);
    free(deviation);
    free(again);
    free(wanted);
  }
}

/* 1 if a line of the file is this one. */
static int next_is(FILE *f, const char *line)
{
  char text[256];
  if (!fgets(text, sizeof text, f)) return 0;
  text[strcspn(text, "\n")] = 0;
  if (strcmp(text, line) != 0) print_message("'%s' is not '%s'\n", text, line);
  return strcmp(text, line) == 0;
}

static int header_agrees(FILE *f, const struct map_grid *g)
{
  char line[3][96];
  snprintf(line[0], 96, "object 1 class gridpositions counts %d %d %d", g->n[0], g->n[1], g->n[2]);
  snprintf(line[1], 96, "object 2 class gridconnections counts %d %d %d", g->n[0], g->n[1],
           g->n[2]);
  snprintf(line[2], 96, "object 3 class array type double rank 0 items %d data follows",
           g->n[0] * g->n[1] * g->n[2]);
  char first[256];
  return fgets(first, sizeof first, f) && strncmp(first, "# lamella ", 10) == 0 &&
         next_is(f, "# values in V") && next_is(f, "# of a test") && next_is(f, line[0]) &&
         next_is(f, "origin 5 -10 1.25") && next_is(f, "delta 0.5 0 0") &&
         next_is(f, "delta 0 0.6 0") && next_is(f, "delta 0 0 0.333333333") &&
         next_is(f, line[1]) && next_is(f, line[2]);
}

/* Reads what dx_write wrote: three numbers a line, z fastest, seven digits. */
static int dx_agrees(const char *path, const struct map_grid *g, double factor)
{
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  const int items = g->n[0] * g->n[1] * g->n[2];
  int good = header_agrees(f, g), i[3], column = 0;
  for (i[0] = 0; i[0] < g->n[0]; i[0]++)
    for (i[1] = 0; i[1] < g->n[1]; i[1]++)
      for (i[2] = 0; i[2] < g->n[2]; i[2]++) {
        double found, wanted = factor * truth(i);
        char after;
        good &= fscanf(f, "%lf%c", &found, &after) == 2 &&
                fabs(found - wanted) <= 6e-7 * fabs(wanted) &&
                (after == '\n') == (column % 3 == 2 || column == items - 1);
        column++;
      }
  char rest[4] = "";
  good &= next_is(f, "attribute \"dep\" string \"positions\"");
  good &= next_is(f, "object \"regular positions regular connections\" class field");
  good &= next_is(f, "component \"positions\" value 1") &&
          next_is(f, "component \"connections\" value 2") &&
          next_is(f, "component \"data\" value 3") && !fgets(rest, sizeof rest, f);
  fclose(f);
  return good;
}

static void dx_again(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * SIZES; k++) {
    const int *n = sizes[k / 2];
    const struct map_grid g = grid_of(n[0], n[1], n[2], k % 2 ? 8 : 4);
    void *value = values_of(&g, 1);
    dx_write(&ranks, name("a.dx"), &g, value, 0.01, "values in V\nof a test");
    AGREE(&ranks, access(name("a.dx.tmp"), F_OK) != 0);
    AGREE(&ranks, ranks.rank != 0 || dx_agrees(name("a.dx"), &g, 0.01));
    ranks_barrier(&ranks);
    free(value);
  }
}

/* What a child does with a limit on the size of files, which is a full disk to it. */
static void write_limited(void *dx)
{
  const struct map_grid g = grid_of(90, 80, 70, 4);
  const struct map_about about = about_of();
  const struct rlimit limit = {200000, 200000};
  void *value = values_of(&g, 1);
  log_open(0, 1, _exit); /* neither MPI nor HDF5 can end a child */
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  if (dx)
    dx_write(&ranks, name("full.dx"), &g, value, 1, "");
  else
    map_file_write(&ranks, name("full.h5"), &g, &about, value, NULL);
}

static void full_disk(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* no child may use MPI with others */
  static const char *const file[] = {"full.h5", "full.dx"};
  for (int dx = 0; dx < 2; dx++) {
    char temporary[32], line[8] = "";
    FILE *f = fopen(name(file[dx]), "w");
    assert_non_null(f);
    fputs("before", f);
    fclose(f);
    assert_true(dies_saying(write_limited, dx ? "" : NULL, STATUS_IO, "cannot write"));
    snprintf(temporary, sizeof temporary, "%s.tmp", file[dx]);
    assert_true(access(name(temporary), F_OK) != 0);
    f = fopen(name(file[dx]), "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "before");
    fclose(f);
  }
}

static void read_it(void *file)
{
  struct map_grid g;
  struct map_about about;
  log_open(0, 1, _exit);
  free(read_map(name(file), &g, &about));
}

/* Cuts a file off after a share of it. */
static void cut(const char *file, const char *as, double share)
{
  char bytes[1 << 16], to[128];
  snprintf(to, sizeof to, "%s", name(as));
  FILE *in = fopen(name(file), "r"), *out = fopen(to, "w");
  assert_true(in && out);
  const size_t n = fread(bytes, 1, sizeof bytes, in);
  fwrite(bytes, 1, (size_t)((double)n * share), out);
  fclose(in);
  fclose(out);
}

static void damaged(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* no child may use MPI with others */
  const struct map_grid g = grid_of(7, 5, 9, 4);
  const struct map_about about = about_of();
  void *value = values_of(&g, 1);
  map_file_write(&ranks, name("b.h5"), &g, &about, value, NULL);
  free(value);
  for (int k = 0; k < 10; k++) {
    cut("b.h5", "cut.h5", 0.1 * k);
    assert_true(dies_saying(read_it, "cut.h5", STATUS_IO, "cannot read"));
  }
  assert_true(dies_saying(read_it, "none.h5", STATUS_IO, "No such file"));
}

static const char atoms[] = "REMARK made for a test\n"
                            "ATOM      1  N   ALA A   1      1.500  -2.250   30.0  -0.500 1.82\r\n"
                            "\n"
                            "HETATM 2 NA NA 7 -1e1 0 +.5 1 0\n"
                            "TER\n"
                            "END\n"
                            "ATOM 3 behind the end\n";

static void write_text(const char *text, size_t n)
{
  FILE *f = fopen(name("a.pqr"), "w");
  fwrite(text, 1, n, f);
  fclose(f);
}

static void pqr_all(void **state)
{
  (void)state;
  static const double x[] = {0.15, -0.225, 3, -1, 0, 0.05}, q[] = {-0.5, 1};
  struct pqr p;
  if (ranks.rank == 0) write_text(atoms, strlen(atoms));
  ranks_barrier(&ranks);
  pqr_read(&ranks, name("a.pqr"), &p);
  int64_t first = ranks_before(&ranks, p.n), n = p.n;
  ranks_sum_int64(&ranks, &n, 1);
  int good = n == 2;
  for (int64_t k = 0; k < p.n && good; k++) {
    good &= p.q[k] == q[first + k];
    for (int d = 0; d < 3; d++)
      good &= fabs(p.x[3 * k + d] - x[3 * (first + k) + d]) < 1e-15;
  }
  AGREE(&ranks, good);
  AGREE(&ranks, p.n <= (ranks.size > 1 ? 1 : 2));
  pqr_free(&p);
}

static void read_pqr(void *file)
{
  struct pqr p;
  log_open(0, 1, _exit);
  pqr_read(&ranks, file, &p);
}

static void pqr_hostile(void **state)
{
  (void)state;
  if (ranks.size > 1) skip(); /* no child may use MPI with others */
  static const struct {
    const char *text, *words;
  } wrong[] = {
      {"", "no atom"},
      {"REMARK\nEND\n", "no atom"},
      {"ATOM 1 N ALA 1 0 0 0 1 1\nATOM 2 N ALA 1 0 0 0 1\n", "line 2: an atom has 9 fields"},
      {"ATOM 1 N ALA 1 1.0-2.0 0 1 1\n", "line 1: an atom has 9 fields"},
      {"ATOM 1 N ALA A 1 0 0 0 1 1 C and more\n", "more than 11 fields"},
      {"\nATOM 1 N ALA 1 0 zero 0 1 1\n", "line 2: y 'zero' is not a number"},
      {"ATOM 1 N ALA 1 0 0 0 nan 1\n", "charge 'nan' is not a number"},
      {"ATOM 1 N ALA 1 inf 0 0 1 1\n", "x 'inf' is not a number"},
      {"ATOM 1 N ALA 1 1e300 0 0 1 1\n", "x 1e300 is larger than"},
      {"ATOM 1 N ALA 1 0 0 0 1 -1\n", "radius -1 is negative"},
      {"ATOM 1 N ALA 1 0 0 0x10 1 1\n", "z '0x10' is not a number"},
      {"HETATM100000 N ALA 1 0 0 0 1 1\n", "'HETATM100000' touches the next field"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    write_text(wrong[k].text, strlen(wrong[k].text));
    assert_true(dies_saying(read_pqr, name("a.pqr"), STATUS_INPUT, wrong[k].words));
  }
  char many[10000];
  memset(many, 'A', sizeof many);
  write_text(many, sizeof many);
  assert_true(dies_saying(read_pqr, name("a.pqr"), STATUS_INPUT, "no atom"));
  write_text("ATOM 1\0N ALA", 12);
  assert_true(dies_saying(read_pqr, name("a.pqr"), STATUS_INPUT, "contains NUL"));
  assert_true(dies_saying(read_pqr, "/no/such.pqr", STATUS_IO, "No such file"));
  assert_true(dies_saying(read_pqr, folder, STATUS_IO, "directory"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(hdf5_again), cmocka_unit_test(dx_again),
                                     cmocka_unit_test(full_disk),  cmocka_unit_test(damaged),
                                     cmocka_unit_test(pqr_all),    cmocka_unit_test(pqr_hostile)};
  ranks_open(&ranks, &argc, &argv);
  snprintf(folder, sizeof folder, "test_mpi_map_files.XXXXXX");
  if (ranks.rank == 0 && !mkdtemp(folder)) die(STATUS_IO, "no folder %s", folder);
  ranks_broadcast(&ranks, folder, sizeof folder);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_barrier(&ranks);
  static const char *const made[] = {"a.h5",    "b.h5",    "cut.h5", "a.dx",
                                     "full.h5", "full.dx", "a.pqr"};
  for (size_t k = 0; k < sizeof made / sizeof *made && ranks.rank == 0; k++)
    unlink(name(made[k]));
  if (ranks.rank == 0) rmdir(folder);
  return ranks_close(&ranks, failed);
}
