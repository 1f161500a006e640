/* Help, manual page and completion from the lists of options: see help.h. */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "cli/options.h"

enum { COLUMN = 28, WIDTH = 80 };

static const char statuses[] = "Exit status: 0 done, 2 wrong input, 3 numerical failure, 4 files, "
                               "5 a rank was lost,\n99 stopped early.\n";
static const char completion_head[] =
    "# Completion of bash for lamella: commands, options, words; else names of files.\n"
    "_lamella()\n{\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
    "  test \"$word\" = = && word=\n"
    "  test \"$before\" = = && before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  case ${COMP_CWORD}:${COMP_WORDS[1]}:$before in\n";
static const char completion_tail[] = "  esac\n"
                                      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                                      "  case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac\n"
                                      "}\n"
                                      "complete -o default -F _lamella lamella\n";

/* "SPEC.yaml --output=START.h5 [options]". */
static void print_synopsis(const struct command *c)
{
  int optional = 0;
  printf("%s", c->operands);
  for (const struct option_help *o = c->option; o->name; o++) {
    if (o->required) printf(" --%s=%s", o->name, o->argument);
    optional |= !o->required;
  }
  if (optional) printf(" [options]");
}

/* Prints words between column and WIDTH, on as many lines as needed. at: the present column. */
static void print_wrapped(const char *text, int at)
{
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (at > COLUMN && at + 1 + n > WIDTH) {
      printf("\n");
      at = 0;
    }
    int gap = at <= COLUMN ? COLUMN - at : 1;
    printf("%*s%.*s", gap, "", n, text);
    at += gap + n;
    text += n + (text[n] == ' ');
  }
  printf("\n");
}

static void print_option(const struct option_help *o)
{
  char head[96], help[512];
  snprintf(head, sizeof head, "  %s%s%s--%s%s%s", o->letter ? "-" : "  ",
           o->letter ? o->letter : "", o->letter ? ", " : "  ", o->name, o->argument ? "=" : "",
           o->argument ? o->argument : "");
  snprintf(help, sizeof help, "%s%s%s%s", o->help, o->preset ? " [" : "",
           o->preset ? o->preset : "", o->preset ? "]" : "");
  int at = printf("%s", head);
  if (at > COLUMN - 2) {
    printf("\n");
    at = 0;
  }
  print_wrapped(help, at);
}

void help_command(const struct command *c)
{
  static const struct option_help help = {"help", NULL, NULL, .help = "this text", .letter = "h"};
  printf("Usage: lamella %s ", c->name);
  print_synopsis(c);
  printf("\n%s.\n\n", c->summary);
  for (const struct option_help *o = c->option; o->name; o++)
    print_option(o);
  print_option(&help);
  if (c->more) printf("\n%s", c->more);
  if (c->print_more) c->print_more();
  printf("\n%s", statuses);
}

void help_program(const struct command *const *commands)
{
  printf("Usage: lamella COMMAND ...\n\n");
  for (; *commands; commands++) {
    const struct command *c = *commands;
    printf("  %-11s", c->name);
    print_synopsis(c);
    printf("\n             %s\n", c->summary);
  }
  printf("\n  --help, --version; lamella COMMAND --help says more\n%s", statuses);
}

/* Prints text, escaped for roff. */
static void print_roff(const char *text)
{
  for (const char *c = text; *c; c++) {
    if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\'')) printf("\\&");
    if (*c == '-' || *c == '\\') printf(*c == '-' ? "\\-" : "\\e");
    if (*c != '-' && *c != '\\') putchar(*c);
  }
}

static void print_roff_option(const struct option_help *o)
{
  printf(".TP\n");
  if (o->letter) printf("\\fB\\-%s\\fR, ", o->letter);
  printf("\\fB\\-\\-");
  print_roff(o->name);
  printf("\\fR");
  if (o->argument) printf("=\\fI%s\\fR", o->argument);
  printf("\n");
  print_roff(o->help);
  if (o->preset) printf(" [%s]", o->preset);
  if (o->required) printf(" (required)");
  printf("\n");
}

