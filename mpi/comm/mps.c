/* MPS of NVIDIA (docs.nvidia.com/deploy/mps): a control daemon, whose clients find it through a
   socket in CUDA_MPS_PIPE_DIRECTORY when they initialise CUDA, and which starts the server that
   shares the GPUs. The keeper of a daemon is a shell: it needs no memory of this process, and
   posix_spawn, unlike fork, calls nothing of MPI and copies no pages that a network card uses. */
#define _GNU_SOURCE /* POSIX_SPAWN_SETSID, pipe2 */
#include "mpi/comm/mps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

extern char **environ;

enum { CLIENTS_MOST = 48 }; /* of one GPU, since Volta */
enum { START_SECONDS = 60, STOP_SECONDS = 5 };
#define LIFELINE "lifeline"
enum { PATH_BYTES = 80 }; /* names of sockets have 107 at most */

/* Arguments: the folder, 1 if CUDA_VISIBLE_DEVICES has numbers, the words of the trial. Standard
   input: the lifeline. The first line of its output is "ready" or a reason. Signals to the job are
   for the ranks, which then write a checkpoint. The daemon gives its GPUs new numbers from 0, so
   that its clients must not have the old ones. */
static const char keeper_script[] =
    "trap '' HUP INT TERM USR1 USR2\n"
    "folder=$1 by_index=$2\n"
    "shift 2\n"
    "export CUDA_MPS_PIPE_DIRECTORY=\"$folder\" CUDA_MPS_LOG_DIRECTORY=\"$folder\"\n"
    "nvidia-cuda-mps-control -d </dev/null >\"$folder/said\" 2>&1\n"
    "started=$?\n"
    "if test $by_index = 1; then unset CUDA_VISIBLE_DEVICES; fi\n"
    "if test $started = 127; then\n"
    "  echo nvidia-cuda-mps-control is not in PATH\n"
    "elif test $started = 0 && \"$@\" </dev/null >>\"$folder/said\" 2>&1; then\n"
    "  echo ready\n"
    "else\n"
    "  echo nvidia-cuda-mps-control: \"$(tail -n 3 \"$folder/said\" | tr '\\n' ' ')\"\n"
    "fi\n"
    "exec >/dev/null 2>&1\n"
    "cat\n"
    "if test $started = 0; then echo quit -t 10 | nvidia-cuda-mps-control; fi\n"
    "rm -rf \"$folder\"\n";

/* 1 if a daemon listens in the folder. A connection of another kind than that of CUDA does not
   reach it, but tells that it is there. */
static int answers(const char *folder)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(folder) + sizeof "/control" > sizeof address.sun_path) return 0;
  strcpy(stpcpy(address.sun_path, folder), "/control");
  const int one = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (one < 0) return 0;
  const int error = connect(one, (struct sockaddr *)&address, sizeof address) ? errno : 0;
  close(one);
  return error == 0 || error == EPROTOTYPE;
}

static void lacks(struct mps *m, const char *why)
{
  m->state = MPS_LACKING;
  snprintf(m->why, sizeof m->why, "%s", why);
}

/* Why no MPS can be started for ranks that share GPUs; NULL: it can. */
static const char *why_not_start(const struct mps_rank *rank, int n, int differ, int crowded)
{
  for (int k = 0; k < n; k++) {
    if (rank[k].is_forbidden) return "parallel.mps: no";
    if (rank[k].uses_gpu && rank[k].in_use)
      return "a library (MPI?) has initialised CUDA already: start MPS before the ranks, with "
             "nvidia-cuda-mps-control -d";
  }
  if (differ)
    return "the ranks see different GPUs: let each see all of its node (Slurm: --gpu-bind=none)";
  if (crowded > CLIENTS_MOST) return "MPS serves 48 ranks a GPU at most: use fewer";
  return NULL;
}

