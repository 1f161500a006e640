/* The mistakes of an input, collected so that a user sees all of them at once. Start with {0}. */
#ifndef MISTAKES_H
#define MISTAKES_H

enum { MISTAKES_SHOWN = 100 }; /* the rest is only counted */

struct mistakes {
  int count;
  char *text; /* one a line */
  char *advice;
};

/* origin: file or other place; line: from 1, 0 where there are none. */
__attribute__((format(printf, 4, 5))) void mistakes_add(struct mistakes *m, const char *origin,
                                                        int line, const char *format, ...);
/* What to do about them, said once, after all. */
__attribute__((format(printf, 2, 3))) void mistakes_advise(struct mistakes *m, const char *format,
                                                           ...);
/* Ends the program with all of them and status 2, if there are any. */
void mistakes_check(struct mistakes *m);

#endif
