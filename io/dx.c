/* OpenDX files: see dx.h. All ranks format numbers, in fields of one width, for planes of constant
   x; rank 0 writes them in turn. Memory does not grow with the map. */
#include "io/dx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/replace.h"
#include "base/version.h"
#include "io/disk.h"

/* FIELD: bytes of a number with what follows it. ROUND: values that a rank formats at a time, at
   least a plane of constant x. */
enum { FIELD = 14, PER_LINE = 3, ROUND = 1 << 18 };
#define ANGSTROM_PER_NM 10.0

struct dx {
  const struct ranks *ranks;
  const struct map_grid *grid;
  const void *value;
  double factor;
  int *plane_first;        /* [ranks + 1]; planes z of each rank */
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

/* The x that a rank formats in a round of `step` a rank that begins with x0: [x[0], x[1]). */
static void share(const struct dx *d, int x0, int step, int rank, int x[2])
{
  const int64_t n = d->grid->n[0], first = x0 + (int64_t)rank * step;
  x[0] = (int)(first < n ? first : n);
  x[1] = (int)(first + step < n ? first + step : n);
}

/* Sends to each rank its x of this rank's planes, [z][y][x], and returns those of this rank's x of
   all planes, [z of all ranks][y][x]. */
static double *exchange(const struct dx *d, int x0, int step)
{
  const struct map_grid *g = d->grid;
  const int size = d->ranks->size;
  int64_t *send = alloc_array(size, sizeof *send), *receive = alloc_array(size, sizeof *receive);
  const int64_t width = (int64_t)step * size < g->n[0] ? (int64_t)step * size : g->n[0];
  double *out = alloc_array((int64_t)g->count * g->n[1] * width, sizeof *out), *to = out;
  int mine[2], x[2];
  share(d, x0, step, d->ranks->rank, mine);
  for (int k = 0; k < size; k++) {
    share(d, x0, step, k, x);
    const int64_t rows = (int64_t)g->count * g->n[1];
    for (int64_t row = 0; row < rows; row++)
      for (int i = x[0]; i < x[1]; i++) {
        const int64_t at = row * g->n[0] + i;
        *to++ = d->factor * (g->bytes == 4 ? (double)((const float *)d->value)[at]
                                           : ((const double *)d->value)[at]);
      }
    send[k] = rows * (x[1] - x[0]);
    receive[k] =
        (int64_t)(d->plane_first[k + 1] - d->plane_first[k]) * g->n[1] * (mine[1] - mine[0]);
  }
  double *in = ranks_deliver(d->ranks, sizeof *in, out, send, receive);
  free(out);
  free(send);
  free(receive);
  return in;
}

/* A number in FIELD - 1 characters. Exponents have two digits: what is smaller is 0, and no
   potential is larger. */
static void format(char *text, double v, char after)
{
  char field[32];
  if (fabs(v) < 1e-90) v = 0;
  snprintf(field, sizeof field, "%*.6e", FIELD - 1, v);
  memcpy(text, field, FIELD - 1);
  text[FIELD - 1] = after;
}

/* Writes the values of a round, x slowest. */
static void write_round(struct dx *d, int x0, int step)
{
  const struct map_grid *g = d->grid;
  int x[2];
  share(d, x0, step, d->ranks->rank, x);
  double *value = exchange(d, x0, step);
  const int width = x[1] - x[0];
  const int64_t n = (int64_t)width * g->n[1] * g->n[2], last = values_of(g) - 1;
  char *text = alloc_array(n, FIELD), *to = text;
  for (int i = 0; i < width; i++)
    for (int y = 0; y < g->n[1]; y++)
      for (int z = 0; z < g->n[2]; z++, to += FIELD) {
        const int64_t at = ((int64_t)(x[0] + i) * g->n[1] + y) * g->n[2] + z;
        format(to, value[((int64_t)z * g->n[1] + y) * width + i],
               at % PER_LINE == PER_LINE - 1 || at == last ? '\n' : ' ');
      }
  free(value);
  int64_t bytes;
  char *all = ranks_gather(d->ranks, text, n * FIELD, &bytes);
  if (d->ranks->rank == 0 && fwrite(all, 1, (size_t)bytes, d->file.out) != (size_t)bytes)
    replacement_close(&d->file); /* which says why not, and ends the program */
  free(all);
  free(text);
}

void dx_write(const struct ranks *r, const char *path, const struct map_grid *g, const void *value,
              double factor, const char *comment)
{
  struct dx d = {.ranks = r, .grid = g, .value = value, .factor = factor};
  int64_t bytes;
  const int after = g->first + g->count;
  int *ends = ranks_allgather(r, &after, sizeof after, &bytes);
  d.plane_first = alloc_array(r->size + 1, sizeof *d.plane_first);
  for (int k = 0; k < r->size; k++)
    d.plane_first[k + 1] = ends[k];
  free(ends);
  if (r->rank == 0) {
    disk_require(path, "a map", (double)FIELD * (double)values_of(g) + 4096);
    d.file = replacement_open(path);
    write_header(&d, comment);
  }
  ranks_barrier(r);
  const int64_t step = ROUND / ((int64_t)g->n[1] * g->n[2]) + 1;
  const int a_rank = (int)(step < g->n[0] ? step : g->n[0]);
  for (int64_t x0 = 0; x0 < g->n[0]; x0 += (int64_t)a_rank * r->size)
    write_round(&d, (int)x0, a_rank);
  if (r->rank == 0) {
    write_end(&d);
    replacement_close(&d.file);
  }
  ranks_barrier(r);
  free(d.plane_first);
}
