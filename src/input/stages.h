/* The stages of a run file: runs one after the other, each from the last state of the one before.

     stages:
       - {name: em, minimise: {steps: 5000, force: 100}}
       - {name: md, steps: 500000, set: {run: {dt: 0.02}, barostat: {type: crescale}}}

   A stage has the keys of the run file, except those that it sets, and files of its own, which are
   named PREFIX.NAME. A run file without the list is one stage without a name. Local: every rank
   reads the list. */
#ifndef STAGES_H
#define STAGES_H

#include "input/param.h"

enum { STAGE_NAME = 65 }; /* bytes of a name, with the terminating 0 */

struct stage {
  char *name;            /* NULL: the run file has no list. Owned */
  struct params *params; /* owned */
};

/* Written by input/stages.c. */
struct stages {
  int n; /* at least 1 */
  struct stage *stage;
};

/* Reads the list. base: the keys of the run file, with a prefix; setting: the overrides. Those of
   one stage, "stages.NAME.section.key=value" or "stages.NAME.steps=N", are applied; the others are
   among the keys, and none may have an effect on no stage. All mistakes are
   reported together, with lines and the nearest known word; then all ranks end with status 2. */
struct stages *stages_read(const struct params *base, int n_settings, char *const *setting);
/* 1 if a stage can have a name: letters, digits and _.+-, and not that of endings of other files.
 */
int stages_may_be_named(const char *name);
/* Makes the checkpoint of each stage the input of the next one, by their prefixes. */
void stages_link(struct stages *s);
/* The index of the stage that files of a prefix belong to, such as those of a checkpoint that names
   it; -1: none. */
int stages_find(const struct stages *s, const char *prefix);
void stages_destroy(struct stages *s);

#endif
