#include "md/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "md/biases.h"

void csv_failed(const char *name, const char *checkpoint)
{
  const int error = errno, any = path_exists(checkpoint);
  die(STATUS_IO,
      "cannot write '%s': %s; check that the disk works and has space. Lines before are whole%s%s",
      name, strerror(error), any ? ", and the last checkpoint is " : "", any ? checkpoint : "");
}

void csv_refuse_columns(FILE *f, const char *path, const char *wanted, const char *why)
{
  char *line = NULL;
  size_t room = 0;
  const ssize_t n = getline(&line, &room, f);
  if (n > 0 && line[n - 1] == '\n' && strcmp(line, wanted) != 0)
    die(STATUS_INPUT,
        "'%s' has other columns than this run would write, as with %s. Nothing was changed. Move "
        "it away: then a new one begins at this step",
        path, why);
  rewind(f);
  free(line);
}

/* Adds item k of a list of the run file to those that make a column, if its name and an ending do.
   first: where the first of them is, NULL: none yet. */
static void say_owner(const struct sim *s, FILE *out, char **first, const char *list, int k,
                      const char *name, const char *ending, const char *column)
{
  const size_t n = strlen(name);
  if (strncmp(column, name, n) != 0 || column[n] != '_' || strcmp(column + n + 1, ending) != 0)
    return;
  char *where = params_where(s->params, list, k);
  if (*first) {
    fprintf(out, " and '%s' (%s)", name, where);
    free(where);
  } else {
    fprintf(out, "'%s'", name);
    *first = where;
  }
}

/* Adds an error on a column of a file that is there twice. */
static void add_twin(const struct sim *s, const char *column, const char *file,
                     struct error_list *errors)
{
  static const char *const of_bias[] = {"energy", "force", "place", "work", "mean_force"};
  const struct bias_set *set = s->biases ? &s->biases->set : NULL;
  struct text_stream text;
  char *first = NULL;
  FILE *out = text_begin(&text);
  for (int k = 0; set && k < set->n_coordinates; k++)
    say_owner(s, out, &first, "coordinates", k, set->coordinate[k].name,
              coordinate_kind_info[set->coordinate[k].kind].unit, column);
  for (int k = 0; set && k < set->n_biases; k++)
    for (size_t e = 0; e < sizeof of_bias / sizeof *of_bias; e++)
      say_owner(s, out, &first, "biases", k, set->bias[k].name, of_bias[e], column);
  char *owners = text_end(&text);
  error_list_add(errors, first ? first : file, 0,
                 "%s: the column %s would be in '%s' twice: choose another name", owners, column,
                 file);
  free(owners);
  free(first);
}

void csv_refuse_twins(const struct sim *s, const char *head, const char *ending)
{
  struct error_list errors = {0};
  char *file = path_with(s->params->output_prefix, ending), *text = text_copy(head), *rest = NULL;
  char **column = alloc_array((long long)strlen(head) + 1, sizeof *column);
  int n = 0;
  for (char *word = strtok_r(text, ",\n", &rest); word; word = strtok_r(NULL, ",\n", &rest)) {
    column[n] = word;
    for (int k = 0; k < n; k++)
      if (!strcmp(column[k], word)) {
        add_twin(s, word, file, &errors);
        break;
      }
    n++;
  }
  error_list_check(&errors);
  free(column);
  free(text);
  free(file);
}

int64_t csv_trim(const char *name, int64_t step)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  off_t keep = 0;
  int64_t last = -1;
  FILE *f = fopen(name, "r+");
  if (!f) return last;
  while ((n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    if (keep > 0 && strtoll(line, NULL, 10) > step) break;
    if (keep > 0) last = strtoll(line, NULL, 10);
    keep = ftello(f);
  }
  free(line);
  if (fflush(f) || ftruncate(fileno(f), keep)) csv_failed(name, "");
  fclose(f);
  return last;
}