static void print_roff_command(const struct command *c)
{
  printf(".SS lamella %s\n.B lamella %s\n", c->name, c->name);
  printf("%s", c->operands);
  for (const struct option_help *o = c->option; o->name; o++) {
    printf(" %s\\-\\-", o->required ? "" : "[");
    print_roff(o->name);
    if (o->argument) printf("=\\fI%s\\fR", o->argument);
    if (!o->required) printf("]");
  }
  printf("\n.PP\n%s.\n", c->summary);
  for (const struct option_help *o = c->option; o->name; o++)
    print_roff_option(o);
  if (!c->more) return;
  printf(".PP\n.nf\n");
  print_roff(c->more);
  printf(".fi\n");
}

void help_manual_page(const struct command *const *commands, const char *version)
{
  printf(".\\\" Written by lamella --man.\n"
         ".TH LAMELLA 1 \"\" \"lamella %s\" \"User Commands\"\n"
         ".SH NAME\nlamella \\- coarse-grained membrane molecular dynamics on many GPUs\n"
         ".SH SYNOPSIS\n.B lamella\n\\fICOMMAND\\fR ...\n.br\n"
         ".B mpiexec \\-n\n\\fIN\\fR\n.B lamella\n\\fICOMMAND\\fR ...\n"
         ".SH COMMANDS\nEvery command takes \\fB\\-\\-help\\fR. "
         "\\fBlamella \\-\\-version\\fR says what the program was built with.\n",
         version);
  for (int k = 0; commands[k]; k++)
    print_roff_command(commands[k]);
  for (int k = 0; commands[k]; k++) {
    if (!commands[k]->print_more) continue;
    printf(".SH INPUT OF LAMELLA %s\n.nf\n", commands[k]->name);
    commands[k]->print_more();
    printf(".fi\n");
  }
  printf(
      ".SH EXIT STATUS\n0 done; 2 wrong input; 3 numerical failure; 4 a file could not be read "
      "or written; 5 a rank has ended, stopped or hung; 99 stopped early on request; after 5 "
      "and 99 the same command continues.\n"
      ".SH ENVIRONMENT\n.TP\n.B LAMELLA_FORCEFIELDS\n"
      "Folders in which force fields are looked for, separated by colons, before the one beside "
      "the program (../share/lamella/forcefields) and the installed one.\n"
      ".SH SEE ALSO\nThe pages of docs, performance.md and decisions.md in the folder of documents "
      "(share/doc/lamella); "
      "lamella\\-picture \\-\\-help, lamella\\-to\\-lammps \\-\\-help.\n");
}

/* Prints the literal words of an argument as "a|b|FILE", that is all but placeholders. */
static void print_choices(const char *list)
{
  size_t n;
  const char *item;
  for (int k = 0; (item = word_list_item(list, k, &n)); k++)
    if (!isupper((unsigned char)item[0])) printf(" %.*s", (int)n, item);
}

void help_completion(const struct command *const *commands)
{
  printf("%s  1:*) words=\"--help --version", completion_head);
  for (int k = 0; commands[k]; k++)
    printf(" %s", commands[k]->name);
  printf("\" ;;\n");
  for (int k = 0; commands[k]; k++) {
    const struct command *c = commands[k];
    for (const struct option_help *o = c->option; o->name; o++)
      if (o->argument) {
        printf("  *:%s:--%s) words=\"", c->name, o->name);
        print_choices(o->argument);
        printf("\" ;;\n");
      }
    printf("  *:%s:*) case $word in -*) words=\"--help", c->name);
    for (const struct option_help *o = c->option; o->name; o++)
      printf(" --%s%s", o->name, o->argument ? "=" : "");
    printf("\" ;; esac ;;\n");
  }
  printf("%s", completion_tail);
}
