/* Tokens and numbers of a LAMMPS data file: see lammps_reader.h. */
#include "import/lammps_reader.h"

#include <limits.h>
#include <string.h>

#include "base/parse.h"

int lammps_line(int64_t line)
{
  return line < INT_MAX ? (int)line : INT_MAX;
}

int lammps_read_line(struct lammps_reader *r)
{
  r->n_tokens = 0;
  while (r->n_tokens == 0 && *r->next) {
    char *text = r->next, *end = text + strcspn(text, "\n"), *rest;
    r->next = *end ? end + 1 : end;
    r->line++;
    *end = 0;
    char *comment = text + strcspn(text, "#");
    r->comment = *comment ? comment + 1 : comment;
    *comment = 0;
    for (char *t = strtok_r(text, " \t\r\v\f", &rest); t; t = strtok_r(NULL, " \t\r\v\f", &rest)) {
      if (r->n_tokens < LAMMPS_MAX_TOKENS) r->token[r->n_tokens] = t;
      r->n_tokens++;
    }
  }
  return r->n_tokens > 0;
}

int lammps_is_word(const char *token)
{
  return (*token >= 'a' && *token <= 'z') || (*token >= 'A' && *token <= 'Z');
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

double lammps_read_real(struct lammps_reader *r, int k, const char *what)
{
  double value = 0;
  if (!parse_real(r->token[k], &value))
    LAMMPS_ERROR(r, "%s: '%.40s' is not a finite number", what, r->token[k]);
  return value;
}

double lammps_read_range(struct lammps_reader *r, int k, const char *what, double min, double max,
                         const char *unit)
{
  double value = 0;
  if (!parse_real(r->token[k], &value))
    LAMMPS_ERROR(r, "%s: '%.40s' is not a finite number", what, r->token[k]);
  else if (!(value >= min && value <= max))
    LAMMPS_ERROR(r, "%s: %.40s; expected %g to %g %s", what, r->token[k], min, max, unit);
  else
    return value;
  return 0;
}

int lammps_read_int(struct lammps_reader *r, int k, const char *what, int64_t min, int64_t max,
                    int64_t *value)
{
  if (!parse_int(r->token[k], value))
    LAMMPS_ERROR(r, "%s: '%.40s' is not a whole number", what, r->token[k]);
  else if (*value < min || *value > max)
    LAMMPS_ERROR(r, "%s %lld does not exist: they run from %lld to %lld", what, (long long)*value,
                 (long long)min, (long long)max);
  else
    return 1;
  return 0;
}

int lammps_read_id(struct lammps_reader *r, int k, int64_t *id)
{
  if (!parse_int(r->token[k], id))
    LAMMPS_ERROR(r, "atom: '%.40s' is not a whole number", r->token[k]);
  else if (*id < 1)
    LAMMPS_ERROR(r, "atom %lld does not exist: ids begin at 1", (long long)*id);
  else
    return 1;
  *id = 0;
  return 0;
}

int lammps_find_label(const struct lammps_file *f, int what, const char *token)
{
  for (int64_t t = 0; f->label[what] && t < f->n_types[what]; t++)
    if (f->label[what][t].line && strcmp(f->label[what][t].text, token) == 0) return (int)t + 1;
  return 0;
}

int lammps_read_type(struct lammps_reader *r, int k, int what, int *type)
{
  static const char *const name[] = {"atom type", "bond type", "angle type"};
  int label = lammps_find_label(r->file, what, r->token[k]);
  int64_t number = label;
  if (!label && !lammps_read_int(r, k, name[what], 1, r->file->n_types[what], &number)) return 0;
  *type = (int)number;
  return 1;
}

int lammps_has_tokens(struct lammps_reader *r, int n, const char *columns)
{
  if (r->n_tokens == n) return 1;
  LAMMPS_ERROR(r, "%d columns; expected %d: %s", r->n_tokens, n, columns);
  return 0;
}
