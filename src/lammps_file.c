/* Reading of LAMMPS data files: a title, a header of counts and box, then sections in any order. */
#include "lammps_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "mistakes.h"
#include "text.h"
#include "words.h"

enum { MAX_TOKENS = 16, MAX_TYPES = 1000000, MAX_FILE_BITS = 40 };

struct reader {
  const char *path;
  char *next; /* the rest of the text; lines become strings as they are read */
  size_t size;
  int64_t line;
  char *token[MAX_TOKENS];
  int n_tokens; /* of the line; may be more than there is room for */
  struct mistakes mistakes;
  struct lammps_file *file;
};

static int line_number(const struct reader *r)
{
  return r->line < INT_MAX ? (int)r->line : INT_MAX;
}

/* A macro, for the arguments: a mistake in the current line. */
#define MISTAKE(r, ...) mistakes_add(&(r)->mistakes, (r)->path, line_number(r), __VA_ARGS__)

/* The next line that is not blank, cut into tokens, without its comment; 0 at the end. */
static int read_line(struct reader *r)
{
  r->n_tokens = 0;
  while (r->n_tokens == 0 && *r->next) {
    char *text = r->next, *end = text + strcspn(text, "\n"), *rest;
    r->next = *end ? end + 1 : end;
    r->line++;
    *end = 0;
    text[strcspn(text, "#")] = 0;
    for (char *t = strtok_r(text, " \t\r\v\f", &rest); t; t = strtok_r(NULL, " \t\r\v\f", &rest)) {
      if (r->n_tokens < MAX_TOKENS) r->token[r->n_tokens] = t;
      r->n_tokens++;
    }
  }
  return r->n_tokens > 0;
}

static int is_word(const char *token)
{
  return (*token >= 'a' && *token <= 'z') || (*token >= 'A' && *token <= 'Z');
}

static double read_real(struct reader *r, int k, const char *what)
{
  double value = 0;
  if (!words_to_real(r->token[k], &value))
    MISTAKE(r, "%s: '%.40s' is not a finite number", what, r->token[k]);
  return value;
}

/* A whole number within limits; else 0 and a mistake. */
static int read_int(struct reader *r, int k, const char *what, int64_t min, int64_t max,
                    int64_t *value)
{
  if (!words_to_int(r->token[k], value))
    MISTAKE(r, "%s: '%.40s' is not a whole number", what, r->token[k]);
  else if (*value < min || *value > max)
    MISTAKE(r, "%s %lld does not exist: they run from %lld to %lld", what, (long long)*value,
            (long long)min, (long long)max);
  else
    return 1;
  return 0;
}

static int has_tokens(struct reader *r, int n, const char *columns)
{
  if (r->n_tokens == n) return 1;
  MISTAKE(r, "%d columns; expected %d: %s", r->n_tokens, n, columns);
  return 0;
}

/* One line of the header: a count, an edge of the box, or something to refuse. */
static void read_header_line(struct reader *r)
{
  static const char counts[] = "atoms|bonds|angles|dihedrals|impropers|ellipsoids|lines|triangles|"
                               "bodies";
  static const char types[] = "atom|bond|angle|dihedral|improper";
  static const char *const lo[] = {"xlo", "ylo", "zlo"}, *const hi[] = {"xhi", "yhi", "zhi"};
  struct lammps_file *f = r->file;
  char **t = r->token;
  int64_t value = 0;
  if (r->n_tokens == 2 && words_find(counts, t[1]) >= 0) {
    int k = words_find(counts, t[1]);
    if (!read_int(r, 0, t[1], 0, INT64_MAX / 256, &value)) return;
    if (k < LAMMPS_COUNTS)
      f->n[k] = value;
    else if (value > 0)
      MISTAKE(r, "%lld %s: only atoms, bonds and angles can be imported", (long long)value, t[1]);
  } else if (r->n_tokens == 3 && strcmp(t[2], "types") == 0 && words_find(types, t[1]) >= 0) {
    int k = words_find(types, t[1]);
    if (read_int(r, 0, "number of types", 0, MAX_TYPES, &value) && k < LAMMPS_COUNTS)
      f->n_types[k] = value;
  } else if (r->n_tokens == 6 && strcmp(t[3], "xy") == 0) {
    for (int k = 0; k < 3; k++)
      if (read_real(r, k, "tilt") != 0) MISTAKE(r, "the box is tilted; only right angles will do");
  } else if (r->n_tokens == 4) {
    for (int d = 0; d < 3; d++)
      if (strcmp(t[2], lo[d]) == 0 && strcmp(t[3], hi[d]) == 0) {
        f->lo[d] = read_real(r, 0, t[2]);
        f->hi[d] = read_real(r, 1, t[3]);
        return;
      }
    MISTAKE(r, "unknown line of the header: '%.20s ... %.20s'", t[0], t[3]);
  } else if (r->n_tokens < 2 || strcmp(t[1], "extra") != 0) {
    MISTAKE(r, "unknown line of the header, with '%.40s'", t[r->n_tokens > 1]);
  }
}

