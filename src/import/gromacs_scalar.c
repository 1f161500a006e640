/* Scalars and comments of force fields: see gromacs_yaml.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "import/gromacs_yaml.h"

void gromacs_yaml_text(FILE *out, const char *text)
{
  for (const char *c = text; *c; c++)
    fputc(isprint((unsigned char)*c) ? *c : isspace((unsigned char)*c) ? ' ' : '?', out);
}

/* 1 for a name that readers of YAML take for a text without quotes. */
static int is_plain(const char *name)
{
  static const char other[] = "y|n|yes|no|on|off|true|false|null|inf|nan";
  char lower[FF_NAME];
  int plain = isalpha((unsigned char)name[0]) != 0;
  snprintf(lower, sizeof lower, "%.*s", FF_NAME - 1, name);
  for (char *c = lower; *c; c++) {
    plain &= isalnum((unsigned char)*c) || strchr("_+-.", *c) != NULL;
    *c = (char)tolower((unsigned char)*c);
  }
  return plain && word_list_find(other, lower) < 0;
}

void gromacs_yaml_name(FILE *out, const char *name)
{
  char *quoted = format_yaml_string(name);
  fputs(is_plain(name) ? name : quoted, out);
  free(quoted);
}

void gromacs_yaml_real(FILE *out, double value)
{
  char text[FORMAT_REAL_BYTES];
  fputs(format_real(value, text), out);
}

void gromacs_yaml_place(FILE *out, struct gromacs_place place)
{
  fputs("  # ", out);
  gromacs_yaml_text(out, place.file);
  fprintf(out, ":%d\n", place.line);
}
