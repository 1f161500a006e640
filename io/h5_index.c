/* The chunk index of a dataset: see h5_index.h. Format: "Version 1 B-trees", node type 1, of the
   HDF5 file format specification. HDF5 versions treat damaged keys differently (1.10 ignores what
   later ones refuse or follow), so the keys are read here and not through the library. */
#include "io/h5_index.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/h5_read.h"

enum { MOST_LEVELS = 8, HEADER_BYTES = 1024, NODE_BYTES = 24 };

/* A key stands before the address of a chunk, or of a node that begins with it, and after the last
   one: bytes in the file, filters left out, and the first element; the last entry is 0. */
struct key {
  uint32_t bytes, mask;
  uint64_t at[H5_GRID_MOST + 1];
};

/* A walk along an index, either to check all of it (visit: NULL), or to visit the nodes that end at
   entry `first` of the first dimension or later, and the last one. */
struct walk {
  const struct h5_grid *grid;
  int file;
  uint64_t file_bytes, first;
  h5_visit *visit;
  void *argument;
  struct key low, last; /* key of the node above; of the last chunk, if there was one */
  int chunks;           /* 1: there was one */
  uint64_t node[MOST_LEVELS],
      next[MOST_LEVELS]; /* last node on a level, and the right neighbour it names */
};

/* Bytes in the file of a chunk of so many; 0: filters change them. */
static uint64_t stored_bytes(hid_t list, uint64_t bytes)
{
  enum { FLETCHER_BYTES = 4 };
  int filters = H5Pget_nfilters(list);
  unsigned flags, values[8];
  size_t n = 8;
  if (filters == 0) return bytes;
  return filters == 1 &&
                 H5Pget_filter2(list, 0, &flags, &n, values, 0, NULL, NULL) == H5Z_FILTER_FLETCHER32
             ? bytes + FLETCHER_BYTES
             : 0;
}

/* Address of the header of a dataset; HADDR_UNDEF if HDF5 cannot read it. */
static uint64_t find_header(hid_t set)
{
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t about;
#else
  H5O_info_t about;
#endif
#if H5_VERSION_GE(1, 10, 3) /* without the size of the index, for which all of it is read */
  const herr_t failed = H5Oget_info2(set, &about, H5O_INFO_BASIC);
#else
  const herr_t failed = H5Oget_info1(set, &about);
#endif
  return failed < 0 ? HADDR_UNDEF : about.addr;
}