/* Reads until the first section, whose line is then the current one; 0 where there is none. Sizes
   are checked against the file before memory is taken for them. */
static int read_header(struct reader *r)
{
  static const char *const name[] = {"atoms", "bonds", "angles"};
  static const size_t shortest[] = {24, 8, 10}; /* bytes of a line */
  struct lammps_file *f = r->file;
  int more;
  r->next += strcspn(r->next, "\n"); /* the title, which may say anything */
  if (*r->next) r->next++;
  r->line = 1;
  while ((more = read_line(r)) && !is_word(r->token[0]))
    read_header_line(r);
  for (int k = 0; k < LAMMPS_COUNTS; k++)
    if ((size_t)f->n[k] > r->size / shortest[k])
      mistakes_add(&r->mistakes, r->path, 0,
                   "the header promises %lld %s, but the file is too short for them: %zu bytes",
                   (long long)f->n[k], name[k], r->size);
  if (f->n[LAMMPS_ATOMS] == 0) mistakes_add(&r->mistakes, r->path, 0, "no 'N atoms' in the header");
  for (int d = 0; d < 3; d++)
    if (!(f->hi[d] > f->lo[d]))
      mistakes_add(&r->mistakes, r->path, 0, "no box in the header along %c (%clo %chi): %g to %g",
                   "xyz"[d], "xyz"[d], "xyz"[d], f -> lo[d], f -> hi[d]);
  mistakes_check(&r->mistakes);
  f->atom = alloc_array(f->n[LAMMPS_ATOMS], sizeof *f->atom);
  f->bond = alloc_array(f->n[LAMMPS_BONDS], sizeof *f->bond);
  f->angle = alloc_array(f->n[LAMMPS_ANGLES], sizeof *f->angle);
  f->angle_line = alloc_array(f->n[LAMMPS_ANGLES], sizeof *f->angle_line);
  f->bond_coefficient = alloc_array(f->n_types[LAMMPS_BONDS], sizeof *f->bond_coefficient);
  f->angle_coefficient = alloc_array(f->n_types[LAMMPS_ANGLES], sizeof *f->angle_coefficient);
  return more;
}

static void read_atom(struct reader *r, int64_t k)
{
  (void)k;
  struct lammps_file *f = r->file;
  int64_t id, type, molecule, image[3] = {0};
  if (r->n_tokens != 12 && r->n_tokens != 15) {
    MISTAKE(r,
            "%d columns; expected 12 or 15: id type x y z molecule charge mux muy muz diameter "
            "density [ix iy iz] (atom_style hybrid angle dipole sphere)",
            r->n_tokens);
    return;
  }
  if (!read_int(r, 0, "atom", 1, f->n[LAMMPS_ATOMS], &id)) return;
  struct lammps_atom *a = &f->atom[id - 1];
  if (a->line) {
    MISTAKE(r, "atom %lld is given twice, first in line %lld", (long long)id, (long long)a->line);
    return;
  }
  a->line = r->line;
  if (read_int(r, 1, "atom type", 1, f->n_types[LAMMPS_ATOMS], &type)) a->type = (int)type;
  for (int d = 0; d < 3; d++) {
    a->x[d] = read_real(r, 2 + d, "position");
    a->dipole[d] = read_real(r, 7 + d, "dipole");
    if (r->n_tokens == 15) read_int(r, 12 + d, "image", INT_MIN, INT_MAX, &image[d]);
    a->image[d] = (int)image[d];
  }
  read_int(r, 5, "molecule", INT64_MIN, INT64_MAX, &molecule);
  a->charge = read_real(r, 6, "charge");
  read_real(r, 10, "diameter");
  read_real(r, 11, "density");
}

