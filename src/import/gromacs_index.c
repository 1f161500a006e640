/* Groups of index files. See gromacs_index.h. */
#include "import/gromacs_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/index_file.h"

int gromacs_index_mark(const struct gromacs_index *x, const char *name, char *in,
                       struct error_list *m)
{
  int64_t *atom = NULL;
  const int64_t n = x->path ? index_file_read(x->path, name, x->n, &atom, m) : -1;
  memset(in, 0, (size_t)x->n);
  for (int64_t k = 0; k < n; k++)
    in[atom[k] - 1] = 1;
  free(atom);
  if (n >= 0) return 1;
  return gromacs_groups_mark(x, name, in);
}
