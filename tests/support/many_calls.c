/* Runs calls of the program, each in a child of one process that has started MPI: as the program
   does it, without the tenth of a second that a start takes. A line of the input is a folder, the
   most seconds of CPU and the words of a call, with tabs between them; what the call says goes to
   FOLDER.out and FOLDER.err. A line of the output: how the call ended as the shell says it, 128 and
   more for a signal, and its largest memory in kB. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int program_main(int argc, char **argv);
#define main program_main
#include "src/cli/main.c"
#undef main

enum { LINE = 1 << 16, WORDS_MOST = 64 };

/* A child has none of the threads of MPI, and does not end it. */
static void end_child(int status)
{
  fflush(NULL);
  _exit(status);
}

static void redirect(const char *folder, const char *ending, int to)
{
  char path[4096];
  snprintf(path, sizeof path, "%s.%s", folder, ending);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(126);
  close(file);
}

static void call(struct ranks *r, const char *folder, const char *seconds, int argc, char **argv)
{
  const struct rlimit cpu = {(rlim_t)atol(seconds), (rlim_t)atol(seconds) + 1}, no_core = {0, 0};
  redirect(folder, "out", STDOUT_FILENO);
  redirect(folder, "err", STDERR_FILENO);
  if (chdir(folder) || setrlimit(RLIMIT_CPU, &cpu) || setrlimit(RLIMIT_CORE, &no_core)) _exit(126);
  log_open(0, 1, end_child);
  end_child(check_output(r, dispatch(r, argc, argv)));
}

int main(int argc, char **argv)
{
  static char line[LINE];
  struct ranks ranks;
  streams_guard();
  ranks_open(&ranks, &argc, &argv);
  while (fgets(line, sizeof line, stdin)) {
    char *word[WORDS_MOST + 1] = {NULL};
    int n = 0, status;
    struct rusage used;
    line[strcspn(line, "\n")] = 0;
    for (char *at = line; at && n < WORDS_MOST;)
      word[n++] = strsep(&at, "\t");
    fflush(NULL);
    const pid_t child = n > 2 ? fork() : -1;
    if (child == 0) {
      const char *seconds = word[1];
      word[1] = argv[0];
      call(&ranks, word[0], seconds, n - 1, word + 1);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) return 1;
    printf("%d %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           used.ru_maxrss);
    fflush(stdout);
  }
  return ranks_close(&ranks, 0);
}
