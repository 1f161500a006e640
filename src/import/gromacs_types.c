/* Tables of bonded types: see gromacs_forms.h. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "import/gromacs_forms.h"

struct row {
  enum gromacs_directive directive; /* that reads it: GROMACS_bonds, ... */
  int function, beads, values;
  const char *name[4]; /* of the topology's line */
};

struct gromacs_types {
  int64_t n;
  struct row *row;
  double (*value)[GROMACS_VALUES_MOST];
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
  const struct gromacs_form *form = gromacs_form_find(reader, (int)function);
  if (reader == GROMACS_constraints) return function == 1 || function == 2;
  return form ? form->values : 0;
}

static void add_row(struct gromacs_types *types, const struct gromacs_line *line,
                    struct gromacs_words *w, struct error_list *m)
{
  struct row row = {.directive = reader_of(line->directive)};
  double value[GROMACS_VALUES_MOST] = {0};
  long long function;
  row.beads = beads_of(row.directive);
  gromacs_words_split(w, line->text, line->place, m);
  if (w->n <= row.beads && !(row.beads == 4 && w->n >= 3)) {
    GROMACS_ERROR(m, line->place, "expected %d types and a function", row.beads);
    return;
  }
  const int column = set_names(&row, w);
  if (!gromacs_words_int(w, column, "function", 1, 100, &function, line->place, m)) return;
  row.function = table_of(row.directive, (int)function);
  row.values = columns_of(row.directive, function);
  if (row.values == 0) return;
  for (int k = 0; k < row.values; k++)
    if (!gromacs_words_real(w, column + 1 + k, "parameter", &value[k], line->place, m)) return;
  types->row[types->n] = row;
  memcpy(types->value[types->n++], value, sizeof value);
}

struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m)
{
  struct gromacs_types *types = alloc_array(1, sizeof *types);
  struct gromacs_words *w = alloc_array(1, sizeof *w);
  types->row = alloc_array(t->bonded_types.n, sizeof *types->row);
  types->value = alloc_array(t->bonded_types.n, sizeof *types->value);
  for (int64_t k = 0; k < t->bonded_types.n; k++)
    add_row(types, &t->bonded_types.line[k], w, m);
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

static int have_equal_names(const struct row *a, const struct row *b)
{
  for (int k = 0; k < a->beads; k++)
    if (strcmp(a->name[k], b->name[k]) != 0) return 0;
  return a->directive == b->directive && a->function == b->function;
}

int gromacs_types_find(const struct gromacs_types *types, enum gromacs_directive directive,
                       int function, int beads, const char *const name[4],
                       const double (**values)[GROMACS_VALUES_MOST])
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
    /* of rows that fit equally a later one replaces the one before, except of dihedrals */
    if (exact < 0 || exact < most || (exact == most && beads == 4)) continue;
    most = exact;
    best = k;
  }
  if (best < 0) return 0;
  *values = (const double(*)[GROMACS_VALUES_MOST])(types->value + best);
  while (beads == 4 && best + n < types->n &&
         have_equal_names(&types->row[best], &types->row[best + n]))
    n++;
  return n;
}

void gromacs_types_destroy(struct gromacs_types *types)
{
  if (!types) return;
  free(types->row);
  free(types->value);
  free(types);
}
