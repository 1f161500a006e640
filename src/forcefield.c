/* Where force fields are found and how they are shown; reading them is forcefield_parse.c. */
#include "forcefield.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "text.h"
#include "units.h"
#include "yaml_tree.h"

#ifndef LAMELLA_DATADIR
#define LAMELLA_DATADIR ""
#endif

enum { PATH_ROOM = 4096 };

/* Where make install put the force fields: beside the executable, so that an installed tree may be
   moved; else where it was configured to be. */
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

/* The k-th folder of the search path: those of LAMELLA_FORCEFIELDS, then the installed one. */
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
  size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
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
  if (!found)
    die_all(STATUS_INPUT,
            "there is no force field %s.yaml in%s; name a path, or set LAMELLA_FORCEFIELDS", name,
            looked[0] ? looked : " any folder");
  char *text = text_read(path, YAML_TEXT_MAX);
  struct forcefield *ff = forcefield_parse(text, path);
  free(text);
  return ff;
}

/* Whether a folder before the k-th has a file of that name, which is the one that is found. */
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
      size_t size = strlen(file);
      if (size > 5 && !strcmp(file + size - 5, ".yaml") && !is_hidden(k, file))
        printf("%.*s\n", (int)(size - 5), file);
      free(entry[e]);
    }
    if (n >= 0) free(entry);
  }
}

void forcefield_destroy(struct forcefield *ff)
{
  if (!ff) return;
  for (int k = 0; k < ff->n_molecules; k++) {
    free(ff->molecule[k].bead);
    free(ff->molecule[k].bond);
    free(ff->molecule[k].angle);
  }
  free(ff->source);
  free(ff->text);
  free(ff->type);
  free(ff->pair);
  free(ff->bond);
  free(ff->angle);
  free(ff->molecule);
  free(ff);
}

int forcefield_type(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_types; k++)
    if (!strcmp(ff->type[k].name, name)) return k;
  return -1;
}

int forcefield_molecule(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_molecules; k++)
    if (!strcmp(ff->molecule[k].name, name)) return k;
  return -1;
}

static void print_pairs(const struct forcefield *ff)
{
  printf("pairs: epsilon (kJ/mol), sigma (nm)\n");
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_pair *p = &ff->pair[i * ff->n_types + j];
      printf("  %-6s %-6s %10.6g %10.6g\n", ff->type[i].name, ff->type[j].name, p->epsilon,
             p->sigma);
    }
}

static void print_bonded(const struct forcefield *ff)
{
  if (ff->n_bonds) printf("bonds: k (kJ/mol/nm2), r0 (nm); U = k (r - r0)^2\n");
  for (int k = 0; k < ff->n_bonds; k++)
    printf("  %-10s %10.6g %10.6g\n", ff->bond[k].name, ff->bond[k].k, ff->bond[k].r0);
  if (ff->n_angles) printf("angles: k (kJ/mol), angle (degrees); U = k (cos t - cos t0)^2\n");
  for (int k = 0; k < ff->n_angles; k++)
    printf("  %-10s %10.6g %10.6g%s\n", ff->angle[k].name, ff->angle[k].k, ff->angle[k].theta0,
           ff->angle[k].form == ANGLE_DIPOLE ? "  dipole to line of beads" : "");
}

void forcefield_print(const struct forcefield *ff)
{
  static const char *const truncation[] = {"cut", "force_shift", "stoddard_ford"};
  printf("%s %s: %s\n", ff->name, ff->version, ff->source);
  printf("cutoff %.6g nm, Lennard-Jones %s, electrostatics %s\n", ff->cutoff,
         truncation[ff->truncation],
         ff->electrostatics == ELECTROSTATICS_NONE ? "none" : "shifted force");
  printf("types: mass (amu), inertia (amu nm2), charge (e), dipole (e nm)\n");
  for (int k = 0; k < ff->n_types; k++) {
    const struct ff_type *t = &ff->type[k];
    printf("  %-6s %8.5g  %g %g %g  %8.4g %10.6g\n", t->name, t->mass, t->inertia[0], t->inertia[1],
           t->inertia[2], t->charge, t->dipole);
  }
  print_pairs(ff);
  print_bonded(ff);
  printf("molecules:\n");
  for (int k = 0; k < ff->n_molecules; k++) {
    const struct ff_molecule *m = &ff->molecule[k];
    printf("  %-8s %d beads, %d bonds, %d angles:", m->name, m->n_beads, m->n_bonds, m->n_angles);
    for (int b = 0; b < m->n_beads; b++)
      printf(" %s", ff->type[m->bead[b]].name);
    printf("\n");
  }
}
