/* Splits a LAMMPS data file into lines and tokens, and parses numbers; every error has its line. In
   functions below, k is the index of a token of the current line. */
#ifndef LAMMPS_READER_H
#define LAMMPS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error_list.h"
#include "import/lammps_file.h"

enum { LAMMPS_MAX_TOKENS = 16 };

/* A line of section Velocities: A/fs, rad/fs. */
struct lammps_velocity {
  int64_t id, line;
  double v[3], omega[3];
};

struct lammps_reader {
  const char *path;
  char *next; /* rest of the text; lines are terminated in place as they are read */
  size_t size;
  int64_t line;
  char *token[LAMMPS_MAX_TOKENS];
  int n_tokens;              /* number in the line; may exceed LAMMPS_MAX_TOKENS */
  const char *comment;       /* text after '#' in the line, or "" */
  struct lammps_style style; /* of the section, if its header names one */
  struct error_list errors;
  struct lammps_velocity *velocity; /* in the order of the file; NULL: no such section */
  struct lammps_file *file;
};

/* Converts a line number for messages. */
int lammps_line(int64_t line);

/* Adds an error in the current line; a macro because of its variable arguments. */
#define LAMMPS_ERROR(r, ...)                                                                       \
  error_list_add(&(r)->errors, (r)->path, lammps_line((r)->line), __VA_ARGS__)

/* Reads the next line that is not blank and splits it into tokens, without its comment; 0 at the
   end. */
int lammps_read_line(struct lammps_reader *r);
/* Does the token begin with a letter? */
int lammps_is_word(const char *token);
/* Length of the name of a style without the suffix of an accelerated version (/gpu, ...), which is
   the same style. */
size_t lammps_style_length(const char *style);
/* Any finite number; otherwise 0 and an error. */
double lammps_read_real(struct lammps_reader *r, int k, const char *what);
/* A number from min to max; otherwise 0 and an error that states the limits with their unit. */
double lammps_read_range(struct lammps_reader *r, int k, const char *what, double min, double max,
                         const char *unit);
/* An integer within limits: returns 1 and sets *value, or 0 and an error. */
int lammps_read_int(struct lammps_reader *r, int k, const char *what, int64_t min, int64_t max,
                    int64_t *value);
/* The id of an atom, 1 or larger. */
int lammps_read_id(struct lammps_reader *r, int k, int64_t *id);
/* A type (from 1), given by its number or label. what: LAMMPS_ATOMS, ... */
int lammps_read_type(struct lammps_reader *r, int k, int what, int *type);
/* 1 if the line has n columns; otherwise 0 and an error. */
int lammps_has_tokens(struct lammps_reader *r, int n, const char *columns);
/* The type (from 1) that has this label; 0: none. */
int lammps_find_label(const struct lammps_file *f, int what, const char *token);

#endif