static void read_velocity(struct reader *r, int64_t k)
{
  (void)k;
  int64_t id;
  r->file->has_velocities = 1;
  if (!has_tokens(r, 7, "id vx vy vz wx wy wz")) return;
  if (!read_int(r, 0, "atom", 1, r->file->n[LAMMPS_ATOMS], &id)) return;
  struct lammps_atom *a = &r->file->atom[id - 1];
  if (a->has_velocity) MISTAKE(r, "the velocity of atom %lld is given twice", (long long)id);
  a->has_velocity = 1;
  for (int d = 0; d < 3; d++) {
    a->v[d] = read_real(r, 1 + d, "velocity");
    a->omega[d] = read_real(r, 4 + d, "angular velocity");
  }
}

/* The type and the atoms of a bond or an angle; atoms must exist, the first two must differ. */
static int read_entry(struct reader *r, int what, int n_ids, int32_t *type, int64_t *id)
{
  static const char *const name[] = {"", "bond type", "angle type"};
  int64_t number, t;
  if (!has_tokens(r, 2 + n_ids, n_ids == 2 ? "number type i j" : "number type i j k")) return 0;
  int good = read_int(r, 0, "entry", INT64_MIN, INT64_MAX, &number);
  good &= read_int(r, 1, name[what], 1, r->file->n_types[what], &t);
  for (int k = 0; k < n_ids; k++)
    good &= read_int(r, 2 + k, "atom", 1, r->file->n[LAMMPS_ATOMS], &id[k]);
  if (!good) return 0;
  *type = (int32_t)t;
  if (id[0] == id[1]) MISTAKE(r, "atom %lld is its own partner", (long long)id[0]);
  return id[0] != id[1];
}

static void read_bond(struct reader *r, int64_t k)
{
  struct bond_entry *b = &r->file->bond[k];
  read_entry(r, LAMMPS_BONDS, 2, &b->type, b->id);
}

static void read_angle(struct reader *r, int64_t k)
{
  struct angle_entry *a = &r->file->angle[k];
  r->file->angle_line[k] = r->line;
  read_entry(r, LAMMPS_ANGLES, 3, &a->type, a->id);
}

/* type [style] K x0 */
static void read_coefficient(struct reader *r, int what, struct lammps_coefficient *all)
{
  int64_t type;
  int style = r->n_tokens > 1 && is_word(r->token[1]);
  if (r->n_tokens != 3 + style) {
    MISTAKE(r, "%d columns; expected: type [style] K and the place of the minimum", r->n_tokens);
    return;
  }
  if (!read_int(r, 0, "type", 1, r->file->n_types[what], &type)) return;
  all[type - 1].line = r->line;
  all[type - 1].k = read_real(r, 1 + style, "K");
  all[type - 1].x0 = read_real(r, 2 + style, "minimum");
}

static void read_bond_coefficient(struct reader *r, int64_t k)
{
  (void)k;
  read_coefficient(r, LAMMPS_BONDS, r->file->bond_coefficient);
}

static void read_angle_coefficient(struct reader *r, int64_t k)
{
  (void)k;
  read_coefficient(r, LAMMPS_ANGLES, r->file->angle_coefficient);
}

static void read_mass(struct reader *r, int64_t k)
{
  (void)k;
  if (!has_tokens(r, 2, "type mass")) return;
  read_real(r, 1, "mass");
}

