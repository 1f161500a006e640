/* Parameters of a run: the YAML run file, parsed with the keys of param_list.h. Local: every rank
   reads the file. */
#ifndef PARAM_H
#define PARAM_H

#include "base/error_list.h"
#include "input/param_choices.h"
#include "model/ramp.h"

#include <stdint.h>

struct yaml_tree;

/* Written by input/param.c. One member for each key, named section_key (key alone at top level):
   double for real keys, struct ramp for targets that may change in time, double[3] for
   numbers of box edges, int64_t for integer keys,
   char * (owned) for text keys and for trees, whose text is YAML in one line, int for choices
   (constants of param_choices.h). "auto" is NAN for a real and -1 for an integer. */
struct params {
#define PARAM_REAL(section, key, ...) double section##key;
#define PARAM_RAMP(section, key, ...) struct ramp section##key;
#define PARAM_EDGES(section, key, ...) double section##key[3];
#define PARAM_INT(section, key, ...) int64_t section##key;
#define PARAM_TEXT(section, key, ...) char *section##key;
#define PARAM_CHOICE(section, key, ...) int section##key;
#define PARAM_TREE(section, key, ...) char *section##key;
#define PARAM_GONE(...)
#include "input/param_list.h"
  char *file; /* path of the run file; NULL: none. Owned */
  int stage;  /* its place in the list `stages` of the run file, from 1; 0: it is none of them */
};

#define PARAMS_STAGES "stages." /* begins an override of one stage */

/* Sets defaults, then values of the file (NULL: none), then overrides "section.key=value" in order.
   With a file those of its stages are left out: stages_read applies them.
   All errors are reported together, with line numbers and the nearest known key; then all ranks end
   with STATUS_INPUT. */
struct params *params_load(const char *path, int n_overrides, char *const *overrides);
/* Applies an override "section.key=value". before: of the key in messages, "stages.NAME." or "". */
void params_override(struct params *p, const char *text, const char *before, struct error_list *m);
/* Parses the text of a run file. Errors, with lines of `name`, end all ranks with STATUS_INPUT. */
struct params *params_parse(const char *text, const char *name);
/* Give a key "section.key" another value than the run file: a number, an integer or a choice, a
   text or a tree. The text is copied. */
void params_set_real(struct params *p, const char *key, double value);
void params_set_int(struct params *p, const char *key, int64_t value);
void params_set_text(struct params *p, const char *key, const char *value);
/* Gives the keys of a section their values in other parameters. */
void params_take(struct params *p, const struct params *from, const char *section);
/* A copy for the stage of a number. The caller destroys it. */
struct params *params_for_stage(const struct params *base, int number);
/* Sets what a mapping of sections and keys says, as a run file has it; errors are added to the
   tree. */
void params_merge(struct params *p, struct yaml_tree *t, int map);
/* Sets the key `name` ("key" or "section.key") to the value of a node, or the keys of the section
   `name` to those of a mapping. */
void params_merge_at(struct params *p, struct yaml_tree *t, const char *name, int node);
/* The node of "key" or "section.key" in such a mapping; 0: it is not there. */
int params_node(const struct yaml_tree *t, int map, const char *key);
/* The range of a number: a key "section.key" of the list. */
void params_range(const char *key, double *low, double *high);
/* Parses the effective parameters of an earlier job (params_text). Unknown keys are ignored. */
struct params *params_from_text(const char *text);
/* Calls `each` for every key of effect MOTION or LATER whose value differs, with both values as
   text. Returns their number. */
typedef void params_change(void *argument, const char *key, const char *old, const char *now);
int params_changes(const struct params *old, const struct params *now, params_change *each,
                   void *argument);
/* The keys of effect MOTION as text, a line each; those of effect LATER where they are not at their
   defaults. Caller frees. */
char *params_motion(const struct params *p);
/* The value of a key that is a list or a map: at a node of the run file, so that errors have its
   lines, or at the root of a tree of its own, of an option. Initialise with {0}. */
struct params_value {
  struct yaml_tree *tree; /* adds its errors to the list below: the struct must not move */
  int node;
  struct error_list errors;
};
/* key: "key" or "section.key". */
void params_open(struct params_value *v, const struct params *p, const char *key);
/* Status 2 if there are errors. */
void params_close(struct params_value *v);
/* "run.yaml:7: fields[1]": where an item of such a list is given, from 0. Caller frees. */
char *params_where(const struct params *p, const char *key, int item);
/* All parameters as YAML text, each with unit and help as a comment. Caller frees. */
char *params_text(const struct params *p);
/* Prints type, default, unit, range and help of every key to stdout. */
void params_help(void);
void params_destroy(struct params *p);

#endif
