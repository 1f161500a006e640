/* Tables of bonded types: see gromacs_molecule.h. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "import/gromacs_molecule.h"

struct gromacs_types {
  int64_t n;
  struct gromacs_type_row *row;
  int replaced; /* rows with other values than an earlier one of the same names */
};

/* The terms that read a table. */
static const enum gromacs_directive terms_of[GROMACS_DIRECTIVES] = {
    [GROMACS_bondtypes] = GROMACS_bonds,   [GROMACS_constrainttypes] = GROMACS_constraints,
    [GROMACS_angletypes] = GROMACS_angles, [GROMACS_dihedraltypes] = GROMACS_dihedrals,
    [GROMACS_pairtypes] = GROMACS_pairs,
};

/* 1 for dihedrals of which several stand for the same beads. */
static int is_series(enum gromacs_directive terms, int64_t function)
{
  return terms == GROMACS_dihedrals && function == 9;
}

/* Proper dihedrals of functions 1 and 9 have one table. */
static int table_of(enum gromacs_directive terms, int64_t function)
{
  return is_series(terms, function) ? 1 : (int)function;
}

static int is_digit_word(const char *word)
{
  return word[0] >= '0' && word[0] <= '9' && !word[1];
}

/* The names of a row. Returns the column of the function. A row of dihedraltypes with two names
   stands for the inner beads, of impropers (function 2) for the outer ones. */
static int set_names(struct gromacs_type_row *row, const struct words *w)
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

/* 1 if two rows of a table have the same names, one of them read backwards if so asked. */
static int have_equal_names(const struct gromacs_type_row *a, const struct gromacs_type_row *b,
                            int backwards)
{
  if (a->terms != b->terms || a->function != b->function) return 0;
  for (int k = 0; k < a->beads; k++)
    if (strcmp(a->name[k], b->name[backwards ? a->beads - 1 - k : k]) != 0) return 0;
  return 1;
}

/* The first row of the same table and names, from either end; n: none. */
static int64_t first_row(const struct gromacs_types *types, const struct gromacs_type_row *row)
{
  int64_t k = 0;
  while (k < types->n && !have_equal_names(&types->row[k], row, 0) &&
         !have_equal_names(&types->row[k], row, 1))
    k++;
  return k;
}

static int have_equal_values(const struct gromacs_type_row *a, const struct gromacs_type_row *b)
{
  for (int k = 0; k < TOP_VALUES_MOST; k++)
    if (a->value[k] != b->value[k]) return 0;
  return 1;
}

/* Several rows of dihedraltypes of function 9 with the same names add up, if they follow each
   other. 1 if a row is one of them; 0 if it stands there already, or with an error if it does not
   follow. */
static int is_next_of_series(const struct gromacs_types *types, const struct gromacs_type_row *row,
                             int64_t first, struct error_list *m)
{
  int64_t end = first;
  for (; end < types->n && have_equal_names(&types->row[end], &types->row[first], 0); end++)
    if (have_equal_values(&types->row[end], row)) return 0;
  if (end == types->n && have_equal_names(&types->row[first], row, 0)) return 1;
  LINE_ERROR(m, row->where,
             "dihedrals of function 9 of these types stand already from %s:%d on: rows of the same "
             "types must follow each other, in the same order",
             types->row[first].where.file, types->row[first].where.line);
  return 0;
}

/* Enters a row, or gives its values to the earlier one of the same names, as GROMACS does. */
static void enter_row(struct gromacs_types *types, const struct gromacs_type_row *row, int series,
                      struct error_list *m)
{
  const int64_t first = first_row(types, row);
  struct gromacs_type_row *before = &types->row[first];
  if (first == types->n || (series && is_next_of_series(types, row, first, m))) {
    types->row[types->n++] = *row;
  } else if (!series && !have_equal_values(before, row)) {
    if (types->replaced++ == 0)
      warn("%s:%d: these parameters replace those of the same types in %s:%d", row->where.file,
           row->where.line, before->where.file, before->where.line);
    memcpy(before->value, row->value, sizeof row->value);
  }
}

static void read_row(struct gromacs_types *types, const struct gromacs_line *line, struct words *w)
{
  struct gromacs_type_row row = {
      .terms = terms_of[line->directive], .where = line->where, .name = {"", "", "", ""}};
  int64_t function;
  row.beads = gromacs_directive_info[row.terms].beads;
  w->where = line->where;
  words_split(w, line->text);
  if (w->n <= row.beads && !(row.beads == 4 && w->n >= 3)) {
    WORDS_ERROR(w, "expected %d types and a function", row.beads);
    return;
  }
  const int column = set_names(&row, w);
  if (!words_int(w, column, "function", 1, 100, &function)) return;
  row.function = table_of(row.terms, function);
  const struct top_function *form =
      top_function_find(gromacs_directive_info[row.terms].name, (int)function);
  if (!form) return; /* nothing reads the row */
  for (int k = 0; k < form->values; k++)
    if (!gromacs_read_real(w, column + 1 + k, "parameter", &row.value[k])) return;
  enter_row(types, &row, is_series(row.terms, function), w->m);
}

struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m)
{
  struct gromacs_types *types = alloc_array(1, sizeof *types);
  struct words *w = alloc_array(1, sizeof *w);
  w->m = m;
  types->row = alloc_array(t->bonded_types.n, sizeof *types->row);
  for (int64_t k = 0; k < t->bonded_types.n; k++)
    read_row(types, &t->bonded_types.line[k], w);
  if (types->replaced > 1)
    warn("%d more rows of bonded types replace earlier ones", types->replaced - 1);
  free(w);
  return types;
}

/* How many names of a row are those of the atoms, the others being the wildcard X of dihedrals; -1:
   it does not fit. */
static int match(const struct gromacs_type_row *row, const char *const name[4], int backwards)
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

const struct gromacs_type_row *gromacs_types_find(const struct gromacs_types *types,
                                                  enum gromacs_directive terms, int function,
                                                  const char *const name[4], int *n)
{
  const struct gromacs_type_row *best = NULL, *end = types->row + types->n;
  int most = -1;
  for (const struct gromacs_type_row *row = types->row; row < end; row++) {
    if (row->terms != terms || row->function != table_of(terms, function)) continue;
    if (row > types->row && have_equal_names(row, row - 1, 0)) continue;
    int exact = match(row, name, 0);
    const int reversed = match(row, name, 1);
    if (reversed > exact) exact = reversed;
    if (exact <= most) continue; /* of rows that fit equally the first */
    most = exact;
    best = row;
  }
  for (*n = best != NULL; best && best + *n < end && have_equal_names(best, best + *n, 0);)
    ++*n;
  return best;
}

void gromacs_types_destroy(struct gromacs_types *types)
{
  if (!types) return;
  free(types->row);
  free(types);
}
