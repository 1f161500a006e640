/* The command line as data. Each command has one list of options; parsing, --help, the manual page
   and the completion of the shell follow from it. To add an option: one row in the list of its
   command, and one call of arguments_value where it is used. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

struct arguments;
struct ranks;

/* Whether the argument of an option is a file. Operands are files that are read. */
enum file_use { FILE_NONE, FILE_READ, FILE_WRITTEN };

/* A row of a list: {name, argument, preset, and the rest by its names}. */
struct option_help {
  const char *name;     /* without "--"; NULL ends the list */
  const char *argument; /* NULL: takes none. In lower case: the allowed words, "a|b|c". With a
                           capital: a placeholder, as FILE, for any value */
  const char *preset;   /* value if the option is not given, or NULL */
  const char *help;
  const char *letter; /* short name of one letter, or NULL */
  const char *key;    /* key of the run file that it sets; "": the value is key=value; or NULL */
  int required;
  enum file_use file;
  const char *hint; /* end of the message where the value is none of the words; or NULL */
};

/* Rows that several commands have. */
#define OPTION_SET                                                                                 \
  "set", "SECTION.KEY=VALUE", NULL,                                                                \
      .help = "overrides a key of the run file, or of its stage NAME: "                            \
              "stages.NAME.SECTION.KEY=VALUE; may be given several times",                         \
      .letter = "s", .key = ""
#define OPTION_STATE                                                                               \
  "state", "STATE.h5", NULL,                                                                       \
      .help = "a state of the same system, for names, bonds and force field; default: the "        \
              "checkpoint beside the trajectory",                                                  \
      .file = FILE_READ
#define OPTION_MAP_BACKEND "backend", "auto|cpu|cuda", "auto", .help = "where the map is computed"

struct command {
  const char *name;
  const char *operands;     /* as the usage line shows them */
  int least, most;          /* how many operands there may be */
  const char *summary;      /* one line */
  const char *more;         /* shown as it is after the options, or NULL */
  void (*print_more)(void); /* prints what comes after that, or NULL */
  const struct option_help *option;
  int (*run)(struct ranks *r, const struct arguments *a); /* collective; the exit status */
};

/* The arguments of a call. Strings belong to argv and to the list of options. */
struct arguments {
  const struct command *command;
  int argc; /* the whole line, from the name of the command on */
  char **argv;
  struct {
    const struct option_help *option;
    const char *value; /* "" where the option takes none */
  } * given;           /* in the order of the command line, preset values first */
  int n_given;
  char **operand;
  int n_operands;
  char **setting; /* section.key=value of the options that set keys, in the same order */
  int n_settings;
};

/* Parses argv (argv[0] is the name of the command). NULL if it has --help. Status 2 on a wrong
   argument, reported by rank 0. The caller destroys the result. Collective. */
struct arguments *arguments_parse(const struct command *c, int argc, char **argv);
void arguments_destroy(struct arguments *a);
/* Dies with STATUS_INPUT if an output that the options name would replace an operand, a file that
   another option names, or another output. Collective. */
void arguments_check_files(const struct ranks *r, const struct arguments *a);
/* Dies with STATUS_INPUT if an output that the options name would replace a file that the command
   reads, though no argument names it. Local: for rank 0. */
void arguments_spare(const struct arguments *a, const char *input);
/* The value of an option: the last one given, else the preset, else NULL. Local. */
const char *arguments_value(const struct arguments *a, const char *name);
/* All values of an option that may be repeated, in their order, and their number. The caller frees
   the array. Local. */
const char **arguments_values(const struct arguments *a, const char *name, int *n);
/* The number that an option has, or `standard` if it is not given. Dies with STATUS_INPUT (die_all)
   if the value is no number from low to high. Local, the same on all ranks. */
double arguments_real(const struct arguments *a, const char *name, double low, double high,
                      double standard);
int64_t arguments_int(const struct arguments *a, const char *name, int64_t low, int64_t high,
                      int64_t standard);
/* 1 if the option was typed, also with its preset value. Local. */
int arguments_typed(const struct arguments *a, const char *name);
/* Dies with STATUS_INPUT (die_all) if one of these options is typed: it is for what the text says.
   names: end with NULL. Local, the same on all ranks. */
void arguments_refuse(const struct arguments *a, const char *const *names, const char *is_for);
/* The index of the value among the words that the option allows; -1 if it is not given. Local. */
int arguments_word(const struct arguments *a, const char *name);
/* Adds a setting of a key of the run file; key "": the value is key=value. Local. */
void arguments_set(struct arguments *a, const char *key, const char *value);
/* The state of the option --state, or the checkpoint beside the trajectory that is the first
   operand. The caller frees it. Local. */
char *arguments_state(const struct arguments *a);
/* The k-th operand, or NULL if there are fewer. Local. */
const char *arguments_operand(const struct arguments *a, int k);

#endif
