/* Configurations of GROMACS (.gro), one after the other: nm, nm/ps, velocities with one decimal
   more than positions. */
#include "io/frame_format.h"

enum { NUMBERS = 100000 };

static void begin(FILE *out, const struct frame_series *s, const struct frame_block *f)
{
  fprintf(out, "force field %s t= %.5f step= %lld\n%5lld\n", s->forcefield, f->time,
          (long long)f->step, (long long)s->beads);
}

static int line(const struct frame_series *s, const struct frame_bead *bead, char text[FRAME_LINE])
{
  const struct bead_label *label = &bead->label;
  int n = snprintf(text, FRAME_LINE, "%5lld%-5.5s%5.5s%5lld", label->number % NUMBERS,
                   label->residue, label->name, (long long)bead->number % NUMBERS);
  for (int d = 0; d < 3; d++)
    n += snprintf(text + n, (size_t)(FRAME_LINE - n), "%*.*f", s->digits + 5, s->digits,
                  bead->position[d]);
  for (int d = 0; d < 3 && bead->velocity; d++)
    n += snprintf(text + n, (size_t)(FRAME_LINE - n), "%*.*f", s->digits + 5, s->digits + 1,
                  bead->velocity[d]);
  return n + snprintf(text + n, (size_t)(FRAME_LINE - n), "\n");
}

static void end(FILE *out, const struct frame_series *s, const struct frame_block *f)
{
  const int width = s->digits + 7, digits = s->digits + 2;
  fprintf(out, "%*.*f%*.*f%*.*f\n", width, digits, f->box[0], width, digits, f->box[1], width,
          digits, f->box[2]);
}

const struct frame_format frame_gro = {
    .suffix = "gro", .beads_most = INT64_MAX, .begin = begin, .line = line, .end = end};
