#include "base/id_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t first_entry(const struct id_map *m, int64_t id)
{
  return ((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15) >> 20) & m->mask;
}

void id_map_reset(struct id_map *m, int64_t n)
{
  uint64_t capacity = 16;
  while (capacity < (uint64_t)n * 2)
    capacity *= 2;
  if (capacity > m->mask + 1 || !m->key) {
    id_map_free(m);
    m->key = alloc_array((long long)capacity, sizeof *m->key);
    m->value = alloc_array((long long)capacity, sizeof *m->value);
    m->mask = capacity - 1;
  }
  memset(m->key, 0, (m->mask + 1) * sizeof *m->key);
}

/* Ids start at 1, so key 0 marks a free entry. */
void id_map_put(struct id_map *m, int64_t id, int value)
{
  uint64_t k = first_entry(m, id);
  while (m->key[k] && m->key[k] != id)
    k = (k + 1) & m->mask;
  m->key[k] = id;
  m->value[k] = value;
}

void id_map_put_new(struct id_map *m, int64_t id, int value)
{
  uint64_t k = first_entry(m, id);
  int64_t none = 0;
  while (
      !__atomic_compare_exchange_n(&m->key[k], &none, id, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    none = 0;
    k = (k + 1) & m->mask;
  }
  m->value[k] = value;
}

int id_map_get(const struct id_map *m, int64_t id)
{
  for (uint64_t k = first_entry(m, id); m->key[k]; k = (k + 1) & m->mask)
    if (m->key[k] == id) return m->value[k];
  return -1;
}

void id_map_free(struct id_map *m)
{
  free(m->key);
  free(m->value);
  m->key = NULL;
  m->value = NULL;
  m->mask = 0;
}
