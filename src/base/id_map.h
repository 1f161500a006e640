/* Hash table from bead ids (1 and above) to local indices, with open addressing. On the host;
   rebuilt at every list build. */
#ifndef ID_MAP_H
#define ID_MAP_H

#include <stdint.h>

struct id_map {
  int64_t *key;
  int *value;
  uint64_t mask; /* capacity - 1; the capacity is a power of two */
};

/* Removes all entries and reserves room for n ids. Call it once before the first put. */
void id_map_reset(struct id_map *m, int64_t n);
void id_map_put(struct id_map *m, int64_t id, int value);
/* The same for an id that is not in it yet; several threads may put ids at the same time. */
void id_map_put_new(struct id_map *m, int64_t id, int value);
int id_map_get(const struct id_map *m, int64_t id); /* -1: no such id */
void id_map_free(struct id_map *m);

#endif
