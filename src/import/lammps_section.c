/* Sections of LAMMPS data files, in any order, with one function for a line of each. */
#include "import/lammps_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/portable.h"
#include "base/units.h"

/* Limits: larger values are treated as errors. */
#define MAX_DIAMETER 1e4       /* A */
#define MAX_DENSITY 1e9        /* amu/A3; of a point, amu */
#define MAX_CHARGE 1e3         /* e */
#define MAX_DIPOLE 1e4         /* e A */
#define MAX_VELOCITY 10        /* A/fs */
#define MAX_OMEGA 1e3          /* rad/fs */
#define MAX_MASS 1e9           /* amu */
#define MAX_CONSTANT 1e12      /* of a coefficient, in any unit */
enum { MAX_IMAGES = 1000000 }; /* image flags */

static void read_position(struct lammps_reader *r, struct lammps_atom *a)
{
  const struct lammps_file *f = r->file;
  for (int d = 0; d < 3; d++) {
    double edge = f->hi[d] - f->lo[d], reach = MAX_IMAGES * edge;
    int64_t image = 0;
    a->x[d] = lammps_read_range(r, 2 + d, "position", f->lo[d] - reach, f->hi[d] + reach, "A");
    if (r->words.n == 15) words_int(&r->words, 12 + d, "image", -MAX_IMAGES, MAX_IMAGES, &image);
    a->image[d] = (int)image;
  }
}

static void read_atom(struct lammps_reader *r, int what, int64_t k)
{
  struct lammps_atom *a = &r->file->atom[k];
  int64_t molecule; /* read, and no more */
  a->line = r->words.where.line;
  if (!words_int(&r->words, 0, "atom", 1, INT64_MAX, &a->id)) return;
  if (r->words.n != 12 && r->words.n != 15) {
    LAMMPS_ERROR(r,
                 "%d columns; expected 12 or 15: id type x y z molecule charge mux muy muz "
                 "diameter density [ix iy iz] (atom_style hybrid angle dipole sphere)",
                 r->words.n);
    return;
  }
  lammps_read_type(r, 1, what, &a->type);
  read_position(r, a);
  words_int(&r->words, 5, "molecule", INT64_MIN, INT64_MAX, &molecule);
  a->charge = lammps_read_range(r, 6, "charge", -MAX_CHARGE, MAX_CHARGE, "e");
  for (int d = 0; d < 3; d++)
    a->dipole[d] = lammps_read_range(r, 7 + d, "dipole", -MAX_DIPOLE, MAX_DIPOLE, "e A");
  double diameter = lammps_read_range(r, 10, "diameter", 0, MAX_DIAMETER, "A");
  double density = lammps_read_range(r, 11, "density", 0, MAX_DENSITY, "amu/A3");
  a->mass = diameter > 0 ? density * UNITS_PI / 6 * portable_power(diameter, 3) : density;
  a->inertia = 0.1 * a->mass * diameter * diameter;
}

static void read_velocity(struct lammps_reader *r, int what, int64_t k)
{
  (void)what;
  struct lammps_velocity *v = &r->velocity[k];
  v->line = r->words.where.line;
  if (!words_int(&r->words, 0, "atom", 1, INT64_MAX, &v->id) ||
      !lammps_has_columns(r, 7, "id vx vy vz wx wy wz"))
    return;
  for (int d = 0; d < 3; d++) {
    v->v[d] = lammps_read_range(r, 1 + d, "velocity", -MAX_VELOCITY, MAX_VELOCITY, "A/fs");
    v->omega[d] = lammps_read_range(r, 4 + d, "angular velocity", -MAX_OMEGA, MAX_OMEGA, "rad/fs");
  }
}

/* Reads type and atoms of a bond or an angle; the first two atoms must differ. */
static void read_entry(struct lammps_reader *r, int what, int64_t k)
{
  struct lammps_entry *e = &r->file->entry[what][k];
  int n_ids = lammps_atoms(what);
  int64_t number;
  e->line = r->words.where.line;
  if (!lammps_has_columns(r, 2 + n_ids, n_ids == 2 ? "number type i j" : "number type i j k"))
    return;
  words_int(&r->words, 0, "entry", INT64_MIN, INT64_MAX, &number);
  lammps_read_type(r, 1, what, &e->type);
  for (int n = 0; n < n_ids; n++)
    words_int(&r->words, 2 + n, "atom", 1, INT64_MAX, &e->atom[n]);
  if (e->atom[0] && e->atom[0] == e->atom[1])
    LAMMPS_ERROR(r, "atom %lld is its own partner", (long long)e->atom[0]);
}

