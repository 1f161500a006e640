/* Reading of .mdp files: `key = value ; comment`. Keys and words are compared as grompp does. See
   gromacs_mdp.h. */
#include "import/gromacs_mdp.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_rule.h"
#include "import/gromacs_yaml.h"

enum { FILE_MOST = 1 << 20, SETTINGS_MOST = 10000 };

struct setting {
  char key[GROMACS_KEY];
  const char *value, *given; /* given: before a substitution */
  int n_words;
  char **word; /* of a copy of the value */
  const struct gromacs_rule *rule;
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

/* 1 if every word of a value is one of the list "a|b"; "0" is every zero. */
static int is_among(const char *words, const struct setting *s)
{
  double number;
  for (int k = 0; k < s->n_words; k++) {
    const int zero = !strcmp(words, "0") && parse_real(s->word[k], &number) && number == 0;
    if (gromacs_word_find(words, s->word[k]) < 0 && !zero) return 0;
  }
  return 1;
}

/* A key that no version has: GROMACS warns of it. Refused where it may be another misspelled. */
static void check_unknown(const struct gromacs_mdp *mdp, const struct setting *s)
{
  char hint[96];
  if (*gromacs_rule_hint(s->key, hint))
    error_list_add(mdp->errors, mdp->path, s->line, "unknown key '%s'%s", s->key, hint);
  else
    warn("%s:%d: no version of GROMACS has the key '%s': it has no effect", mdp->path, s->line,
         s->key);
}

static void check_setting(const struct gromacs_mdp *mdp, const struct setting *s)
{
  struct error_list *m = mdp->errors;
  for (const struct setting *o = mdp->setting; o < s; o++)
    if (!strcmp(o->key, s->key) && gromacs_word_equal(o->given, s->given))
      warn("%s:%d: '%s' stands here for the second time (line %d)", mdp->path, s->line, s->key,
           o->line);
    else if (!strcmp(o->key, s->key))
      error_list_add(m, mdp->path, s->line,
                     "'%s' stands here for the second time (line %d), with another value", s->key,
                     o->line);
  if (s->rule && s->rule->use == MDP_USE_ONLY && !is_among(s->rule->words, s))
    error_list_add(m, mdp->path, s->line, "%s = %.60s: %s", s->key, s->value, s->rule->why);
  if (!s->rule) check_unknown(mdp, s);
}

/* Puts another word in the place of a value, if --substitute says so. */
static void substitute(struct setting *s, const struct gromacs_substitutes *all)
{
  if (!s->rule || s->rule->use > MDP_USE_RUN || !s->rule->words) return;
  for (int k = 0; k < all->n; k++) {
    struct gromacs_substitute *one = &all->item[k];
    if (!gromacs_word_equal(s->given, one->from) || gromacs_word_find(s->rule->words, one->to) < 0)
      continue;
    s->value = one->to;
    one->used = 1;
  }
}

static void add_setting(struct gromacs_mdp *mdp, const char *key, const char *value, int line,
                        const struct gromacs_substitutes *other)
{
  mdp->setting = grow_array(mdp->setting, mdp->n + 1, sizeof *mdp->setting);
  struct setting *s = &mdp->setting[mdp->n++];
  *s = (struct setting){.value = value, .given = value, .line = line};
  s->rule = gromacs_rule_find(key, s->key);
  substitute(s, other);
  char *rest, *copy = text_copy(s->value);
  for (char *word = strtok_r(copy, WORDS_BLANKS, &rest); word;
       word = strtok_r(NULL, WORDS_BLANKS, &rest)) {
    s->word = grow_array(s->word, s->n_words + 1, sizeof *s->word);
    s->word[s->n_words++] = word;
  }
  check_setting(mdp, s);
}

/* A line without a key and a value: versions before 2018 ignore it. Refused where it begins with a
   key. */
static void check_stray(const struct gromacs_mdp *mdp, const char *line, int number)
{
  char word[GROMACS_KEY], key[GROMACS_KEY];
  const size_t n = strcspn(line, WORDS_BLANKS ":");
  snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, line);
  const struct gromacs_rule *rule = *line != '=' && *word ? gromacs_rule_find(word, key) : NULL;
  if (rule && *(line + n + strspn(line + n, WORDS_BLANKS ":")))
    error_list_add(mdp->errors, mdp->path, number, "expected %s = value", key);
  else
    warn("%s:%d: no key = value stands here: the line has no effect", mdp->path, number);
}

