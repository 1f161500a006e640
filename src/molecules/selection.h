/* The beads that the frames of a trajectory hold: all, or those of a group. */
#ifndef SELECTION_H
#define SELECTION_H

#include "model/bead_group.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Rows of a file are counted from 0, in ascending order of ids. Written by
 * src/molecules/selection.c. */
struct selection {
  char *text;    /* what says which, such as names separated by commas; "": all beads */
  int64_t total; /* beads of the selection, over all ranks */
  int64_t first; /* row of the first selected bead of this rank's block */
  int64_t n;     /* selected beads of the block */
  int64_t *bead; /* [n]; their places in the block, ascending; NULL: all beads */
};

/* Selects the beads of a group that is found; where text is "" all beads, and g may be NULL.
   Collective. */
void selection_open(struct selection *t, const struct ranks *r, const struct system *s,
                    const struct bead_group *g, const char *text);
/* Selects the beads of n ids, ascending, that each rank has for its block. Collective. */
void selection_open_ids(struct selection *t, const struct ranks *r, const struct system *s,
                        const char *text, int64_t n, const int64_t *id);
/* Another one of the same beads. Local. */
void selection_copy(struct selection *to, const struct selection *from);
void selection_close(struct selection *t);

/* The place in the block of the k-th selected bead. Local. */
static inline int64_t selection_bead(const struct selection *t, int64_t k)
{
  return t->bead ? t->bead[k] : k;
}
/* Sets row[n] to the rows, from 1, of beads of any rank; 0: not selected. Collective. */
void selection_rows(const struct selection *t, const struct ranks *r, const struct system *s,
                    const int64_t *id, int64_t n, int64_t *row);

/* Lists for files the terms of a section with so many beads that read no axis, whose beads are all
   selected, and whose first bead is in rows from ... to - 1 of the block: *id receives the ids of
   their beads, *row their rows in a file of the selection, from 1. Of the section of bonds: all
   that connects the beads of molecules, virtual sites too (model/connections.h), so that other
   programs can make molecules whole. Returns the number of terms; the caller frees both.
   Collective. */
int64_t bonds_selected(const struct selection *selection, const struct ranks *r,
                       const struct system *s, int section, int beads, int64_t from, int64_t to,
                       int64_t **id, int64_t **row);

#endif
