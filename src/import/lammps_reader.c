/* Words and numbers of a LAMMPS data file: see lammps_reader.h. */
#include "import/lammps_reader.h"

#include <ctype.h>
#include <string.h>

int lammps_read_line(struct lammps_reader *r)
{
  char *line = line_next(&r->next, &r->words.where.line, '#', &r->comment);
  if (line) words_split(&r->words, line);
  return line != NULL;
}

int lammps_is_word(const char *word)
{
  return isalpha((unsigned char)*word) != 0;
}

size_t lammps_style_length(const char *style)
{
  static const char *const suffix[] = {"/omp", "/gpu", "/kk", "/opt", "/intel"};
  size_t n = strlen(style);
  for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++) {
    size_t length = strlen(suffix[k]);
    if (n > length && strcmp(style + n - length, suffix[k]) == 0) return n - length;
  }
  return n;
}

double lammps_read_range(struct lammps_reader *r, int k, const char *what, double min, double max,
                         const char *unit)
{
  double value = 0;
  if (!words_real(&r->words, k, what, &value)) return 0;
  if (value >= min && value <= max) return value;
  LAMMPS_ERROR(r, "%s: %.40s; expected %g to %g %s", what, r->words.word[k], min, max, unit);
  return 0;
}

int lammps_find_label(const struct lammps_file *f, int what, const char *label)
{
  for (int64_t t = 0; f->label[what] && t < f->n_types[what]; t++)
    if (f->label[what][t].line && strcmp(f->label[what][t].text, label) == 0) return (int)t + 1;
  return 0;
}

int lammps_read_type(struct lammps_reader *r, int k, int what, int *type)
{
  static const char *const name[] = {"atom type", "bond type", "angle type"};
  int64_t number = lammps_find_label(r->file, what, r->words.word[k]);
  if (!number && !words_int(&r->words, k, name[what], 1, r->file->n_types[what], &number)) return 0;
  *type = (int)number;
  return 1;
}

int lammps_has_columns(struct lammps_reader *r, int n, const char *columns)
{
  if (r->words.n == n) return 1;
  LAMMPS_ERROR(r, "%d columns; expected %d: %s", r->words.n, n, columns);
  return 0;
}