struct gromacs_mdp *gromacs_mdp_read(const char *path, const struct gromacs_substitutes *other,
                                     struct error_list *m)
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
      check_stray(mdp, line, number);
      continue;
    }
    *equal = 0;
    char *value = text_trim(equal + 1);
    if (*value) add_setting(mdp, text_trim(line), value, number, other); /* else it says nothing */
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

int gromacs_mdp_words(const struct gromacs_mdp *mdp, const char *key)
{
  const struct setting *s = find_setting(mdp, key);
  return s ? s->n_words : 0;
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
  return value ? gromacs_word_find(words, value) : 0;
}

int gromacs_mdp_choice(const struct gromacs_mdp *mdp, const char *key)
{
  const struct setting *s = find_setting(mdp, key);
  const int found = s ? gromacs_word_find(s->rule->words, s->value) : 0;
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

/* "key = value" as the file has it, and what --substitute puts in its place. */
static void print_setting(const struct setting *s, FILE *out)
{
  fprintf(out, "%s = ", s->key);
  gromacs_yaml_text(out, s->given);
  if (s->value != s->given) fprintf(out, " (--substitute: %s)", s->value);
}

void gromacs_mdp_print(const struct gromacs_mdp *mdp, const char *key, FILE *out)
{
  const struct setting *s = find_setting(mdp, key);
  if (s)
    print_setting(s, out);
  else
    fprintf(out, "%s: as GROMACS has it by default", key);
}

static void print_row(const struct setting *s, const char *why, FILE *out)
{
  fputs("# ", out);
  print_setting(s, out);
  fprintf(out, "%s%s\n", *why ? ": " : "", why);
}

/* 1 for a setting without effect; *why: the reason, or "". */
static int is_without_effect(const struct gromacs_mdp *mdp, const struct setting *s,
                             const char **why)
{
  const struct gromacs_rule *r = s->rule;
  *why = r && r->use == MDP_USE_NONE ? r->why : "";
  const struct setting *other = r && r->with ? find_setting(mdp, r->with) : NULL;
  if (other) return is_among(r->words, other);
  if (r && r->with) return 1;
  return !r || r->use == MDP_USE_ONLY || r->use == MDP_USE_NONE;
}

/* 1 if a word is among those of `define`. */
static int defines(const struct gromacs_mdp *mdp, const char *wanted)
{
  const char *word;
  for (int k = 0; *(word = gromacs_mdp_word(mdp, "define", k)); k++)
    if (!strcmp(word, wanted)) return 1;
  return 0;
}

/* Prints the rows of keys that became part of the state, without a word of `define`. */
static void print_start(const struct gromacs_mdp *mdp, const char *without, FILE *out)
{
  const struct gromacs_rule *r;
  for (int k = 0; (r = gromacs_rule(k)); k++) {
    const struct setting *s = find_setting(mdp, r->keys);
    if (!s || r->use != MDP_USE_START) continue;
    const int cut = !strcmp(s->key, "define") && defines(mdp, without);
    if (cut && s->n_words == 1) continue;
    fputs("# ", out);
    print_setting(s, out);
    fprintf(out, "%s%s\n", cut ? ": without " : "", cut ? without : "");
  }
}

void gromacs_mdp_print_rest(const struct gromacs_mdp *mdp, const char *without, FILE *out)
{
  const char *why;
  fputs("# In the force field and the velocities of the state file:\n", out);
  print_start(mdp, without, out);
  fputs("# Without effect here:\n", out);
  if (defines(mdp, without))
    fprintf(out, "# define = %s: a minimiser has the constraints of the last stage\n", without);
  for (int k = 0; k < mdp->n; k++)
    if (is_without_effect(mdp, &mdp->setting[k], &why)) print_row(&mdp->setting[k], why, out);
}

int gromacs_run_minimises(const struct gromacs_mdp *mdp)
{
  return gromacs_mdp_find(mdp, "integrator", "md|steep|cg|l-bfgs") > 0;
}
