/* What the program says about its own commands, from their lists of options: the text of --help,
   the manual page and the completion of bash. All go to stdout. Not collective. */
#ifndef HELP_H
#define HELP_H

struct command;

/* lamella COMMAND --help. */
void help_command(const struct command *c);
/* lamella --help. Lists of commands end with NULL. */
void help_program(const struct command *const *commands);
/* lamella.1, in the macros of man. */
void help_manual_page(const struct command *const *commands, const char *version);
void help_completion(const struct command *const *commands);

#endif
