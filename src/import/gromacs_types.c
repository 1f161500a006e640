/* Tables of bonded types: see gromacs_forms.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/name_map.h"
#include "base/parse.h"
#include "import/gromacs_forms.h"

struct row {
  enum gromacs_directive directive; /* that reads it: GROMACS_bonds, ... */
  int function, beads, values;
  const char *name[4]; /* of the topology's line */
  struct gromacs_place place;
};

struct gromacs_types {
  int64_t n;
  struct row *row;
  double (*value)[TOP_VALUES_MOST];
  /* The first row of a table with some names, from either end, by a text of them. */
  struct name_map names;
  int64_t *row_of; /* [names.n] */
  int replaced;    /* rows with other values than an earlier one of the same names */
};

/* Proper dihedrals of functions 1 and 9 have one table. */
static int table_of(enum gromacs_directive directive, int function)
{
  return directive == GROMACS_dihedrals && function == 9 ? 1 : function;
}

static enum gromacs_directive reader_of(enum gromacs_directive table)
{
  switch (table) {
  case GROMACS_bondtypes:
    return GROMACS_bonds;
  case GROMACS_angletypes:
    return GROMACS_angles;
  case GROMACS_dihedraltypes:
    return GROMACS_dihedrals;
  default:
    return GROMACS_constraints;
  }
}

static int beads_of(enum gromacs_directive reader)
{
  return reader == GROMACS_dihedrals ? 4 : reader == GROMACS_angles ? 3 : 2;
}

static int is_digit_word(const char *word)
{
  return word[0] >= '0' && word[0] <= '9' && !word[1];
}

/* The names of a row. Returns the column of the function. A row of dihedraltypes with two names
   stands for the inner beads, of impropers (function 2) for the outer ones. */
static int set_names(struct row *row, const struct gromacs_words *w)
{
  if (row->beads == 4 && w->n >= 3 && is_digit_word(w->word[2])) {
    const int improper = w->word[2][0] == '2';
    row->name[0] = improper ? w->word[0] : "X";
    row->name[1] = improper ? "X" : w->word[0];
    row->name[2] = improper ? "X" : w->word[1];
    row->name[3] = improper ? w->word[1] : "X";
    return 2;
  }
  for (int k = 0; k < row->beads; k++)
    row->name[k] = w->word[k];
  return row->beads;
}

/* The columns of a function; 0: it is not implemented, so that nothing reads the row. */
static int columns_of(enum gromacs_directive reader, long long function)
{
  const struct top_function *form =
      top_function_find(gromacs_directive_name[reader], (int)function);
  return form ? form->values : 0;
}

static int have_equal_names(const struct row *a, const struct row *b)
{
  for (int k = 0; k < a->beads; k++)
    if (strcmp(a->name[k], b->name[k]) != 0) return 0;
  return a->directive == b->directive && a->function == b->function;
}

/* The first row of the same table and names; a row without one is entered. */
static int64_t first_row(struct gromacs_types *types, const struct row *row)
{
  const int n = row->beads;
  int order = 0;
  for (int k = 0; k < n && !order; k++)
    order = strcmp(row->name[k], row->name[n - 1 - k]);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) die(STATUS_INPUT, "out of memory");
  fprintf(out, "%d %d", (int)row->directive, row->function);
  for (int k = 0; k < n; k++)
    fprintf(out, " %s", row->name[order > 0 ? n - 1 - k : k]);
  if (fclose(out)) die(STATUS_INPUT, "out of memory");
  const int before = types->names.n, k = name_map_put(&types->names, text);
  if (k == before) types->row_of[k] = types->n;
  free(text);
  return types->row_of[k];
}

static int have_equal_values(const double *a, const double *b)
{
  for (size_t k = 0; k < sizeof((struct gromacs_types *)0)->value[0] / sizeof *a; k++)
    if (a[k] != b[k]) return 0;
  return 1;
}

/* Several rows of dihedraltypes of function 9 with the same names add up, if they follow each
   other. 1 if a row is one of them; 0 if it stands there already, or with an error if it does not
   follow. */
static int is_next_of_series(const struct gromacs_types *types, const struct row *row,
                             int64_t first, const double *value, struct error_list *m)
{
  int64_t end = first;
  for (; end < types->n && have_equal_names(&types->row[end], &types->row[first]); end++)
    if (have_equal_values(types->value[end], value)) return 0;
  if (end == types->n && have_equal_names(&types->row[first], row)) return 1;
  GROMACS_ERROR(
      m, row->place,
      "dihedrals of function 9 of these types stand already from %s:%d on: rows of the same "
      "types must follow each other, in the same order",
      types->row[first].place.file, types->row[first].place.line);
  return 0;
}

