/* After PLUMED's "Reference for interfacing MD codes": the symbol table of a kernel. */
#include "md/plumed_library.h"

#include <ctype.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

/* Called by PLUMED when a command fails. */
struct plumed_handler {
  void *argument;
  void (*call)(void *argument, int code, const char *message, const void *more);
};

/* plumed_symbol_table, with what its version 2 has. */
struct symbol_table {
  int version;
  void *(*create)(void);
  void (*command)(void *plumed, const char *key, const void *value);
  void (*finalize)(void *plumed);
  void (*command_or_error)(void *plumed, const char *key, const void *value,
                           struct plumed_handler handler);
};

struct plumed_library {
  const char *path;
  void *handle;
  const struct symbol_table *table;
  void *plumed;
  const char *input, *log; /* borrowed; NULL: not known yet */
  char *error;             /* of the last command; NULL: none */
};

/* Signals of a crash, and what they did before. */
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction before[FATAL];
/* The command that PLUMED does at present, and its log, for the handler. NULL: none. */
static const char *volatile doing, *volatile doing_log;

/* Says that PLUMED has crashed; the signal then comes again and does what it did before. */
static void crash(int number)
{
  const char *text[] = {
      "\nlamella: the program crashes in PLUMED (", doing,
      "), or in a library that it uses; the last checkpoint stands; more may be in '", doing_log,
      "'\n"};
  for (int k = 0; doing && k < 5; k++)
    if (write(STDERR_FILENO, text[k], strlen(text[k])) < 0) break;
  for (int k = 0; k < FATAL; k++)
    sigaction(fatal[k], &before[k], NULL);
  if (number == SIGABRT) (void)raise(number);
}

static void watch_crashes(void)
{
  static int watched;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = crash;
  for (int k = 0; k < FATAL && !watched; k++)
    sigaction(fatal[k], &action, &before[k]);
  watched = 1;
}

/* The text without empty lines at both ends and without the pluses that PLUMED frames it with. */
static char *message_copy(const char *text)
{
  char *copy = text_copy(text), *to = copy;
  for (const char *c = copy; *c;) {
    const char *end = strchr(c, '\n');
    size_t length = end ? (size_t)(end - c) : strlen(c);
    const char *next = c + length + (end ? 1 : 0);
    while (length && (*c == '+' || isspace((unsigned char)*c)))
      c++, length--;
    while (length && (c[length - 1] == '+' || isspace((unsigned char)c[length - 1])))
      length--;
    if (length && to > copy) *to++ = '\n';
    memmove(to, c, length);
    to += length;
    c = next;
  }
  *to = 0;
  return copy;
}

static void note_error(void *argument, int code, const char *message, const void *more)
{
  struct plumed_library *l = argument;
  (void)code;
  (void)more;
  if (!l->error) l->error = message_copy(message ? message : "(no message)");
}

struct plumed_library *plumed_library_open(void)
{
  static const char wanted[] = "an installed PLUMED has it in its folder lib, as "
                               "libplumedKernel.so";
  struct plumed_library *l = alloc_array(1, sizeof *l);
  l->path = getenv("PLUMED_KERNEL");
  if (!l->path || !l->path[0])
    die(STATUS_INPUT,
        "plumed: the environment variable PLUMED_KERNEL is not set: it names the library of "
        "PLUMED; %s (export PLUMED_KERNEL=/FOLDER/lib/libplumedKernel.so)",
        wanted);
  l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) {
    const char *why = dlerror();
    die(STATUS_INPUT, "plumed: PLUMED_KERNEL, '%s', cannot be loaded: %s; %s", l->path,
        why ? why : "?", wanted);
  }
  l->table = dlsym(l->handle, "plumed_symbol_table");
  if (!l->table || l->table->version < 2 || !l->table->create || !l->table->finalize ||
      !l->table->command_or_error)
    die(STATUS_INPUT, "plumed: PLUMED_KERNEL, '%s', is %s: PLUMED 2.5 or later is needed; %s",
        l->path,
        !l->table ? "no library of PLUMED, or of one before 2.5 (it has no plumed_symbol_table)"
                  : "of a PLUMED before 2.5, or incomplete",
        wanted);
  watch_crashes();
  l->plumed = l->table->create();
  if (!l->plumed)
    die(STATUS_INPUT, "plumed: the library '%s' cannot create a PLUMED object", l->path);
  return l;
}

void plumed_library_close(struct plumed_library *l)
{
  if (!l) return;
  l->table->finalize(l->plumed);
  free(l->error);
  free(l); /* the library stays: others may hold what it has made */
}

const char *plumed_library_path(const struct plumed_library *l)
{
  return l->path;
}

void plumed_library_about(struct plumed_library *l, const char *input, const char *log)
{
  l->input = input;
  l->log = log;
}

void plumed_command(struct plumed_library *l, long long step, const char *key, const void *value)
{
  const struct plumed_handler handler = {l, note_error};
  const char *log = l->log ? l->log : "its log";
  doing_log = log;
  doing = key;
  l->table->command_or_error(l->plumed, key, value, handler);
  doing = NULL;
  if (!l->error) return;
  l->table->finalize(l->plumed); /* completes its files */
  if (step >= 0)
    die(STATUS_NUMERIC, "step %lld: PLUMED fails (%s): %s\n(more may be in '%s')", step, key,
        l->error, log);
  die(STATUS_INPUT, "%s: PLUMED refuses it (%s): %s\n(more may be in '%s')",
      l->input ? l->input : "plumed", key, l->error, log);
}
