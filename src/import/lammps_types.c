/* Mapping of types: see lammps_check.h. */
#include "import/lammps_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "import/lammps_reader.h"

enum { NAMES_ROOM = 3000 };

static const char *const entry_name[] = {"atom", "bond", "angle"};
static const char *const options[] = {"--types", "--bond-types", "--angle-types"};

static int n_of(const struct forcefield *ff, int what)
{
  return what == LAMMPS_ATOMS ? ff->n_types : ff->bonded[lammps_section(what)].n;
}

static const char *name_of(const struct forcefield *ff, int what, int k)
{
  return what == LAMMPS_ATOMS ? ff->type[k].name : ff->bonded[lammps_section(what)].type[k].name;
}

static int find_name(const struct forcefield *ff, int what, const char *name)
{
  for (int k = 0; k < n_of(ff, what); k++)
    if (strcmp(name_of(ff, what, k), name) == 0) return k;
  return -1;
}

static const char *nearest_name(const struct forcefield *ff, int what, const char *name,
                                char text[96])
{
  struct nearest near = {{0}, 0};
  for (int k = 0; k < n_of(ff, what); k++)
    nearest_offer(&near, name, name_of(ff, what, k));
  return nearest_text(&near, text);
}

/* Maps types by the names in an option. */
static void map_by_names(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const char *names, int *type_of, struct error_list *m)
{
  int64_t n = 0;
  for (const char *at = names;; at++) {
    char name[FF_NAME], near[96];
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    int found = find_name(ff, what, name);
    if (n < f->n_types[what]) type_of[n] = found;
    n++;
    if (found < 0 && strcmp(name, "-") != 0)
      error_list_add(m, options[what], 0, "force field %s has no %s type '%s'%s", ff->name,
                     entry_name[what], name, nearest_name(ff, what, name, near));
    at += length;
    if (!*at) break;
  }
  if (n != f->n_types[what])
    error_list_add(m, options[what], 0, "%lld names, but %s has %lld %s types", (long long)n,
                   f->path, (long long)f->n_types[what], entry_name[what]);
}

/* Maps types by labels. Returns 1 if labels decide: for atoms, if there are any; for bonds and
   angles, if one of them is a name of the force field. */
static int map_by_labels(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const int64_t *count, int *type_of, struct error_list *m)
{
  int labels = 0, known = 0;
  for (int64_t t = 0; t < f->n_types[what]; t++) {
    if (!f->label[what][t].line) continue;
    labels++;
    type_of[t] = find_name(ff, what, f->label[what][t].text);
    known += type_of[t] >= 0;
  }
  if (labels == 0 || (what != LAMMPS_ATOMS && known == 0)) return 0;
  for (int64_t t = 0; t < f->n_types[what]; t++) {
    const struct lammps_label *l = &f->label[what][t];
    char near[96];
    if (l->line && type_of[t] < 0 && count[t])
      error_list_add(m, f->path, l->line, "label '%s' names no %s type of force field %s%s",
                     l->text, entry_name[what], ff->name, nearest_name(ff, what, l->text, near));
  }
  return 1;
}

/* Adds an error with the names that there are. */
static void ask_for_names(const struct lammps_file *f, const struct forcefield *ff, int what,
                          struct error_list *m)
{
  char text[NAMES_ROOM] = "";
  size_t used = 0;
  for (int k = 0; k < n_of(ff, what) && used < sizeof text - FF_NAME - 2; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k ? "," : "",
                             name_of(ff, what, k));
  error_list_add(m, f->path, 0,
                 "it has no labels of its %lld %s types: name them in their order with %s; force "
                 "field %s has %s",
                 (long long)f->n_types[what], entry_name[what], options[what], ff->name, text);
}

/* Adds an error for each type that is used but not mapped. */
static void check_mapped(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const int *type_of, struct error_list *m)
{
  char *said = alloc_array(f->n_types[what], 1);
  for (int64_t k = 0; k < f->n[what]; k++) {
    int type = what == LAMMPS_ATOMS ? f->atom[k].type : f->entry[what][k].type;
    const int line = what == LAMMPS_ATOMS ? f->atom[k].line : f->entry[what][k].line;
    if (type_of[type - 1] >= 0 || said[type - 1]++) continue;
    error_list_add(
        m, f->path, line, "%s type %d is none of the %d %s types of force field %s; %s names them",
        entry_name[what], type, n_of(ff, what), entry_name[what], ff->name, options[what]);
  }
  free(said);
}

void lammps_types_map(const struct lammps_file *f, const struct forcefield *ff, int what,
                      const char *names, struct lammps_map *map, struct error_list *m)
{
  const int before = m->count;
  int *type_of = map->type[what] = alloc_array(f->n_types[what], sizeof *type_of);
  int64_t *count = map->count[what] = alloc_array(f->n_types[what], sizeof *count);
  for (int64_t t = 0; t < f->n_types[what]; t++)
    type_of[t] = -1;
  for (int64_t k = 0; k < f->n[what]; k++)
    count[(what == LAMMPS_ATOMS ? f->atom[k].type : f->entry[what][k].type) - 1]++;
  if (names)
    map_by_names(f, ff, what, names, type_of, m);
  else if (!map_by_labels(f, ff, what, count, type_of, m) && f->n[what] > 0)
    ask_for_names(f, ff, what, m);
  if (m->count == before) check_mapped(f, ff, what, type_of, m);
  if (what == LAMMPS_ATOMS)
    lammps_check_atoms(f, ff, map, m);
  else
    lammps_check_bonded(f, ff, what, map, m);
}

void lammps_map_free(struct lammps_map *map)
{
  for (int k = 0; k < LAMMPS_COUNTS; k++) {
    free(map->type[k]);
    free(map->count[k]);
  }
}
