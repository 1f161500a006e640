#include "io/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "io/h5_read.h"

/* The checkpoint is moved last: a run killed in between still continues from it. */
static const char *const ending[] = {".csv",
                                     ".coordinates.csv",
                                     ".hills",
                                     ".observables.h5",
                                     ".h5md",
                                     ".h5md.undo",
                                     ".psf",
                                     ".xmf",
                                     ".performance.json",
                                     ".log",
                                     ".offender.csv",
                                     ".checkpoint.h5.prev",
                                     ".checkpoint.h5"};
enum { ENDINGS = sizeof ending / sizeof *ending };

static int is_there(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0;
}

/* Copies a symbolic link to the backup as a link to the same file. A dangling link stays, and the
   new run writes through it. */
static int move(const char *from, const char *to)
{
  struct stat about;
  if (lstat(from, &about) || !S_ISLNK(about.st_mode)) return rename(from, to);
  char *target = realpath(from, NULL);
  int failed = target && (symlink(target, to) || unlink(from));
  free(target);
  return failed;
}

static int any_there(const char *prefix)
{
  int found = 0;
  for (int k = 0; k < ENDINGS && !found; k++) {
    char *path = path_with(prefix, ending[k]);
    found = is_there(path);
    free(path);
  }
  return found;
}

static char *make_folder(const char *prefix)
{
  for (int k = 1;; k++) {
    char name[32];
    snprintf(name, sizeof name, ".backup.%d", k);
    char *folder = path_with(prefix, name);
    if (mkdir(folder, 0777) == 0) return folder;
    if (errno != EEXIST)
      die(STATUS_IO, "cannot make the folder '%s' for the files of the run before: %s", folder,
          strerror(errno));
    free(folder);
  }
}

/* If the checkpoint is a link, its .prev is beside the target and is renamed there. */
static void move_linked(const char *prefix)
{
  struct stat about;
  char *name = path_with(prefix, ".checkpoint.h5"), *target = path_target(name);
  char *previous = path_with(target, ".prev");
  if (lstat(name, &about) == 0 && S_ISLNK(about.st_mode) && is_there(previous))
    for (int k = 1;; k++) {
      char number[32];
      snprintf(number, sizeof number, ".backup.%d", k);
      char *aside = path_with(previous, number);
      int taken = is_there(aside);
      if (!taken && rename(previous, aside))
        die(STATUS_IO, "cannot rename '%s' to '%s': %s", previous, aside, strerror(errno));
      if (!taken) info("'%s' is '%s' now", previous, aside);
      free(aside);
      if (!taken) break;
    }
  free(name);
  free(target);
  free(previous);
}

static void move_file(const char *prefix, const char *inside, const char *suffix)
{
  char *from = path_with(prefix, suffix), *to = path_with(inside, suffix);
  if (move(from, to) && errno != ENOENT)
    die(STATUS_IO, "cannot move '%s' to '%s': %s", from, to, strerror(errno));
  free(from);
  free(to);
}

/* Moves the CSV files of observables: PREFIX.NAME.TABLE.csv for each group and table of the file of
   results. */
static void move_tables(const char *prefix, const char *inside)
{
  char *path = path_with(prefix, ".observables.h5"), name[96], table[96], suffix[256];
  hid_t file = -1, group = -1;
  if (!is_there(path)) {
    free(path);
    return;
  }
  H5E_BEGIN_TRY
  {
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (hsize_t k = 0; file >= 0 && h5_link_name(file, k, name); k++) {
      group = H5Gopen2(file, name, H5P_DEFAULT);
      for (hsize_t j = 0; group >= 0 && h5_link_name(group, j, table); j++) {
        snprintf(suffix, sizeof suffix, ".%s.%s.csv", name, table);
        move_file(prefix, inside, suffix);
      }
      if (group >= 0) H5Gclose(group);
    }
    h5_file_close(file, path);
  }
  H5E_END_TRY;
  free(path);
}

void backup_prefix(const char *prefix)
{
  move_linked(prefix);
  if (!any_there(prefix)) return;
  char *folder = make_folder(prefix);
  const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
  char *slashed = path_with(folder, "/"), *inside = path_with(slashed, base);
  move_tables(prefix, inside);
  for (int k = 0; k < ENDINGS; k++)
    move_file(prefix, inside, ending[k]);
  info("the files that '%s.*' had before are in '%s' now", prefix, folder);
  free(slashed);
  free(inside);
  free(folder);
}

void backup_previous(const char *path)
{
  char *previous = path_with(path, ".prev");
  if (rename(path, previous) && errno != ENOENT)
    die(STATUS_IO, "cannot rename '%s' to '%s': %s", path, previous, strerror(errno));
  FILE *file = fopen(path, "w"); /* for a message that says why not */
  if (!file) die(STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
  fclose(file);
  free(previous);
}

char *backup_link_damaged(const char *path)
{
  char suffix[32] = ".damaged";
  struct stat file, other;
  for (int k = 2;; k++) {
    char *name = path_with(path, suffix);
    if (link(path, name) == 0) return name;
    int why = errno;
    if (why != EEXIST) {
      if (access(name, F_OK) != 0 && rename(path, name) == 0) return name;
      die(STATUS_IO, "cannot give '%s' the name '%s': %s", path, name, strerror(why));
    }
    if (stat(path, &file) == 0 && stat(name, &other) == 0 && file.st_ino == other.st_ino &&
        file.st_dev == other.st_dev)
      return name;
    free(name);
    snprintf(suffix, sizeof suffix, ".damaged%d", k);
  }
}

void backup_rename_damaged(const char *name)
{
  char *aside = backup_link_damaged(name);
  if (unlink(name) && errno != ENOENT)
    die(STATUS_IO, "cannot rename '%s' to '%s': %s", name, aside, strerror(errno));
  info("'%s' is kept as '%s'", name, aside);
  free(aside);
}
