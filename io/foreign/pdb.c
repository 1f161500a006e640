/* PDB: a model a frame, Angstrom. */
#include <math.h>

#include "base/box_shape.h"
#include "io/foreign/frame_format.h"

enum { SERIALS = 100000, RESIDUES = 10000 };

/* The columns of coordinates and edges, Angstrom. */
#define HIGHEST 9999.9995
#define LOWEST (-999.9995)

static void begin(struct frame_output *o, const struct frame_block *f, int pass)
{
  const struct box_cell c = box_cell_of(f->box);
  FILE *out = o->stream;
  (void)pass;
  fprintf(out, "TITLE     force field %.30s t= %.5f step= %lld\n", o->series->forcefield, f->time,
          (long long)f->step);
  fprintf(out, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", 10 * c.length[0],
          10 * c.length[1], 10 * c.length[2], c.angle[0], c.angle[1], c.angle[2]);
  fprintf(out, "MODEL     %4lld\n", (long long)f->number);
}

static int line(const struct frame_series *s, const struct frame_bead *bead, int pass,
                char text[FRAME_LINE])
{
  const struct bead_label *label = &bead->label;
  const double *x = bead->position;
  (void)s;
  (void)pass;
  for (int d = 0; d < 3; d++)
    if (!(10 * x[d] > LOWEST && 10 * x[d] < HIGHEST)) return 0;
  /* Names have four columns; those of beads begin in the second, if they fit, and those of residues
     end in the third. */
  char name[8], residue[8];
  snprintf(name, sizeof name,
           label->name[0] && label->name[1] && label->name[2] && label->name[3] ? "%.4s" : " %.3s",
           label->name);
  snprintf(residue, sizeof residue, "%3.4s", label->residue);
  return snprintf(text, FRAME_LINE,
                  "ATOM  %5lld %-4s %-4s %4lld    %8.3f%8.3f%8.3f%6.2f%6.2f%14s\n",
                  (long long)bead->number % SERIALS, name, residue, label->number % RESIDUES,
                  10 * x[0], 10 * x[1], 10 * x[2], 1.0, 0.0, "");
}

static int end(struct frame_output *o, const struct frame_block *f, int pass)
{
  (void)pass;
  fprintf(o->stream, "ENDMDL\n%s", f->number == o->series->frames ? "END\n" : "");
  return 1;
}

const struct frame_format frame_pdb = {
    .suffix = "pdb",
    .beads_most = INT64_MAX,
    .has_labels = 1,
    .limit =
        "coordinates have 8 columns, for -99.9 to 999.9 nm: choose gro, or --positions=wrapped",
    .begin = begin,
    .bead = line,
    .end = end};
