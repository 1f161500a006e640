/* Text is made by the ranks, each of its beads, and written by rank 0 in rounds, so that memory
   does not grow with the system; binary frames are gathered on rank 0. */
#include "io/frame_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "io/path.h"
#include "io/replace.h"

enum { ROUND = 1 << 18 };

static const struct frame_format *const formats[] = {&frame_xtc, &frame_trr, &frame_dcd, &frame_gro,
                                                     &frame_pdb};
enum { FORMATS = sizeof formats / sizeof formats[0] };

struct frame_file {
  const struct ranks *ranks;
  const struct frame_format *format;
  const struct frame_series *series;
  const struct system *s;
  const struct selection *selection;
  int *place;               /* text: of the beads of the block */
  char *target, *temporary; /* its name, and the file that is written */
  FILE *out;                /* rank 0 */
};

const struct frame_format *frame_format_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  for (int k = 0; dot && k < FORMATS; k++)
    if (!strcasecmp(dot + 1, formats[k]->suffix)) return formats[k];
  return NULL;
}

const char *frame_format_suffixes(char text[FRAME_LINE])
{
  int n = 0;
  for (int k = 0; k < FORMATS; k++)
    n += snprintf(text + n, (size_t)(FRAME_LINE - n), "%s.%s", k ? ", " : "", formats[k]->suffix);
  return text;
}

/* Rank 0: removes the temporary file and dies. */
static void failed(const struct frame_file *f, int why)
{
  unlink(f->temporary);
  die(STATUS_IO, "cannot write '%s': %s; see that the disk has room", f->target, strerror(why));
}

static void exceeds(const struct frame_file *f, int64_t number, double time)
{
  if (f->ranks->rank == 0) {
    fclose(f->out);
    unlink(f->temporary);
  }
  die_all(STATUS_INPUT, "'%s': frame %lld (%g ps) does not fit: %s", f->target, (long long)number,
          time, f->format->limit);
}

struct frame_file *frame_file_open(const struct ranks *r, const char *path,
                                   const struct frame_format *format,
                                   const struct frame_series *series, const struct system *s,
                                   const struct selection *selection)
{
  if (series->beads > format->beads_most)
    die_all(STATUS_INPUT, "'%s': .%s files hold %lld beads, not %lld: choose fewer with --select",
            path, format->suffix, (long long)format->beads_most, (long long)series->beads);
  struct frame_file *f = alloc_array(1, sizeof *f);
  *f = (struct frame_file){.ranks = r, .format = format, .series = series, .s = s};
  f->selection = selection;
  f->target = path_target(path);
  f->temporary = path_with(f->target, ".tmp");
  if (format->line) f->place = bead_places(r, s);
  const int64_t last = series->step + (series->frames - 1) * series->interval;
  if (format->steps_32 && last > INT32_MAX)
    warn("steps of .%s files have 31 bits: those of 2^31 and more are stored modulo 2^31",
         format->suffix);
  if (r->rank == 0) {
    f->out = path_create(f->temporary);
    if (!f->out) die(STATUS_IO, "cannot write '%s': %s", f->temporary, strerror(errno));
    if (format->open) format->open(f->out, series);
  }
  return f;
}

static int64_t clip(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

/* Makes the lines of the beads first ... last - 1 of the block; returns their bytes, or -1 if one
   does not fit. */
static int64_t make_lines(const struct frame_file *f, const struct frame_block *b, int64_t first,
                          int64_t last, char *text)
{
  int64_t used = 0;
  for (int64_t m = first; m < last; m++) {
    const int64_t k = selection_bead(f->selection, m);
    const struct frame_bead bead = {bead_place_label(f->s, k, f->place[k]),
                                    f->selection->first + m + 1, b->position[m],
                                    b->velocity ? b->velocity[m] : NULL};
    const int n = f->format->line(f->series, &bead, text + used);
    if (n == 0) return -1;
    used += n;
  }
  return used;
}

static void add_text(struct frame_file *f, const struct frame_block *b)
{
  const struct ranks *r = f->ranks;
  const int64_t before = f->selection->first;
  char *text = alloc_array(ROUND < f->selection->total ? ROUND : f->selection->total, FRAME_LINE);
  if (r->rank == 0) f->format->begin(f->out, f->series, b);
  for (int64_t start = 0; start < f->selection->total; start += ROUND) {
    int64_t bytes = make_lines(f, b, clip(start - before, 0, b->n),
                               clip(start + ROUND - before, 0, b->n), text);
    int64_t least = bytes, total;
    ranks_min_int64(r, &least, 1);
    if (least < 0) exceeds(f, b->number, b->time);
    char *all = ranks_gather(r, text, bytes, &total);
    if (r->rank == 0) fwrite(all, 1, (size_t)total, f->out);
    free(all);
  }
  if (r->rank == 0) f->format->end(f->out, f->series, b);
  free(text);
}

static void add_binary(struct frame_file *f, const struct frame_block *b)
{
  struct frame_block all = *b;
  int64_t bytes, good = 1;
  const int64_t own = b->n * (int64_t)sizeof b->position[0];
  all.n = f->selection->total;
  all.position = ranks_gather(f->ranks, b->position, own, &bytes);
  all.velocity = b->velocity ? ranks_gather(f->ranks, b->velocity, own, &bytes) : NULL;
  if (f->ranks->rank == 0) good = f->format->add(f->out, f->series, &all);
  ranks_broadcast(f->ranks, &good, sizeof good);
  if (!good) exceeds(f, b->number, b->time);
  free(all.position);
  free(all.velocity);
}

void frame_file_add(struct frame_file *f, const struct frame_block *b)
{
  errno = 0;
  if (f->format->line)
    add_text(f, b);
  else
    add_binary(f, b);
  if (f->ranks->rank == 0 && (fflush(f->out) || ferror(f->out))) failed(f, errno ? errno : EIO);
}

void frame_file_close(struct frame_file *f)
{
  if (f->ranks->rank == 0) replace_close(f->out, f->temporary, f->target);
  ranks_barrier(f->ranks);
  free(f->place);
  free(f->temporary);
  free(f->target);
  free(f);
}
