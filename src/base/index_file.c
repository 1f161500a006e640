#include "base/index_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/words.h"

static const size_t file_most = (size_t)1 << 40;
enum { DIGITS_MOST = 24 }; /* more are no integer, though they may round to one */

/* The name in the header that a line begins with. *rest: what follows it. */
static const char *header_name(char *line, char **rest)
{
  char *end = line + strcspn(line, "]");
  *rest = end + (*end != 0); /* atoms may follow */
  *end = 0;
  return text_trim(line + 1);
}

/* The group that is read. */
struct wanted {
  const char *path, *name;
  int64_t most, n, *atom;
  int inside, headers, found, line, again; /* again: the line of the second of the name */
  struct error_list *errors;
};

static void begin_group(struct wanted *w, char **line)
{
  if (!strchr(*line, ']'))
    error_list_add(w->errors, w->path, w->line, "expected [ GROUP ]: the bracket is not closed");
  w->headers++;
  w->inside = !strcasecmp(header_name(*line, line), w->name);
  w->found += w->inside;
  if (w->inside && w->found == 2) w->again = w->line;
}

static void take_word(struct wanted *w, const char *word)
{
  int64_t atom;
  if (w->headers == 0)
    error_list_add(w->errors, w->path, w->line, "'%.20s' stands before the first [ GROUP ]", word);
  if (!w->inside) return;
  if (strlen(word) < DIGITS_MOST && parse_int(word, &atom) && atom >= 1 && atom <= w->most) {
    w->atom = extend_array(w->atom, w->n, sizeof *w->atom);
    w->atom[w->n++] = atom;
  } else
    error_list_add(w->errors, w->path, w->line,
                   "group '%.60s': '%.20s' is no atom of the topology, 1 to %lld", w->name, word,
                   (long long)w->most);
}

int64_t index_file_read(const char *path, const char *name, int64_t most, int64_t **atom,
                        struct error_list *m)
{
  struct wanted w = {.path = path, .name = name, .most = most, .errors = m};
  char *all = text_read_file(path, file_most), *next = all, *line, *rest;
  while ((line = line_next(&next, &w.line, ';', NULL))) {
    if (*line == '[') begin_group(&w, &line);
    for (char *word = strtok_r(line, WORDS_BLANKS, &rest); word;
         word = strtok_r(NULL, WORDS_BLANKS, &rest))
      take_word(&w, word);
  }
  if (w.found > 1)
    error_list_add(m, path, w.again, "there are %d groups of the name '%.60s'", w.found, name);
  free(all);
  *atom = w.atom;
  return w.found ? w.n : -1;
}

char *index_file_names(const char *path)
{
  char *all = text_read_file(path, file_most), *next = all, *line;
  struct text_stream names;
  FILE *out = text_begin(&names);
  const char *between = "";
  int number = 0;
  while ((line = line_next(&next, &number, ';', NULL))) {
    if (*line != '[') continue;
    fprintf(out, "%s%s", between, header_name(line, &line));
    between = ", ";
  }
  free(all);
  return text_end(&names);
}
