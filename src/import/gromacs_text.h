/* The preprocessor of GROMACS topologies: #include, #define, #undef, #ifdef, #ifndef, #else,
   #endif, macros, comments after ';', lines continued by '\'. Local.

   Mistakes of the preprocessor end all ranks at once with STATUS_INPUT, file and line. */
#ifndef GROMACS_TEXT_H
#define GROMACS_TEXT_H

#include "base/error_list.h"

/* Where included files are looked for, after the folder of the file that includes them and before
   those of $GMXLIB; and what is defined: NAME or NAME=VALUE. Borrowed. */
struct gromacs_options {
  int n_folders, n_defines;
  const char *const *folder, *const *define;
};

/* file: belongs to the text. */
struct gromacs_place {
  const char *file;
  int line;
};

/* Adds an error at a place; a macro because of its variable arguments. */
#define GROMACS_ERROR(m, place, ...) error_list_add((m), (place).file, (place).line, __VA_ARGS__)

struct gromacs_text;

/* Opens the file path; m outlives the text. */
struct gromacs_text *gromacs_text_open(const char *path, const struct gromacs_options *o,
                                       struct error_list *m);
/* The k-th file that was read so far, or NULL. Belongs to the text. */
const char *gromacs_text_file(const struct gromacs_text *t, int k);
/* The next line that is not blank, without comment and blanks around it, macros replaced; NULL at
   the end. It is valid until the next call. */
char *gromacs_text_next(struct gromacs_text *t, struct gromacs_place *place);
/* Names of files in places are valid until here. */
void gromacs_text_close(struct gromacs_text *t);

enum { GROMACS_WORDS_MOST = 4096 };
/* The words of a line, which is cut in place; where it stands, and where its errors go. */
struct gromacs_words {
  struct gromacs_place place;
  struct error_list *m;
  int n;
  char *word[GROMACS_WORDS_MOST];
};
/* Adds an error and keeps the first words if there are too many. */
void gromacs_words_split(struct gromacs_words *w, char *line, struct gromacs_place place,
                         struct error_list *m);
/* Word k as a number, or as an integer from low to high. what: its name in errors. Return 1, or 0
   with an error if it is none or missing. */
int gromacs_words_real(const struct gromacs_words *w, int k, const char *what, double *value);
int gromacs_words_int(const struct gromacs_words *w, int k, const char *what, long long low,
                      long long high, long long *value);
/* 1 if the line ends before word k, or n numbers follow that equal those before word k: the second
   state of a free energy, which changes nothing then. Else 0 with an error. */
int gromacs_words_end(const struct gromacs_words *w, int k, int n);

#endif
