/* Reading of .gro files: a title, the number of atoms, a line for each, the box. Columns: residue
   number, residue, atom and atom number of 5 characters each, then positions and velocities whose
   width is the distance of the first two decimal points. */
#include "import/gromacs_gro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

enum { NAMES_END = 20, WIDTH_MOST = 30, SHOWN = 10 };

/* Bytes of the shortest line of an atom, and limits of edges and coordinates. */
#define SHORTEST 30
#define EDGE_LEAST 0.01
#define EDGE_MOST 1e6
#define EDGES_MOST 1e6
#define SPEED_MOST 1e6

static const size_t file_most = (size_t)1 << 40;

struct reader {
  struct gromacs_gro *c;
  char *next, *line;
  size_t size;
  int64_t number; /* of the line */
  struct error_list *m;
};

#define GRO_ERROR(r, ...)                                                                          \
  error_list_add((r)->m, (r)->c->path, (int)((r)->number < INT32_MAX ? (r)->number : INT32_MAX),   \
                 __VA_ARGS__)

static int next_line(struct reader *r)
{
  if (!*r->next) return 0;
  r->line = r->next;
  const size_t n = strcspn(r->next, "\n");
  r->next += n + (r->next[n] == '\n');
  r->line[n] = 0;
  if (n && r->line[n - 1] == '\r') r->line[n - 1] = 0;
  r->number++;
  return 1;
}

/* A number in columns from ... of a line. */
static int read_columns(struct reader *r, size_t from, size_t width, const char *what,
                        double *value)
{
  char text[WIDTH_MOST + 1], *begin = text;
  snprintf(text, sizeof text, "%.*s", (int)width, r->line + from);
  begin += strspn(begin, " \t");
  begin[strcspn(begin, " \t")] = 0;
  if (parse_real(begin, value)) return 1;
  GRO_ERROR(r, "%s: '%s' in columns %zu to %zu is not a number", what, begin, from + 1,
            from + width);
  return 0;
}

