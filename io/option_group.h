/* Groups of beads that options of commands name, in a state. */
#ifndef OPTION_GROUP_H
#define OPTION_GROUP_H

#include "input/group_reader.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Finds the group of a text (bead_group_read_text), which may name groups of the run that wrote the
   state. option: for messages. Status 2 for mistakes, and where it has no bead. Collective. */
void option_group_find(struct bead_group *g, const struct ranks *r, struct system *y,
                       const char *option, int words, const char *text);
/* How files name it: group_words_text. Caller frees. */
char *option_group_text(const struct system *y, const char *text);

#endif
