/* Names numbered from 0 in the order of their arrival, found by a hash table. Initialise with {0}.
   Local. */
#ifndef NAME_MAP_H
#define NAME_MAP_H

struct name_map {
  int n;
  char **name; /* [n], owned */
  int capacity;
  int *table; /* number + 1; 0: free */
  unsigned mask;
};

/* The number of a name; -1: unknown. */
int name_map_find(const struct name_map *m, const char *name);
/* The number of a name, which is added if it is new. */
int name_map_put(struct name_map *m, const char *name);
void name_map_free(struct name_map *m);

#endif
