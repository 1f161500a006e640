/* The run file: YAML against param_list.h, with line numbers. */
#ifndef PARAM_H
#define PARAM_H

#include "input/param_choices.h"

#include <stdint.h>

/* One member a key, named section_key (key alone at top level): real keys are double, integer keys
   int64_t, text keys char * (owned), choices int (constants of param_choices.h), and "auto" for a
   real or integer that allows it is NAN or -1. */
struct params {
#define PARAM_REAL(section, key, ...) double section##key;
#define PARAM_INT(section, key, ...) int64_t section##key;
#define PARAM_TEXT(section, key, ...) char *section##key;
#define PARAM_CHOICE(section, key, ...) int section##key;
#include "input/param_list.h"
#undef PARAM_REAL
#undef PARAM_INT
#undef PARAM_TEXT
#undef PARAM_CHOICE
};

/* Defaults, then the file (NULL: none), then the overrides "section.key=value" in order. All
   mistakes are reported at once, with line numbers and the nearest known key; then status 2. */
struct params *params_load(const char *path, int n_overrides, char *const *overrides);
/* From the effective input of an earlier job (params_text); keys that this program does not know
   are passed over. */
struct params *params_from_text(const char *text);
/* Calls each for every key on which the trajectory depends and whose values differ, with both as
   text; how many there are. */
typedef void params_change(void *argument, const char *key, const char *old, const char *now);
int params_changes(const struct params *old, const struct params *now, params_change *each,
                   void *argument);
/* The effective input as YAML text, every key with its unit and help as a comment. Caller frees. */
char *params_text(const struct params *p);
/* Every key: type, default, unit, range, help; to stdout. */
void params_help(void);
void params_destroy(struct params *p);

#endif
