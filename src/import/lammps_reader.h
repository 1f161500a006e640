/* Lines of a LAMMPS data file as tokens, and numbers from tokens; every mistake with its line. */
#ifndef LAMMPS_READER_H
#define LAMMPS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/mistakes.h"
#include "import/lammps_file.h"

enum { LAMMPS_MAX_TOKENS = 16 };

/* A line of Velocities: A/fs, rad/fs. */
struct lammps_velocity {
  int64_t id, line;
  double v[3], omega[3];
};

struct lammps_reader {
  const char *path;
  char *next; /* the rest of the text; lines become strings as they are read */
  size_t size;
  int64_t line;
  char *token[LAMMPS_MAX_TOKENS];
  int n_tokens;              /* of the line; may be more than there is room for */
  const char *comment;       /* what follows '#' in the line; "" */
  struct lammps_style style; /* of the section, where its header names one */
  struct mistakes mistakes;
  struct lammps_velocity *velocity; /* in the order of the file; NULL: no such section */
  struct lammps_file *file;
};

/* A line number as messages take it. */
int lammps_line(int64_t line);

/* A macro, for the arguments: a mistake in the current line. */
#define LAMMPS_MISTAKE(r, ...)                                                                     \
  mistakes_add(&(r)->mistakes, (r)->path, lammps_line((r)->line), __VA_ARGS__)

/* The next line that is not blank, cut into tokens, without its comment; 0 at the end. */
int lammps_read_line(struct lammps_reader *r);
/* Does a token begin with a letter? */
int lammps_is_word(const char *token);
/* Of the name of a style without the suffix of an accelerated version, which is no other style. */
size_t lammps_style_length(const char *style);
/* Any finite number; else 0 and a mistake. */
double lammps_read_real(struct lammps_reader *r, int k, const char *what);
/* A number from min to max; else 0 and a mistake that names them with their unit. */
double lammps_read_range(struct lammps_reader *r, int k, const char *what, double min, double max,
                         const char *unit);
/* A whole number within limits: 1; else 0 and a mistake. */
int lammps_read_int(struct lammps_reader *r, int k, const char *what, int64_t min, int64_t max,
                    int64_t *value);
/* The id of an atom: 1 and above. */
int lammps_read_id(struct lammps_reader *r, int k, int64_t *id);
/* A type, from 1, by its number or its label. what: LAMMPS_ATOMS, ... */
int lammps_read_type(struct lammps_reader *r, int k, int what, int *type);
/* 1 if the line has n columns; else 0 and a mistake. */
int lammps_has_tokens(struct lammps_reader *r, int n, const char *columns);
/* The type, from 1, whose label a token is; 0: none. */
int lammps_find_label(const struct lammps_file *f, int what, const char *token);

#endif
