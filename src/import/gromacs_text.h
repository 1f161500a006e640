/* The preprocessor of GROMACS topologies: #include, #define, #undef, #ifdef, #ifndef, #else,
   #endif, macros, comments after ';', lines continued by '\'. Local.

   Mistakes of the preprocessor end all ranks at once with STATUS_INPUT, file and line. */
#ifndef GROMACS_TEXT_H
#define GROMACS_TEXT_H

#include "base/words.h"

/* The molecules whose interactions depend on lambda in a file of run parameters. */
struct gromacs_coupling {
  const char *molecule; /* their type; "": none */
  int all;              /* 1: all molecules */
  int keeps;            /* 1: interactions within a molecule do not depend on it */
  struct file_line where;
};

/* Where included files are looked for, after the folder of the file that includes them and before
   those of $GMXLIB; and what is defined: NAME or NAME=VALUE. Borrowed. */
struct gromacs_options {
  int n_folders, n_defines;
  const char *const *folder, *const *define;
  double distance_k; /* of distance_restraints, kJ/mol/nm2; 0: they are left out */
  int n_walls;       /* atom types of walls, which become bead types too; borrowed */
  const char *wall[2];
  int n_couplings;
  const struct gromacs_coupling *coupling; /* of each file of run parameters */
};

struct gromacs_text;

/* Opens the file path; m outlives the text. */
struct gromacs_text *gromacs_text_open(const char *path, const struct gromacs_options *o,
                                       struct error_list *m);
/* The k-th file that was read so far, or NULL. Belongs to the text. */
const char *gromacs_text_file(const struct gromacs_text *t, int k);
/* The next line that is not blank, without comment and blanks around it, macros replaced; NULL at
   the end. It is valid until the next call. */
char *gromacs_text_next(struct gromacs_text *t, struct file_line *where);
/* The macro of the innermost #ifdef, whose macro is defined, that the line that was given last
   stands in; NULL: none. Belongs to the text. */
const char *gromacs_text_set(const struct gromacs_text *t);
/* Names of files in places are valid until here. */
void gromacs_text_close(struct gromacs_text *t);

#endif
