/* Tables of pairs and bonded terms of a force field: `tables` says where each stands and in which
   units, `files` holds the texts of the files, so that the text of a force field is whole. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"

enum {
  TABLES_MOST = 10000,
  PIECES_MOST = 1 << 24 /* of all tables: kernels have their numbers as reals */
};

static void parse_factors(struct yaml_tree *yaml, int node, struct tabulated_source *from)
{
  const int list = yaml_get(yaml, node, "factors");
  from->n_factors = 1;
  from->factor[0] = 1;
  if (!list || !yaml_expect_list(yaml, list, 1, TABULATED_POTENTIALS_MOST)) return;
  from->n_factors = yaml_count(yaml, list);
  yaml_reals(yaml, list, from->n_factors, from->factor, -1e9, 1e9);
  if (from->section && from->n_factors > 1)
    yaml_add_error(yaml, list, "a section has one potential, and one factor");
}

static void parse_source(struct yaml_tree *yaml, int node, struct tabulated_source *from)
{
  const int file = yaml_need(yaml, node, "file"), section = yaml_get(yaml, node, "section");
  const int files = yaml_get(yaml, yaml_root(yaml), "files");
  from->origin = yaml_text(yaml, file, "");
  from->section = section ? yaml_text(yaml, section, "") : NULL;
  from->length = yaml_real(yaml, yaml_get(yaml, node, "length"), 1, YAML_POSITIVE, 1e6);
  from->energy = yaml_real(yaml, yaml_get(yaml, node, "energy"), 1, YAML_POSITIVE, 1e6);
  from->interpolation = (enum tabulated_interpolation)yaml_choice(
      yaml, yaml_get(yaml, node, "interpolation"), 0, CHOICES_TEXT(INTERPOLATION_CHOICES));
  from->cutoff = yaml_real(yaml, yaml_get(yaml, node, "cutoff"), 0, YAML_POSITIVE, 1e3);
  parse_factors(yaml, node, from);
  const int text = yaml_get(yaml, files, from->origin);
  if (file && !text) yaml_add_error(yaml, file, "'files' has no text of '%s'", from->origin);
  from->text = yaml_text(yaml, text, "");
}

static void parse_table(struct yaml_tree *yaml, int node, struct tabulated *t)
{
  struct tabulated_source from;
  const int errors = yaml_errors(yaml);
  if (!yaml_expect_map(yaml, node, "file|section|length|energy|interpolation|factors|cutoff"))
    return;
  parse_source(yaml, node, &from);
  if (yaml_errors(yaml) > errors) return;
  struct tabulated_rows rows = tabulated_read(&from, yaml_error_list(yaml));
  if (yaml_errors(yaml) == errors) tabulated_make(t, &rows, from.interpolation);
  tabulated_rows_free(&rows);
}

void forcefield_parse_tables(struct yaml_tree *yaml, struct forcefield *ff)
{
  const int root = yaml_root(yaml), map = yaml_get(yaml, root, "tables");
  yaml_expect_map(yaml, yaml_get(yaml, root, "files"), NULL);
  if (!map || !yaml_expect_map(yaml, map, NULL)) return;
  ff->n_tables = yaml_count(yaml, map);
  if (ff->n_tables > TABLES_MOST) {
    yaml_add_error(yaml, map, "at most %d tables are possible", TABLES_MOST);
    ff->n_tables = 0;
  }
  long long pieces = 0;
  ff->table = alloc_array(ff->n_tables, sizeof *ff->table);
  for (int k = 0; k < ff->n_tables; k++) {
    struct tabulated *t = &ff->table[k];
    const char *name = yaml_key(yaml, map, k);
    if (strlen(name) >= TABULATED_NAME)
      yaml_add_error(yaml, yaml_item(yaml, map, k), "a name has at most %d letters",
                     TABULATED_NAME - 1);
    snprintf(t->name, sizeof t->name, "%s", name);
    parse_table(yaml, yaml_item(yaml, map, k), t);
    pieces += t->n;
  }
  if (pieces > PIECES_MOST)
    yaml_add_error(yaml, map,
                   "the tables have %lld pieces together, more than %d: give them fewer "
                   "rows",
                   pieces, PIECES_MOST);
}

int forcefield_parse_tabulated(struct yaml_tree *yaml, int node)
{
  const int map = yaml_get(yaml, yaml_root(yaml), "tables");
  const char *name = yaml_text(yaml, node, "");
  const int n = yaml_is_map(yaml, map) ? yaml_count(yaml, map) : 0;
  for (int k = 0; n <= TABLES_MOST && k < n; k++)
    if (!strcmp(yaml_key(yaml, map, k), name)) return k + 1;
  if (node) yaml_add_error(yaml, node, "'tables' has no '%s'", name);
  return 0;
}

