#include "cli/trajectory_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"

char *trajectory_beside(const char *trajectory, const char *suffix)
{
  const size_t n = strlen(trajectory);
  char *base = text_copy(trajectory);
  if (n > 5 && !strcmp(base + n - 5, ".h5md")) base[n - 5] = 0;
  char *name = path_with(base, suffix);
  free(base);
  return name;
}

static int64_t frame_option(const struct arguments *a, const char *name, int64_t standard,
                            int64_t most)
{
  const char *text = arguments_value(a, name);
  int64_t value = standard;
  if (text && (!parse_int(text, &value) || value < 1 || value > most))
    die_all(STATUS_INPUT, "--%s=%s: frames are counted from 1, and there are %lld", name, text,
            (long long)most);
  return value - 1;
}

struct analyze_range trajectory_range(const struct arguments *a, const struct trajectory_reader *t)
{
  const int64_t n = t->index.frames;
  trajectory_reader_warn(t);
  if (n == 0) die_all(STATUS_INPUT, "'%s' has no frames", t->in->path);
  struct analyze_range range = {frame_option(a, "first", 1, n), frame_option(a, "last", n, n)};
  if (range.first > range.last)
    die_all(STATUS_INPUT, "--first=%lld is after --last=%lld: no frames",
            (long long)range.first + 1, (long long)range.last + 1);
  return range;
}
