#include "import/gromacs_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_yaml.h"
#include "input/param.h"

void gromacs_write_text(const struct gromacs_writer *w, const char *key, const char *value,
                        const char *from)
{
  const char *dot = strchr(key, '.');
  char *row = text_format("  %s: %s", dot ? dot + 1 : key, value);
  fprintf(w->out, "%-30s  # ", row);
  free(row);
  gromacs_mdp_print(w->mdp, from, w->out);
  fputs("\n", w->out);
}

void gromacs_check_range(const struct gromacs_writer *w, const char *key, double value,
                         const char *from)
{
  double low, high;
  params_range(key, &low, &high);
  if (!(value >= low && value <= high))
    GROMACS_REFUSE(w->mdp, from, "%s = %g: %s of the run file is from %g to %g", from, value, key,
                   low, high);
}

void gromacs_write_real(const struct gromacs_writer *w, const char *key, double value,
                        const char *from)
{
  char text[FORMAT_REAL_BYTES];
  gromacs_check_range(w, key, value, from);
  gromacs_write_text(w, key, format_real(value, text), from);
}

void gromacs_write_int(const struct gromacs_writer *w, const char *key, int64_t value,
                       const char *from)
{
  char text[32];
  gromacs_check_range(w, key, (double)value, from);
  snprintf(text, sizeof text, "%lld", (long long)value);
  gromacs_write_text(w, key, text, from);
}
