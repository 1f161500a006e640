/* Files of tabulated potentials. Local. */
#ifndef TABULATED_FILE_H
#define TABULATED_FILE_H

#include "base/error_list.h"
#include "model/tabulated.h"

/* Where a table stands, and its units. */
struct tabulated_source {
  const char *text, *origin; /* of the file; its name in messages */
  const char *section;   /* keyword of a section as LAMMPS has them; NULL: the file is a table */
  double length, energy; /* nm and kJ/mol of one unit of the file */
};

/* Reads a table. Without a section a row is r U F; in a section it is number r U F, after a line
   `N rows`, which may give the distances (R or RSQ). Lines that begin with # or @ are comments.
   Adds an error with the line of the file for each mistake. Caller frees with tabulated_rows_free.
 */
struct tabulated_rows tabulated_read(const struct tabulated_source *from, struct error_list *m);
void tabulated_rows_free(struct tabulated_rows *rows);

#endif