void mps_decide(struct mps *m, const struct mps_rank *rank, int n)
{
  int shared = 0, differ = 0, crowded = 0;
  const char *said = getenv("CUDA_MPS_PIPE_DIRECTORY"), *why;
  m->state = MPS_UNNEEDED;
  m->ranks = m->gpus = 0;
  m->why[0] = 0;
  for (int k = 0; k < n; k++) {
    const struct gpus_visible *mine = &rank[k].gpus;
    int same = 0;
    if (!rank[k].uses_gpu || mine->n == 0) continue;
    m->ranks++;
    for (int i = 0; i < n; i++) {
      if (!rank[i].uses_gpu) continue;
      const int equal = memcmp(mine, &rank[i].gpus, sizeof *mine) == 0;
      same += equal;
      differ |= !equal;
    }
    shared |= same > mine->n;
    if ((same + mine->n - 1) / mine->n > crowded) crowded = (same + mine->n - 1) / mine->n;
    if (mine->n > m->gpus) m->gpus = mine->n;
  }
  if (!shared) return;
  if (answers(said ? said : "/tmp/nvidia-mps"))
    m->state = MPS_FOUND;
  else if (said)
    lacks(m, "none answers in CUDA_MPS_PIPE_DIRECTORY: start it there, or unset the variable");
  else if ((why = why_not_start(rank, n, differ, crowded)))
    lacks(m, why);
  else
    m->state = MPS_STARTED;
}

/* Makes the folder, for this user alone, below TMPDIR or where its name is too long in /tmp. 0 and
   the reason if that fails. */
static int make_folder(struct mps *m, char *folder)
{
  static const char name[] = "lamella-mps-XXXXXX";
  const char *parent = getenv("TMPDIR");
  if (!parent || parent[0] != '/' || strlen(parent) + 1 + sizeof name > PATH_BYTES) parent = "/tmp";
  snprintf(folder, PATH_BYTES, "%.*s/%s", PATH_BYTES - (int)sizeof name - 1, parent, name);
  if (mkdtemp(folder)) return 1;
  m->state = MPS_LACKING;
  snprintf(m->why, sizeof m->why, "no folder can be made in '%s' (TMPDIR): %s", parent,
           strerror(errno));
  return 0;
}

/* Opens the file that ranks keep open, a FIFO; in both directions, so that nobody is waited for. */
static int open_lifeline(const char *folder, int create)
{
  char path[PATH_BYTES + 16];
  snprintf(path, sizeof path, "%s/" LIFELINE, folder);
  return create && mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_CLOEXEC);
}

static void remove_folder(const char *folder)
{
  char path[PATH_BYTES + 16];
  snprintf(path, sizeof path, "%s/" LIFELINE, folder);
  unlink(path);
  rmdir(folder);
}

/* All other open files of this process are closed in the keeper: launchers and ranks wait for the
   end of some. */
static void close_in_child(posix_spawn_file_actions_t *actions)
{
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return;
  for (const struct dirent *file; (file = readdir(folder));)
    if (atoi(file->d_name) > STDERR_FILENO)
      posix_spawn_file_actions_addclose(actions, atoi(file->d_name));
  closedir(folder);
}

/* Starts the keeper; returns the file from which its first line can be read, or -1 with errno set.
   The trial is this program. */
