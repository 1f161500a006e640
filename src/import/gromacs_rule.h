/* The list of keys of .mdp files (gromacs_mdp_list.h): what becomes of each. Local. */
#ifndef GROMACS_RULE_H
#define GROMACS_RULE_H

#include <stdio.h>

enum { GROMACS_KEY = 64 };

enum gromacs_use { MDP_USE_START, MDP_USE_RUN, MDP_USE_ONLY, MDP_USE_WITH, MDP_USE_NONE };

struct gromacs_rule {
  enum gromacs_use use;
  const char *keys, *becomes, *words, *why;
  const char *with; /* the key that keys of MDP_USE_WITH belong to */
};

/* The rule of a key in any spelling and of any version, NULL: it is unknown. key: receives its name
   as the list has it. */
const struct gromacs_rule *gromacs_rule_find(const char *spelling, char key[GROMACS_KEY]);
/* A key of the list with the first number of another, or of a text of digits, in the place of its
   #: text, which may not be the name. Without a number it keeps the #. */
const char *gromacs_rule_number(const char *name, const char *key, char text[GROMACS_KEY]);
/* Rule k of the list, in its order; NULL: there are fewer. */
const struct gromacs_rule *gromacs_rule(int k);
/* Index of a word in a list "a|b|c", compared as grompp does, or -1. */
int gromacs_word_find(const char *words, const char *word);
/* "; did you mean ...?" for a key, or "". */
const char *gromacs_rule_hint(const char *key, char text[96]);
/* The table of keys, for --help. */
void gromacs_rules_print(void);

#endif
