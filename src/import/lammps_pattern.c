/* Patterns of bonded types: see lammps_pattern.h. */
#include "import/lammps_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static int compare_uses(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(struct lammps_use));
}

static void keep_once(struct lammps_uses *u)
{
  int64_t kept = 0;
  qsort(u->use, (size_t)u->n, sizeof *u->use, compare_uses);
  for (int64_t k = 0; k < u->n; k++)
    if (k == 0 || compare_uses(&u->use[k], &u->use[kept - 1]) != 0) u->use[kept++] = u->use[k];
  u->n = kept;
}

struct lammps_uses lammps_uses_expected(const struct forcefield *ff, int what)
{
  struct lammps_uses u = {0};
  const int section = lammps_section(what);
  int64_t room = 0;
  for (int m = 0; m < ff->n_molecules; m++)
    room += ff->molecule[m].bonded[section].n;
  u.use = alloc_array(room, sizeof *u.use);
  for (int m = 0; m < ff->n_molecules; m++) {
    const struct ff_molecule *mol = &ff->molecule[m];
    for (int k = 0; k < mol->bonded[section].n; k++) {
      const struct ff_term *from = &mol->bonded[section].term[k];
      const int beads = forcefield_form(ff, section, from->type)->beads;
      struct lammps_use *use = &u.use[u.n++];
      use->type = from->type;
      for (int b = 0; b < lammps_atoms(what); b++)
        use->bead[b] = mol->bead[from->bead[b < beads ? b : beads - 1]];
    }
  }
  keep_once(&u);
  return u;
}

struct lammps_uses lammps_uses_found(const struct lammps_file *f, int what)
{
  struct lammps_uses u = {f->n[what], alloc_array(f->n[what], sizeof *u.use)};
  for (int64_t k = 0; k < u.n; k++) {
    const struct lammps_entry *e = &f->entry[what][k];
    u.use[k].type = e->type - 1;
    for (int b = 0; b < lammps_atoms(what); b++)
      u.use[k].bead[b] = f->atom[e->atom[b]].type - 1;
  }
  keep_once(&u);
  return u;
}

void lammps_uses_free(struct lammps_uses *u)
{
  free(u->use);
}

int lammps_uses_fit(const struct lammps_uses *expected, const struct forcefield *ff, int what,
                    int type, const int bead[3])
{
  const struct bonded_form_info *form = forcefield_form(ff, lammps_section(what), type);
  const int n = form->beads;
  for (int64_t k = 0; k < expected->n; k++) {
    const struct lammps_use *u = &expected->use[k];
    int forth = 1, back = !form->axes;
    if (u->type != type) continue;
    for (int b = 0; b < n; b++) {
      forth &= u->bead[b] == bead[b];
      back &= u->bead[n - 1 - b] == bead[b];
    }
    if (forth || back) return 1;
  }
  return 0;
}

int lammps_choice(const char *may, int64_t t, int n)
{
  int found = -1;
  for (int b = 0; b < n; b++)
    if (may[t * n + b]) {
      if (found >= 0) return -2;
      found = b;
    }
  return found;
}

void lammps_resolve_choices(char *may, int64_t n_file, int n)
{
  int *single = alloc_array(n_file, sizeof *single);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int64_t t = 0; t < n_file; t++)
      single[t] = lammps_choice(may, t, n);
    for (int64_t t = 0; t < n_file; t++) {
      if (single[t] != -2) continue;
      for (int64_t other = 0; other < n_file && lammps_choice(may, t, n) == -2; other++)
        if (single[other] >= 0 && may[t * n + single[other]]) {
          may[t * n + single[other]] = 0;
          changed = 1;
        }
    }
  }
  free(single);
}
