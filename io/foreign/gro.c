/* Configurations of GROMACS (.gro): a title, the number of atoms, a line for each, the box; nm,
   nm/ps. Columns: residue number, residue, atom and atom number of 5 characters each, then
   positions and velocities of one width, velocities with one decimal more. Files to read may have
   any width: it is the distance of the first two decimal points of the file. A row whose numbers
   are not in their columns is refused, since parts of them would be read. */
#include "io/foreign/gro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/file_kind.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"
#include "io/foreign/frame_format.h"
#include "io/foreign/gromacs_box.h"

/* Writing */

enum { LABELS = 100000 };

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
  int n = snprintf(text, FRAME_LINE, "%5lld%-5.5s%5.5s%5lld", label->number % LABELS,
                   label->residue, label->name, (long long)bead->number % LABELS);
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
  const int width = o->series->digits + 6, digits = o->series->digits + 2;
  const double *v = f->box, oblique[9] = {v[0], v[1], v[2], 0, 0, v[3], 0, v[4], v[5]};
  (void)pass;
  for (int k = 0; k < (box_is_oblique(v) ? 9 : 3); k++)
    fprintf(o->stream, " %*.*f", width, digits, oblique[k]);
  fputc('\n', o->stream);
  return 1;
}

const struct frame_format frame_gro = {.suffix = "gro",
                                       .beads_most = INT64_MAX,
                                       .has_labels = 1,
                                       .begin = begin,
                                       .bead = line,
                                       .end = end};

/* Reading */

enum { NAMES_END = 20, WIDTH_MOST = 30 };

/* Bytes of the shortest line of an atom. */
#define SHORTEST 30

static const size_t file_most = (size_t)1 << 40;

struct gromacs_gro_file {
  const char *path;
  FILE *in;
  char *line;
  size_t room;
  int64_t number, n, left; /* of the line, from 1; atoms, and those that are still to be read */
  int has_velocities;
  size_t width; /* of a number; 0: no atom was read */
  int numbers;  /* in the row of the first atom: 3, or 6 with velocities; 0: none was read */
  int64_t others, other_line; /* rows with another number of them, and the line of the first */
  double farthest[3];         /* coordinates, and the lines that have them */
  int64_t far_line[3];
  struct error_list *m;
};

#define GRO_ERROR(f, ...)                                                                          \
  error_list_add((f)->m, (f)->path, (int)((f)->number < INT32_MAX ? (f)->number : INT32_MAX),      \
                 __VA_ARGS__)

static int next_line(struct gromacs_gro_file *f)
{
  const int found = text_line(f->in, f->path, &f->line, &f->room);
  f->number += found;
  return found;
}

/* Digits before the decimal point of a position and of a velocity, with a sign, as GROMACS writes
   them: "%8.3f" and "%8.4f", or wider with as many decimals more. */
enum { POSITION_POINT = 4, VELOCITY_POINT = 3, NUMBERS = 6 };

static int is_blank(const char *text, size_t n)
{
  const size_t blanks = strspn(text, " ");
  return blanks >= n || text[blanks] == 0;
}

/* Number k of a line, 0 to 5. 0 if its columns do not hold it whole: what is there is no number, or
   one that neither ends in the last column nor has its decimal point where GROMACS writes it. */
static int read_columns(const struct gromacs_gro_file *f, int k, double *value)
{
  const char *field = f->line + NAMES_END + (size_t)k * f->width;
  const size_t before = strspn(field, " ");
  char text[WIDTH_MOST + 1];
  snprintf(text, sizeof text, "%.*s", (int)(f->width - before), field + before);
  text[strcspn(text, " ")] = 0;
  const size_t end = before + strlen(text), point = before + strcspn(text, ".");
  return parse_real(text, value) && is_blank(field + end, f->width - end) &&
         (end == f->width || point == (k < 3 ? POSITION_POINT : VELOCITY_POINT));
}

/* The width of numbers in a line, or 0. */
static size_t width_of(const char *line)
{
  const char *first = strchr(line + NAMES_END, '.'),
             *second = first ? strchr(first + 1, '.') : NULL;
  const size_t width = second ? (size_t)(second - first) : 0;
  return width > POSITION_POINT && width <= WIDTH_MOST ? width : 0;
}

static void copy_name(char name[GRO_NAME], const char *columns)
{
  snprintf(name, GRO_NAME, "%.5s", columns + strspn(columns, " "));
  if (columns[0] == ' ') { /* the blanks before it took columns of the name */
    const size_t blanks = strspn(columns, " ");
    if (blanks < 5) name[5 - blanks] = 0;
  }
  name[strcspn(name, " ")] = 0;
}

