/* User tables of GROMACS: see gromacs_tables_write in gromacs.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "import/gromacs_yaml.h"

static const char suffix[] = ".xvg", preset[] = "table.xvg";

/* 1 for a name that ends in _b0.xvg or the like, of a bonded table. */
static int is_of_bonded(const char *name)
{
  const char *at = strrchr(name, '_');
  if (!at || !at[1] || !strchr("bad", at[1])) return 0;
  return !strcmp(at + 2 + strspn(at + 2, "0123456789"), suffix);
}

/* The file of a bonded table that ends so: a value of --tableb, or made of one without such an
   ending. Caller frees. */
static char *bonded_file(const struct gromacs_tables *t, const char *ending)
{
  const char *base = preset;
  for (int k = 0; k < t->n_bonded; k++) {
    if (path_ends(t->bonded[k], ending)) return text_copy(t->bonded[k]);
    if (!is_of_bonded(t->bonded[k])) base = t->bonded[k];
  }
  return path_instead(base, suffix, ending);
}

/* An entry of `tables:` as far as its file. */
static void write_file(FILE *out, const char *name, const char *file)
{
  char *text = format_yaml_string(file);
  fprintf(out, "  %s: {file: %s, interpolation: hermite", name, text);
  free(text);
}

/* The table of a bonded term, unless it stands already. done: names of all before. */
static void write_bonded(FILE *out, const struct gromacs_tables *t, const struct gromacs_term *term,
                         struct name_map *done, struct error_list *m)
{
  const struct bonded_form_info *form = &bonded_form_info[term->form];
  const char *section = bonded_section_name[form->section];
  const int number = (int)term->value[1];
  char name[16], ending[24];
  snprintf(name, sizeof name, "%c%d", section[0], number);
  snprintf(ending, sizeof ending, "_%s%s", name, suffix);
  if (name_map_find(done, name) >= 0) return;
  if (done->n == 0) fputs("tables:\n", out);
  name_map_put(done, name);
  char *file = bonded_file(t, ending);
  if (access(file, R_OK) != 0)
    LINE_ERROR(m, term->where,
               "the table %d of %ss is read from a file of user tables (mdrun -tableb): cannot "
               "read '%s': %s; name it by --tableb=FILE%s",
               number, section, file, strerror(errno), ending);
  write_file(out, name, file);
  fputs("}", out);
  gromacs_yaml_line(out, term->where);
  free(file);
}

int gromacs_tables_write(FILE *out, const struct gromacs *g, const struct gromacs_tables *tables,
                         struct error_list *m)
{
  struct name_map done = {0};
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_terms; k++) {
      const struct gromacs_term *term = &g->molecule[n].term[k];
      if (bonded_form_info[term->form].reads == BONDED_READS_table)
        write_bonded(out, tables, term, &done, m);
    }
  const int n = done.n;
  name_map_free(&done);
  return n;
}
