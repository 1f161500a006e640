/* Reading of .mdp files: `key = value ; comment`. Keys and words are compared as grompp does. See
   gromacs_mdp.h. */
#include "import/gromacs_mdp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_yaml.h"

enum { FILE_MOST = 1 << 20, KEY_MOST = 64, SETTINGS_MOST = 10000 };

enum use { START, RUN, ONLY, NONE };

static const struct rule {
  enum use use;
  const char *keys, *words, *why;
} rules[] = {
#define MDP_START(key, words, why) {START, key, words, why},
#define MDP_RUN(key, words, why) {RUN, key, words, why},
#define MDP_ONLY(keys, words, why) {ONLY, keys, words, why},
#define MDP_NONE(keys, why) {NONE, keys, NULL, why},
#include "import/gromacs_mdp_list.h"
#undef MDP_START
#undef MDP_RUN
#undef MDP_ONLY
#undef MDP_NONE
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Names of earlier versions. */
static const struct {
  const char *old, *now;
} renamed[] = {
    {"nstxtcout", "nstxout-compressed"},
    {"xtc-precision", "compressed-x-precision"},
    {"xtc-grps", "compressed-x-grps"},
    {"unconstrained-start", "continuation"},
    {"verlet-buffer-drift", "verlet-buffer-tolerance"},
    {"foreign-lambda", "fep-lambdas"},
};

struct setting {
  char key[KEY_MOST], *value;
  int n_words;
  char **word; /* of a copy of the value */
  const struct rule *rule;
  int line;
};

struct gromacs_mdp {
  char *path, *text;
  struct error_list *errors;
  int n;
  struct setting *setting;
};

struct error_list *gromacs_mdp_errors(const struct gromacs_mdp *mdp)
{
  return mdp->errors;
}

/* Item k of a list "a|b|c" in text; 0: it has fewer. */
static int list_item(const char *list, int k, char text[KEY_MOST])
{
  size_t n;
  const char *item = word_list_item(list, k, &n);
  snprintf(text, KEY_MOST, "%.*s", item ? (int)n : 0, item ? item : "");
  return item != NULL;
}

/* Index of a word in a list "a|b|c", or -1. */
static int find_word(const char *words, const char *word)
{
  char one[KEY_MOST];
  for (int k = 0; list_item(words, k, one); k++)
    if (gromacs_word_equal(one, word)) return k;
  return -1;
}

/* 1 if a key is that of a rule, or of its family: "family-*" or "*-ending". */
static int is_of(const char *key, const char *rule)
{
  const size_t n = strlen(rule), length = strlen(key);
  if (rule[n - 1] == '*') return !strncmp(key, rule, n - 1);
  if (rule[0] == '*') return length >= n - 1 && !strcmp(key + length - (n - 1), rule + 1);
  return gromacs_word_equal(key, rule);
}

/* Sets the key of a setting as the list has it, and its rule. */
static void set_key(struct setting *s, const char *from)
{
  char key[KEY_MOST];
  snprintf(s->key, KEY_MOST, "%.*s", KEY_MOST - 1, from);
  for (char *c = s->key; *c; c++)
    *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
  for (size_t k = 0; k < sizeof renamed / sizeof renamed[0]; k++)
    if (gromacs_word_equal(s->key, renamed[k].old))
      snprintf(s->key, KEY_MOST, "%s", renamed[k].now);
  for (int r = 0; r < RULES; r++)
    for (int k = 0; list_item(rules[r].keys, k, key); k++) {
      if (!is_of(s->key, key)) continue;
      s->rule = &rules[r];
      if (!strchr(key, '*')) memcpy(s->key, key, KEY_MOST);
      return;
    }
}

/* 1 if every word of a value is one of the list "a|b"; "0" is every zero. */
static int is_among(const char *words, const struct setting *s)
{
  double number;
  for (int k = 0; k < s->n_words; k++) {
    const int zero = !strcmp(words, "0") && parse_real(s->word[k], &number) && number == 0;
    if (find_word(words, s->word[k]) < 0 && !zero) return 0;
  }
  return 1;
}

static void check_setting(const struct gromacs_mdp *mdp, const struct setting *s)
{
  struct nearest near = {{0}, 0};
  struct error_list *m = mdp->errors;
  char hint[96], key[KEY_MOST];
  for (const struct setting *o = mdp->setting; o < s; o++)
    if (!strcmp(o->key, s->key))
      error_list_add(m, mdp->path, s->line, "'%s' stands here for the second time (line %d)",
                     s->key, o->line);
  if (s->rule && s->rule->use == ONLY && !is_among(s->rule->words, s))
    error_list_add(m, mdp->path, s->line, "%s = %.60s: %s", s->key, s->value, s->rule->why);
  if (s->rule) return;
  for (int r = 0; r < RULES; r++)
    for (int k = 0; list_item(rules[r].keys, k, key); k++)
      if (!strchr(key, '*')) nearest_offer(&near, s->key, key);
  error_list_add(m, mdp->path, s->line, "unknown key '%s'%s", s->key, nearest_text(&near, hint));
}

static void add_setting(struct gromacs_mdp *mdp, const char *key, char *value, int line)
{
  char *rest, *copy = text_copy(value);
  mdp->setting = grow_array(mdp->setting, mdp->n + 1, sizeof *mdp->setting);
  struct setting *s = &mdp->setting[mdp->n++];
  *s = (struct setting){.value = value, .line = line};
  set_key(s, key);
  for (char *word = strtok_r(copy, WORDS_BLANKS, &rest); word;
       word = strtok_r(NULL, WORDS_BLANKS, &rest)) {
    s->word = grow_array(s->word, s->n_words + 1, sizeof *s->word);
    s->word[s->n_words++] = word;
  }
  check_setting(mdp, s);
}

struct gromacs_mdp *gromacs_mdp_read(const char *path, struct error_list *m)
{
  struct gromacs_mdp *mdp = alloc_array(1, sizeof *mdp);
  mdp->path = text_copy(path);
  mdp->text = text_read_file(path, FILE_MOST);
  mdp->errors = m;
  int number = 0;
  char *next = mdp->text, *line;
  while (mdp->n < SETTINGS_MOST && (line = line_next(&next, &number, ';', NULL))) {
    char *equal = strchr(line, '=');
    if (!equal || equal == line) {
      error_list_add(m, path, number, "expected key = value");
      continue;
    }
    *equal = 0;
    char *value = text_trim(equal + 1);
    if (*value) add_setting(mdp, text_trim(line), value, number); /* else it says nothing */
  }
  return mdp;
}

void gromacs_mdp_destroy(struct gromacs_mdp *mdp)
{
  if (!mdp) return;
  for (int k = 0; k < mdp->n; k++) {
    free(mdp->setting[k].word[0]); /* the copy, which has no blank in front */
    free(mdp->setting[k].word);
  }
  free(mdp->setting);
  free(mdp->text);
  free(mdp->path);
  free(mdp);
}

static const struct setting *find_setting(const struct gromacs_mdp *mdp, const char *key)
{
  for (int k = 0; mdp && k < mdp->n; k++)
    if (!strcmp(mdp->setting[k].key, key)) return &mdp->setting[k];
  return NULL;
}

const char *gromacs_mdp_value(const struct gromacs_mdp *mdp, const char *key, const char *preset)
{
  const struct setting *s = find_setting(mdp, key);
  return s ? s->value : preset;
}

const char *gromacs_mdp_word(const struct gromacs_mdp *mdp, const char *key, int k)
{
  const struct setting *s = find_setting(mdp, key);
  return s && k < s->n_words ? s->word[k] : "";
}

struct file_line gromacs_mdp_line(const struct gromacs_mdp *mdp, const char *key)
{
  const struct setting *s = find_setting(mdp, key);
  return (struct file_line){mdp ? mdp->path : "--mdp", s ? s->line : 0};
}

int gromacs_mdp_find(const struct gromacs_mdp *mdp, const char *key, const char *words)
{
  const char *value = gromacs_mdp_value(mdp, key, NULL);
  return value ? find_word(words, value) : 0;
}

int gromacs_mdp_choice(const struct gromacs_mdp *mdp, const char *key)
{
  const struct setting *s = find_setting(mdp, key);
  const int found = s ? find_word(s->rule->words, s->value) : 0;
  if (found < 0) GROMACS_REFUSE(mdp, key, "%s = %.60s: %s", key, s->value, s->rule->why);
  return found;
}

int gromacs_mdp_reals(const struct gromacs_mdp *mdp, const char *key, int most, double *value)
{
  const struct setting *s = find_setting(mdp, key);
  const int n = s ? s->n_words : 0;
  for (int k = 0; k < n && k < most; k++)
    if (!parse_real(s->word[k], &value[k])) {
      GROMACS_REFUSE(mdp, key, "%s: '%.60s' is not a number", key, s->word[k]);
      return 0;
    }
  if (n > most) GROMACS_REFUSE(mdp, key, "%s: more than %d numbers", key, most);
  return n < most ? n : most;
}

double gromacs_mdp_real(const struct gromacs_mdp *mdp, const char *key, double preset, double low,
                        double high)
{
  double value = preset;
  const char *text = gromacs_mdp_value(mdp, key, "");
  if (!*text) return preset;
  if (parse_real(text, &value) && value >= low && value <= high) return value;
  GROMACS_REFUSE(mdp, key, "%s = %.60s: expected a number from %g to %g", key, text, low, high);
  return preset;
}

int64_t gromacs_mdp_int(const struct gromacs_mdp *mdp, const char *key, int64_t preset, int64_t low,
                        int64_t high)
{
  int64_t value = preset;
  const char *text = gromacs_mdp_value(mdp, key, "");
  if (!*text) return preset;
  if (parse_int(text, &value) && value >= low && value <= high) return value;
  GROMACS_REFUSE(mdp, key, "%s = %.60s: expected an integer from %lld to %lld", key, text,
                 (long long)low, (long long)high);
  return preset;
}

static void print_setting(const struct setting *s, const char *why, FILE *out)
{
  fprintf(out, "# %s = ", s->key);
  gromacs_yaml_text(out, s->value);
  fprintf(out, "%s%s\n", *why ? ": " : "", why);
}

void gromacs_mdp_print_rest(const struct gromacs_mdp *mdp, FILE *out)
{
  fputs("# In the force field and the velocities of the state file:\n", out);
  for (int r = 0; r < RULES; r++) {
    const struct setting *s = find_setting(mdp, rules[r].keys);
    if (s && rules[r].use == START) print_setting(s, "", out);
  }
  fputs("# Without effect here:\n", out);
  for (int k = 0; k < mdp->n; k++) {
    const struct setting *s = &mdp->setting[k];
    if (s->rule && s->rule->use >= ONLY)
      print_setting(s, s->rule->use == NONE ? s->rule->why : "", out);
  }
}
