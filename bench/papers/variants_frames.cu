/* Frames from a file, and their neighbour lists by cells not smaller than the radius. Host only. */
#include <algorithm>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "variants.h"

static_assert(sizeof(struct frames_head) == 176, "the head of a file has no gaps");

[[noreturn]] static void fail(const char *text)
{
  fprintf(stderr, "variants: %s\n", text);
  exit(4);
}

static void *allocated(int64_t count, size_t size)
{
  void *p = calloc((size_t)count + 1, size);
  if (!p) fail("no memory");
  return p;
}

static void take(FILE *file, void *to, size_t size, size_t count)
{
  if (fread(to, size, count, file) != count) fail("the file of frames is too short");
}

FILE *frames_open(const char *path, struct frames_head *head)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail("cannot open the file of frames");
  take(file, head, sizeof *head, 1);
  if (memcmp(head->magic, FRAMES_MAGIC, sizeof head->magic) != 0) fail("this is no file of frames");
  if (head->n < 1 || head->n > INT32_MAX / 64 || head->frames < 1) fail("no beads or no frames");
  for (int k = 0; k < 3; k++)
    if (!(head->box[k] > 0)) fail("the box has no volume");
  return file;
}

/* Bits of the number of a cell, of 32 in each direction. */
static uint32_t morton(const int32_t x[3])
{
  uint32_t code = 0;
  for (int bit = 4; bit >= 0; bit--)
    for (int k = 0; k < 3; k++)
      code = code << 1 | ((uint32_t)x[k] >> (27 + bit) & 1u);
  return code;
}

struct frame_values {
  std::vector<int32_t> x;
  std::vector<double> axis[2];
};

static void beads_set(struct frame *f, const struct frame_values &from)
{
  std::vector<int> order((size_t)f->n);
  for (int i = 0; i < f->n; i++)
    order[(size_t)i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const uint32_t ka = morton(&from.x[3 * (size_t)a]), kb = morton(&from.x[3 * (size_t)b]);
    return ka != kb ? ka < kb : a < b;
  });
  for (int i = 0; i < f->n; i++) {
    const size_t at = (size_t)order[(size_t)i];
    f->type[i] = (int32_t)(at % (size_t)f->n_types);
    for (size_t k = 0; k < 3; k++) {
      f->x[3 * (size_t)i + k] = from.x[3 * at + k];
      for (int a = 0; a < 2; a++)
        f->axis[a][3 * (size_t)i + k] = from.axis[a][3 * at + k];
    }
  }
}

struct cells {
  int count[3];
  std::vector<int> start, bead; /* beads of cell c: from start[c] to start[c + 1] */
};

static int cell_of(const struct cells *c, const int32_t *x)
{
  int at[3];
  for (int k = 0; k < 3; k++)
    at[k] = (int)((uint64_t)(uint32_t)x[k] * (uint64_t)c->count[k] >> 32);
  return (at[0] * c->count[1] + at[1]) * c->count[2] + at[2];
}

static struct cells cells_of(const struct frame *f, double radius)
{
  struct cells c;
  for (int k = 0; k < 3; k++) {
    c.count[k] = (int)(f->box[k] / radius);
    if (c.count[k] < 3) fail("the box is smaller than three times the radius of a list");
  }
  const size_t cells = (size_t)c.count[0] * (size_t)c.count[1] * (size_t)c.count[2];
  c.start.assign(cells + 1, 0);
  c.bead.resize((size_t)f->n);
  for (int i = 0; i < f->n; i++)
    c.start[(size_t)cell_of(&c, f->x + 3 * (int64_t)i) + 1]++;
  for (size_t k = 0; k < cells; k++)
    c.start[k + 1] += c.start[k];
  std::vector<int> next(c.start.begin(), c.start.end() - 1);
  for (int i = 0; i < f->n; i++)
    c.bead[(size_t)next[(size_t)cell_of(&c, f->x + 3 * (int64_t)i)]++] = i;
  return c;
}

