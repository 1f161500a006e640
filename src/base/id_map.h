/* From bead ids to local indices: open addressing, rebuilt at every list build. */
#ifndef ID_MAP_H
#define ID_MAP_H

#include <stdint.h>

struct id_map {
  int64_t *key;
  int *value;
  uint64_t mask; /* places - 1 */
};

/* Forgets everything and makes room for n ids. */
void id_map_reset(struct id_map *m, int64_t n);
void id_map_put(struct id_map *m, int64_t id, int value);
int id_map_get(const struct id_map *m, int64_t id); /* -1: not here */
void id_map_free(struct id_map *m);

#endif
