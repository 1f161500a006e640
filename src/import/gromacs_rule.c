#include "import/gromacs_rule.h"

#include <ctype.h>
#include <string.h>

#include "base/parse.h"
#include "import/gromacs_molecule.h"

static const struct gromacs_rule rules[] = {
#define MDP_START(key, becomes, words, why) {MDP_USE_START, key, becomes, words, why, NULL},
#define MDP_RUN(key, becomes, words, why) {MDP_USE_RUN, key, becomes, words, why, NULL},
#define MDP_ONLY(keys, words, why) {MDP_USE_ONLY, keys, NULL, words, why, NULL},
#define MDP_WITH(keys, with, words, becomes) {MDP_USE_WITH, keys, becomes, words, NULL, with},
#define MDP_NONE(keys, why) {MDP_USE_NONE, keys, NULL, NULL, why, NULL},
#include "import/gromacs_mdp_list.h"
#undef MDP_START
#undef MDP_RUN
#undef MDP_ONLY
#undef MDP_WITH
#undef MDP_NONE
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Names of other versions. */
static const struct {
  const char *other, *now;
} renamed[] = {
    {"nstxtcout", "nstxout-compressed"},
    {"xtc-precision", "compressed-x-precision"},
    {"xtc-grps", "compressed-x-grps"},
    {"unconstrained-start", "continuation"},
    {"verlet-buffer-drift", "verlet-buffer-tolerance"},
    {"foreign-lambda", "fep-lambdas"},
    {"pull-print-com1", "pull-print-com"},
    {"pull-print-reference", "pull-print-com"},
};
enum { RENAMED = sizeof renamed / sizeof renamed[0] };

const char *gromacs_rule_number(const char *name, const char *key, char text[GROMACS_KEY])
{
  const char *sign = strchr(name, '#'), *digits = key + strcspn(key, "0123456789");
  const int n = (int)strspn(digits, "0123456789"), before = sign ? (int)(sign - name) : 0;
  if (sign && n > 0 && n <= 3 && (*digits != '0' || n == 1))
    snprintf(text, GROMACS_KEY, "%.*s%.*s%s", before, name, n, digits, sign + 1);
  else
    snprintf(text, GROMACS_KEY, "%s", name);
  return text;
}

/* Item k of a list "a|b|c" in text; 0: it has fewer. */
static int list_item(const char *list, int k, char text[GROMACS_KEY])
{
  size_t n;
  const char *item = word_list_item(list, k, &n);
  snprintf(text, GROMACS_KEY, "%.*s", item ? (int)n : 0, item ? item : "");
  return item != NULL;
}

int gromacs_word_find(const char *words, const char *word)
{
  char one[GROMACS_KEY];
  for (int k = 0; list_item(words, k, one); k++)
    if (gromacs_word_equal(one, word)) return k;
  return -1;
}

/* Item k of a list of keys, with the number of a key in the place of #. */
static int list_key(const char *list, int k, const char *key, char text[GROMACS_KEY])
{
  char one[GROMACS_KEY];
  const int found = list_item(list, k, one);
  gromacs_rule_number(one, key, text);
  return found;
}

/* 1 if a key is that of a rule, or of its family: "family-*" or "*-ending". */
static int is_of(const char *key, const char *rule)
{
  const size_t n = strlen(rule), length = strlen(key);
  if (rule[n - 1] == '*') return !strncmp(key, rule, n - 1);
  if (rule[0] == '*') return length >= n - 1 && !strcmp(key + length - (n - 1), rule + 1);
  return gromacs_word_equal(key, rule);
}

const struct gromacs_rule *gromacs_rule_find(const char *spelling, char key[GROMACS_KEY])
{
  char one[GROMACS_KEY];
  snprintf(key, GROMACS_KEY, "%.*s", GROMACS_KEY - 1, spelling);
  for (char *c = key; *c; c++)
    *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
  for (int k = 0; k < RENAMED; k++)
    if (gromacs_word_equal(key, renamed[k].other)) snprintf(key, GROMACS_KEY, "%s", renamed[k].now);
  for (int r = 0; r < RULES; r++)
    for (int k = 0; list_key(rules[r].keys, k, key, one); k++) {
      if (!is_of(key, one)) continue;
      if (!strchr(one, '*')) memcpy(key, one, GROMACS_KEY);
      return &rules[r];
    }
  return NULL;
}

const struct gromacs_rule *gromacs_rule(int k)
{
  return k < RULES ? &rules[k] : NULL;
}

const char *gromacs_rule_hint(const char *key, char text[96])
{
  struct nearest near = {{0}, 0};
  char one[GROMACS_KEY];
  for (int r = 0; r < RULES; r++)
    for (int k = 0; list_key(rules[r].keys, k, key, one); k++)
      if (!strchr(one, '*')) nearest_offer(&near, key, one);
  return nearest_text(&near, text);
}

/* The items of a list with another sign between them. */
static void print_list(const char *list, const char *between)
{
  char one[GROMACS_KEY];
  for (int k = 0; list_item(list, k, one); k++)
    printf("%s%s", k ? between : "", one);
}

void gromacs_rules_print(void)
{
  printf(
      "\nKeys of run parameters of GROMACS (.mdp) of any version, the values that are taken, and "
      "what becomes of them:\n");
  for (const struct gromacs_rule *r = rules; r < rules + RULES; r++) {
    printf("  ");
    print_list(r->keys, ",");
    printf("  ");
    if (r->use == MDP_USE_WITH || !r->words)
      printf("any");
    else if (!*r->words)
      printf("none");
    else
      print_list(r->words, ", ");
    if (r->use <= MDP_USE_RUN) printf("\n      %s\n", r->becomes);
    if (r->use == MDP_USE_ONLY) printf("\n      others are refused: %s\n", r->why);
    if (r->use == MDP_USE_WITH) printf("\n      with %s: %s\n", r->with, r->becomes);
    if (r->use == MDP_USE_NONE) printf("\n      no effect%s%s\n", *r->why ? ": " : "", r->why);
  }
  for (int k = 0; k < RENAMED; k++)
    printf("  %s  any\n      as %s\n", renamed[k].other, renamed[k].now);
}