/* The width of numbers in a line, or 0. */
static size_t width_of(const char *line)
{
  const char *first = strchr(line + NAMES_END, '.'),
             *second = first ? strchr(first + 1, '.') : NULL;
  const size_t width = second ? (size_t)(second - first) : 0;
  return width <= WIDTH_MOST ? width : 0;
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

static void read_atom(struct reader *r, int64_t k)
{
  static const char *const what[] = {
      "x", "y", "z", "velocity along x", "velocity along y", "velocity along z"};
  struct gromacs_gro *c = r->c;
  const size_t length = strlen(r->line), width = length > SHORTEST ? width_of(r->line) : 0;
  double value[6] = {0};
  if (width == 0 || length < NAMES_END + 3 * width - (width - 1)) {
    GRO_ERROR(r, "expected residue, atom, number and three coordinates in columns");
    return;
  }
  copy_name(c->atom[k].name, r->line + 10);
  const int n = length > NAMES_END + 5 * width ? 6 : 3;
  for (int d = 0; d < n; d++)
    if (!read_columns(r, NAMES_END + (size_t)d * width, width, what[d], &value[d])) return;
  for (int d = 0; d < 3; d++) {
    c->atom[k].x[d] = value[d];
    c->atom[k].v[d] = value[3 + d];
    c->has_velocities |= value[3 + d] != 0;
    if (!(fabs(value[3 + d]) < SPEED_MOST)) GRO_ERROR(r, "a velocity of %g nm/ps", value[3 + d]);
  }
}

static void read_box(struct reader *r)
{
  double value[9] = {0};
  char *rest, *word = strtok_r(r->line, " \t", &rest);
  int n = 0;
  for (; word && n < 9; word = strtok_r(NULL, " \t", &rest))
    if (!parse_real(word, &value[n++])) GRO_ERROR(r, "box: '%.40s' is not a number", word);
  if (word || (n != 3 && n != 9)) {
    GRO_ERROR(r, "box: expected 3 or 9 numbers");
    return;
  }
  for (int k = 3; k < 9; k++)
    if (value[k] != 0) {
      GRO_ERROR(r, "the box is not rectangular (number %d is %g): others are not implemented",
                k + 1, value[k]);
      break;
    }
  for (int d = 0; d < 3; d++) {
    r->c->box[d] = value[d];
    if (!(value[d] >= EDGE_LEAST && value[d] <= EDGE_MOST))
      GRO_ERROR(r, "box: an edge of %g nm along %c: expected %g to %g", value[d], axis_name(d),
                EDGE_LEAST, EDGE_MOST);
  }
}

static void check_positions(struct reader *r)
{
  const struct gromacs_gro *c = r->c;
  for (int64_t k = 0; k < c->n && !r->m->count; k++)
    for (int d = 0; d < 3; d++)
      if (!(fabs(c->atom[k].x[d]) < EDGES_MOST * c->box[d])) {
        r->number = k + 3;
        GRO_ERROR(r, "coordinate %c = %g nm is too far from the box", axis_name(d),
                  c->atom[k].x[d]);
      }
}

struct gromacs_gro *gromacs_gro_read(const char *path, int64_t expected, struct error_list *m)
{
  struct gromacs_gro *c = alloc_array(1, sizeof *c);
  struct reader r = {.c = c, .m = m};
  char *text = r.next = text_read_file(path, file_most);
  c->path = path;
  r.size = strlen(text);
  if (!next_line(&r) || !next_line(&r)) {
    GRO_ERROR(&r, "the file ends before the number of atoms");
  } else {
    char *count = r.line + strspn(r.line, " \t");
    count[strcspn(count, " \t")] = 0;
    if (!parse_int(count, &c->n) || c->n < 0)
      GRO_ERROR(&r, "number of atoms: '%.40s' is not a count", count);
    else if (c->n != expected)
      GRO_ERROR(&r, "%lld atoms, but the topology has %lld", (long long)c->n, (long long)expected);
    else if ((size_t)c->n > r.size / SHORTEST)
      GRO_ERROR(&r, "%lld atoms in a file of %zu bytes", (long long)c->n, r.size);
    if (m->count) c->n = 0;
  }
  c->atom = alloc_array(c->n, sizeof *c->atom);
  for (int64_t k = 0; k < c->n && m->count < ERROR_LIST_SHOWN; k++) {
    if (!next_line(&r)) {
      GRO_ERROR(&r, "the file ends after %lld of %lld atoms", (long long)k, (long long)c->n);
      break;
    }
    read_atom(&r, k);
  }
  if (!m->count && !next_line(&r))
    GRO_ERROR(&r, "the file ends before the box");
  else if (!m->count)
    read_box(&r);
  check_positions(&r);
  if (!m->count && r.next[strspn(r.next, " \t\r\n")])
    warn("%s:%lld: what comes after the first configuration is not read", path,
         (long long)r.number + 1);
  free(text);
  return c;
}

void gromacs_gro_destroy(struct gromacs_gro *c)
{
  if (!c) return;
  free(c->atom);
  free(c);
}

void gromacs_gro_compare(const struct gromacs_gro *c, const struct gromacs *g, int allowed,
                         struct error_list *m)
{
  const struct gromacs_topology *t = g->topology;
  int64_t at = 0, differ = 0;
  for (int b = 0; b < t->n_blocks; b++) {
    const struct gromacs_molecule *molecule = &g->molecule[g->index_of[t->block[b].molecule]];
    for (int64_t n = 0; n < t->block[b].count; n++)
      for (int k = 0; k < molecule->n_atoms; k++, at++) {
        const char *name = molecule->atom[k].name;
        if (at >= c->n || !strncmp(c->atom[at].name, name, GRO_NAME - 1)) continue;
        if (differ++ < SHOWN && !allowed)
          error_list_add(m, c->path, (int)(at < INT32_MAX - 3 ? at + 3 : 0),
                         "atom %s, but %s in the topology (molecule type %s, %s:%d)",
                         c->atom[at].name, name, molecule->name, molecule->atom[k].place.file,
                         molecule->atom[k].place.line);
      }
  }
  if (differ && allowed)
    warn("%s: the names of %lld atoms are not those of the topology, which hold", c->path,
         (long long)differ);
  else if (differ)
    error_list_advise(m,
                      "%lld names differ. Is the order of [ molecules ] that of the file? "
                      "--names=topology takes the names of the topology",
                      (long long)differ);
}