/* Enters a row, or gives its values to the earlier one of the same names, as GROMACS does. */
static void enter_row(struct gromacs_types *types, const struct row *row, int function,
                      const double *value, struct error_list *m)
{
  const size_t bytes = sizeof types->value[0];
  const int64_t first = first_row(types, row);
  if (first == types->n || (row->directive == GROMACS_dihedrals && function == 9 &&
                            is_next_of_series(types, row, first, value, m))) {
    types->row[types->n] = *row;
    memcpy(types->value[types->n++], value, bytes);
    return;
  }
  if ((row->directive == GROMACS_dihedrals && function == 9) ||
      have_equal_values(types->value[first], value))
    return;
  if (types->replaced++ == 0)
    warn("%s:%d: these parameters replace those of the same types in %s:%d", row->place.file,
         row->place.line, types->row[first].place.file, types->row[first].place.line);
  memcpy(types->value[first], value, bytes);
}

static void add_row(struct gromacs_types *types, const struct gromacs_line *line,
                    struct gromacs_words *w, struct error_list *m)
{
  struct row row = {.directive = reader_of(line->directive), .place = line->place};
  double value[TOP_VALUES_MOST] = {0};
  long long function;
  row.beads = beads_of(row.directive);
  gromacs_words_split(w, line->text, line->place, m);
  if (w->n <= row.beads && !(row.beads == 4 && w->n >= 3)) {
    GROMACS_ERROR(m, line->place, "expected %d types and a function", row.beads);
    return;
  }
  const int column = set_names(&row, w);
  if (!gromacs_words_int(w, column, "function", 1, 100, &function)) return;
  row.function = table_of(row.directive, (int)function);
  row.values = columns_of(row.directive, function);
  if (row.values == 0) return;
  for (int k = 0; k < row.values; k++)
    if (!gromacs_words_real(w, column + 1 + k, "parameter", &value[k])) return;
  enter_row(types, &row, (int)function, value, m);
}

struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m)
{
  struct gromacs_types *types = alloc_array(1, sizeof *types);
  struct gromacs_words *w = alloc_array(1, sizeof *w);
  types->row = alloc_array(t->bonded_types.n, sizeof *types->row);
  types->value = alloc_array(t->bonded_types.n, sizeof *types->value);
  types->row_of = alloc_array(t->bonded_types.n, sizeof *types->row_of);
  for (int64_t k = 0; k < t->bonded_types.n; k++)
    add_row(types, &t->bonded_types.line[k], w, m);
  if (types->replaced > 1)
    warn("%d more rows of bonded types replace earlier ones", types->replaced - 1);
  free(w);
  return types;
}

/* How many names of a row are those of the atoms, the others being the wildcard X of dihedrals; -1:
   it does not fit. */
static int match(const struct row *row, const char *const name[4], int backwards)
{
  int exact = 0;
  for (int k = 0; k < row->beads; k++) {
    const char *own = row->name[backwards ? row->beads - 1 - k : k];
    if (!strcmp(own, name[k]))
      exact++;
    else if (row->beads != 4 || strcmp(own, "X") != 0)
      return -1;
  }
  return exact;
}

int gromacs_types_find(const struct gromacs_types *types, enum gromacs_directive directive,
                       int function, int beads, const char *const name[4],
                       const double (**values)[TOP_VALUES_MOST])
{
  const int table = table_of(directive, function);
  int64_t best = -1;
  int most = -1, n = 1;
  for (int64_t k = 0; k < types->n; k++) {
    const struct row *row = &types->row[k];
    if (row->directive != directive || row->function != table || row->beads != beads) continue;
    if (k > 0 && beads == 4 && have_equal_names(row, &types->row[k - 1])) continue;
    int exact = match(row, name, 0);
    const int reversed = match(row, name, 1);
    if (reversed > exact) exact = reversed;
    if (exact <= most) continue; /* of rows that fit equally the first */
    most = exact;
    best = k;
  }
  if (best < 0) return 0;
  *values = (const double(*)[TOP_VALUES_MOST])(types->value + best);
  while (beads == 4 && best + n < types->n &&
         have_equal_names(&types->row[best], &types->row[best + n]))
    n++;
  return n;
}

void gromacs_types_destroy(struct gromacs_types *types)
{
  if (!types) return;
  name_map_free(&types->names);
  free(types->row_of);
  free(types->row);
  free(types->value);
  free(types);
}
