/* MPS for ranks that share a GPU, with a command in place of NVIDIA's: when it is started, what the
   ranks and the daemon get, and that it ends with the last rank, however that ends. */
#define _GNU_SOURCE /* pipe2 */
#include "tests/support/agree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpi/comm/mps.h"

static struct ranks ranks;
static char home[] = "/tmp/test_mpi_mps.XXXXXX"; /* on all ranks that of rank 0 */

/* Daemons live while their file "runs" is there. NOTES: what was asked for. FAKE: what goes wrong.
 */
static const char command[] =
    "#!/bin/sh\n"
    "folder=$CUDA_MPS_PIPE_DIRECTORY\n"
    "test \"$FAKE\" != absent || exit 127\n"
    "if test \"$1\" != -d; then\n"
    "  read word && echo \"asked $word\" >>\"$NOTES\"; rm \"$folder/runs\"; exit\n"
    "fi\n"
    "echo \"starts for $CUDA_VISIBLE_DEVICES\" >>\"$NOTES\"\n"
    "if test \"$FAKE\" = refused; then echo An instance is running; exit 1; fi\n"
    ": >\"$folder/runs\"\n"
    "(while test -e \"$folder/runs\"; do sleep 0.1; done; echo ended >>\"$NOTES\") >&- 2>&- &\n";

static void path_in_home(char path[256], const char *name)
{
  snprintf(path, 256, "%s/%s", home, name);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
  char path[256];
  path_in_home(path, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, mode), 0);
}

static struct gpus_visible visible(const char *list)
{
  char path[256];
  path_in_home(path, "dev");
  if (list)
    setenv("CUDA_VISIBLE_DEVICES", list, 1);
  else
    unsetenv("CUDA_VISIBLE_DEVICES");
  return gpus_visible(path);
}

static void counts_gpus(void **state)
{
  static const struct {
    const char *list;
    int n, by_index;
  } cases[] = {{NULL, 3, 0},         {"0,1,2", 3, 1},       {"2", 1, 1},
               {"0,5,1", 1, 1},      {"0,-1,1", 1, 1},      {"", 0, 0},
               {"-1", 0, 0},         {"none", 0, 0},        {"NoDevFiles", 0, 0},
               {"GPU-ab12", 1, 0},   {"GPU-a,GPU-b", 2, 0}, {"MIG-ab12,MIG-cd34", 1, 0},
               {"1,GPU-ab12", 2, 1}, {"0,1,2,3,4", 3, 1}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const struct gpus_visible v = visible(cases[k].list);
    if (v.n != cases[k].n || v.by_index != cases[k].by_index)
      fail_msg("%s: %d GPUs, by index %d", cases[k].list, v.n, v.by_index);
    assert_int_equal(v.files, 1 | 2 | 8); /* 2 is no file, nvidiactl is no GPU */
  }
  assert_int_equal(gpus_visible("/nowhere").n, 0);
  assert_int_equal(gpus_in_use(), 0);
}

static enum mps_state decided(struct mps *m, const struct mps_rank *rank, int n, const char *why)
{
  mps_decide(m, rank, n);
  if (why && !strstr(m->why, why)) fail_msg("'%s' lacks '%s'", m->why, why);
  return m->state;
}

static void decides(void **state)
{
  enum { MOST = 64 };
  struct mps_rank rank[MOST], on_cpu = {0};
  struct mps m;
  (void)state;
  for (int k = 0; k < MOST; k++)
    rank[k] = (struct mps_rank){.uses_gpu = 1, .gpus = visible("0,1")};
  assert_int_equal(decided(&m, rank, 2, NULL), MPS_UNNEEDED);
  assert_int_equal(decided(&m, rank, 3, NULL), MPS_STARTED);
  assert_true(m.ranks == 3 && m.gpus == 2);
  rank[0].in_use = 1;
  assert_int_equal(decided(&m, rank, 3, "has initialised CUDA"), MPS_LACKING);
  rank[0] = on_cpu;
  assert_int_equal(decided(&m, rank, 3, NULL), MPS_UNNEEDED);
  rank[0] = rank[1];
  rank[2].is_forbidden = 1;
  assert_int_equal(decided(&m, rank, 3, "parallel.mps: no"), MPS_LACKING);
  assert_int_equal(decided(&m, rank, 2, NULL), MPS_UNNEEDED);
  rank[2] = rank[1];
  for (int k = 0; k < MOST; k++)
    rank[k].gpus = visible(k % 4 < 2 ? "0" : "1"); /* a GPU for two ranks */
  assert_int_equal(decided(&m, rank, 4, "see different GPUs"), MPS_LACKING);
  rank[1].gpus = visible("2");
  assert_int_equal(decided(&m, rank, 3, NULL), MPS_UNNEEDED); /* Slurm: one for each */
  for (int k = 0; k < MOST; k++)
    rank[k].gpus = visible("1");
  assert_int_equal(decided(&m, rank, 48, NULL), MPS_STARTED);
  assert_int_equal(decided(&m, rank, 49, "48 ranks a GPU"), MPS_LACKING);
  for (int k = 0; k < MOST; k++)
    rank[k].gpus = visible("");
  assert_int_equal(decided(&m, rank, MOST, NULL), MPS_UNNEEDED);
}

