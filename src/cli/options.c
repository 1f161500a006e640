/* Parsing a command line by the list of its options: see options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "io/path_check.h"

/* getopt_long returns FIRST + the index in the list; FIRST is larger than any letter. */
enum { FIRST = 256, LETTERS = 3 * 64 };

static int count_options(const struct command *c)
{
  int n = 0;
  while (c->option[n].name)
    n++;
  return n;
}

void arguments_set(struct arguments *a, const char *key, const char *value)
{
  size_t size = strlen(key) + strlen(value) + 2;
  char *text = alloc_array((long long)size, 1);
  snprintf(text, size, key[0] ? "%s=%s" : "%s%s", key, value);
  a->setting = grow_array(a->setting, a->n_settings + 1, sizeof *a->setting);
  a->setting[a->n_settings++] = text;
}

/* The words that an argument allows, or NULL if it is a placeholder. */
static const char *words_allowed(const struct option_help *o)
{
  for (const char *c = o->argument; c && *c; c++)
    if (isupper((unsigned char)*c)) return NULL;
  return o->argument;
}

static void add_given(struct arguments *a, const struct option_help *o, const char *value)
{
  const char *words = words_allowed(o);
  if (words && word_list_find(words, value) < 0)
    die_all(STATUS_INPUT, "%s: --%s: '%s' is none of %s%s", a->command->name, o->name, value, words,
            o->hint ? o->hint : "");
  a->given = grow_array(a->given, a->n_given + 1, sizeof *a->given);
  a->given[a->n_given].option = o;
  a->given[a->n_given++].value = value;
  if (o->key) arguments_set(a, o->key, value);
}

/* The tables for getopt_long: long options, with --help as the last, and letters. */
static struct option *long_options(const struct command *c, char letters[LETTERS])
{
  int n = count_options(c);
  struct option *all = alloc_array(n + 2, sizeof *all);
  size_t used = (size_t)snprintf(letters, LETTERS, ":h");
  for (int k = 0; k < n; k++) {
    const struct option_help *o = &c->option[k];
    all[k] =
        (struct option){o->name, o->argument ? required_argument : no_argument, NULL, FIRST + k};
    if (o->letter)
      used += (size_t)snprintf(letters + used, LETTERS - used, "%s%s", o->letter,
                               o->argument ? ":" : "");
  }
  all[n] = (struct option){"help", no_argument, NULL, 'h'};
  return all;
}

/* The option of a letter, or of a value of getopt_long; NULL for neither. */
static const struct option_help *find_option(const struct command *c, int value)
{
  int n = count_options(c);
  if (value >= FIRST) return value < FIRST + n ? &c->option[value - FIRST] : NULL;
  for (int k = 0; k < n; k++)
    if (c->option[k].letter && c->option[k].letter[0] == value) return &c->option[k];
  return NULL;
}

/* word: as it was typed. how: what getopt_long returned; optopt says of which option. */
__attribute__((noreturn)) static void refuse(const struct command *c, const char *word, int how)
{
  const struct option_help *o = find_option(c, optopt);
  struct nearest near = {{0}, 0};
  char name[64], candidate[64], hint[96];
  int several = 0;
  if (how == ':' && o)
    die_all(STATUS_INPUT, "%s: --%s lacks its value: --%s=%s", c->name, o->name, o->name,
            o->argument);
  if (o || (optopt == 'h' && word[1] == '-'))
    die_all(STATUS_INPUT, "%s: --%s takes no value", c->name, o ? o->name : "help");
  if (optopt) snprintf(name, sizeof name, "-%c", optopt);
  if (!optopt) snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  for (int k = 0; !optopt && c->option[k].name; k++) {
    snprintf(candidate, sizeof candidate, "--%s", c->option[k].name);
    nearest_offer(&near, name, candidate);
    several |= !strncmp(candidate, name, strlen(name));
  }
  die_all(STATUS_INPUT, "%s: %s %s (lamella %s --help lists them)%s", c->name,
          several ? "more than one option begins with" : "there is no option", name, c->name,
          nearest_text(&near, hint));
}

/* 0 if --help is among the options. */
static int parse_options(struct arguments *a, int argc, char **argv)
{
  char letters[LETTERS];
  struct option *all = long_options(a->command, letters);
  int value, help = 0;
  opterr = 0;
  optind = 1;
  while (!help && (value = getopt_long(argc, argv, letters, all, NULL)) != -1) {
    if (value == '?' || value == ':') refuse(a->command, argv[optind - 1], value);
    if (value == 'h')
      help = 1;
    else
      add_given(a, find_option(a->command, value), optarg ? optarg : "");
  }
  free(all);
  return !help;
}

/* Operands and options that are missing, all in one message. */
static void check_complete(const struct arguments *a)
{
  const struct command *c = a->command;
  char missing[512] = "";
  int n = 0;
  if (a->n_operands < c->least) {
    const char *end = strstr(c->operands, "...") ? " " : ""; /* of several, the first */
    snprintf(missing, sizeof missing, "%.*s", (int)strcspn(c->operands, end), c->operands);
    n = 1;
  }
  for (const struct option_help *o = c->option; o->name; o++) {
    const size_t used = strlen(missing);
    if (!o->required || arguments_value(a, o->name)) continue;
    snprintf(missing + used, sizeof missing - used, "%s--%s=%s", n++ ? " and " : "", o->name,
             o->argument);
  }
  if (n > 0)
    die_all(STATUS_INPUT, "%s: %s %s missing; see lamella %s --help", c->name, missing,
            n > 1 ? "are" : "is", c->name);
  if (a->n_operands > c->most)
    die_all(STATUS_INPUT, "%s takes %s and no more: what is '%s'? See lamella %s --help", c->name,
            c->operands, a->operand[c->most], c->name);
}

