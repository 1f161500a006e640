/* Output paths: see path.h. */
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

/* MPI-IO of Open MPI 4 stores paths in 256 bytes, and appends endings to some. Paths of 241 bytes
   and more were seen to fail or to crash. */
enum { LINKS_MOST = 40, BYTES_MOST = 240, ENDING_MOST = 10 /* ".damaged99" */ };

char *path_with(const char *path, const char *ending)
{
  size_t bytes = strlen(path) + strlen(ending) + 1;
  char *all = alloc_array((long long)bytes, 1);
  snprintf(all, bytes, "%s%s", path, ending);
  return all;
}

/* Target of a link, relative links resolved from its folder; NULL if the path is no link. */
static char *follow(const char *path)
{
  char text[PATH_MAX];
  ssize_t n = readlink(path, text, sizeof text - 1);
  if (n < 0) return NULL;
  text[n] = 0;
  const char *slash = strrchr(path, '/');
  if (text[0] == '/' || !slash) return text_copy(text);
  size_t folder = (size_t)(slash - path) + 1;
  char *all = alloc_array((long long)(folder + (size_t)n + 1), 1);
  memcpy(all, path, folder);
  memcpy(all + folder, text, (size_t)n + 1);
  return all;
}

char *path_target(const char *path)
{
  char *now = text_copy(path), *next;
  for (int k = 0; (next = follow(now)); k++) {
    free(now);
    now = next;
    if (k == LINKS_MOST)
      die(STATUS_INPUT, "cannot write '%s': its symbolic links lead in a circle", path);
  }
  return now;
}

int path_exists(const char *path)
{
  struct stat about;
  if (stat(path, &about) == 0) return 1;
  if (errno != ENOENT) die(STATUS_IO, "cannot look at '%s': %s", path, strerror(errno));
  return 0;
}

static const char *file_type(mode_t mode)
{
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return S_ISSOCK(mode) ? "a socket" : "no regular file";
}

/* Dies unless the path is free or a file that can be replaced. */
static void check_file_type(const char *path, const char *ending)
{
  struct stat about;
  char *all = path_with(path, ending);
  if (stat(all, &about) == 0 && !S_ISREG(about.st_mode))
    die(STATUS_INPUT, "cannot write '%s': it is %s; choose another output", all,
        file_type(about.st_mode));
  free(all);
}

/* Dies if the temporary file of an output is a link: its target would be overwritten. */
static void check_temporary(const char *path)
{
  struct stat about;
  char *all = path_with(path, ".tmp");
  if (lstat(all, &about) == 0 && S_ISLNK(about.st_mode))
    die(STATUS_INPUT,
        "cannot write '%s': it is a symbolic link, and temporary files are written to no other "
        "place; remove it, or choose another output",
        all);
  free(all);
}

void path_check_text(const char *path)
{
  char *target = path_target(path);
  const char *slash = strrchr(target, '/');
  if (path[0] == 0 || (slash && slash[1] == 0))
    die(STATUS_INPUT, "cannot write '%s': it is no name of a file", path);
  check_file_type(target, "");
  check_file_type(target, ".prev");
  check_temporary(target);
  check_file_type(target, ".tmp");
  free(target);
}

static void check_output(const char *path)
{
  char *target = path_target(path);
  size_t bytes = strlen(target), most = BYTES_MOST - ENDING_MOST;
  if (bytes > most)
    die(STATUS_INPUT,
        "cannot write '%s': the path has %zu bytes, and MPI-IO takes %zu before the endings that "
        "are added to it; use a shorter one, for instance relative to the working directory",
        target, bytes, most);
  free(target);
  path_check_text(path);
}

void path_check(const struct ranks *r, const char *path)
{
  if (r->rank == 0) check_output(path);
  ranks_barrier(r);
}

/* Status 2 if no name follows the folder of a prefix, 4 if there is no such folder. */
static void check_prefix(const char *prefix)
{
  char *copy = text_copy(prefix), *folder = dirname(copy);
  const size_t n = strlen(prefix);
  if (n > 0 && prefix[n - 1] == '/')
    die(STATUS_INPUT, "cannot write '%s': a name must follow, as in '%sNAME' (output.prefix, -o)",
        prefix, prefix);
  if (access(folder, F_OK) != 0)
    die(STATUS_IO,
        "cannot write '%s' and files of that name: there is no folder '%s' (%s); make it, or "
        "choose another output (output.prefix, -o)",
        prefix, folder, strerror(errno));
  free(copy);
}

void path_check_prefix(const struct ranks *r, const char *prefix)
{
  if (r->rank == 0) check_prefix(prefix);
  static const char *const ending[] = {
      ".checkpoint.h5",    ".csv",           ".h5md", ".log", ".psf", ".xmf",
      ".performance.json", ".observables.h5"};
  for (size_t k = 0; k < sizeof ending / sizeof *ending && r->rank == 0; k++) {
    char *path = path_with(prefix, ending[k]);
    check_output(path);
    free(path);
  }
  ranks_barrier(r);
}

FILE *path_create(const char *temporary)
{
  struct stat about;
  int file = open(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && ftruncate(file, 0) == 0)
    return fdopen(file, "w");
  if (file >= 0) {
    close(file);
    errno = EINVAL;
  }
  return NULL;
}

void path_check_folder(const struct ranks *r, const char *path)
{
  char *copy = text_copy(path), *folder = dirname(copy);
  if (r->rank == 0 && access(folder, W_OK) != 0)
    die(STATUS_IO, "cannot write results to '%s': %s", folder, strerror(errno));
  free(copy);
}

void path_refuse_input(const struct ranks *r, const char *input, const char *path)
{
  struct stat a, b;
  int64_t same = r->rank == 0 && !stat(input, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
                 a.st_ino == b.st_ino;
  ranks_broadcast(r, &same, sizeof same);
  if (same)
    die_all(STATUS_INPUT, "--output=%s: is '%s', which is read: it would be replaced", path, input);
}
