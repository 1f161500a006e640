/* What texts say of groups: which names they use, and one way of writing what is the same. */
#ifndef GROUP_USE_H
#define GROUP_USE_H

#include "input/param.h"
#include "model/forcefield.h"

/* Of the mapping `groups` as YAML text those that n other texts name, directly or through each
   other, as such a text; "[]": none. Caller frees. */
char *named_groups_used(const char *groups, const char *const *other, int n);
/* The words of a text "A, B" as a selection in YAML, "{any: [A, B]}"; one in braces stays; "": all
   beads. Caller frees. */
char *group_words_yaml(const char *text);
/* How files name the beads of such a text: molecule types and bead types without blanks, in the
   order of the force field, molecule types first, each once; of others a selection in YAML, and the
   named groups of p (NULL: none) that it uses. Caller frees. */
char *group_words_text(const char *text, const struct params *p, const struct forcefield *ff);

#endif
