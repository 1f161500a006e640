/* Help texts generated from the lists of options: --help, the manual page and the completion of
   bash. All are printed to stdout. Local: call them on one rank. */
#ifndef HELP_H
#define HELP_H

struct command;

/* The text of lamella COMMAND --help. */
void help_command(const struct command *c);
/* The text of lamella --help. Lists of commands end with NULL. */
void help_program(const struct command *const *commands);
/* The manual page lamella.1, in man macros. */
void help_manual_page(const struct command *const *commands, const char *version);
/* The completion script of bash. */
void help_completion(const struct command *const *commands);

#endif