/* Reads the numbers of a line; returns how many, 3 or 6. 0 if one is not whole in its columns, or
   something follows them. */
static int read_numbers(const struct gromacs_gro_file *f, double value[NUMBERS])
{
  const size_t positions = NAMES_END + 3 * f->width, all = NAMES_END + NUMBERS * f->width;
  size_t length = strlen(f->line);
  while (length && (f->line[length - 1] == ' ' || f->line[length - 1] == '\t'))
    f->line[--length] = 0;
  const int numbers = length > positions ? NUMBERS : 3;
  if (length > all) return 0;
  for (int k = 0; k < numbers; k++)
    if (length <= NAMES_END + (size_t)k * f->width || !read_columns(f, k, &value[k])) return 0;
  return numbers;
}

static void read_atom(struct gromacs_gro_file *f, struct gromacs_gro_atom *atom)
{
  double value[NUMBERS] = {0};
  int numbers = 0;
  if (!f->width && strlen(f->line) > SHORTEST) f->width = width_of(f->line);
  if (f->width && strlen(f->line) > NAMES_END) numbers = read_numbers(f, value);
  if (!numbers) {
    GRO_ERROR(f,
              "the numbers are not in their columns: residue number and name, atom and its number "
              "have 5 characters each, then follow x, y, z and perhaps vx, vy, vz of %zu "
              "characters each, as in the first row",
              f->width ? f->width : 8);
    return;
  }
  if (!f->numbers) f->numbers = numbers;
  if (numbers != f->numbers && f->others++ == 0) f->other_line = f->number;
  copy_name(atom->name, f->line + 10);
  for (int d = 0; d < 3; d++) {
    atom->x[d] = value[d];
    if (fabs(value[d]) > fabs(f->farthest[d])) {
      f->farthest[d] = value[d];
      f->far_line[d] = f->number;
    }
    atom->v[d] = value[3 + d];
    f->has_velocities |= value[3 + d] != 0;
    if (!(fabs(value[3 + d]) < FRAME_SPEED_MOST))
      GRO_ERROR(f, "a velocity of %g nm/ps", value[3 + d]);
  }
}

static void read_box(struct gromacs_gro_file *f, double box[BOX])
{
  double value[9] = {0};
  char *rest, *word = strtok_r(f->line, " \t", &rest);
  int n = 0;
  for (; word && n < 9; word = strtok_r(NULL, " \t", &rest))
    if (!parse_real(word, &value[n++])) GRO_ERROR(f, "box: '%.40s' is not a number", word);
  if (word || (n != 3 && n != 9)) GRO_ERROR(f, "box: expected 3 or 9 numbers");
  if (f->m->count) return;
  const double v[3][3] = {{value[0], value[3], value[4]},
                          {value[5], value[1], value[6]},
                          {value[7], value[8], value[2]}};
  char text[GROMACS_BOX_WHY];
  const char *why = gromacs_box_read(v, f->path, box, text);
  if (why) GRO_ERROR(f, "%s", why);
}

static void check_positions(struct gromacs_gro_file *f, const double box[BOX])
{
  for (int d = 0; d < 3 && !f->m->count; d++) {
    if (fabs(f->farthest[d]) < FRAME_EDGES_MOST * box[d]) continue;
    f->number = f->far_line[d];
    GRO_ERROR(f, "coordinate %c = %g nm is too far from the box", axis_name(d), f->farthest[d]);
  }
}

/* The residues of the rows that follow, by name in the order of appearance, as [ molecules ] counts
   molecules of one residue. Caller frees. */
static char *residues_text(struct gromacs_gro_file *f)
{
  enum { NAMES = 20, RESIDUE = 10 };
  char name[NAMES][GRO_NAME], last[RESIDUE + 1] = "", *text = NULL;
  int64_t count[NAMES] = {0};
  int names = 0;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) die(STATUS_INPUT, "out of memory");
  for (int64_t n = 0; n < f->n && next_line(f) && strlen(f->line) > RESIDUE; n++) {
    char one[GRO_NAME];
    int k = 0;
    if (!strncmp(f->line, last, RESIDUE)) continue;
    snprintf(last, sizeof last, "%.10s", f->line);
    copy_name(one, f->line + 5);
    while (k < names && strcmp(name[k], one) != 0)
      k++;
    if (k == names && names < NAMES) memcpy(name[names++], one, sizeof one);
    if (k < NAMES) count[k]++;
  }
  for (int k = 0; k < names; k++)
    fprintf(out, "%s%lld %s", k ? ", " : "", (long long)count[k], name[k]);
  if (fclose(out)) die(STATUS_INPUT, "out of memory");
  return text;
}