/* Reads types, the style if the line has one, and min to max numbers. */
static void read_values(struct lammps_reader *r, int what, int n_types, int min, int max,
                        const char *columns, struct lammps_coefficient *c)
{
  struct lammps_coefficient new = {.line = r->words.where.line};
  int at = n_types, good = 1;
  memcpy(new.style, r->style, sizeof new.style);
  if (r->words.n > at && lammps_is_word(r->words.word[at]))
    snprintf(new.style, sizeof new.style, "%.31s", r->words.word[at++]);
  if (r->words.n < at + min || r->words.n > at + max) {
    LAMMPS_ERROR(r, "%d columns; expected: %s", r->words.n, columns);
    return;
  }
  for (int k = 0; k < n_types; k++)
    good &= lammps_read_type(r, k, what, &new.type[k]);
  for (; at < r->words.n; at++)
    new.value[new.n++] = lammps_read_range(r, at, "coefficient", -MAX_CONSTANT, MAX_CONSTANT, "");
  if (!good) return;
  if (n_types == 1) c += new.type[0] - 1;
  if (c->line) LAMMPS_ERROR(r, "type %d is given twice, first in line %d", new.type[0], c->line);
  *c = new;
}

static void read_coefficient(struct lammps_reader *r, int what, int64_t k)
{
  static const char *const columns[LAMMPS_COUNTS] = {"type [style] epsilon sigma [cutoffs]",
                                                     "type [style] K and the length of the minimum",
                                                     "type [style] K and the angle of the minimum"};
  (void)k;
  read_values(r, what, 1, 2, what == LAMMPS_ATOMS ? 4 : 2, columns[what],
              r->file->coefficient[what]);
}

static void read_pair(struct lammps_reader *r, int what, int64_t k)
{
  read_values(r, what, 2, 2, 4, "type type [style] epsilon sigma [cutoffs]", &r->file->pair[k]);
}

static void read_mass(struct lammps_reader *r, int what, int64_t k)
{
  (void)k;
  int type;
  if (!lammps_has_columns(r, 2, "type mass") || !lammps_read_type(r, 0, what, &type)) return;
  struct lammps_coefficient *c = &r->file->mass[type - 1];
  if (c->line) LAMMPS_ERROR(r, "type %d is given twice, first in line %d", type, c->line);
  c->line = r->words.where.line;
  c->value[0] = lammps_read_range(r, 1, "mass", 1e-6, MAX_MASS, "amu");
}

static void read_label(struct lammps_reader *r, int what, int64_t k)
{
  int64_t type;
  (void)k;
  if (!lammps_has_columns(r, 2, "type label")) return;
  if (!words_int(&r->words, 0, "type", 1, r->file->n_types[what], &type)) return;
  struct lammps_label *l = &r->file->label[what][type - 1];
  if (strlen(r->words.word[1]) >= sizeof l->text)
    LAMMPS_ERROR(r, "label '%.40s...' is longer than %zu letters", r->words.word[1],
                 sizeof l->text - 1);
  if (lammps_find_label(r->file, what, r->words.word[1]))
    LAMMPS_ERROR(r, "label '%.40s' is given twice", r->words.word[1]);
  if (l->line)
    LAMMPS_ERROR(r, "type %lld is given twice, first in line %d", (long long)type, l->line);
  l->line = r->words.where.line;
  snprintf(l->text, sizeof l->text, "%.63s", r->words.word[1]);
}

enum lines { A_THING, A_TYPE, A_PAIR }; /* one call per line */

struct section {
  const char *name;
  int needed;
  enum lines lines;
  int what;
  void (*read)(struct lammps_reader *r, int what, int64_t k); /* line k of `what` */
  int has_style; /* that the comment of the section's header may name */
};

