/* Mapping of types: see lammps_types.h. */
#include "import/lammps_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "import/lammps_pattern.h"
#include "import/lammps_reader.h"

enum { ADVICE_ROOM = 3000 };

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
                         const char *names, int *of, struct error_list *m)
{
  int64_t n = 0;
  for (const char *at = names;; at++) {
    char name[FF_NAME], near[96];
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    int found = find_name(ff, what, name);
    if (n < f->n_types[what]) of[n] = found;
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
                         const int64_t *count, int *of, struct error_list *m)
{
  int labels = 0, known = 0;
  for (int64_t t = 0; t < f->n_types[what]; t++) {
    if (!f->label[what][t].line) continue;
    labels++;
    of[t] = find_name(ff, what, f->label[what][t].text);
    known += of[t] >= 0;
  }
  if (labels == 0 || (what != LAMMPS_ATOMS && known == 0)) return 0;
  for (int64_t t = 0; t < f->n_types[what]; t++) {
    const struct lammps_label *l = &f->label[what][t];
    char near[96];
    if (l->line && of[t] < 0 && count[t])
      error_list_add(m, f->path, lammps_line(l->line),
                     "label '%s' names no %s type of force field %s%s", l->text, entry_name[what],
                     ff->name, nearest_name(ff, what, l->text, near));
  }
  return 1;
}

static void map_by_number(const struct lammps_file *f, const struct forcefield *ff, int what,
                          int *of)
{
  for (int t = 0; t < f->n_types[what]; t++)
    of[t] = t < n_of(ff, what) ? t : -1;
}

/* Adds an error for each type that is used but not mapped. */
static void check_mapped(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const int *of, struct error_list *m)
{
  char *said = alloc_array(f->n_types[what], 1);
  for (int64_t k = 0; k < f->n[what]; k++) {
    int type = what == LAMMPS_ATOMS ? f->atom[k].type : f->entry[what][k].type;
    int64_t line = what == LAMMPS_ATOMS ? f->atom[k].line : f->entry[what][k].line;
    if (of[type - 1] >= 0 || said[type - 1]++) continue;
    error_list_add(m, f->path, lammps_line(line),
                   "%s type %d is none of the %d %s types of force field %s; %s names them",
                   entry_name[what], type, n_of(ff, what), entry_name[what], ff->name,
                   options[what]);
  }
  free(said);
}

static char *names_text(const struct forcefield *ff, int what, const int *of, int64_t n)
{
  char *text = alloc_array(ADVICE_ROOM, 1);
  size_t used = 0;
  for (int64_t t = 0; t < n && used < ADVICE_ROOM - FF_NAME - 2; t++)
    used += (size_t)snprintf(text + used, ADVICE_ROOM - used, "%s%s", t ? "," : "",
                             of[t] < 0 ? "-" : name_of(ff, what, of[t]));
  return text;
}

/* Can a type of the file, by its atoms and coefficients, be type b of the force field? atom: an
   atom of the type, or NULL. */
static int resembles(const struct lammps_file *f, const struct forcefield *ff, int64_t t, int b,
                     const struct lammps_atom *atom)
{
  const struct ff_type *type = &ff->type[b];
  const struct lammps_coefficient *mass = &f->mass[t], *pair = &f->coefficient[LAMMPS_ATOMS][t];
  if (mass->line && !lammps_equal(mass->value[0], type->mass)) return 0;
  if (pair->line && !lammps_is_pair(ff, pair, b, b)) return 0;
  if (!atom) return mass->line || pair->line;
  double moment = lammps_moment(atom);
  return fabs(atom->charge - type->charge) <= 1e-4 && lammps_mass_is_near(atom->mass, type->mass) &&
         (type->dipole == 0 ? moment <= 1e-4 : lammps_equal(moment, type->dipole));
}

/* Removes choices of atom types that occur in none of the choices of a bonded type. Returns 1 if
   anything changed. */
static int prune_bonded(const struct lammps_uses *found, const struct lammps_uses *expected,
                        char *may, int n)
{
  int changed = 0;
  for (int64_t k = 0; k < found->n; k++)
    for (int side = 0; side < 2; side++) {
      int t = found->use[k].bead[side], other = found->use[k].bead[1 - side];
      if (lammps_choice(may, other, n) == -1) continue;
      for (int b = 0; b < n; b++) {
        int good = !may[(int64_t)t * n + b];
        for (int64_t e = 0; e < expected->n && !good; e++)
          for (int end = 0; end < 2; end++)
            good |= expected->use[e].bead[end] == b &&
                    may[(int64_t)other * n + expected->use[e].bead[1 - end]];
        if (good) continue;
        may[(int64_t)t * n + b] = 0;
        changed = 1;
      }
    }
  return changed;
}

/* Adds advice to the errors: names that would fit, or which type is unknown. */
static void advise_names(const struct lammps_file *f, const struct forcefield *ff, const int *now,
                         struct error_list *m)
{
  int n = ff->n_types;
  int64_t n_file = f->n_types[LAMMPS_ATOMS];
  char *may = alloc_array(n_file * n, 1);
  const struct lammps_atom **atom = alloc_array(n_file, sizeof *atom);
  int *of = alloc_array(n_file, sizeof *of), good = 1;
  for (int64_t k = f->n[LAMMPS_ATOMS] - 1; k >= 0; k--)
    atom[f->atom[k].type - 1] = &f->atom[k];
  for (int64_t t = 0; t < n_file; t++)
    for (int b = 0; b < n; b++)
      may[t * n + b] = (char)resembles(f, ff, t, b, atom[t]);
  struct lammps_uses found = lammps_uses_found(f, LAMMPS_BONDS);
  struct lammps_uses expected = lammps_uses_expected(ff, LAMMPS_BONDS);
  while (prune_bonded(&found, &expected, may, n)) {
  }
  lammps_resolve_choices(may, n_file, n);
  for (int64_t t = 0; t < n_file; t++) {
    of[t] = lammps_choice(may, t, n);
    for (int b = 0; of[t] == -2; b++)
      if (may[t * n + b]) of[t] = b;
    good &= of[t] >= 0 || !atom[t];
    if (of[t] < 0 && atom[t])
      error_list_advise(m,
                        "type %lld of the file (charge %g e, dipole %.6g e nm, mass %.4g amu by "
                        "diameter and density) resembles no type of force field %s",
                        (long long)t + 1, atom[t]->charge, lammps_moment(atom[t]), atom[t]->mass,
                        ff->name);
  }
  if (good && memcmp(of, now, (size_t)n_file * sizeof *of) != 0) {
    char *text = names_text(ff, LAMMPS_ATOMS, of, n_file);
    error_list_advise(
        m,
        "By charges, dipoles, masses, coefficients and bonds the types of the file are "
        "those of another order: try --types=%s",
        text);
    free(text);
  }
  lammps_uses_free(&found);
  lammps_uses_free(&expected);
  free(may);
  free(atom);
  free(of);
}

void lammps_types_atoms(const struct lammps_file *f, const struct forcefield *ff, const char *names,
                        struct lammps_map *map, struct error_list *m)
{
  int before = m->count;
  int64_t *count = lammps_count_types(f, LAMMPS_ATOMS);
  int *of = alloc_array(f->n_types[LAMMPS_ATOMS], sizeof *of);
  map->of[LAMMPS_ATOMS] = of;
  if (names)
    map_by_names(f, ff, LAMMPS_ATOMS, names, of, m);
  else if (!map_by_labels(f, ff, LAMMPS_ATOMS, count, of, m))
    map_by_number(f, ff, LAMMPS_ATOMS, of);
  if (m->count == before) check_mapped(f, ff, LAMMPS_ATOMS, of, m);
  lammps_check_atoms(f, ff, of, m);
  if (m->count > before) advise_names(f, ff, of, m);
  free(count);
}

/* For each type of bonds or angles of the file, the types of the force field that it can be: those
   with the same coefficients, or that with the same number if the file has no coefficients. If some
   of these join the same bead types, only they remain. */
static char *find_choices(const struct lammps_file *f, const struct forcefield *ff, int what,
                          const int *atoms)
{
  int n = n_of(ff, what);
  int64_t n_file = f->n_types[what];
  char *may = alloc_array(n_file * n, 1), *joins = alloc_array(n_file * n, 1);
  struct lammps_uses found = lammps_uses_found(f, what);
  struct lammps_uses expected = lammps_uses_expected(ff, what);
  memset(joins, 1, (size_t)(n_file * n));
  for (int64_t k = 0; k < found.n; k++) {
    int bead[3] = {0}, t = found.use[k].type;
    for (int b = 0; b < (what == LAMMPS_BONDS ? 2 : 3); b++)
      bead[b] = atoms[found.use[k].bead[b]];
    for (int b = 0; b < n; b++)
      if (!lammps_uses_fit(&expected, ff, what, b, bead)) joins[(int64_t)t * n + b] = 0;
  }
  for (int64_t t = 0; t < n_file; t++) {
    const struct lammps_coefficient *c = &f->coefficient[what][t];
    int both = 0;
    for (int b = 0; b < n; b++) {
      may[t * n + b] = (char)(c->line ? lammps_is_coefficient(ff, what, c, b) : t == b);
      both |= (!c->line || may[t * n + b]) && joins[t * n + b];
    }
    for (int b = 0; b < n && both; b++)
      may[t * n + b] = (char)((!c->line || may[t * n + b]) && joins[t * n + b]);
  }
  lammps_uses_free(&found);
  lammps_uses_free(&expected);
  free(joins);
  return may;
}

/* Maps types by number if every type that is used can be the one of its number; otherwise by
   choices. Elimination by other types is used only where coefficients do not contradict it, because
   two types of a file may be one of the force field. */
static void map_by_choice(const struct lammps_file *f, const struct forcefield *ff, int what,
                          const int64_t *count, const int *atoms, int *of, struct error_list *m)
{
  int n = n_of(ff, what), fits = 1, unclear = 0;
  int64_t n_file = f->n_types[what];
  char *several = alloc_array(n_file, 1);
  char *may = find_choices(f, ff, what, atoms);
  map_by_number(f, ff, what, of);
  for (int64_t t = 0; t < n_file; t++) {
    fits &= !count[t] || (of[t] >= 0 && may[t * n + of[t]]) || lammps_choice(may, t, n) == -1;
    if (!count[t]) memset(may + t * n, 0, (size_t)n);
  }
  if (!fits) {
    for (int64_t t = 0; t < n_file; t++)
      several[t] = lammps_choice(may, t, n) == -2;
    lammps_resolve_choices(may, n_file, n);
    for (int64_t t = 0; t < n_file; t++) {
      int choice = lammps_choice(may, t, n);
      int given = f->coefficient[what][t].line != 0;
      if (several[t] && !given) unclear = (int)t + 1;
      for (int b = 0; choice == -2; b++)
        if (may[t * n + b]) choice = of[t] >= 0 && may[t * n + of[t]] ? of[t] : b;
      if (choice >= 0) of[t] = choice;
      if (!count[t]) of[t] = -1;
    }
    char *text = names_text(ff, what, of, n_file);
    if (unclear)
      error_list_add(
          m, f->path, 0,
          "%s types are not those of force field %s by number, and type %d may be several; "
          "name them, perhaps %s=%s",
          entry_name[what], ff->name, unclear, options[what], text);
    else
      info("%s: %s types, by coefficients and by the beads that they join: %s", f->path,
           entry_name[what], text);
    free(text);
  }
  free(several);
  free(may);
}

void lammps_types_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const char *names, struct lammps_map *map, struct error_list *m)
{
  int before = m->count;
  int64_t *count = lammps_count_types(f, what);
  int *of = alloc_array(f->n_types[what], sizeof *of);
  map->of[what] = of;
  map->named[what] = 1;
  if (names)
    map_by_names(f, ff, what, names, of, m);
  else if (!map_by_labels(f, ff, what, count, of, m)) {
    map->named[what] = 0;
    map_by_number(f, ff, what, of);
    /* With wrong bead types, patterns cannot match. */
    if (before == 0) map_by_choice(f, ff, what, count, map->of[LAMMPS_ATOMS], of, m);
  }
  if (m->count == before) check_mapped(f, ff, what, of, m);
  lammps_check_bonded(f, ff, what, of, m);
  free(count);
}

void lammps_map_free(struct lammps_map *map)
{
  for (int k = 0; k < LAMMPS_COUNTS; k++)
    free(map->of[k]);
}