/* Other numbers of atoms than the topology has: which residues there are says where. */
static void refuse_number(struct gromacs_gro_file *f, int64_t expected, const char *whose)
{
  const int64_t line = f->number;
  char *residues = residues_text(f);
  f->number = line;
  GRO_ERROR(f, "%lld atoms, but the %s has %lld; residues of the file: %.400s", (long long)f->n,
            whose, (long long)expected, residues);
  free(residues);
}

static void read_head(struct gromacs_gro_file *f, int64_t expected, const char *whose)
{
  fseeko(f->in, 0, SEEK_END);
  const int64_t bytes = ftello(f->in);
  rewind(f->in);
  if (!next_line(f) || !next_line(f)) {
    GRO_ERROR(f, "the file ends before the number of atoms");
    return;
  }
  char *count = f->line + strspn(f->line, " \t");
  for (size_t n = strlen(count); n && strchr(" \t", count[n - 1]); n--)
    count[n - 1] = 0;
  if (!parse_int(count, &f->n) || f->n < 0)
    GRO_ERROR(f, "number of atoms: '%.40s' is not a count", count);
  else if (f->n != expected)
    refuse_number(f, expected, whose);
  else if (f->n > bytes / SHORTEST)
    GRO_ERROR(f, "%lld atoms in a file of %lld bytes", (long long)f->n, (long long)bytes);
}

struct gromacs_gro_file *gromacs_gro_open(const char *path, int64_t expected, const char *whose,
                                          struct error_list *m)
{
  char why[160];
  struct gromacs_gro_file *f = alloc_array(1, sizeof *f);
  f->path = path;
  f->m = m;
  file_kind_require(path, FILE_GRO, "a .gro file");
  f->in = text_open(path, file_most, why);
  if (!f->in) die_all(STATUS_INPUT, "%s: %s", path, why);
  read_head(f, expected, whose);
  if (m->count) f->n = 0;
  f->left = f->n;
  return f;
}

void gromacs_gro_next(struct gromacs_gro_file *f, struct gromacs_gro_atom *atom, int64_t n)
{
  for (int64_t k = 0; k < n && f->left > 0 && f->m->count < ERROR_LIST_SHOWN; k++) {
    if (next_line(f)) {
      read_atom(f, &atom[k]);
      f->left--;
    } else {
      GRO_ERROR(f, "the file ends after %lld of %lld atoms", (long long)(f->n - f->left),
                (long long)f->n);
      f->left = 0;
    }
  }
}

int gromacs_gro_end(struct gromacs_gro_file *f, double box[BOX])
{
  const int has_velocities = f->has_velocities;
  if (!f->m->count && !next_line(f))
    GRO_ERROR(f, "the file ends before the box");
  else if (!f->m->count)
    read_box(f, box);
  check_positions(f, box);
  if (f->others > 0)
    warn("%s:%lld: the row has %s velocity, and the first row of the file %s%s. Atoms without one "
         "start at rest: is a row cut off?",
         f->path, (long long)f->other_line, f->numbers > 3 ? "no" : "a",
         f->numbers > 3 ? "has one" : "none",
         f->others > 1 ? ", and there are more such rows" : "");
  while (!f->m->count && next_line(f))
    if (f->line[strspn(f->line, " \t\r")]) {
      warn("%s:%lld: what comes after the first configuration is not read", f->path,
           (long long)f->number);
      break;
    }
  fclose(f->in);
  free(f->line);
  free(f);
  return has_velocities;
}

struct gromacs_gro *gromacs_gro_read(const char *path, int64_t expected, struct error_list *m)
{
  if (file_kind_of(path) == FILE_PDB) return gromacs_pdb_read(path, expected, m);
  struct gromacs_gro *c = alloc_array(1, sizeof *c);
  struct gromacs_gro_file *f = gromacs_gro_open(path, expected, "topology", m);
  c->path = path;
  c->first_line = 3;
  c->n = f->n;
  c->atom = alloc_array(c->n, sizeof *c->atom);
  gromacs_gro_next(f, c->atom, c->n);
  c->has_velocities = gromacs_gro_end(f, c->box);
  return c;
}

void gromacs_gro_destroy(struct gromacs_gro *c)
{
  if (!c) return;
  free(c->atom);
  free(c);
}
