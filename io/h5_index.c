/* The chunk index of a dataset: h5_index.h, and h5_chunks_agree and h5_block_agrees of h5_read.h.
   Format: "Version 1 B-trees", node type 1, of the HDF5 file format specification. HDF5 versions
   treat damaged keys differently (1.10 ignores what later ones refuse or follow), so the keys are
   read here and not through the library. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/h5_index.h"
#include "io/h5_read.h"

enum { MOST_DIMENSIONS = H5_GRID_MOST, MOST_LEVELS = 8, HEADER_BYTES = 1024, NODE_BYTES = 24 };

struct key {
  uint32_t bytes, mask;
  uint64_t at[MOST_DIMENSIONS + 1]; /* in elements; the last entry is bytes per element */
};

struct index {
  int file, dimensions;
  int64_t file_bytes;
  uint64_t chunk_bytes;
  int fixed_bytes; /* 1: every chunk has chunk_bytes; no filter changes the size */
  uint64_t size[MOST_DIMENSIONS], chunk[MOST_DIMENSIONS + 1], chunks, found;
  uint64_t last[MOST_LEVELS],
      next[MOST_LEVELS]; /* last node visited on a level, and the right neighbour it names */
};

/* Bytes that the filters of a dataset add to a chunk; -1: depends on the contents. */
static int added_bytes(hid_t list)
{
  enum { FLETCHER_BYTES = 4 };
  int filters = H5Pget_nfilters(list);
  unsigned flags, values[8];
  size_t n = 8;
  if (filters == 0) return 0;
  return filters == 1 &&
                 H5Pget_filter2(list, 0, &flags, &n, values, 0, NULL, NULL) == H5Z_FILTER_FLETCHER32
             ? FLETCHER_BYTES
             : -1;
}

