#include "cli/map_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "io/path_check.h"

#define LENGTH_LEAST 1e-6
#define LENGTH_MOST 1e3
#define FAR_MOST 1e6 /* of a point: beyond, its place in a periodic box would be rounded */

static int word(const struct arguments *a, const char *name)
{
  const struct option_help *o = a->command->option;
  while (strcmp(o->name, name) != 0)
    o++;
  return word_list_find(o->argument, arguments_value(a, name));
}

static double length(const struct arguments *a, const char *name)
{
  const char *text = arguments_value(a, name);
  double value = 0;
  if (text && (!parse_real(text, &value) || !(value >= LENGTH_LEAST && value <= LENGTH_MOST)))
    die_all(STATUS_INPUT, "--%s=%s: is no length in nm of %g to %g", name, text, LENGTH_LEAST,
            LENGTH_MOST);
  return value;
}

/* 1 and sets x if the option is given. */
static int corner(const struct arguments *a, const char *name, double x[3])
{
  const char *text = arguments_value(a, name), *rest = text;
  for (int k = 0; text && k < 3; k++) {
    char number[64];
    const size_t n = strcspn(rest, ",");
    snprintf(number, sizeof number, "%.*s", (int)(n < 63 ? n : 63), rest);
    if (!parse_real(number, &x[k]) || (rest[n] == ',') != (k < 2))
      die_all(STATUS_INPUT, "--%s=%s: is no point X,Y,Z in nm", name, text);
    if (fabs(x[k]) > FAR_MOST)
      die_all(STATUS_INPUT, "--%s=%s: lies farther than %g nm", name, text, FAR_MOST);
    rest += n + 1;
  }
  return text != NULL;
}

/* Options that the method does not have. */
static void check_unused(const struct arguments *a, const struct map_request *q)
{
  const char *method = arguments_value(a, "method");
  if (q->method == MAP_FULL && q->compensated)
    die_all(STATUS_INPUT, "--sum=compensated: method full adds no pairs");
  if (q->method != MAP_DIRECT && q->method != MAP_FULL) return;
  if (q->cutoff > 0) warn("--cutoff: method %s has none: it is not used", method);
  if (q->bin > 0) warn("--bin: method %s has none: it is not used", method);
}

struct map_request map_request_read(const struct arguments *a)
{
  struct map_request q = {.output = arguments_value(a, "output")};
  q.method = (enum map_method)word(a, "method");
  q.double_precision = word(a, "precision");
  q.compensated = word(a, "sum");
  q.cutoff = length(a, "cutoff");
  q.spacing = length(a, "spacing");
  q.bin = length(a, "bin");
  check_unused(a, &q);
  q.has_extent = corner(a, "low", q.low);
  if (corner(a, "high", q.high) != q.has_extent)
    die_all(STATUS_INPUT, "--low and --high are given together");
  for (int k = 0; q.has_extent && k < 3; k++)
    if (q.low[k] > q.high[k])
      die_all(STATUS_INPUT, "--low=%s lies beyond --high=%s: no points", arguments_value(a, "low"),
              arguments_value(a, "high"));
  return q;
}

int map_request_is_dx(const char *path)
{
  const size_t n = strlen(path);
  return n > 3 && !strcmp(path + n - 3, ".dx");
}

char *map_request_deviation(const char *path)
{
  char *base = text_copy(path);
  base[strlen(path) - 3] = 0;
  char *all = path_with(base, ".deviation.dx");
  free(base);
  return all;
}

void map_request_check_output(const struct ranks *r, const char *input, const char *path)
{
  const size_t n = strlen(path);
  if (!map_request_is_dx(path) && (n <= 3 || strcmp(path + n - 3, ".h5") != 0))
    die_all(STATUS_INPUT, "--output=%s: the name ends in .h5 (HDF5) or .dx (OpenDX)", path);
  path_check(r, path);
  path_check_folder(r, path);
  if (!map_request_is_dx(path)) return;
  char *second = map_request_deviation(path);
  path_check(r, second);
  if (r->rank == 0) path_spare_input("--output", second, input);
  free(second);
}
