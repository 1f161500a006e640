/* Configurations in PDB files, as GROMACS reads them: names and coordinates by columns, Angstrom,
   of the first model; the box of its CRYST1 record, a along x and b in the xy plane. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/portable.h"
#include "base/text.h"
#include "base/units.h"
#include "io/foreign/frame_format.h"
#include "io/foreign/gro.h"
#include "io/foreign/gromacs_box.h"

struct reader {
  FILE *file;
  struct gromacs_gro *c; /* n: atoms read so far, of which it has room for the first `most` */
  struct error_list *m;
  int64_t most;
  char *text; /* the line */
  size_t room;
  int line, has_box;
};

#define PDB_ERROR(r, ...) error_list_add((r)->m, (r)->c->path, (r)->line, __VA_ARGS__)

/* Columns of the line, the first is 0, without blanks around. */
static const char *columns(const struct reader *r, int first, int width, char text[16])
{
  const int n = (int)strlen(r->text);
  snprintf(text, 16, "%.*s", width, first < n ? r->text + first : "");
  for (size_t k = strlen(text); k && strchr(" \t\r", text[k - 1]); k--)
    text[k - 1] = 0;
  return text + strspn(text, " ");
}

static int read_number(const struct reader *r, int first, int width, const char *what,
                       double *value)
{
  char text[16];
  const char *word = columns(r, first, width, text);
  if (parse_real(word, value)) return 1;
  PDB_ERROR(r, "%s '%s' in columns %d to %d is not a number", what, word, first + 1, first + width);
  return 0;
}

static void read_cell(struct reader *r)
{
  enum { LENGTH = 9, ANGLE = 7, LENGTHS = 6, ANGLES = LENGTHS + 3 * LENGTH };
  double length[3], angle[3], cosine[3], v[3][3] = {{0}};
  char text[GROMACS_BOX_WHY];
  for (int d = 0; d < 3; d++) {
    if (!read_number(r, LENGTHS + d * LENGTH, LENGTH, "length", &length[d]) ||
        !read_number(r, ANGLES + d * ANGLE, ANGLE, "angle", &angle[d]))
      return;
    cosine[d] = angle[d] == 90 ? 0 : portable_cos(angle[d] * (UNITS_PI / 180));
    length[d] /= 10;
  }
  const double sine = angle[2] == 90 ? 1 : portable_sin(angle[2] * (UNITS_PI / 180));
  v[0][0] = length[0];
  v[1][0] = length[1] * cosine[2];
  v[1][1] = length[1] * sine;
  v[2][0] = length[2] * cosine[1];
  v[2][1] = length[2] * (cosine[0] - cosine[1] * cosine[2]) / sine;
  v[2][2] = sqrt(length[2] * length[2] - v[2][0] * v[2][0] - v[2][1] * v[2][1]);
  const char *why = gromacs_box_read((const double(*)[3])v, r->c->path, r->c->box, text);
  if (why) PDB_ERROR(r, "CRYST1: %s", why);
  r->has_box = 1;
}

static void read_atom(struct reader *r)
{
  enum { NAME = 12, NAME_WIDTH = 4, NUMBERS = 30, WIDTH = 8 };
  static const char *const what[] = {"x", "y", "z"};
  char text[16];
  const int64_t k = r->c->n++;
  if (k == 0) r->c->first_line = r->line;
  if (k >= r->most) return;
  struct gromacs_gro_atom *atom = &r->c->atom[k];
  snprintf(atom->name, sizeof atom->name, "%s", columns(r, NAME, NAME_WIDTH, text));
  for (int d = 0; d < 3; d++) {
    if (!read_number(r, NUMBERS + d * WIDTH, WIDTH, what[d], &atom->x[d])) return;
    atom->x[d] /= 10;
    if (r->has_box && !(fabs(atom->x[d]) < FRAME_EDGES_MOST * r->c->box[d]))
      PDB_ERROR(r, "coordinate %c = %g nm is too far from the box", axis_name(d), atom->x[d]);
  }
}

static int is_record(const struct reader *r, const char *name)
{
  return !strncmp(r->text, name, strlen(name));
}

/* 0 at the end of the file or of its first model. */
static int read_line(struct reader *r)
{
  r->line++;
  if (!text_line(r->file, r->c->path, &r->text, &r->room)) return 0;
  if (is_record(r, "CRYST1"))
    read_cell(r);
  else if (is_record(r, "ATOM  ") || is_record(r, "HETATM"))
    read_atom(r);
  return !is_record(r, "END"); /* and ENDMDL */
}

struct gromacs_gro *gromacs_pdb_read(const char *path, int64_t expected, struct error_list *m)
{
  char why[160];
  struct gromacs_gro *c = alloc_array(1, sizeof *c);
  struct reader r = {.file = text_open(path, SIZE_MAX, why), .c = c, .m = m, .most = expected};
  if (!r.file) die_all(STATUS_INPUT, "%s: %s", path, why);
  c->path = path;
  c->atom = alloc_array(expected, sizeof *c->atom);
  while (read_line(&r))
    ;
  r.line = 0;
  if (!r.has_box && !m->count)
    PDB_ERROR(&r, "no CRYST1 record before the end of its first model, which has the box");
  if (c->n != expected)
    PDB_ERROR(&r, "%lld atoms, but the topology has %lld", (long long)c->n, (long long)expected);
  fclose(r.file);
  free(r.text);
  return c;
}