struct section {
  const char *name;
  int needed;
  int of_types; /* one line a type, not one line a thing */
  int what;
  void (*read)(struct reader *r, int64_t k); /* NULL: passed over */
};

static const struct section sections[] = {
    {"Atoms", 1, 0, LAMMPS_ATOMS, read_atom},
    {"Velocities", 0, 0, LAMMPS_ATOMS, read_velocity},
    {"Bonds", 1, 0, LAMMPS_BONDS, read_bond},
    {"Angles", 1, 0, LAMMPS_ANGLES, read_angle},
    {"Masses", 0, 1, LAMMPS_ATOMS, read_mass},
    {"Bond Coeffs", 0, 1, LAMMPS_BONDS, read_bond_coefficient},
    {"Angle Coeffs", 0, 1, LAMMPS_ANGLES, read_angle_coefficient},
    {"Pair Coeffs", 0, 1, LAMMPS_ATOMS, NULL},
    {"PairIJ Coeffs", 0, 1, LAMMPS_ATOMS, NULL},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static int find_section(const struct reader *r)
{
  for (int k = 0; k < N_SECTIONS; k++) {
    char name[32] = "";
    snprintf(name, sizeof name, "%.15s%s%.15s", r->token[0], r->n_tokens > 1 ? " " : "",
             r->n_tokens > 1 ? r->token[1] : "");
    if (r->n_tokens <= 2 && strcmp(name, sections[k].name) == 0) return k;
  }
  return -1;
}

/* Reads one section; the line after it becomes the current one, 0 where there is none. */
static int read_section(struct reader *r, const struct section *s)
{
  const struct lammps_file *f = r->file;
  int64_t n = s->of_types ? f->n_types[s->what] : f->n[s->what], k = 0;
  int start = line_number(r), more;
  while ((more = read_line(r)) && !is_word(r->token[0])) {
    if (s->read && k == n) {
      MISTAKE(r, "section %s has more than the %lld lines that the header promises", s->name,
              (long long)n);
      mistakes_check(&r->mistakes);
    }
    if (s->read) s->read(r, k);
    k++;
  }
  if (s->read && k < n)
    mistakes_add(&r->mistakes, r->path, start,
                 "section %s has %lld lines, but the header promises %lld", s->name, (long long)k,
                 (long long)n);
  mistakes_check(&r->mistakes);
  return more;
}

static void read_sections(struct reader *r)
{
  int seen[N_SECTIONS] = {0}, more = 1;
  while (more) {
    int k = find_section(r);
    if (k < 0) {
      MISTAKE(r, "unknown section '%.40s%s%.40s'", r->token[0], r->n_tokens > 1 ? " " : "",
              r->n_tokens > 1 ? r->token[1] : "");
      return;
    }
    if (seen[k]++) {
      MISTAKE(r, "a second section %s", sections[k].name);
      return;
    }
    more = read_section(r, &sections[k]);
  }
  for (int k = 0; k < N_SECTIONS; k++)
    if (!seen[k] && sections[k].needed && r->file->n[sections[k].what] > 0)
      mistakes_add(&r->mistakes, r->path, 0,
                   "section %s is missing, but the header promises %lld lines of it",
                   sections[k].name, (long long)r->file->n[sections[k].what]);
}

struct lammps_file *lammps_file_read(const char *path)
{
  struct reader r = {.path = path};
  char *text = text_read(path, (size_t)1 << MAX_FILE_BITS);
  r.next = text;
  r.size = strlen(text);
  r.file = alloc_array(1, sizeof *r.file);
  r.file->path = path;
  if (!read_header(&r)) MISTAKE(&r, "the file ends after its header");
  mistakes_check(&r.mistakes);
  read_sections(&r);
  mistakes_check(&r.mistakes);
  free(text);
  return r.file;
}

void lammps_file_destroy(struct lammps_file *f)
{
  if (!f) return;
  free(f->atom);
  free(f->bond);
  free(f->angle);
  free(f->angle_line);
  free(f->bond_coefficient);
  free(f->angle_coefficient);
  free(f);
}
