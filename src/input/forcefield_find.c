#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"

#ifndef LAMELLA_DATADIR
#define LAMELLA_DATADIR ""
#endif

enum { PATH_ROOM = 4096 };

/* The installed folder: relative to the executable, so that an installed tree can be moved;
   otherwise the configured one. */
static void folder_installed(char *out)
{
  char program[PATH_ROOM];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = 0;
  char *end = strrchr(program, '/');
  if (end) {
    *end = 0;
    int length = snprintf(out, PATH_ROOM, "%s/../share/lamella/forcefields", program);
    if (length < PATH_ROOM && access(out, R_OK) == 0) return;
  }
  snprintf(out, PATH_ROOM, "%s", LAMELLA_DATADIR);
}

/* Folder k of the search path: those of LAMELLA_FORCEFIELDS, then the installed one. Returns 0 past
   the end. */
static int folder_get(int k, char *out)
{
  const char *list = getenv("LAMELLA_FORCEFIELDS");
  for (const char *at = list ? list : ""; *at;) {
    size_t n = strcspn(at, ":");
    if (n > 0 && k-- == 0) {
      snprintf(out, PATH_ROOM, "%.*s", (int)n, at);
      return 1;
    }
    at += n + (at[n] == ':');
  }
  folder_installed(out);
  return k == 0 && out[0];
}

static int is_path(const char *name)
{
  return strchr(name, '/') || path_ends(name, ".yaml");
}

static int is_file(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

struct forcefield *forcefield_load(const char *name)
{
  char folder[PATH_ROOM], path[PATH_ROOM + 300], looked[PATH_ROOM] = "";
  int found = is_path(name);
  if (found) snprintf(path, sizeof path, "%s", name);
  for (int k = 0; !found && folder_get(k, folder); k++) {
    snprintf(path, sizeof path, "%s/%.255s.yaml", folder, name);
    found = access(path, R_OK) == 0;
    size_t used = strlen(looked);
    snprintf(looked + used, sizeof looked - used, " %.1000s", folder);
  }
  if (!found && is_file(name)) { /* a file without the ending .yaml, or of another kind */
    snprintf(path, sizeof path, "%s", name);
    found = 1;
  }
  if (!found)
    die_all(STATUS_INPUT,
            "there is no force field %s.yaml in%s; name a path, or set LAMELLA_FORCEFIELDS", name,
            looked[0] ? looked : " any folder");
  char *text = forcefield_add_files(text_read_file(path, YAML_TEXT_MAX), path);
  struct forcefield *ff = forcefield_parse(text, path);
  free(text);
  return ff;
}

/* 1 if a folder before the k-th has a file of the same name, which is found first. */
static int is_hidden(int k, const char *file)
{
  char folder[PATH_ROOM], path[PATH_ROOM + 300];
  for (int n = 0; n < k && folder_get(n, folder); n++) {
    snprintf(path, sizeof path, "%s/%.255s", folder, file);
    if (access(path, R_OK) == 0) return 1;
  }
  return 0;
}

void forcefield_list(void)
{
  char folder[PATH_ROOM];
  for (int k = 0; folder_get(k, folder); k++) {
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int e = 0; e < n; e++) {
      const char *file = entry[e]->d_name;
      if (path_ends(file, ".yaml") && !is_hidden(k, file))
        printf("%.*s\n", (int)(strlen(file) - strlen(".yaml")), file);
      free(entry[e]);
    }
    if (n >= 0) free(entry);
  }
}
