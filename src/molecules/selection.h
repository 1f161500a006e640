/* The beads that the frames of a trajectory hold: all, or those of some molecule types and bead
   types. */
#ifndef SELECTION_H
#define SELECTION_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Rows of a file are counted from 0, in ascending order of ids. Written by
 * src/molecules/selection.c. */
struct selection {
  char *text;    /* the names, separated by commas; "": all beads */
  int64_t total; /* beads of the selection, over all ranks */
  int64_t first; /* row of the first selected bead of this rank's block */
  int64_t n;     /* selected beads of the block */
  int64_t *bead; /* [n]; their places in the block, ascending; NULL: all beads */
};

/* The names of a selection without blanks, in the order of the force field, molecule types first,
   each once. NULL, and why[bytes] says what is wrong, if a name is empty, or neither that of a
   molecule type nor of a bead type. Local; the caller frees it. */
char *selection_text(const struct forcefield *ff, const char *names, char *why, size_t bytes);
/* Selects the beads whose molecule type or bead type is named. text: of selection_text. Collective.
 */
void selection_open(struct selection *t, const struct ranks *r, const struct system *s,
                    const char *text);
/* selection_open of names. Dies with STATUS_INPUT if a name is unknown or no bead is selected.
   where: start of the message. Collective. */
void selection_open_named(struct selection *selection, const struct ranks *r,
                          const struct system *s, const char *names, const char *where);
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