static int start_keeper(struct mps *m, const char *folder, int by_index)
{
  char lifeline[PATH_BYTES + 16], program[40];
  const char *word[] = {"sh",          "-c",      keeper_script,
                        "lamella-mps", folder,    by_index ? "1" : "0",
                        program,       MPS_TRIAL, NULL};
  char *argument[sizeof word / sizeof word[0]];
  int ends[2];
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  snprintf(lifeline, sizeof lifeline, "%s/" LIFELINE, folder);
  snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
  memcpy(argument, word, sizeof word);
  if (pipe2(ends, O_CLOEXEC)) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, lifeline, O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  close_in_child(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error = posix_spawn(&m->keeper, "/bin/sh", &actions, &attributes, argument, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error == 0) return ends[0];
  close(ends[0]);
  m->keeper = 0;
  errno = error;
  return -1;
}

/* Reads a line, without its end, for at most START_SECONDS between its pieces. */
static void read_line(int file, char *line, size_t size)
{
  struct pollfd in = {file, POLLIN, 0};
  size_t n = 0;
  while (n + 1 < size) {
    const int ready = poll(&in, 1, START_SECONDS * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || read(file, line + n, 1) != 1 || line[n] == '\n') break;
    n++;
  }
  line[n] = 0;
}

/* Starts MPS in a new folder, and waits until a process can use it. */
static void start(struct mps *m, char folder[PATH_BYTES], int by_index)
{
  char line[400];
  if (!make_folder(m, folder)) return;
  m->lifeline = open_lifeline(folder, 1);
  const int said = m->lifeline < 0 ? -1 : start_keeper(m, folder, by_index);
  if (said < 0) {
    m->state = MPS_LACKING;
    snprintf(m->why, sizeof m->why, "no process can be started for it: %s", strerror(errno));
    remove_folder(folder);
    return;
  }
  read_line(said, line, sizeof line);
  close(said);
  if (!strcmp(line, "ready")) return;
  lacks(m, line[0] ? line : "nvidia-cuda-mps-control does not answer");
}

/* On every rank of a node with a new MPS. */
static void join_mps(struct mps *m, const char *folder, const struct gpus_visible *gpus)
{
  if (m->lifeline < 0) m->lifeline = open_lifeline(folder, 0);
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
  setenv("CUDA_MPS_LOG_DIRECTORY", folder, 1);
  if (gpus->by_index) unsetenv("CUDA_VISIBLE_DEVICES");
}

/* Copies to all ranks the state of one node, which the log reports: the node whose state comes last
   in enum mps_state, and the first of these if there are several (MPI_MAXLOC). */
static void report(struct mps *m, MPI_Comm all)
{
  struct {
    int state, rank;
  } last;
  MPI_Comm_rank(all, &last.rank);
  last.state = (int)m->state;
  MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_2INT, MPI_MAXLOC, all);
  struct mps said = *m;
  MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, last.rank, all);
  said.lifeline = m->lifeline;
  said.keeper = m->keeper;
  *m = said;
}

void mps_open(struct mps *m, const struct mps_rank *self)
{
  MPI_Comm node;
  int n, rank;
  char folder[PATH_BYTES] = "";
  memset(m, 0, sizeof *m);
  m->lifeline = -1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &n);
  MPI_Comm_rank(node, &rank);
  struct mps_rank *ranks = alloc_array(n, sizeof *ranks);
  MPI_Gather(self, (int)sizeof *self, MPI_BYTE, ranks, (int)sizeof *self, MPI_BYTE, 0, node);
  if (rank == 0) {
    mps_decide(m, ranks, n);
    if (m->state == MPS_STARTED) start(m, folder, self->gpus.by_index);
    if (m->state == MPS_LACKING) mps_close(m);
  }
  MPI_Bcast(&m->state, (int)sizeof m->state, MPI_BYTE, 0, node);
  MPI_Bcast(folder, sizeof folder, MPI_BYTE, 0, node);
  if (m->state == MPS_STARTED) join_mps(m, folder, &self->gpus);
  MPI_Comm_free(&node);
  free(ranks);
  report(m, MPI_COMM_WORLD);
}

void mps_say(const struct mps *m)
{
  const char *s = m->gpus > 1 ? "s" : "";
  if (m->state == MPS_FOUND || m->state == MPS_STARTED)
    info("%d ranks of a node share %d GPU%s through MPS, %s", m->ranks, m->gpus, s,
         m->state == MPS_FOUND ? "which runs there" : "which this job has started");
  else if (m->state == MPS_LACKING)
    info("%d ranks of a node share %d GPU%s without MPS: together they do about a third of the "
         "steps of one alone, with MPS several times as many. Why there is none: %s",
         m->ranks, m->gpus, s, m->why);
}

void mps_close(struct mps *m)
{
  const struct timespec pause = {0, 10000000}; /* 10 ms */
  if (m->lifeline >= 0) close(m->lifeline);
  m->lifeline = -1;
  for (int k = 0; m->keeper > 0 && k < STOP_SECONDS * 100; k++) {
    if (waitpid(m->keeper, NULL, WNOHANG) != 0) break;
    nanosleep(&pause, NULL);
  }
  m->keeper = 0;
}
