#include "md/coordinate_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "md/biases.h"
#include "md/csv.h"
#include "pair/bias_body.h"

struct coordinate_file {
  struct sim *sim;
  FILE *file; /* NULL: this rank writes none */
  char *name;
  const char *checkpoint;
  int64_t last; /* step of the last line */
};

static int has_file(const struct sim *s)
{
  return s->biases && s->biases->set.rows_every > 0 && s->ranks->rank == 0;
}

/* The line of column names. Caller frees. */
static char *head_text(const struct sim *s)
{
  const struct bias_set *set = &s->biases->set;
  struct text_stream text;
  FILE *out = text_begin(&text);
  fputs("step,time_ps", out);
  for (int k = 0; k < set->n_coordinates; k++)
    fprintf(out, ",%s_%s", set->coordinate[k].name,
            coordinate_kind_info[set->coordinate[k].kind].unit);
  for (int k = 0; k < set->n_biases; k++) {
    const char *name = set->bias[k].name;
    fprintf(out, ",%s_energy,%s_force,%s_place,%s_work", name, name, name, name);
  }
  for (int k = 0; k < set->n_constraints; k++)
    fprintf(out, ",%s_mean_force", set->bias[set->constraint[k]].name);
  fputs("\n", out);
  return text_end(&text);
}

void coordinate_file_refuse_twins(const struct sim *s)
{
  if (!s->biases || s->biases->set.rows_every == 0) return;
  char *text = head_text(s);
  csv_refuse_twins(s, text, ".coordinates.csv");
  free(text);
}

double coordinate_file_line_bytes(const struct sim *s)
{
  enum { NUMBER = 14 }; /* bytes of a number and its comma */
  return s->biases && s->biases->set.rows_every > 0
             ? NUMBER * (2.0 + bias_row_length(&s->biases->set))
             : 0;
}

/* Warns if an open file lacks the last lines before the step from which the run goes on. */
static void warn_of_gap(const struct sim *s, FILE *f, const char *path)
{
  const int64_t step = s->system->clock.step, every = s->biases->set.rows_every;
  int64_t last = -1, apart = every;
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  for (int k = 0; (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n'; k++) {
    const int64_t now = k > 0 ? strtoll(line, NULL, 10) : -1;
    if (now > step) break;
    if (last >= 0) apart = now - last;
    last = now;
  }
  free(line);
  if (last < 0 ? step > 0 : step - last >= (apart > every ? apart : every))
    warn("'%s' has no lines of the steps from %" PRId64 " to %" PRId64
         ", from which the run goes on: it is not whole, or of another run",
         path, last + 1, step);
}

void coordinate_file_check(const struct sim *s)
{
  char *path = path_with(s->params->output_prefix, ".coordinates.csv");
  if (has_file(s) && path_exists(path)) {
    char why[160], *wanted = head_text(s);
    FILE *f = text_open(path, SIZE_MAX, why);
    if (!f) die(STATUS_IO, "cannot read '%s': %s", path, why);
    csv_refuse_columns(f, path, wanted, "other `coordinates` or `biases`");
    warn_of_gap(s, f, path);
    fclose(f);
    free(wanted);
  } else if (has_file(s) && s->system->clock.step > 0 &&
             run_record_force(&s->system->run, "coordinates")) {
    warn("'%s', the coordinates of the run, is not there: a new file begins at step %" PRId64, path,
         s->system->clock.step);
  }
  ranks_barrier(s->ranks);
  free(path);
}

static void failed(const struct coordinate_file *f)
{
  csv_failed(f->name, f->checkpoint);
}

struct coordinate_file *coordinate_file_open(struct sim *s, const char *checkpoint, int restarted)
{
  struct coordinate_file *f = alloc_array(1, sizeof *f);
  *f = (struct coordinate_file){s, NULL, path_with(s->params->output_prefix, ".coordinates.csv"),
                                checkpoint, -1};
  if (!has_file(s)) return f;
  if (restarted) f->last = csv_trim(f->name, s->system->clock.step);
  f->file = fopen(f->name, restarted ? "a" : "w");
  if (!f->file) failed(f);
  char *text = head_text(s);
  if (ftello(f->file) == 0 && (fputs(text, f->file) < 0 || fflush(f->file))) failed(f);
  free(text);
  coordinate_file_write(f);
  return f;
}

static void write_row(void *context, int64_t step, const double *row)
{
  struct coordinate_file *f = context;
  const struct bias_set *set = &f->sim->biases->set;
  if (!f->file || step <= f->last) return;
  f->last = step;
  fprintf(f->file, "%" PRId64 ",%.10g", step, bias_time(set, step));
  for (int k = 0; k < bias_row_length(set); k++)
    fprintf(f->file, ",%.12g", row[k] + 0.0); /* not -0 */
  if (fputs("\n", f->file) < 0) failed(f);
}

void coordinate_file_write(struct coordinate_file *f)
{
  biases_take_rows(f->sim, write_row, f);
  if (f->file && (fflush(f->file) || ferror(f->file))) failed(f);
}

void coordinate_file_sync(const struct coordinate_file *f)
{
  if (f->file && fsync(fileno(f->file)) && errno != EINVAL) failed(f);
}

void coordinate_file_close(struct coordinate_file *f)
{
  if (f->file && fclose(f->file)) failed(f);
  free(f->name);
  free(f);
}