/* Fills in sizes of a dataset and its chunks. 0: not chunked, or too many dimensions. */
static int describe(struct index *x, hid_t set)
{
  hsize_t size[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  hid_t list = H5Dget_create_plist(set), space = H5Dget_space(set), type = H5Dget_type(set);
  int dimensions = H5Sget_simple_extent_dims(space, size, NULL), added = added_bytes(list);
  int good = H5Pget_layout(list) == H5D_CHUNKED && dimensions <= MOST_DIMENSIONS &&
             H5Pget_chunk(list, H5S_MAX_RANK, chunk) == dimensions;
  x->dimensions = dimensions;
  x->chunks = 1;
  x->chunk_bytes = H5Tget_size(type);
  for (int d = 0; d < dimensions && good; d++) {
    x->size[d] = size[d];
    x->chunk[d] = chunk[d];
    x->chunks *= (size[d] + chunk[d] - 1) / chunk[d];
    x->chunk_bytes *= chunk[d];
  }
  if (good) x->chunk[dimensions] = H5Tget_size(type);
  x->fixed_bytes = added >= 0;
  x->chunk_bytes += added > 0 ? (uint64_t)added : 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Pclose(list);
  return good;
}

static int read_at(const struct index *x, uint64_t at, void *data, uint64_t bytes)
{
  return at <= (uint64_t)x->file_bytes && bytes <= (uint64_t)x->file_bytes - at &&
         pread(x->file, data, bytes, (off_t)at) == (ssize_t)bytes;
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

/* Reads up to HEADER_BYTES of a header. Returns their number. */
static uint64_t read_header(const struct index *x, uint64_t at, unsigned char data[HEADER_BYTES])
{
  uint64_t bytes = at < (uint64_t)x->file_bytes ? (uint64_t)x->file_bytes - at : 0;
  if (bytes > HEADER_BYTES) bytes = HEADER_BYTES;
  return read_at(x, at, data, bytes) ? bytes : 0;
}

/* Address of the root node, from the layout message (version 3) in the dataset's header, which has
   its own checksum. 0: the index is of another kind; size of the file: the system cannot read it.
 */
static uint64_t find_root(const struct index *x, uint64_t at)
{
  unsigned char header[HEADER_BYTES];
  const unsigned char layout[3] = {3, 2, (unsigned char)(x->dimensions + 1)};
  uint64_t bytes = read_header(x, at, header), root;
  if (bytes == 0) return (uint64_t)x->file_bytes;
  for (uint64_t k = 0; k + 11 + 4 * sizeof x->chunk <= bytes; k++) {
    int same = memcmp(header + k, layout, sizeof layout) == 0;
    for (int d = 0; d <= x->dimensions && same; d++) {
      uint32_t chunk;
      memcpy(&chunk, header + k + 11 + 4 * d, 4);
      same = chunk == x->chunk[d];
    }
    memcpy(&root, header + k + 3, 8);
    if (same) return root;
  }
  return 0;
}

static int compare(const struct index *x, const struct key *a, const struct key *b)
{
  for (int d = 0; d <= x->dimensions; d++)
    if (a->at[d] != b->at[d]) return a->at[d] < b->at[d] ? -1 : 1;
  return 0;
}

/* Reads key k of a node, between children k - 1 and k. Returns 0 if it is not a valid place of the
   grid. */
static int take_key(const struct index *x, const unsigned char *node, int k, struct key *key)
{
  size_t bytes = 8 + 8 * ((size_t)x->dimensions + 1);
  const unsigned char *from = node + (size_t)k * (bytes + 8);
  memcpy(&key->bytes, from, 4);
  memcpy(&key->mask, from + 4, 4);
  memcpy(key->at, from + 8, bytes - 8);
  for (int d = 0; d <= x->dimensions; d++)
    if (key->at[d] % x->chunk[d] != 0) return 0;
  return 1;
}

static int check_chunk(struct index *x, const struct key *key, uint64_t address)
{
  int good = key->mask == 0 && (!x->fixed_bytes || key->bytes == x->chunk_bytes) &&
             address <= (uint64_t)x->file_bytes &&
             key->bytes <= (uint64_t)x->file_bytes - address && key->at[x->dimensions] == 0;
  for (int d = 0; d < x->dimensions; d++)
    good &= key->at[d] < x->size[d];
  x->found++;
  return good && x->found <= x->chunks;
}

/* Nodes of a level must name their neighbours; the first and last have none on one side. */
static int check_siblings(struct index *x, uint64_t at, int level, const uint64_t sibling[2])
{
  int good =
      sibling[0] == x->last[level] && (x->last[level] == HADDR_UNDEF || x->next[level] == at);
  x->last[level] = at;
  x->next[level] = sibling[1];
  return good;
}

/* A node: its children, and the keys between them as bytes. */
struct node {
  unsigned char head[NODE_BYTES], *entry;
  uint16_t used;
  size_t key_bytes, bytes; /* of a key; of all entries */
};

/* Reads a node of a level (-1: of any). 0 if there is none. Caller frees entry. */
static int read_node(const struct index *x, uint64_t at, int level, struct node *n)
{
  memset(n, 0, sizeof *n);
  if (!read_at(x, at, n->head, sizeof n->head) || memcmp(n->head, "TREE\1", 5) != 0) return 0;
  if (n->head[5] >= MOST_LEVELS || (level >= 0 && n->head[5] != level)) return 0;
  memcpy(&n->used, n->head + 6, 2);
  n->key_bytes = 8 + 8 * ((size_t)x->dimensions + 1);
  n->bytes = n->used * (n->key_bytes + 8) + n->key_bytes;
  n->entry = alloc_array((long long)n->bytes, 1);
  return read_at(x, at + NODE_BYTES, n->entry, n->bytes);
}

static uint64_t child_of(const struct node *n, int k)
{
  uint64_t child;
  memcpy(&child, n->entry + (size_t)k * (n->key_bytes + 8) + n->key_bytes, 8);
  return child;
}

/* Checks a node, whose chunks must lie from `low` to before `high`, and its children. */
static int check_node(struct index *x, uint64_t at, int level, const struct key *low,
                      const struct key *high)
{
  struct node n;
  struct key left, right;
  uint64_t sibling[2];
  int good = read_node(x, at, level, &n);
  level = n.head[5];
  memcpy(sibling, n.head + 8, sizeof sibling);
  good = good && check_siblings(x, at, level, sibling) && take_key(x, n.entry, 0, &left) &&
         (!low || compare(x, low, &left) <= 0);
  for (int k = 0; good && k < n.used; k++, left = right) {
    const uint64_t child = child_of(&n, k);
    good = take_key(x, n.entry, k + 1, &right) && compare(x, &left, &right) < 0 &&
           (!high || compare(x, &left, high) < 0) &&
           (level == 0 ? check_chunk(x, &left, child)
                       : check_node(x, child, level - 1, &left, &right));
  }
  free(n.entry);
  return good;
}

int h5_chunks_agree(struct h5_reader *in, hid_t set)
{
  struct index x = {.file = -1, .file_bytes = in->bytes};
  if (!describe(&x, set)) return 1;
  x.file = open(in->path, O_RDONLY | O_CLOEXEC);
  if (x.file < 0) return 0;
  uint64_t root = find_root(&x, find_header(set));
  for (int k = 0; k < MOST_LEVELS; k++)
    x.last[k] = x.next[k] = HADDR_UNDEF;
  int good = root == 0 || root == HADDR_UNDEF || check_node(&x, root, -1, NULL, NULL);
  for (int k = 0; k < MOST_LEVELS; k++)
    good &= x.next[k] == HADDR_UNDEF;
  close(x.file);
  return good;
}

#if H5_VERSION_GE(1, 10, 3)
/* Is the chunk at a place of the grid in the file, and has it gone through all filters? 1 also if
   HDF5 fails, as it will when the data are read. The chunk is read, because for its mask of filters
   alone HDF5 1.10 goes through all chunks. */
static int is_filtered(const struct h5_reader *in, hid_t set, const hsize_t *at)
{
  hsize_t bytes = 0;
  uint32_t left_out = 0;
  if (H5Dget_chunk_storage_size(set, at, &bytes) < 0 || bytes > (hsize_t)in->bytes) return 1;
  if (bytes == 0) return 0;
  void *data = alloc_array((long long)bytes, 1);
  int failed = H5Dread_chunk(set, H5P_DEFAULT, at, &left_out, data) < 0;
  free(data);
  return failed || left_out == 0;
}
#endif

int h5_block_agrees(const struct h5_reader *in, hid_t set, const hsize_t *start,
                    const hsize_t *count)
{
#if H5_VERSION_GE(1, 10, 3)
  hsize_t chunk[H5S_MAX_RANK], at[H5S_MAX_RANK];
  hid_t list = H5Dget_create_plist(set);
  int chunked = H5Pget_layout(list) == H5D_CHUNKED && added_bytes(list) < 0;
  int dimensions = chunked ? H5Pget_chunk(list, H5S_MAX_RANK, chunk) : 0, d;
  H5Pclose(list);
  for (d = 0; d < dimensions; d++)
    at[d] = start[d] - start[d] % chunk[d];
  do {
    if (dimensions > 0 && !is_filtered(in, set, at)) return 0;
    for (d = dimensions - 1; d >= 0; d--) {
      at[d] += chunk[d];
      if (at[d] < start[d] + count[d]) break;
      at[d] = start[d] - start[d] % chunk[d];
    }
  } while (d >= 0);
#else
  (void)in, (void)set, (void)start, (void)count;
#endif
  return 1;
}

/* Where the index changes */

struct visit {
  const struct index *x;
  uint64_t first; /* entry of the first dimension from which on chunks may change */
  uint64_t *end;  /* of the last chunk, along the first dimension */
  h5_visit *visit;
  void *argument;
};

/* A header and the blocks in which it continues: an address and a number of bytes in it lead to
   them. Some of what is visited may be no part of a header. */
static void visit_header(const struct visit *v, uint64_t at, uint64_t most, int depth)
{
  enum { DEEP = 4 };
  unsigned char data[HEADER_BYTES], mark[4];
  uint64_t bytes = read_header(v->x, at, data), next[2];
  if (bytes > most) bytes = most;
  if (bytes > 0) v->visit(v->argument, at, bytes);
  for (uint64_t k = 0; k + sizeof next <= bytes && depth < DEEP; k++) {
    memcpy(next, data + k, sizeof next);
    if (next[0] > 0 && next[1] > 0 && next[1] <= HEADER_BYTES &&
        read_at(v->x, next[0], mark, sizeof mark) && memcmp(mark, "OCHK", 4) == 0)
      visit_header(v, next[0], next[1], depth + 1);
  }
}

/* The node, and those below it that end at `first` or later, and the last one. */
static int visit_node(const struct visit *v, uint64_t at, int level)
{
  struct node n;
  int good = read_node(v->x, at, level, &n);
  if (good) v->visit(v->argument, at, NODE_BYTES + n.bytes);
  for (int k = 0; good && n.head[5] > 0 && k < n.used; k++) {
    struct key right;
    good = take_key(v->x, n.entry, k + 1, &right);
    if (good && (k == n.used - 1 || right.at[0] >= v->first))
      good = visit_node(v, child_of(&n, k), n.head[5] - 1);
  }
  if (good && n.head[5] == 0 && n.used > 0) {
    struct key last;
    good = take_key(v->x, n.entry, n.used - 1, &last);
    *v->end = last.at[0] + v->x->chunk[0];
  }
  free(n.entry);
  return good;
}

int h5_grid_get(hid_t set, struct h5_grid *g)
{
  struct index x = {0};
  memset(g, 0, sizeof *g);
  if (!describe(&x, set)) return 0;
  g->header = find_header(set);
  g->dimensions = x.dimensions;
  memcpy(g->chunk, x.chunk, sizeof g->chunk);
  return g->header != HADDR_UNDEF;
}

int h5_grid_visit(const struct h5_grid *g, int file, int64_t file_bytes, int64_t first,
                  h5_visit *visit, void *argument)
{
  struct index x = {.file = file, .file_bytes = file_bytes, .dimensions = g->dimensions};
  uint64_t end = 0;
  const struct visit v = {&x, (uint64_t)first, &end, visit, argument};
  memcpy(x.chunk, g->chunk, sizeof x.chunk);
  const uint64_t root = find_root(&x, g->header);
  visit_header(&v, g->header, HEADER_BYTES, 0);
  if (root == 0) return 1;
  return (root == HADDR_UNDEF || visit_node(&v, root, -1)) && end >= v.first;
}
