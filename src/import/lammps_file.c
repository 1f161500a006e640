/* Reading of LAMMPS data files: a title, a header with counts and box, then sections in any
   order. */
#include "import/lammps_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/lammps_reader.h"

enum { MAX_TYPES = 1000, MAX_FILE_BITS = 40 };

/* Limits of box edges, A, and of tilts, in edges. */
#define MIN_EDGE 0.01
#define MAX_EDGE 1e8
#define MAX_TILT 10

/* Reads a line of the header: a count, a box edge, or something unsupported. */
static void read_header_line(struct lammps_reader *r)
{
  static const char counts[] = "atoms|bonds|angles|dihedrals|impropers|ellipsoids|lines|triangles|"
                               "bodies";
  static const char types[] = "atom|bond|angle|dihedral|improper";
  static const char *const lo[] = {"xlo", "ylo", "zlo"}, *const hi[] = {"xhi", "yhi", "zhi"};
  struct lammps_file *f = r->file;
  char **t = r->words.word;
  int64_t value = 0;
  if (r->words.n == 2 && word_list_find(counts, t[1]) >= 0) {
    int k = word_list_find(counts, t[1]);
    if (!words_int(&r->words, 0, t[1], 0, INT64_MAX / 256, &value)) return;
    if (k < LAMMPS_COUNTS)
      f->n[k] = value;
    else if (value > 0)
      LAMMPS_ERROR(r, "%lld %s: only atoms, bonds and angles can be imported", (long long)value,
                   t[1]);
  } else if (r->words.n == 3 && strcmp(t[2], "types") == 0 && word_list_find(types, t[1]) >= 0) {
    int k = word_list_find(types, t[1]);
    if (words_int(&r->words, 0, "number of types", 0, MAX_TYPES, &value) && k < LAMMPS_COUNTS)
      f->n_types[k] = value;
  } else if (r->words.n == 6 && strcmp(t[3], "xy") == 0 && strcmp(t[4], "xz") == 0 &&
             strcmp(t[5], "yz") == 0) {
    for (int k = 0; k < 3; k++)
      f->tilt[k] = lammps_read_range(r, k, t[3 + k], -MAX_EDGE, MAX_EDGE, "A");
  } else if (r->words.n == 4) {
    for (int d = 0; d < 3; d++)
      if (strcmp(t[2], lo[d]) == 0 && strcmp(t[3], hi[d]) == 0) {
        f->lo[d] = lammps_read_range(r, 0, t[2], -MAX_EDGE, MAX_EDGE, "A");
        f->hi[d] = lammps_read_range(r, 1, t[3], -MAX_EDGE, MAX_EDGE, "A");
        return;
      }
    LAMMPS_ERROR(r, "unknown line of the header: '%.20s ... %.20s'", t[0], t[3]);
  } else if (r->words.n < 2 || strcmp(t[1], "extra") != 0) {
    LAMMPS_ERROR(r, "unknown line of the header, with '%.40s'", t[r->words.n > 1]);
  }
}

static void check_header(struct lammps_reader *r)
{
  static const char *const name[] = {"atoms", "bonds", "angles"}, *const tilt[] = {"xy", "xz",
                                                                                   "yz"};
  static const size_t shortest[] = {24, 8, 10}; /* bytes of a line */
  const struct lammps_file *f = r->file;
  for (int k = 0; k < LAMMPS_COUNTS; k++)
    if ((size_t)f->n[k] > r->size / shortest[k])
      error_list_add(&r->errors, r->file->path, 0,
                     "the header promises %lld %s, but the file is too short for them: %zu bytes",
                     (long long)f->n[k], name[k], r->size);
  if (f->n[LAMMPS_ATOMS] == 0)
    error_list_add(&r->errors, r->file->path, 0, "no 'N atoms' in the header");
  for (int d = 0; d < 3; d++)
    if (!(f->hi[d] - f->lo[d] >= MIN_EDGE))
      error_list_add(&r->errors, r->file->path, 0,
                     "no box in the header along %c (%clo %chi): %g to %g; expected an edge of "
                     "at least %g A",
                     axis_name(d), axis_name(d), axis_name(d), f->lo[d], f->hi[d], MIN_EDGE);
  for (int k = 0; k < 3; k++) {
    const double edge = f->hi[k == 2] - f->lo[k == 2];
    if (fabs(f->tilt[k]) > MAX_TILT * edge && edge > 0)
      error_list_add(&r->errors, r->file->path, 0,
                     "the tilt %s of the box is %g A: expected at most %d edges of %g A", tilt[k],
                     f->tilt[k], MAX_TILT, edge);
  }
}

/* Reads up to the header of the first section, which becomes the current line; returns 0 if there
   is none. Counts are checked against the size of the file before memory is allocated. */
static int read_header(struct lammps_reader *r)
{
  struct lammps_file *f = r->file;
  int more;
  r->next += strcspn(r->next, "\n"); /* the title line is ignored */
  if (*r->next) r->next++;
  r->words.where.line = 1;
  while ((more = lammps_read_line(r)) && !lammps_is_word(r->words.word[0]))
    read_header_line(r);
  check_header(r);
  error_list_check(&r->errors);
  f->atom = alloc_array(f->n[LAMMPS_ATOMS], sizeof *f->atom);
  f->mass = alloc_array(f->n_types[LAMMPS_ATOMS], sizeof *f->mass);
  for (int k = 0; k < LAMMPS_COUNTS; k++) {
    f->label[k] = alloc_array(f->n_types[k], sizeof *f->label[k]);
    f->coefficient[k] = alloc_array(f->n_types[k], sizeof *f->coefficient[k]);
    if (k != LAMMPS_ATOMS) f->entry[k] = alloc_array(f->n[k], sizeof *f->entry[k]);
  }
  return more;
}

struct lammps_file *lammps_file_read(const char *path)
{
  struct lammps_reader r = {.comment = ""};
  char *text = text_read_file(path, (size_t)1 << MAX_FILE_BITS);
  r.words.where.file = path;
  r.words.m = &r.errors;
  r.next = text;
  r.size = strlen(text);
  r.file = alloc_array(1, sizeof *r.file);
  r.file->path = path;
  if (!read_header(&r)) LAMMPS_ERROR(&r, "the file ends after its header");
  error_list_check(&r.errors);
  if (lammps_section_read_all(&r)) lammps_link(&r);
  error_list_check(&r.errors);
  free(r.velocity);
  free(text);
  return r.file;
}

void lammps_file_destroy(struct lammps_file *f)
{
  if (!f) return;
  for (int k = 0; k < LAMMPS_COUNTS; k++) {
    free(f->entry[k]);
    free(f->label[k]);
    free(f->coefficient[k]);
  }
  free(f->atom);
  free(f->mass);
  free(f->pair);
  free(f);
}