struct arguments *arguments_parse(const struct command *c, int argc, char **argv)
{
  struct arguments *a = alloc_array(1, sizeof *a);
  a->command = c;
  a->argc = argc;
  a->argv = argv;
  for (const struct option_help *o = c->option; o->name; o++)
    if (o->preset) add_given(a, o, o->preset);
  if (!parse_options(a, argc, argv)) {
    arguments_destroy(a);
    return NULL;
  }
  a->operand = argv + optind;
  a->n_operands = argc - optind;
  check_complete(a);
  return a;
}

void arguments_destroy(struct arguments *a)
{
  if (!a) return;
  for (int k = 0; k < a->n_settings; k++)
    free(a->setting[k]);
  free(a->setting);
  free(a->given);
  free(a);
}

/* The value of an option whose argument is such a file, or NULL. */
static const char *file_of(const struct arguments *a, const struct option_help *o,
                           enum file_use use)
{
  return o->file == use ? arguments_value(a, o->name) : NULL;
}

void arguments_spare(const struct arguments *a, const char *input)
{
  for (const struct option_help *o = a->command->option; o->name; o++) {
    const char *output = file_of(a, o, FILE_WRITTEN);
    char what[64];
    snprintf(what, sizeof what, "--%s", o->name);
    if (output) path_spare_input(what, output, input);
  }
}

/* No output of the options before the last one may be that of the last one. */
static void spare_outputs(const struct arguments *a, const struct option_help *last)
{
  const char *output = file_of(a, last, FILE_WRITTEN);
  for (const struct option_help *o = a->command->option; output && o < last; o++) {
    const char *other = file_of(a, o, FILE_WRITTEN);
    char what[64], other_what[64];
    snprintf(what, sizeof what, "--%s", last->name);
    snprintf(other_what, sizeof other_what, "--%s", o->name);
    if (other) path_spare_output(what, output, other_what, other);
  }
}

void arguments_check_files(const struct ranks *r, const struct arguments *a)
{
  for (int k = 0; k < a->n_operands && r->rank == 0; k++)
    arguments_spare(a, a->operand[k]);
  for (const struct option_help *o = a->command->option; o->name && r->rank == 0; o++) {
    const char *input = file_of(a, o, FILE_READ);
    if (input) arguments_spare(a, input);
    spare_outputs(a, o);
  }
  ranks_barrier(r);
}

const char *arguments_value(const struct arguments *a, const char *name)
{
  for (int k = a->n_given - 1; k >= 0; k--)
    if (!strcmp(a->given[k].option->name, name)) return a->given[k].value;
  return NULL;
}

const char *arguments_operand(const struct arguments *a, int k)
{
  return k < a->n_operands ? a->operand[k] : NULL;
}

const char **arguments_values(const struct arguments *a, const char *name, int *n)
{
  const char **value = alloc_array(a->n_given, sizeof *value);
  *n = 0;
  for (int k = 0; k < a->n_given; k++)
    if (!strcmp(a->given[k].option->name, name)) value[(*n)++] = a->given[k].value;
  return value;
}

double arguments_real(const struct arguments *a, const char *name, double low, double high,
                      double standard)
{
  const char *text = arguments_value(a, name);
  double value = standard;
  if (text && (!parse_real(text, &value) || value < low || value > high))
    die_all(STATUS_INPUT, "%s: --%s=%s: expected a number from %g to %g", a->command->name, name,
            text, low, high);
  return value;
}

int64_t arguments_int(const struct arguments *a, const char *name, int64_t low, int64_t high,
                      int64_t standard)
{
  const char *text = arguments_value(a, name);
  int64_t value = standard;
  if (text && (!parse_int(text, &value) || value < low || value > high))
    die_all(STATUS_INPUT, "%s: --%s=%s: expected a whole number from %lld to %lld",
            a->command->name, name, text, (long long)low, (long long)high);
  return value;
}

int arguments_typed(const struct arguments *a, const char *name)
{
  int n = 0, presets = 0;
  for (int k = 0; k < a->n_given; k++)
    if (!strcmp(a->given[k].option->name, name)) {
      presets = a->given[k].option->preset != NULL;
      n++;
    }
  return n > presets;
}

void arguments_refuse(const struct arguments *a, const char *const *names, const char *is_for)
{
  for (; *names; names++)
    if (arguments_typed(a, *names))
      die_all(STATUS_INPUT, "%s: --%s is for %s, and '%s' is none", a->command->name, *names,
              is_for, arguments_operand(a, 0));
}

int arguments_word(const struct arguments *a, const char *name)
{
  const char *value = arguments_value(a, name);
  const struct option_help *o = a->command->option;
  while (strcmp(o->name, name) != 0)
    o++;
  return value ? word_list_find(o->argument, value) : -1;
}

char *arguments_state(const struct arguments *a)
{
  const char *state = arguments_value(a, "state");
  return state ? text_copy(state)
               : path_instead(arguments_operand(a, 0), ".h5md", ".checkpoint.h5");
}
