/* Configurations of GROMACS (.gro), one after the other: nm, nm/ps, velocities with one decimal
   more than positions. */
#include "io/foreign/frame_format.h"

enum { NUMBERS = 100000 };

static void begin(struct frame_output *o, const struct frame_block *f, int pass)
{
  const struct frame_series *s = o->series;
  (void)pass;
  fprintf(o->stream, "force field %s t= %.5f step= %lld\n%5lld\n", s->forcefield, f->time,
          (long long)f->step, (long long)s->beads);
}

static int line(const struct frame_series *s, const struct frame_bead *bead, int pass,
                char text[FRAME_LINE])
{
  const struct bead_label *label = &bead->label;
  (void)pass;
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

static int end(struct frame_output *o, const struct frame_block *f, int pass)
{
  const int width = o->series->digits + 7, digits = o->series->digits + 2;
  (void)pass;
  fprintf(o->stream, "%*.*f%*.*f%*.*f\n", width, digits, f->box[0], width, digits, f->box[1], width,
          digits, f->box[2]);
  return 1;
}

const struct frame_format frame_gro = {.suffix = "gro",
                                       .beads_most = INT64_MAX,
                                       .has_labels = 1,
                                       .begin = begin,
                                       .bead = line,
                                       .end = end};
