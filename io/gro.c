/* Ranks format their beads; rank 0 writes them in rounds of ids, so that memory does not grow with
   the system. See gro.h. */
#include "io/gro.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/bead_place.h"
#include "io/path.h"
#include "io/replace.h"
#include "io/whole.h"

enum { ROUND = 1 << 18, LINE = 256, NUMBERS = 100000 };

struct writer {
  const struct ranks *ranks;
  const struct system *s;
  const int *place;
  const int32_t (*shift)[3];
  int digits;
};

/* Writes the line of bead k of the block; returns its bytes. */
static int format_bead(const struct writer *w, int64_t k, char line[LINE])
{
  const struct system *s = w->s;
  const int kind = s->beads.molecule_type[k], digits = w->digits;
  const struct ff_residue *residue = bead_place_residue(s, k, w->place[k]);
  const char *name = bead_place_name(s, k, w->place[k]);
  const int several = residue && s->ff->molecule[kind].n_residues > 1;
  const long long number = several ? residue->number : s->beads.molecule[k];
  const double mass = s->ff->type[s->beads.type[k]].mass;
  double x[3];
  system_get_position(s, k, 0, x);
  int n = snprintf(line, LINE, "%5lld%-5.5s%5.5s%5lld", number % NUMBERS,
                   residue    ? residue->name
                   : kind < 0 ? name
                              : s->ff->molecule[kind].name,
                   name, (long long)(s->first + k) % NUMBERS);
  for (int d = 0; d < 3; d++)
    n += snprintf(line + n, (size_t)(LINE - n), "%*.*f", digits + 5, digits,
                  x[d] + w->shift[k][d] * s->box[d]);
  for (int d = 0; d < 3; d++)
    n += snprintf(line + n, (size_t)(LINE - n), "%*.*f", digits + 5, digits + 1,
                  mass > 0 ? s->beads.momentum[3 * k + d] / mass : 0);
  n += snprintf(line + n, (size_t)(LINE - n), "\n");
  return n;
}

static int64_t clip(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

static void write_beads(const struct writer *w, FILE *out)
{
  const struct system *s = w->s;
  char *text = alloc_array(ROUND, LINE);
  for (int64_t start = 1; start <= s->n_total; start += ROUND) {
    const int64_t end = clip(start + ROUND - s->first, 0, s->n);
    int64_t used = 0, bytes;
    for (int64_t k = clip(start - s->first, 0, s->n); k < end; k++)
      used += format_bead(w, k, text + used);
    char *all = ranks_gather(w->ranks, text, used, &bytes);
    if (w->ranks->rank == 0) fwrite(all, 1, (size_t)bytes, out);
    free(all);
  }
  free(text);
}

void gro_write(const struct ranks *r, const char *path, const struct system *s, int digits)
{
  FILE *out = NULL;
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  struct whole *whole = whole_open(r, s);
  int *place = bead_places(r, s);
  whole_update(whole, s);
  const struct writer w = {r, s, place, whole_shift(whole), digits};
  if (r->rank == 0) {
    out = path_create(temporary);
    if (!out) die(STATUS_IO, "cannot write '%s': %s", temporary, strerror(errno));
    fprintf(out, "force field %s t= %.5f step= %lld\n%5lld\n", s->ff->name, s->time,
            (long long)s->step, (long long)s->n_total);
  }
  write_beads(&w, out);
  if (r->rank == 0) {
    fprintf(out, "%*.*f%*.*f%*.*f\n", digits + 7, digits + 2, s->box[0], digits + 7, digits + 2,
            s->box[1], digits + 7, digits + 2, s->box[2]);
    replace_close(out, temporary, target);
  }
  whole_close(whole);
  free(place);
  free(temporary);
  free(target);
  ranks_barrier(r);
}
