/* Output paths: see path_check.h. */
#include "io/path_check.h"

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
#include "base/path.h"
#include "base/text.h"

/* MPI-IO of Open MPI 4 stores paths in 256 bytes, and appends endings to some. Paths of 241 bytes
   and more were seen to fail or to crash. */
enum { BYTES_MOST = 240, ENDING_MOST = 10 /* ".damaged99" */ };

/* Of the files of a run, after its prefix; the checkpoint is the first. */
static const char *const of_run[] = {".checkpoint.h5",
                                     ".csv",
                                     ".coordinates.csv",
                                     ".hills",
                                     ".h5md",
                                     ".h5md.undo",
                                     ".log",
                                     ".plumed.log",
                                     ".psf",
                                     ".xmf",
                                     ".performance.json",
                                     ".observables.h5",
                                     ".offender.csv"};
enum { OF_RUN = sizeof of_run / sizeof *of_run };

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

/* Dies if the temporary file of an output is a link, also a hard one: another file would be
   overwritten. */
static void check_temporary(const char *path)
{
  struct stat about;
  char *all = path_with(path, ".tmp");
  const int found = lstat(all, &about) == 0, link = found && S_ISLNK(about.st_mode);
  if (link || (found && S_ISREG(about.st_mode) && about.st_nlink > 1))
    die(STATUS_INPUT,
        "cannot write '%s': it is %s, and temporary files are written to no other place; remove "
        "it, or choose another output",
        all, link ? "a symbolic link" : "a file that has other names too (hard links)");
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
  const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
  if ((n > 0 && !name[0]) || !strcmp(name, ".") || !strcmp(name, ".."))
    die(STATUS_INPUT, "cannot write '%s': a name must follow, as in '%s%sNAME' (output.prefix, -o)",
        prefix, prefix, name[0] ? "/" : "");
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
  for (int k = 0; k < OF_RUN && r->rank == 0; k++) {
    char *path = path_with(prefix, of_run[k]);
    check_output(path);
    free(path);
  }
  ranks_barrier(r);
}

void path_check_folder(const struct ranks *r, const char *path)
{
  char *copy = text_copy(path), *folder = dirname(copy);
  if (r->rank == 0 && access(folder, W_OK) != 0)
    die(STATUS_IO, "cannot write results to '%s': %s", folder, strerror(errno));
  free(copy);
}

/* The file that a name leads to or would make: by device and number, or, if it does not exist, by
   its folder and the name there. */
struct file_number {
  dev_t device;
  ino_t number;
  char *name; /* NULL if the file exists; owned */
};

static struct file_number find_file(const char *path)
{
  struct stat about;
  struct file_number p = {0};
  char *target = path_target(path), *slash = strrchr(target, '/');
  if (stat(target, &about) != 0) {
    p.name = text_copy(slash ? slash + 1 : target);
    if (slash) slash[1] = 0;
    if (stat(slash ? target : ".", &about) != 0) about = (struct stat){0}; /* no such folder */
  }
  p.device = about.st_dev;
  p.number = about.st_ino;
  free(target);
  return p;
}

int path_same(const char *a, const char *b)
{
  struct file_number p = find_file(a), q = find_file(b);
  const int same = p.number != 0 && p.device == q.device && p.number == q.number &&
                   !p.name == !q.name && (!p.name || !strcmp(p.name, q.name));
  free(p.name);
  free(q.name);
  return same;
}

/* The files that writing an output touches. */
static const char *const touched[] = {"", ".tmp", ".prev", ".lock"};
enum { TOUCHED = sizeof touched / sizeof *touched };

/* 1 if writing the output touches the file at `other` + ending. */
static int touches(const char *output, const char *other, const char *ending)
{
  char *target = path_target(output), *aim = path_target(other), *whole = path_with(aim, ending);
  int same = 0;
  for (int k = 0; k < TOUCHED; k++) {
    char *path = path_with(target, touched[k]);
    same |= path_same(path, whole);
    free(path);
  }
  free(whole);
  free(aim);
  free(target);
  return same;
}

void path_spare_input(const char *what, const char *output, const char *input)
{
  struct stat about;
  if (stat(input, &about) == 0 && touches(output, input, ""))
    die(STATUS_INPUT, "%s=%s: '%s', which is read, would be replaced; choose another output", what,
        output, input);
}

void path_spare_input_prefix(const char *prefix, const char *input, int checkpoint)
{
  for (int k = checkpoint ? 0 : 1; input[0] && k <= OF_RUN; k++) {
    char *path = path_with(prefix, k < OF_RUN ? of_run[k] : ".lock");
    path_spare_input("output.prefix", path, input);
    free(path);
  }
}

void path_spare_output(const char *what, const char *output, const char *other_what,
                       const char *other)
{
  for (int k = 0; k < TOUCHED; k++)
    if (touches(output, other, touched[k]))
      die(STATUS_INPUT, "%s=%s and %s=%s would be written to one file; choose another name for one",
          what, output, other_what, other);
}