int h5_grid_get(hid_t set, struct h5_grid *g)
{
  hsize_t size[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  hid_t list = H5Dget_create_plist(set), space = H5Dget_space(set), type = H5Dget_type(set);
  const int n = H5Sget_simple_extent_dims(space, size, NULL);
  const int good = H5Pget_layout(list) == H5D_CHUNKED && n <= H5_GRID_MOST &&
                   H5Pget_chunk(list, H5S_MAX_RANK, chunk) == n;
  memset(g, 0, sizeof *g);
  if (good) {
    uint64_t bytes = H5Tget_size(type);
    g->header = find_header(set);
    g->dimensions = n;
    g->chunk[n] = bytes;
    for (int d = 0; d < n; d++) {
      g->size[d] = size[d];
      g->chunk[d] = chunk[d];
      bytes *= chunk[d];
    }
    g->chunk_bytes = stored_bytes(list, bytes);
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Pclose(list);
  return good && g->header != HADDR_UNDEF;
}

static int read_at(const struct walk *w, uint64_t at, void *data, uint64_t bytes)
{
  return at <= w->file_bytes && bytes <= w->file_bytes - at &&
         pread(w->file, data, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Reads up to HEADER_BYTES of a header. Returns their number. */
static uint64_t read_header(const struct walk *w, uint64_t at, unsigned char data[HEADER_BYTES])
{
  uint64_t bytes = at < w->file_bytes ? w->file_bytes - at : 0;
  if (bytes > HEADER_BYTES) bytes = HEADER_BYTES;
  return read_at(w, at, data, bytes) ? bytes : 0;
}

/* Address of the root node, from the layout message (version 3) in the dataset's header, which has
   its own checksum. 0: the index is of another kind; HADDR_UNDEF: it is empty; size of the file:
   the system cannot read it. */
static uint64_t find_root(const struct walk *w)
{
  const struct h5_grid *g = w->grid;
  unsigned char header[HEADER_BYTES];
  const unsigned char layout[3] = {3, 2, (unsigned char)(g->dimensions + 1)};
  uint64_t bytes = read_header(w, g->header, header), root;
  if (bytes == 0) return w->file_bytes;
  for (uint64_t k = 0; k + 11 + 4 * sizeof g->chunk <= bytes; k++) {
    int same = memcmp(header + k, layout, sizeof layout) == 0;
    for (int d = 0; d <= g->dimensions && same; d++) {
      uint32_t chunk;
      memcpy(&chunk, header + k + 11 + 4 * d, 4);
      same = chunk == g->chunk[d];
    }
    memcpy(&root, header + k + 3, 8);
    if (same) return root;
  }
  return 0;
}

static int compare(const struct walk *w, const struct key *a, const struct key *b)
{
  for (int d = 0; d <= w->grid->dimensions; d++)
    if (a->at[d] != b->at[d]) return a->at[d] < b->at[d] ? -1 : 1;
  return 0;
}

/* Is a key a place of the grid, after the last chunk? */
static int key_agrees(const struct walk *w, const struct key *key)
{
  for (int d = 0; d <= w->grid->dimensions; d++)
    if (key->at[d] % w->grid->chunk[d] != 0) return 0;
  return !w->chunks || compare(w, &w->last, key) < 0;
}

static int chunk_agrees(const struct walk *w, const struct key *key, uint64_t address)
{
  const struct h5_grid *g = w->grid;
  int good = key->mask == 0 && (g->chunk_bytes == 0 || key->bytes == g->chunk_bytes) &&
             address <= w->file_bytes && key->bytes <= w->file_bytes - address &&
             key->at[g->dimensions] == 0 && compare(w, &w->low, key) <= 0;
  for (int d = 0; d < g->dimensions; d++)
    good &= key->at[d] < g->size[d];
  return good;
}

/* Nodes of a level must name their neighbours; the first and last have none on one side. */
static int siblings_agree(struct walk *w, uint64_t at, int level, const unsigned char *head)
{
  uint64_t sibling[2];
  memcpy(sibling, head + 8, sizeof sibling);
  const int good =
      sibling[0] == w->node[level] && (w->node[level] == HADDR_UNDEF || w->next[level] == at);
  w->node[level] = at;
  w->next[level] = sibling[1];
  return good;
}

static int walk_node(struct walk *w, uint64_t at, int level);

/* Goes through the keys and addresses of a node. */
static int walk_entries(struct walk *w, int level, int used, const unsigned char *entry)
{
  const size_t key_bytes = 8 + 8 * ((size_t)w->grid->dimensions + 1);
  struct key key = {0}, end = {0};
  memcpy(&key, entry, key_bytes);
  int good = w->visit || key_agrees(w, &key);
  for (int k = 0; good && k < used; k++, key = end) {
    uint64_t child;
    memcpy(&child, entry + key_bytes, sizeof child);
    memcpy(&end, entry += key_bytes + sizeof child, key_bytes);
    if (level > 0) {
      w->low = key;
      if (!w->visit || k == used - 1 || end.at[0] >= w->first)
        good = walk_node(w, child, level - 1);
    } else {
      good = w->visit || chunk_agrees(w, &key, child);
      w->last = key;
      w->chunks = 1;
    }
    good = good && (w->visit || key_agrees(w, &end));
  }
  return good;
}

/* A node of a level (-1: any), and what is below it. */
static int walk_node(struct walk *w, uint64_t at, int level)
{
  unsigned char head[NODE_BYTES];
  uint16_t used;
  if (!read_at(w, at, head, sizeof head) || memcmp(head, "TREE\1", 5) != 0) return 0;
  if (head[5] >= MOST_LEVELS || (level >= 0 && head[5] != level)) return 0;
  memcpy(&used, head + 6, sizeof used);
  const size_t key_bytes = 8 + 8 * ((size_t)w->grid->dimensions + 1);
  const size_t bytes = used * (key_bytes + 8) + key_bytes;
  unsigned char *entry = alloc_array((long long)bytes, 1);
  int good = read_at(w, at + NODE_BYTES, entry, bytes) &&
             (w->visit || siblings_agree(w, at, head[5], head));
  if (good && w->visit) w->visit(w->argument, at, NODE_BYTES + bytes);
  good = good && walk_entries(w, head[5], used, entry);
  free(entry);
  return good;
}

int h5_chunks_agree(struct h5_reader *in, hid_t set)
{
  struct h5_grid g;
  struct walk w = {.grid = &g, .file_bytes = (uint64_t)in->bytes};
  if (!h5_grid_get(set, &g)) return g.dimensions == 0;
  w.file = open(in->path, O_RDONLY | O_CLOEXEC);
  if (w.file < 0) return 0;
  for (int k = 0; k < MOST_LEVELS; k++)
    w.node[k] = w.next[k] = HADDR_UNDEF;
  const uint64_t root = find_root(&w);
  int good = root == 0 || root == HADDR_UNDEF || walk_node(&w, root, -1);
  for (int k = 0; k < MOST_LEVELS; k++)
    good &= w.next[k] == HADDR_UNDEF;
  close(w.file);
  return good;
}

/* A header and the blocks in which it continues: an address and a number of bytes in it lead to
   them. Some of what is visited may be no part of a header. */
static void visit_header(const struct walk *w, uint64_t at, uint64_t most, int depth)
{
  enum { DEEP = 4 };
  unsigned char data[HEADER_BYTES], mark[4];
  uint64_t bytes = read_header(w, at, data), next[2];
  if (bytes > most) bytes = most;
  if (bytes > 0) w->visit(w->argument, at, bytes);
  for (uint64_t k = 0; k + sizeof next <= bytes && depth < DEEP; k++) {
    memcpy(next, data + k, sizeof next);
    if (next[0] > 0 && next[1] > 0 && next[1] <= HEADER_BYTES &&
        read_at(w, next[0], mark, sizeof mark) && memcmp(mark, "OCHK", 4) == 0)
      visit_header(w, next[0], next[1], depth + 1);
  }
}

int h5_grid_visit(const struct h5_grid *g, int file, int64_t file_bytes, int64_t first,
                  h5_visit *visit, void *argument)
{
  struct walk w = {.grid = g, .file = file, .file_bytes = (uint64_t)file_bytes};
  w.first = (uint64_t)first;
  w.visit = visit;
  w.argument = argument;
  const uint64_t root = find_root(&w);
  visit_header(&w, g->header, HEADER_BYTES, 0);
  if (root == 0) return 1;
  const int good = root == HADDR_UNDEF || walk_node(&w, root, -1);
  return good && (w.chunks ? w.last.at[0] + g->chunk[0] : 0) >= w.first;
}
