/* Open addressing with FNV-1a hashes: see name_map.h. */
#include "base/name_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static unsigned hash(const char *name)
{
  unsigned h = 2166136261u;
  for (const unsigned char *c = (const unsigned char *)name; *c; c++)
    h = (h ^ *c) * 16777619u;
  return h ^ h >> 15;
}

/* The entry of a name in the table, or the free one for it. */
static unsigned find_entry(const struct name_map *m, const char *name)
{
  unsigned entry = hash(name) & m->mask;
  while (m->table[entry] && strcmp(m->name[m->table[entry] - 1], name) != 0)
    entry = (entry + 1) & m->mask;
  return entry;
}

int name_map_find(const struct name_map *m, const char *name)
{
  return m->table ? m->table[find_entry(m, name)] - 1 : -1;
}

static void grow(struct name_map *m)
{
  m->capacity = 2 * m->capacity + 32;
  m->name = grow_array(m->name, m->capacity, sizeof *m->name);
  m->mask = 63;
  while (m->mask < 2 * (unsigned)m->capacity)
    m->mask = 2 * m->mask + 1;
  free(m->table);
  m->table = alloc_array((long long)m->mask + 1, sizeof *m->table);
  for (int k = 0; k < m->n; k++)
    m->table[find_entry(m, m->name[k])] = k + 1;
}

int name_map_put(struct name_map *m, const char *name)
{
  int found = name_map_find(m, name);
  if (found >= 0) return found;
  if (m->n == m->capacity) grow(m);
  m->table[find_entry(m, name)] = m->n + 1;
  m->name[m->n] = text_copy(name);
  return m->n++;
}

void name_map_free(struct name_map *m)
{
  for (int k = 0; k < m->n; k++)
    free(m->name[k]);
  free(m->name);
  free(m->table);
  *m = (struct name_map){0};
}
