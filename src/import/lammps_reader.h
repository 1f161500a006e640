/* Lines of a LAMMPS data file, its sections and the references between them. In functions below, k
   is the index of a word of the current line. */
#ifndef LAMMPS_READER_H
#define LAMMPS_READER_H

#include <stddef.h>

#include "base/words.h"
#include "import/lammps_file.h"

/* A line of section Velocities: A/fs, rad/fs. */
struct lammps_velocity {
  int64_t id;
  int line;
  double v[3], omega[3];
};

struct lammps_reader {
  struct words words; /* of the current line */
  char *next;         /* rest of the text; lines are terminated in place as they are read */
  size_t size;
  const char *comment;      /* text after '#' in the line, or "" */
  char style[LAMMPS_STYLE]; /* of the section, or "" if its header names none */
  struct error_list errors;
  struct lammps_velocity *velocity; /* in the order of the file; NULL: no such section */
  struct lammps_file *file;
};

/* Adds an error in the current line; a macro because of its variable arguments. */
#define LAMMPS_ERROR(r, ...) WORDS_ERROR(&(r)->words, __VA_ARGS__)

/* Reads the next line that is not blank and splits it into words, without its comment; 0 at the
   end. */
int lammps_read_line(struct lammps_reader *r);
/* Does the word begin with a letter? */
int lammps_is_word(const char *word);
/* Length of the name of a style without the suffix of an accelerated version (/gpu, ...), which is
   the same style. */
size_t lammps_style_length(const char *style);
/* A number from min to max; otherwise 0 and an error that states the limits with their unit. */
double lammps_read_range(struct lammps_reader *r, int k, const char *what, double min, double max,
                         const char *unit);
/* A type (from 1), given by its number or label. what: LAMMPS_ATOMS, ... */
int lammps_read_type(struct lammps_reader *r, int k, int what, int *type);
/* 1 if the line has n columns; otherwise 0 and an error. */
int lammps_has_columns(struct lammps_reader *r, int n, const char *columns);
/* The type (from 1) that has this label; 0: none. */
int lammps_find_label(const struct lammps_file *f, int what, const char *label);

/* Reads all sections into the arrays of r->file, which are allocated; the current line is the
   header of the first section. Atoms are stored in the order of the file, velocities and entries
   refer to ids. Returns 1 if every section has as many lines as the header promises.
   lammps_section.c. */
int lammps_section_read_all(struct lammps_reader *r);

/* Sorts the atoms by id, assigns velocities to them, and replaces ids in bonds and angles by
   indices. Missing ids and atoms or velocities given twice are errors. lammps_link.c. */
void lammps_link(struct lammps_reader *r);

#endif
