/* Groups of beads: what the run file says of one (input/group_reader.h), and the beads that it has
   in a system, as types and ranges of ids (molecules/group_find.h). */
#ifndef BEAD_GROUP_H
#define BEAD_GROUP_H

#include <stdint.h>
#include <stdlib.h>

#include "base/hd.h"

enum choice_kind {
  CHOOSE_ALL_OF, /* the beads of all parts, of some part, of none; of no parts all beads */
  CHOOSE_ANY_OF,
  CHOOSE_NONE_OF,
  CHOOSE_TYPES,
  CHOOSE_MOLECULES,
  CHOOSE_PLACES, /* by the names of beads or residues */
  CHOOSE_IDS,
  CHOOSE_LEAFLET, /* from here on by what is there when a run begins */
  CHOOSE_REGION,
  CHOOSE_INDEX
};

/* A selection: which beads, as an expression. Host memory, all owned. */
struct bead_choice {
  enum choice_kind kind;
  int n;
  struct bead_choice *part; /* [n] */
  /* TYPES, MOLECULES: [types]: 1 for those. PLACES: of the beads of all molecule types, after a
     number for each bead type, which stands for beads of no molecule type. */
  char *in;
  int *first; /* PLACES: [molecule types]: number of the first bead */
  int n_ranges;
  int64_t (*range)[2];    /* first and last ids, ascending and disjoint: IDS; others once found */
  int is_found;           /* 1: of those that come after IDS, these are their beads */
  int leaflet;            /* LEAFLET: 1 upper, -1 lower */
  int axes;               /* REGION: bit d: from low[d] up to high[d] along axis d, nm */
  double low[3], high[3]; /* low < high */
  char *file, *name;      /* INDEX: a group of an index file */
  char *text;             /* of those that come after IDS: how states name it */
};

/* Host memory. */
struct bead_group {
  struct bead_choice choice;
  char *origin, *path; /* where it is given: file and key; NULL: nowhere, it is all beads */
  int line;
  /* The rest is set by group_find. */
  char *type;          /* [n_types]: 1 for types that beads of the group have */
  int64_t (*range)[2]; /* [n_ranges]: ids, ascending and disjoint; beads of other types may lie
                          within */
  int n_ranges;
  int64_t n; /* beads */
};

/* A group as loops and kernels read it. type: [n_types]. Memory of the backend; borrowed. */
struct bead_set {
  const char *type;
  const int64_t (*range)[2];
  int n_ranges;
};

/* 1 if an id lies in one of n ranges, ascending and disjoint. On host and device. */
HD int ranges_have(const int64_t (*range)[2], int n, int64_t id)
{
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (range[middle][1] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && range[low][0] <= id;
}

HD int bead_set_has(const struct bead_set *s, int type, int64_t id)
{
  return s->type[type] && ranges_have(s->range, s->n_ranges, id);
}

/* The beads of a group that is found, host memory. */
static inline struct bead_set bead_group_set(const struct bead_group *g)
{
  struct bead_set set = {g->type, (const int64_t(*)[2])g->range, g->n_ranges};
  return set;
}

#ifdef __cplusplus
extern "C" {
#endif

/* What a choice asks of a bead: its id, type, molecule type (-1: none) and which bead of it, from 0
   (-1: unknown). */
struct chosen_bead {
  int64_t id;
  int type, molecule_type, place;
};
/* 1 if a bead is chosen. All that depends on the start is found. */
int bead_choice_has(const struct bead_choice *c, const struct chosen_bead *b);
/* 1 if some part of it does not have the same beads in every state: leaflet, region or index file.
 */
int bead_choice_depends(const struct bead_choice *c);
void bead_choice_free(struct bead_choice *c);
void bead_group_free(struct bead_group *g);
/* Sorts n ranges of ids and joins those that touch or overlap; returns how many are left. */
int ranges_join(int64_t (*range)[2], int64_t n);

#ifdef __cplusplus
}
#endif

#endif