/* Errors for what pairs and bonds need: r from 0 on. */
static void check_begin(struct yaml_tree *yaml, int node, const struct tabulated *t)
{
  if (t->start < 0)
    yaml_add_error(yaml, node, "the table '%s' begins at %g nm: distances are from 0 on", t->name,
                   t->start);
}

void forcefield_check_pair_table(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                                 const struct tabulated *t)
{
  if (!t->piece) return; /* has an error of its own */
  check_begin(yaml, node, t);
  if (tabulated_first_force(t) < 0)
    yaml_add_error(yaml, node,
                   "the table '%s' begins at %.8g nm with an attraction, F = %.6g kJ/mol/nm, so "
                   "that it says nothing of closer beads; begin where beads repel each other",
                   t->name, t->start, tabulated_first_force(t));
  if (tabulated_end(t) > ff->cutoff * (1 + 1e-9))
    yaml_add_error(yaml, node, "the table '%s' ends at %g nm, beyond the cutoff of %g nm", t->name,
                   tabulated_end(t), ff->cutoff);
}

void forcefield_check_bonded_table(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                                   const struct ff_bonded *b)
{
  const struct tabulated *t = forcefield_bonded_table(ff, b);
  const int section = (int)bonded_form_info[b->form].section;
  const double from = section == SECTION_dihedral ? -180 : 0, room = 1e-6;
  if (!t || !t->piece) return;
  if (section == SECTION_bond)
    check_begin(yaml, node, t);
  else if (fabs(t->start - from) > room || fabs(tabulated_end(t) - 180) > room)
    yaml_add_error(yaml, node,
                   "the table '%s' goes from %g to %g: one of %ss goes from %g to 180 degrees",
                   t->name, t->start, tabulated_end(t), bonded_section_name[section], from);
}

/* Ends where a line has what a YAML text cannot keep. */
static void check_line(const char *path, int number, const char *line, size_t n)
{
  for (size_t k = 0; k < n; k++)
    if ((unsigned char)line[k] >= 127 || ((unsigned char)line[k] < ' ' && line[k] != '\t'))
      die_all(STATUS_INPUT, "%s:%d: the line has a byte that is no printable ASCII character", path,
              number);
}

/* An entry of `files`: the text as a literal block. */
static void append_file(FILE *out, const char *name, const char *path)
{
  char *text = text_read_file(path, YAML_TEXT_MAX), *key = format_yaml_string(name);
  int number = 1;
  fprintf(out, "  %s: |2\n", key);
  for (const char *line = text; *line; number++) {
    const size_t length = strcspn(line, "\n");
    const size_t n = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    check_line(path, number, line, n);
    fprintf(out, "    %.*s\n", (int)n, line);
    line += length + (line[length] == '\n');
  }
  free(text);
  free(key);
}

/* 1 if an earlier table stands in the same file. */
static int is_named_before(const struct yaml_tree *t, int tables, int k, const char *file)
{
  for (int n = 0; n < k; n++)
    if (yaml_is_text(t, yaml_get(t, yaml_item(t, tables, n), "file"), file)) return 1;
  return 0;
}

static void append_files(FILE *out, struct yaml_tree *t, int tables, const char *path)
{
  const char *end = strrchr(path, '/');
  const size_t folder = end ? (size_t)(end - path) + 1 : 0;
  fputs("files:\n", out);
  for (int k = 0; k < yaml_count(t, tables); k++) {
    const int node = yaml_get(t, yaml_item(t, tables, k), "file");
    const char *file = yaml_text(t, node, "");
    char from[4096];
    if (!*file || is_named_before(t, tables, k, file)) continue;
    if (snprintf(from, sizeof from, "%.*s%s", file[0] == '/' ? 0 : (int)folder, path, file) >=
        (int)sizeof from)
      die_all(STATUS_INPUT, "%s: the path of table '%s' is too long", path, file);
    if (access(from, R_OK) != 0)
      die_all(STATUS_INPUT, "%s:%d: cannot read the table file '%s': %s", path, yaml_line(t, node),
              from, strerror(errno));
    append_file(out, file, from);
  }
}

char *forcefield_add_files(char *text, const char *path)
{
  struct error_list errors = {0};
  struct yaml_tree *t = yaml_parse(text, path, &errors);
  const int root = yaml_root(t), tables = yaml_get(t, root, "tables");
  if (yaml_is_map(t, tables) && !yaml_get(t, root, "files")) {
    struct text_stream whole;
    FILE *out = text_begin(&whole);
    fprintf(out, "%s%s", text, text[0] && text[strlen(text) - 1] != '\n' ? "\n" : "");
    append_files(out, t, tables, path);
    free(text);
    text = text_end(&whole);
    if (strlen(text) > YAML_TEXT_MAX)
      die_all(STATUS_INPUT,
              "%s: with the files of its tables it is larger than %d bytes; give them "
              "fewer rows",
              path, YAML_TEXT_MAX);
  }
  yaml_destroy(t);
  error_list_free(&errors);
  return text;
}
