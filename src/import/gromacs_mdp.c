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

enum { FILE_MOST = 1 << 20, KEY_MOST = 64 };

#define BLANKS " \t\r\f\v"

enum use { READ, NONE, ONLY };

static const struct rule {
  enum use use;
  const char *key, *words, *why;
} rules[] = {
#define MDP_READ(key) {READ, key, NULL, NULL},
#define MDP_NONE(key, why) {NONE, key, NULL, why},
#define MDP_ONLY(key, words, why) {ONLY, key, words, why},
#include "import/gromacs_mdp_list.h"
#undef MDP_READ
#undef MDP_NONE
#undef MDP_ONLY
};

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
  const struct rule *rule;
  int line;
};

struct gromacs_mdp {
  char *path, *text;
  int n;
  struct setting *setting;
};

/* The next character of a word that counts, in lower case. */
static int next_of(const char **at)
{
  *at += strspn(*at, "-_");
  return **at ? tolower((unsigned char)*(*at)++) : 0;
}

int gromacs_word_equal(const char *a, const char *b)
{
  int c;
  while ((c = next_of(&a)) == next_of(&b))
    if (!c) return 1;
  return 0;
}

/* 1 if a key is that of a rule, or of its family: "family-*" or "*-ending". */
static int is_of(const char *key, const char *rule)
{
  const size_t n = strlen(rule), length = strlen(key);
  if (rule[n - 1] == '*') return !strncmp(key, rule, n - 1);
  if (rule[0] == '*') return length >= n - 1 && !strcmp(key + length - (n - 1), rule + 1);
  return gromacs_word_equal(key, rule);
}

static const struct rule *find_rule(const char *key)
{
  for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
    if (is_of(key, rules[k].key)) return &rules[k];
  return NULL;
}

/* Sets the key of a setting as the list has it, and its rule. */
static void set_key(struct setting *s, const char *from)
{
  snprintf(s->key, KEY_MOST, "%.*s", KEY_MOST - 1, from);
  for (char *c = s->key; *c; c++)
    *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
  for (size_t k = 0; k < sizeof renamed / sizeof renamed[0]; k++)
    if (gromacs_word_equal(s->key, renamed[k].old))
      snprintf(s->key, KEY_MOST, "%s", renamed[k].now);
  s->rule = find_rule(s->key);
  if (s->rule && !strchr(s->rule->key, '*')) snprintf(s->key, KEY_MOST, "%s", s->rule->key);
}

static char *trim(char *text)
{
  text += strspn(text, BLANKS);
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1]))
    text[--n] = 0;
  return text;
}

/* Index of a word in a list "a|b|c", or -1. */
static int find_word(const char *words, const char *word)
{
  const char *item;
  size_t n;
  for (int k = 0; (item = word_list_item(words, k, &n)); k++) {
    char one[KEY_MOST];
    snprintf(one, sizeof one, "%.*s", (int)n, item);
    if (gromacs_word_equal(one, word)) return k;
  }
  return -1;
}

/* 1 if every word of a value is one of the list "a|b"; "0" is every zero. */
static int is_among(const char *words, const char *value)
{
  for (const char *at = value; *at; at += strspn(at, BLANKS)) {
    const size_t n = strcspn(at, BLANKS);
    char word[256];
    double number;
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, at);
    const int zero = !strcmp(words, "0") && parse_real(word, &number) && number == 0;
    if (find_word(words, word) < 0 && !zero) return 0;
    at += n;
  }
  return 1;
}

static void check_setting(const struct gromacs_mdp *mdp, const struct setting *s,
                          struct error_list *m)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  for (const struct setting *o = mdp->setting; o < s; o++)
    if (!strcmp(o->key, s->key))
      error_list_add(m, mdp->path, s->line, "'%s' stands here for the second time (line %d)",
                     s->key, o->line);
  if (s->rule && (s->rule->use != ONLY || is_among(s->rule->words, s->value))) return;
  if (s->rule) {
    error_list_add(m, mdp->path, s->line, "%s = %.60s: %s", s->key, s->value, s->rule->why);
    return;
  }
  for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
    if (!strchr(rules[k].key, '*')) nearest_offer(&near, s->key, rules[k].key);
  error_list_add(m, mdp->path, s->line, "unknown key '%s'%s", s->key, nearest_text(&near, hint));
}

