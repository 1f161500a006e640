/* The ranks make the bytes of their beads, and rank 0 writes them in rounds, so that memory does
   not grow with the system. */
#include "io/foreign/frame_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"

enum { ROUND = 1 << 14 /* beads */ };

static const struct frame_format *const formats[] = {&frame_xtc, &frame_trr, &frame_dcd, &frame_gro,
                                                     &frame_pdb};
enum { FORMATS = sizeof formats / sizeof formats[0] };

struct frame_file {
  const struct ranks *ranks;
  const struct frame_format *format;
  const struct frame_series *series;
  const struct system *s;
  const struct selection *selection;
  int *place;               /* for labels: of the beads of the block */
  char *target, *temporary; /* its name, and the file that is written */
  struct frame_output out;  /* rank 0 */
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

static void exceeds(const struct frame_file *f, int64_t number, double time)
{
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
  if (format->has_labels) f->place = bead_places(r, s);
  const int64_t last = series->step + (series->frames - 1) * series->interval;
  if (format->steps_32 && last > INT32_MAX)
    warn("steps of .%s files have 31 bits: those of 2^31 and more are stored modulo 2^31",
         format->suffix);
  log_remove_at_death(f->temporary); /* a frame that cannot be read may end the program */
  if (r->rank == 0) {
    f->out = (struct frame_output){.stream = path_create(f->temporary), .series = series};
    if (!f->out.stream) die(STATUS_IO, "cannot write '%s': %s", f->temporary, strerror(errno));
    if (format->open) format->open(&f->out);
  }
  return f;
}

/* Makes the bytes of the beads first ... last - 1 of the block; returns their number, or -1 if a
   bead does not fit. */
static int64_t make_beads(const struct frame_file *f, const struct frame_block *b, int pass,
                          int64_t first, int64_t last, char *bytes)
{
  int64_t used = 0;
  for (int64_t m = first; m < last; m++) {
    struct frame_bead bead = {.number = f->selection->first + m + 1,
                              .position = b->position[m],
                              .velocity = b->velocity ? b->velocity[m] : NULL};
    if (f->place) {
      const int64_t k = selection_bead(f->selection, m);
      bead.label = bead_place_label(f->s, k, f->place[k]);
    }
    const int n = f->format->bead(f->series, &bead, pass, bytes + used);
    if (n == 0) return -1;
    used += n;
  }
  return used;
}

/* Rank 0: dies if writing has failed; errno is that of the call before. */
static void require_written(const struct frame_file *f)
{
  if (ferror(f->out.stream))
    die(STATUS_IO, "cannot write '%s': %s; see that the disk has room", f->target,
        strerror(errno ? errno : EIO));
}

/* Rank 0. */
static void put(struct frame_file *f, int pass, char *bytes, int64_t n)
{
  errno = 0;
  if (f->format->put)
    f->format->put(&f->out, pass, bytes, n);
  else
    fwrite(bytes, 1, (size_t)n, f->out.stream);
  require_written(f);
}

/* bytes: room for a round. */
static void add_pass(struct frame_file *f, const struct frame_block *b, int pass, char *bytes)
{
  const struct ranks *r = f->ranks;
  const struct frame_format *format = f->format;
  const int64_t before = f->selection->first;
  int64_t good = 1;
  if (r->rank == 0) format->begin(&f->out, b, pass);
  for (int64_t start = 0; start < f->selection->total; start += ROUND) {
    int64_t n = make_beads(f, b, pass, clip(start - before, 0, b->n),
                           clip(start + ROUND - before, 0, b->n), bytes);
    int64_t least = n, total;
    ranks_min_int64(r, &least, 1);
    if (least < 0) exceeds(f, b->number, b->time);
    char *all = ranks_gather(r, bytes, n, &total);
    if (r->rank == 0) put(f, pass, all, total);
    free(all);
  }
  if (r->rank == 0 && format->end) good = format->end(&f->out, b, pass);
  ranks_broadcast(r, &good, sizeof good);
  if (!good) exceeds(f, b->number, b->time);
}

void frame_file_add(struct frame_file *f, const struct frame_block *b)
{
  const int64_t beads = f->selection->total;
  const int passes = f->format->passes ? f->format->passes(f->series, b) : 1;
  char *bytes = alloc_array(ROUND < beads ? ROUND : beads, FRAME_LINE);
  for (int pass = 0; pass < passes; pass++)
    add_pass(f, b, pass, bytes);
  free(bytes);
  if (f->ranks->rank != 0) return;
  errno = 0;
  fflush(f->out.stream);
  require_written(f);
}

void frame_file_close(struct frame_file *f)
{
  if (f->ranks->rank == 0) {
    if (f->format->close) f->format->close(&f->out);
    replace_close(f->out.stream, f->temporary, f->target);
  }
  ranks_barrier(f->ranks);
  log_keep_at_death(f->temporary);
  free(f->place);
  free(f->temporary);
  free(f->target);
  free(f);
}