static double distance2(const struct frame *f, int i, int j)
{
  double s = 0;
  for (int k = 0; k < 3; k++) {
    const uint32_t a = (uint32_t)f->x[3 * (int64_t)i + k], b = (uint32_t)f->x[3 * (int64_t)j + k];
    const double d = (double)(int32_t)(a - b) * (f->box[k] / 4294967296.0);
    s += d * d;
  }
  return s;
}

/* The beads within a radius of bead i, in ascending order. */
static void candidates_find(const struct frame *f, const struct cells *c, int i, double radius,
                            std::vector<int> *found)
{
  const int cell = cell_of(c, f->x + 3 * (int64_t)i);
  const int at[3] = {cell / c->count[2] / c->count[1], cell / c->count[2] % c->count[1],
                     cell % c->count[2]};
  found->clear();
  for (int n = 0; n < 27; n++) {
    const int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    int to[3];
    for (int k = 0; k < 3; k++)
      to[k] = (at[k] + step[k] + c->count[k]) % c->count[k];
    const size_t other = (size_t)((to[0] * c->count[1] + to[1]) * c->count[2] + to[2]);
    for (int k = c->start[other]; k < c->start[other + 1]; k++) {
      const int j = c->bead[(size_t)k];
      if (j != i && distance2(f, i, j) < radius * radius) found->push_back(j);
    }
  }
  std::sort(found->begin(), found->end());
}

static void list_set(const struct frame *f, struct full_list *list, double cutoff, double skin)
{
  const double radius = cutoff + skin;
  const struct cells cells = cells_of(f, radius);
  std::vector<std::vector<int>> found((size_t)f->n);
  list->cutoff = cutoff;
  list->most_rows = 1;
  list->candidates = 0;
  list->rows = (int *)allocated(f->n, sizeof *list->rows);
  for (int i = 0; i < f->n; i++) {
    std::vector<int> *of = &found[(size_t)i];
    candidates_find(f, &cells, i, radius, of);
    list->rows[i] = ((int)of->size() + ROW - 1) / ROW;
    list->most_rows = std::max(list->most_rows, list->rows[i]);
    list->candidates += (int64_t)of->size();
  }
  const int64_t width = (int64_t)list->most_rows * ROW;
  list->index = (int32_t *)allocated(f->n * width, sizeof *list->index);
  for (int i = 0; i < f->n; i++) {
    const std::vector<int> &of = found[(size_t)i];
    for (int64_t k = 0; k < width; k++)
      list->index[i * width + k] = k < (int64_t)of.size() ? of[(size_t)k] : i;
  }
}

struct frame *frame_create(FILE *file, const struct frames_head *head, int n_types, double skin)
{
  struct frame *f = (struct frame *)allocated(1, sizeof *f);
  struct frame_values from;
  const size_t values = 3 * (size_t)head->n;
  f->n = (int)head->n;
  f->n_types = n_types;
  f->model = head->model;
  for (int k = 0; k < 3; k++)
    f->box[k] = head->box[k];
  from.x.resize(values);
  take(file, f->reference, sizeof(double), REFERENCES);
  take(file, from.x.data(), sizeof(int32_t), values);
  for (int a = 0; a < 2; a++) {
    from.axis[a].resize(values);
    take(file, from.axis[a].data(), sizeof(double), values);
    f->axis[a] = (double *)allocated((int64_t)values, sizeof *f->axis[a]);
  }
  f->x = (int32_t *)allocated((int64_t)values, sizeof *f->x);
  f->type = (int32_t *)allocated(f->n, sizeof *f->type);
  beads_set(f, from);
  frame_lists_set(f, skin);
  return f;
}

static void lists_free(struct frame *f)
{
  for (int p = 0; p < PASSES; p++) {
    free(f->list[p].rows);
    free(f->list[p].index);
  }
}

void frame_lists_set(struct frame *f, double skin)
{
  const struct water_model *m = &f->model;
  lists_free(f);
  list_set(f, &f->list[0], m->cutoff, skin);
  list_set(f, &f->list[1], std::max(m->end, m->end_prime), skin);
}

void frame_destroy(struct frame *f)
{
  if (!f) return;
  lists_free(f);
  for (int a = 0; a < 2; a++)
    free(f->axis[a]);
  free(f->x);
  free(f->type);
  free(f);
}
