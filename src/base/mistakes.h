/* Errors in an input file or in options, collected so that the user sees all of them at once.
   Initialise with {0}. */
#ifndef MISTAKES_H
#define MISTAKES_H

enum { MISTAKES_SHOWN = 100 }; /* later ones are only counted */

struct mistakes {
  int count;
  char *text; /* a line each */
  char *advice;
};

/* Adds an error. origin: name of the file or option; line: from 1, or 0 where there are no
   lines. */
__attribute__((format(printf, 4, 5))) void mistakes_add(struct mistakes *m, const char *origin,
                                                        int line, const char *format, ...);
/* Advice on how to correct the errors, printed once after all of them. */
__attribute__((format(printf, 2, 3))) void mistakes_advise(struct mistakes *m, const char *format,
                                                           ...);
/* If there are any, prints them all and ends all ranks with STATUS_INPUT. They must be the
   same errors if several ranks call it. */
void mistakes_check(struct mistakes *m);

#endif
