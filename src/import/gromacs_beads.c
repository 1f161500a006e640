/* Numbers of atoms in the lines of a molecule type: see gromacs_molecule.h. */
#include "import/gromacs_molecule.h"

int gromacs_read_bead(struct gromacs_lines_reader *r, int k)
{
  long long id = 0;
  const int n = r->molecule->n_atoms;
  if (n == 0 || !gromacs_words_int(&r->words, k, "atom", 1, n, &id, r->place, r->m)) return -1;
  return (int)id - 1;
}

int gromacs_read_beads(struct gromacs_lines_reader *r, int k, int n, int *bead)
{
  for (int b = 0; b < n; b++) {
    bead[b] = gromacs_read_bead(r, k + b);
    if (bead[b] < 0) return 0;
    for (int a = 0; a < b; a++)
      if (bead[a] == bead[b]) {
        GROMACS_ERROR(r->m, r->place, "atom %d stands here twice", bead[b] + 1);
        return 0;
      }
  }
  return 1;
}