static const struct section sections[] = {
    {"Atoms", 1, A_THING, LAMMPS_ATOMS, read_atom, 0},
    {"Velocities", 0, A_THING, LAMMPS_ATOMS, read_velocity, 0},
    {"Bonds", 1, A_THING, LAMMPS_BONDS, read_entry, 0},
    {"Angles", 1, A_THING, LAMMPS_ANGLES, read_entry, 0},
    {"Masses", 0, A_TYPE, LAMMPS_ATOMS, read_mass, 0},
    {"Bond Coeffs", 0, A_TYPE, LAMMPS_BONDS, read_coefficient, 1},
    {"Angle Coeffs", 0, A_TYPE, LAMMPS_ANGLES, read_coefficient, 1},
    {"Pair Coeffs", 0, A_TYPE, LAMMPS_ATOMS, read_coefficient, 1},
    {"PairIJ Coeffs", 0, A_PAIR, LAMMPS_ATOMS, read_pair, 1},
    {"Atom Type Labels", 0, A_TYPE, LAMMPS_ATOMS, read_label, 0},
    {"Bond Type Labels", 0, A_TYPE, LAMMPS_BONDS, read_label, 0},
    {"Angle Type Labels", 0, A_TYPE, LAMMPS_ANGLES, read_label, 0},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static int find_section(const struct lammps_reader *r)
{
  char name[64] = "";
  if (r->words.n > 3) return -1;
  for (int k = 0; k < r->words.n; k++) {
    size_t used = strlen(name);
    snprintf(name + used, sizeof name - used, "%s%.15s", k ? " " : "", r->words.word[k]);
  }
  for (int k = 0; k < N_SECTIONS; k++)
    if (strcmp(name, sections[k].name) == 0) return k;
  return -1;
}

/* 1 if the line starts this section. A line that begins with the label of a type does not. */
static int starts_section(const struct lammps_reader *r, const struct section *s)
{
  if (!lammps_is_word(r->words.word[0])) return 0;
  return s->lines == A_THING || !lammps_find_label(r->file, s->what, r->words.word[0]);
}

static int64_t count_lines(const struct lammps_file *f, const struct section *s)
{
  int64_t n = f->n_types[s->what];
  if (s->lines == A_THING) return f->n[s->what];
  return s->lines == A_TYPE ? n : n * (n + 1) / 2;
}

/* The style named in the comment of a section header, or "": a word alone, or one with a stroke.
   Programs other than LAMMPS may write other words there. With hybrid styles, each line names its
   own. */
static void set_style(const char *comment, char style[LAMMPS_STYLE])
{
  char plain[LAMMPS_STYLE] = "", more[2];
  const int words = sscanf(comment, "%31s %1s", style, more);
  if (words > 0) memcpy(plain, style, lammps_style_length(style));
  if (words < 1 || !lammps_is_word(style) || (words > 1 && !strchr(style, '/')) ||
      word_list_find("hybrid|hybrid/overlay|hybrid/scaled", plain) >= 0)
    style[0] = 0;
}

static void prepare(struct lammps_reader *r, const struct section *s, int64_t n)
{
  struct lammps_file *f = r->file;
  set_style(s->has_style ? r->comment : "", r->style);
  if (s->read == read_velocity) {
    r->velocity = alloc_array(n, sizeof *r->velocity);
    f->has_velocities = 1;
  }
  if (s->lines == A_PAIR) {
    f->pair = alloc_array(n, sizeof *f->pair);
    f->n_pairs = n;
  }
}

/* Reads one section; the line after it becomes the current one. Returns 0 at the end of the
   file. */
static int read_section(struct lammps_reader *r, const struct section *s, int *whole)
{
  int64_t n = count_lines(r->file, s), k = 0;
  const int start = r->words.where.line;
  int more;
  prepare(r, s, n);
  while ((more = lammps_read_line(r)) && !starts_section(r, s)) {
    if (k < n) s->read(r, s->what, k);
    if (k == n)
      LAMMPS_ERROR(r, "section %s has more than the %lld lines that the header promises", s->name,
                   (long long)n);
    k++;
  }
  if (k < n)
    error_list_add(&r->errors, r->file->path, start,
                   "section %s has %lld lines, but the header promises %lld", s->name, (long long)k,
                   (long long)n);
  *whole &= k == n;
  return more;
}

int lammps_section_read_all(struct lammps_reader *r)
{
  int seen[N_SECTIONS] = {0}, more = 1, whole = 1;
  while (more) {
    int k = find_section(r);
    if (k < 0) {
      LAMMPS_ERROR(r, "unknown section '%.40s%s%.40s'", r->words.word[0], r->words.n > 1 ? " " : "",
                   r->words.n > 1 ? r->words.word[1] : "");
      return 0;
    }
    if (seen[k]++) {
      LAMMPS_ERROR(r, "a second section %s", sections[k].name);
      return 0;
    }
    more = read_section(r, &sections[k], &whole);
  }
  for (int k = 0; k < N_SECTIONS; k++)
    if (!seen[k] && sections[k].needed && r->file->n[sections[k].what] > 0) {
      error_list_add(&r->errors, r->file->path, 0,
                     "section %s is missing, but the header promises %lld lines of it",
                     sections[k].name, (long long)r->file->n[sections[k].what]);
      whole = 0;
    }
  return whole;
}