/* Of a daemon that the user has started there is a socket. */
static void finds_one_that_runs(void **state)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct mps_rank rank[2] = {{.uses_gpu = 1, .gpus = visible("0")}};
  struct mps m;
  char folder[256];
  (void)state;
  if (ranks.rank != 0) return;
  path_in_home(folder, "user");
  assert_int_equal(mkdir(folder, 0700), 0);
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
  snprintf(address.sun_path, sizeof address.sun_path, "%.80s/control", folder);
  rank[1] = rank[0];
  assert_int_equal(decided(&m, rank, 2, "none answers in CUDA_MPS_PIPE_DIRECTORY"), MPS_LACKING);
  const int one = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  assert_int_equal(bind(one, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(one, 5), 0);
  assert_int_equal(decided(&m, rank, 2, NULL), MPS_FOUND);
  rank[1].is_forbidden = 1; /* only to start one */
  assert_int_equal(decided(&m, rank, 2, NULL), MPS_FOUND);
  close(one);
  assert_int_equal(decided(&m, rank, 2, "none answers"), MPS_LACKING);
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

/* Opens MPS on all ranks for one GPU, number 3 of its node. */
static struct mps open_for_one(const char *fake)
{
  struct mps m;
  struct mps_rank self = {.uses_gpu = 1, .gpus = visible("2")};
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  unsetenv("CUDA_MPS_LOG_DIRECTORY");
  setenv("FAKE", fake, 1);
  mps_open(&m, &self);
  return m;
}

static int notes_have(const char *words)
{
  char path[256], text[4096];
  path_in_home(path, "notes");
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  const size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  return strstr(text, words) != NULL;
}

/* Waits until a file is there or not, at most 10 s. */
static int becomes(const char *path, int there)
{
  const struct timespec pause = {0, 20000000};
  for (int k = 0; k < 500; k++) {
    if ((access(path, F_OK) == 0) == there) return 1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

static void forget_notes(void)
{
  char path[256];
  path_in_home(path, "notes");
  if (ranks.rank == 0) unlink(path);
  ranks_barrier(&ranks);
}

static void serves_all_ranks(void **state)
{
  struct stat about;
  char file[256];
  int ends[2];
  (void)state;
  forget_notes();
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  struct mps m = open_for_one("");
  close(ends[1]);
  AGREE(&ranks, read(ends[0], file, 1) == 0); /* no other process has open files of a rank */
  close(ends[0]);
  if (ranks.size == 1) {
    assert_int_equal(m.state, MPS_UNNEEDED);
    assert_null(getenv("CUDA_MPS_PIPE_DIRECTORY"));
    assert_true(m.lifeline < 0 && !notes_have("starts"));
    return;
  }
  AGREE(&ranks, m.state == MPS_STARTED && m.ranks == ranks.size && m.gpus == 1);
  AGREE(&ranks, m.lifeline >= 0 && (m.keeper > 0) == (ranks.rank == 0));
  char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY"), *log = getenv("CUDA_MPS_LOG_DIRECTORY");
  AGREE(&ranks, folder && log && !strcmp(folder, log) && !strncmp(folder, home, strlen(home)));
  AGREE(&ranks, !getenv("CUDA_VISIBLE_DEVICES")); /* the daemon has it, and numbers GPUs anew */
  AGREE(&ranks, stat(folder, &about) == 0 && (about.st_mode & 0777) == 0700);
  AGREE(&ranks, notes_have("starts for 2\ntrial in ") && !notes_have("asked"));
  snprintf(file, sizeof file, "%s/runs", folder);
  AGREE(&ranks, access(file, F_OK) == 0);
  kill(m.keeper > 0 ? m.keeper : getpid(), m.keeper > 0 ? SIGTERM : 0); /* as scancel does */
  if (ranks.rank == ranks.size - 1) {                                   /* the last rank to leave */
    usleep(300000);
    assert_int_equal(access(file, F_OK), 0);
  }
  mps_close(&m);
  AGREE(&ranks, becomes(folder, 0));
  AGREE(&ranks, notes_have("asked quit -t 10\n"));
}

/* The last rank that has the lifeline is killed. */
static void ends_with_the_last_rank(void **state)
{
  (void)state;
  if (ranks.size == 1) return;
  forget_notes();
  struct mps m = open_for_one("");
  const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
  AGREE(&ranks, folder && m.state == MPS_STARTED);
  const pid_t other = fork(); /* has what its parent has */
  if (other == 0) {
    for (;;)
      pause();
  }
  close(m.lifeline);
  m.lifeline = -1;
  usleep(300000);
  AGREE(&ranks, access(folder, F_OK) == 0 && !notes_have("asked"));
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  mps_close(&m);
  AGREE(&ranks, becomes(folder, 0));
  AGREE(&ranks, notes_have("asked quit"));
}

static void goes_on_without(void **state)
{
  static const char *const cases[][2] = {{"absent", "not in PATH"},
                                         {"refused", "An instance is running"},
                                         {"useless", "the trial cannot use the GPU"}};
  (void)state;
  if (ranks.size == 1) return;
  for (int k = 0; k < 3; k++) {
    forget_notes();
    const struct mps m = open_for_one(cases[k][0]);
    AGREE(&ranks, m.state == MPS_LACKING && m.ranks == ranks.size && m.lifeline < 0);
    if (!agree(&ranks, strstr(m.why, cases[k][1]) != NULL)) fail_msg("says '%s'", m.why);
    AGREE(&ranks, !getenv("CUDA_MPS_PIPE_DIRECTORY") && getenv("CUDA_VISIBLE_DEVICES"));
    AGREE(&ranks, notes_have("asked quit") == (k == 2));
    char pattern[256];
    snprintf(pattern, sizeof pattern, "ls %s | grep -q lamella-mps", home);
    AGREE(&ranks, system(pattern) != 0); /* no folder is left */
  }
}

/* What the keeper asks this program for. */
static int trial(void)
{
  const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
  char path[256];
  FILE *notes = fopen(getenv("NOTES"), "a");
  if (!folder || !notes) return 1;
  fprintf(notes, "trial in %s\n", folder);
  fclose(notes);
  snprintf(path, sizeof path, "%s/runs", folder);
  if (!strcmp(getenv("FAKE"), "useless")) printf("the trial cannot use the GPU\n");
  return getenv("CUDA_VISIBLE_DEVICES") || access(path, F_OK) || !strcmp(getenv("FAKE"), "useless");
}

static void prepare(void)
{
  char path[4096];
  if (ranks.rank == 0) {
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/dev", home);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int k = 0; k < 4; k++) {
      static const char *const file[] = {"dev/nvidia0", "dev/nvidia1", "dev/nvidia3",
                                         "dev/nvidiactl"};
      write_file(file[k], "", 0600);
    }
    write_file("nvidia-cuda-mps-control", command, 0700);
  }
  ranks_broadcast(&ranks, home, sizeof home);
  snprintf(path, sizeof path, "%s:%s", home, getenv("PATH"));
  setenv("PATH", path, 1);
  setenv("TMPDIR", home, 1);
  snprintf(path, sizeof path, "%s/notes", home);
  setenv("NOTES", path, 1);
}

static void clean_up(void)
{
  char words[256];
  snprintf(words, sizeof words, "rm -rf %s", home);
  ranks_barrier(&ranks);
  if (ranks.rank == 0 && system(words) != 0) perror(words);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_gpus),         cmocka_unit_test(decides),
      cmocka_unit_test(finds_one_that_runs), cmocka_unit_test(serves_all_ranks),
      cmocka_unit_test(goes_on_without),     cmocka_unit_test(ends_with_the_last_rank)};
  if (argc == 2 && !strcmp(argv[1], MPS_TRIAL)) return trial();
  ranks_open(&ranks, &argc, &argv);
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  prepare();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clean_up();
  return ranks_close(&ranks, failed);
}
