/* OpenDX files: see dx.h. Rank 0 gets some planes of constant x at a time from all ranks, and
   writes them, so that memory does not grow with the map. */
#include "io/dx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/replace.h"
#include "base/version.h"
#include "io/disk.h"

/* FIELD: bytes of a number with what follows it. ROUND: values that are written at a time, at least
   a plane of constant x. */
enum { FIELD = 14, PER_LINE = 3, ROUND = 1 << 18 };
#define ANGSTROM_PER_NM 10.0

struct dx {
  const struct ranks *ranks;
  const struct map_grid *grid;
  const void *value;
  double factor;
  struct replacement file; /* rank 0 */
};

static int64_t values_of(const struct map_grid *g)
{
  return (int64_t)g->n[0] * g->n[1] * g->n[2];
}

static void write_header(const struct dx *d, const char *comment)
{
  const struct map_grid *g = d->grid;
  fprintf(d->file.out, "# lamella %s\n", LAMELLA_VERSION);
  for (const char *line = comment; *line;) {
    const int n = (int)strcspn(line, "\n");
    fprintf(d->file.out, "# %.*s\n", n, line);
    line += n + (line[n] == '\n');
  }
  fprintf(d->file.out, "object 1 class gridpositions counts %d %d %d\n", g->n[0], g->n[1], g->n[2]);
  fprintf(d->file.out, "origin");
  for (int k = 0; k < 3; k++)
    fprintf(d->file.out, " %.9g", g->origin[k] * ANGSTROM_PER_NM);
  for (int k = 0; k < 3; k++) {
    const double h = g->spacing[k] * ANGSTROM_PER_NM;
    fprintf(d->file.out, "\ndelta %.9g %.9g %.9g", k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
  }
  fprintf(d->file.out, "\nobject 2 class gridconnections counts %d %d %d\n", g->n[0], g->n[1],
          g->n[2]);
  fprintf(d->file.out, "object 3 class array type double rank 0 items %lld data follows\n",
          (long long)values_of(g));
}

static void write_end(const struct dx *d)
{
  fputs("attribute \"dep\" string \"positions\"\n"
        "object \"regular positions regular connections\" class field\n"
        "component \"positions\" value 1\ncomponent \"connections\" value 2\n"
        "component \"data\" value 3\n",
        d->file.out);
}

/* Writes the values of planes x0 to x0 + width - 1, x slowest. Exponents have two digits: what is
   smaller is 0, and no potential is larger. */
static void write_planes(struct dx *d, int x0, int width)
{
  const struct map_grid *g = d->grid;
  const int64_t rows = (int64_t)g->count * g->n[1], last = values_of(g) - 1;
  double *own = alloc_array(rows * width, sizeof *own);
  for (int64_t row = 0; row < rows; row++)
    for (int x = 0; x < width; x++) {
      const int64_t at = row * g->n[0] + x0 + x;
      own[row * width + x] = d->factor * (g->bytes == 4 ? (double)((const float *)d->value)[at]
                                                        : ((const double *)d->value)[at]);
    }
  int64_t bytes;
  double *all = ranks_gather(d->ranks, own, rows * width * (int64_t)sizeof *own, &bytes);
  free(own);
  for (int x = 0; all && x < width; x++)
    for (int y = 0; y < g->n[1]; y++)
      for (int z = 0; z < g->n[2]; z++) {
        const int64_t at = ((int64_t)(x0 + x) * g->n[1] + y) * g->n[2] + z;
        const double v = all[((int64_t)z * g->n[1] + y) * width + x];
        fprintf(d->file.out, "%*.6e%c", FIELD - 1, fabs(v) < 1e-90 ? 0 : v,
                at % PER_LINE == PER_LINE - 1 || at == last ? '\n' : ' ');
      }
  free(all);
  if (d->ranks->rank == 0 && ferror(d->file.out))
    replacement_close(&d->file); /* says why, and ends the program */
}

void dx_write(const struct ranks *r, const char *path, const struct map_grid *g, const void *value,
              double factor, const char *comment)
{
  struct dx d = {.ranks = r, .grid = g, .value = value, .factor = factor};
  if (r->rank == 0) {
    disk_require(path, "a map", (double)FIELD * (double)values_of(g) + 4096);
    d.file = replacement_open(path);
    write_header(&d, comment);
  }
  ranks_barrier(r);
  const int64_t step = ROUND / ((int64_t)g->n[1] * g->n[2]) + 1;
  for (int64_t x0 = 0; x0 < g->n[0]; x0 += step)
    write_planes(&d, (int)x0, (int)(step < g->n[0] - x0 ? step : g->n[0] - x0));
  if (r->rank == 0) {
    write_end(&d);
    replacement_close(&d.file);
  }
  ranks_barrier(r);
}
