/* Lines of text files, their words and the numbers among them; mistakes with file and line. Local.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>

#include "base/error_list.h"

/* line: from 1, or 0 where there is none. file: borrowed. */
struct file_line {
  const char *file;
  int line;
};

/* Adds an error at a line; a macro because of its variable arguments. */
#define LINE_ERROR(m, where, ...) error_list_add((m), (where).file, (where).line, __VA_ARGS__)

/* The text without the blanks around it; the end is cut off in place. */
char *text_trim(char *text);
/* The next line of a text with more than blanks and a comment, which begins with the character
   `mark`; NULL at the end. *text, the rest, is cut in place, and *line counts lines. comment: NULL,
   or receives the comment without its mark. */
char *line_next(char **text, int *line, char mark, const char **comment);

#define WORDS_BLANKS " \t\r\n\f\v"
enum { WORDS_MOST = 4096 };
/* The words of a line; where it stands, and where its errors go, which the caller sets. */
struct words {
  struct file_line where;
  struct error_list *m;
  int n;
  char *word[WORDS_MOST];
};

/* Adds an error in the line of the words. */
#define WORDS_ERROR(w, ...) LINE_ERROR((w)->m, (w)->where, __VA_ARGS__)

/* Cuts a line in place into words. Adds an error and keeps the first if there are too many. */
void words_split(struct words *w, char *line);
/* Word k as a number, or as an integer from low to high. what: its name in errors. Return 1, or 0
   with an error if it is none or missing. */
int words_real(const struct words *w, int k, const char *what, double *value);
int words_int(const struct words *w, int k, const char *what, int64_t low, int64_t high,
              int64_t *value);

#endif
