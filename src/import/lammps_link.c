/* Cross references between sections: see lammps_reader.h. */

#include "import/lammps_check.h"
#include "import/lammps_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_int64(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int compare_atoms(const void *pa, const void *pb)
{
  const struct lammps_atom *a = pa, *b = pb;
  int c = compare_int64(a->id, b->id);
  return c ? c : compare_int64(a->line, b->line);
}

static int compare_ids(const void *pa, const void *pb)
{
  const struct lammps_atom *a = pa, *b = pb;
  return compare_int64(a->id, b->id);
}

/* Index of an atom by its id; -1 and an error if there is none. */
static int64_t find_atom(struct lammps_reader *r, int line, int64_t id)
{
  const struct lammps_file *f = r->file;
  const struct lammps_atom key = {.id = id};
  if (id <= f->n[LAMMPS_ATOMS] && id > 0 && f->atom[id - 1].id == id) return id - 1;
  const struct lammps_atom *found =
      bsearch(&key, f->atom, (size_t)f->n[LAMMPS_ATOMS], sizeof key, compare_ids);
  if (found) return found - f->atom;
  if (id > 0)
    error_list_add(&r->errors, f->path, line,
                   "atom %lld does not exist: section Atoms has no such id", (long long)id);
  return -1;
}

static void link_atoms(struct lammps_reader *r)
{
  struct lammps_file *f = r->file;
  int64_t n = f->n[LAMMPS_ATOMS];
  qsort(f->atom, (size_t)n, sizeof *f->atom, compare_atoms);
  for (int64_t k = 1; k < n; k++)
    if (f->atom[k].id > 0 && f->atom[k].id == f->atom[k - 1].id)
      error_list_add(&r->errors, f->path, f->atom[k].line,
                     "atom %lld is given twice, first in line %d", (long long)f->atom[k].id,
                     f->atom[k - 1].line);
}

static void link_velocities(struct lammps_reader *r)
{
  struct lammps_file *f = r->file;
  for (int64_t k = 0; k < f->n[LAMMPS_ATOMS]; k++) {
    const struct lammps_velocity *v = &r->velocity[k];
    int64_t at = find_atom(r, v->line, v->id);
    if (at < 0) continue;
    struct lammps_atom *a = &f->atom[at];
    if (a->velocity_line)
      error_list_add(&r->errors, f->path, v->line,
                     "the velocity of atom %lld is given twice, first in line %d", (long long)a->id,
                     a->velocity_line);
    a->velocity_line = v->line;
    memcpy(a->v, v->v, sizeof a->v);
    memcpy(a->omega, v->omega, sizeof a->omega);
  }
}

/* Compares bonds or angles; equal if they join the same atoms in either direction. */
static int compare_entries(const void *pa, const void *pb)
{
  const struct lammps_entry *a = pa, *b = pb;
  int c = 0;
  for (int k = 0; !c && k < 3; k++)
    c = compare_int64(a->atom[k], b->atom[k]);
  return c ? c : compare_int64(a->line, b->line);
}

void lammps_find_duplicates(const struct lammps_file *f, int what, const char *one_way,
                            struct error_list *m)
{
  int64_t count = f->n[what];
  struct lammps_entry *e = alloc_array(count, sizeof *e);
  int end = lammps_atoms(what) - 1;
  if (count) memcpy(e, f->entry[what], (size_t)count * sizeof *e);
  for (int64_t k = 0; k < count; k++) {
    if (one_way && one_way[e[k].type - 1]) {
      e[k].atom[2] = -1; /* a dummy, no other atom */
    } else if (e[k].atom[0] > e[k].atom[end]) {
      int64_t first = e[k].atom[0];
      e[k].atom[0] = e[k].atom[end];
      e[k].atom[end] = first;
    }
  }
  qsort(e, (size_t)count, sizeof *e, compare_entries);
  for (int64_t k = 1; k < count; k++)
    if (memcmp(e[k].atom, e[k - 1].atom, sizeof e[k].atom) == 0)
      error_list_add(m, f->path, e[k].line, "the same %s as in line %d; expected each once",
                     what == LAMMPS_BONDS ? "bond" : "angle", e[k - 1].line);
  free(e);
}

void lammps_link(struct lammps_reader *r)
{
  struct lammps_file *f = r->file;
  link_atoms(r);
  if (r->velocity) link_velocities(r);
  for (int what = LAMMPS_BONDS; what < LAMMPS_COUNTS; what++)
    for (int64_t k = 0; k < f->n[what]; k++) {
      struct lammps_entry *e = &f->entry[what][k];
      for (int b = 0; b < lammps_atoms(what); b++)
        e->atom[b] = find_atom(r, e->line, e->atom[b]);
    }
}