struct gromacs_mdp *gromacs_mdp_read(const char *path, struct error_list *m)
{
  struct gromacs_mdp *mdp = alloc_array(1, sizeof *mdp);
  mdp->path = text_copy(path);
  mdp->text = text_read_file(path, FILE_MOST);
  int number = 0;
  for (char *next = mdp->text, *line; *next && mdp->n < 10000;) {
    const size_t n = strcspn(next, "\n");
    line = next;
    next += n + (next[n] == '\n');
    line[n] = 0;
    number++;
    line[strcspn(line, ";")] = 0;
    line = trim(line);
    if (!*line) continue;
    char *equal = strchr(line, '=');
    if (!equal || equal == line) {
      error_list_add(m, path, number, "expected key = value");
      continue;
    }
    *equal = 0;
    char *value = trim(equal + 1);
    if (!*value) continue; /* the line says nothing, for grompp too */
    mdp->setting = grow_array(mdp->setting, mdp->n + 1, sizeof *mdp->setting);
    struct setting *s = &mdp->setting[mdp->n++];
    set_key(s, trim(line));
    s->value = value;
    s->line = number;
    check_setting(mdp, s, m);
  }
  return mdp;
}

void gromacs_mdp_destroy(struct gromacs_mdp *mdp)
{
  if (!mdp) return;
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

struct gromacs_place gromacs_mdp_place(const struct gromacs_mdp *mdp, const char *key)
{
  const struct setting *s = find_setting(mdp, key);
  return (struct gromacs_place){mdp ? mdp->path : "--mdp", s ? s->line : 0};
}

int gromacs_mdp_choice(const struct gromacs_mdp *mdp, const char *key, const char *words)
{
  const char *value = gromacs_mdp_value(mdp, key, NULL);
  return value ? find_word(words, value) : 0;
}

const char *gromacs_mdp_word(const struct gromacs_mdp *mdp, const char *key, int k, char word[256])
{
  const char *at = gromacs_mdp_value(mdp, key, "");
  for (; k > 0; k--) {
    at += strcspn(at, BLANKS);
    at += strspn(at, BLANKS);
  }
  snprintf(word, 256, "%.*s", (int)strcspn(at, BLANKS), at);
  return word;
}

int gromacs_mdp_reals(const struct gromacs_mdp *mdp, const char *key, int most, double *value,
                      struct error_list *m)
{
  char word[256];
  int n = 0;
  while (n < most && *gromacs_mdp_word(mdp, key, n, word)) {
    if (!parse_real(word, &value[n])) {
      GROMACS_ERROR(m, gromacs_mdp_place(mdp, key), "%s: '%.60s' is not a number", key, word);
      return 0;
    }
    n++;
  }
  if (n == most && *gromacs_mdp_word(mdp, key, n, word))
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, key), "%s: more than %d numbers", key, most);
  return n;
}

double gromacs_mdp_real(const struct gromacs_mdp *mdp, const char *key, double preset, double low,
                        double high, struct error_list *m)
{
  double value = preset;
  const char *text = gromacs_mdp_value(mdp, key, "");
  if (!*text) return preset;
  if (!parse_real(text, &value) || value < low || value > high) {
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, key), "%s = %.60s: expected a number from %g to %g",
                  key, text, low, high);
    return preset;
  }
  return value;
}

long long gromacs_mdp_int(const struct gromacs_mdp *mdp, const char *key, long long preset,
                          long long low, long long high, struct error_list *m)
{
  int64_t value = preset;
  const char *text = gromacs_mdp_value(mdp, key, "");
  if (!*text) return preset;
  if (!parse_int(text, &value) || value < low || value > high) {
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, key),
                  "%s = %.60s: expected an integer from %lld to %lld", key, text, low, high);
    return preset;
  }
  return value;
}

void gromacs_mdp_print_unused(const struct gromacs_mdp *mdp, FILE *out)
{
  for (int k = 0; k < mdp->n; k++) {
    const struct setting *s = &mdp->setting[k];
    if (!s->rule || s->rule->use == READ) continue;
    fprintf(out, "# %s = ", s->key);
    gromacs_yaml_text(out, s->value);
    if (s->rule->use == NONE && s->rule->why[0]) fprintf(out, ": %s", s->rule->why);
    fputs("\n", out);
  }
}
