/* Undo files of trajectories: see undo.h. A head, then parts: address, bytes, and the bytes. */
#include "io/h5md/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "io/checksum.h"
#include "io/h5_index.h"

enum { SUPERBLOCK = 96, RUN = 32 }; /* bytes */
static const char mark[8] = "LamUndo";

struct head {
  char mark[8];
  uint64_t sum; /* checksum of all that follows */
  char run[RUN];
  int64_t file_bytes, bytes; /* of the trajectory; of the parts */
};

struct undo {
  char *path; /* of the trajectory */
  char run[RUN];
  struct h5_grid *grid;
  int n;
};

struct undo *undo_create(const char *path, const char *run)
{
  struct undo *u = alloc_array(1, sizeof *u);
  u->path = text_copy(path);
  snprintf(u->run, sizeof u->run, "%s", run);
  return u;
}

void undo_destroy(struct undo *u)
{
  if (!u) return;
  free(u->path);
  free(u->grid);
  free(u);
}

void undo_watch(struct undo *u, hid_t set)
{
  u->grid = grow_array(u->grid, u->n + 1, sizeof *u->grid);
  u->n += h5_grid_get(set, &u->grid[u->n]);
}

/* Writing */

/* What is collected: a head and parts. */
struct image {
  int file;
  char *data;
  size_t bytes, room;
  int failed;
};

static void add_part(void *image, uint64_t at, uint64_t bytes)
{
  struct image *m = image;
  const uint64_t head[2] = {at, bytes};
  const size_t more = sizeof head + (size_t)bytes;
  if (m->bytes + more > m->room) {
    m->room = 2 * (m->bytes + more);
    m->data = grow_array(m->data, (long long)m->room, 1);
  }
  char *to = m->data + m->bytes;
  memcpy(to, head, sizeof head);
  m->failed |= pread(m->file, to + sizeof head, (size_t)bytes, (off_t)at) != (ssize_t)bytes;
  m->bytes += more;
}

static void collect(const struct undo *u, int64_t frames, struct image *m)
{
  struct stat about;
  m->file = open(u->path, O_RDONLY | O_CLOEXEC);
  if (m->file < 0 || fstat(m->file, &about))
    die(STATUS_IO, "cannot read '%s': %s", u->path, strerror(errno));
  struct head h = {.file_bytes = about.st_size};
  memcpy(h.mark, mark, sizeof mark);
  memcpy(h.run, u->run, sizeof h.run);
  m->room = 1 << 16;
  m->data = alloc_array((long long)m->room, 1);
  m->bytes = sizeof h;
  add_part(m, 0, about.st_size < SUPERBLOCK ? (uint64_t)about.st_size : SUPERBLOCK);
  for (int k = 0; k < u->n; k++)
    m->failed |= !h5_grid_visit(&u->grid[k], m->file, about.st_size, frames, add_part, m);
  close(m->file);
  h.bytes = (int64_t)(m->bytes - sizeof h);
  memcpy(m->data, &h, sizeof h);
  const size_t from = offsetof(struct head, run);
  h.sum = checksum_update(4, m->data + from, m->bytes - from);
  memcpy(m->data, &h, sizeof h);
}

static char *undo_name(const char *path)
{
  return path_with(path, ".undo");
}

void undo_keep(const struct undo *u, int64_t frames)
{
  struct image m = {0};
  collect(u, frames, &m);
  if (m.failed)
    die(STATUS_IO,
        "the index of '%s' does not have its %lld frames, as it was written: a write has failed. "
        "The same command continues from the last checkpoint",
        u->path, (long long)frames);
  char *name = undo_name(u->path);
  FILE *out = path_create(name);
  int failed = !out || fwrite(m.data, 1, m.bytes, out) != m.bytes;
  if (out && fclose(out)) failed = 1;
  if (failed) die(STATUS_IO, "cannot write '%s': %s", name, strerror(errno));
  free(name);
  free(m.data);
}

/* Reading */

/* The undo file, and its head; NULL if there is none that is whole. Caller frees. */
static char *read_whole(const char *path, struct head *h)
{
  char *name = undo_name(path), *data = NULL;
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat about;
  const size_t from = offsetof(struct head, run);
  if (file >= 0 && fstat(file, &about) == 0 && about.st_size >= (off_t)sizeof *h) {
    const size_t bytes = (size_t)about.st_size;
    data = alloc_array((long long)bytes, 1);
    int good = read(file, data, bytes) == (ssize_t)bytes;
    memcpy(h, data, sizeof *h);
    good = good && memcmp(h->mark, mark, sizeof mark) == 0 &&
           h->bytes == (int64_t)(bytes - sizeof *h) &&
           h->sum == checksum_update(4, data + from, bytes - from);
    if (!good) {
      free(data);
      data = NULL;
    }
  }
  if (file >= 0) close(file);
  free(name);
  return data;
}

int undo_exists(const char *path, const char *run)
{
  struct head h;
  char *data = read_whole(path, &h);
  const int same = data && strncmp(h.run, run, sizeof h.run) == 0;
  free(data);
  return same;
}

void undo_apply(const char *path)
{
  struct head h;
  char *data = read_whole(path, &h), *part = data ? data + sizeof h : NULL;
  if (!data) return;
  int file = open(path, O_WRONLY | O_CLOEXEC), failed = file < 0;
  for (const char *end = part + h.bytes; !failed && part < end;) {
    uint64_t to[2];
    memcpy(to, part, sizeof to);
    part += sizeof to;
    failed = pwrite(file, part, to[1], (off_t)to[0]) != (ssize_t)to[1];
    part += to[1];
  }
  failed = failed || ftruncate(file, h.file_bytes) || fsync(file);
  if (file >= 0 && close(file)) failed = 1;
  if (failed) die(STATUS_IO, "cannot repair '%s': %s", path, strerror(errno));
  free(data);
}

void undo_remove(const char *path)
{
  char *name = undo_name(path);
  if (unlink(name) && errno != ENOENT)
    die(STATUS_IO, "cannot remove '%s': %s", name, strerror(errno));
  free(name);
}
