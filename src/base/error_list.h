/* Errors in an input file or in options, collected so that the user sees all of them at once.
   Initialise with {0}. */
#ifndef ERROR_LIST_H
#define ERROR_LIST_H

enum { ERROR_LIST_SHOWN = 100 }; /* later ones are only counted */

/* Errors of one origin and one text. */
struct error_item {
  char *origin, *what;
  char *also;                /* "; also ORIGIN:LINE (KEY), ..."; NULL: nowhere */
  int line, last_line, more; /* of the first and the last of them; how many beside the first */
};

struct error_list {
  int count, n_items;
  struct error_item *item;
  char *advice;
};

/* Adds an error. origin: name of the file or option; line: from 1, or 0 where there are no
   lines. */
__attribute__((format(printf, 4, 5))) void error_list_add(struct error_list *m, const char *origin,
                                                          int line, const char *format, ...);
/* Adds an error "key: ...". If another has the same text after its key, this place is added to
   it. */
__attribute__((format(printf, 5, 6))) void error_list_join(struct error_list *m, const char *origin,
                                                           int line, const char *key,
                                                           const char *format, ...);
/* Advice on how to correct the errors, printed once after all of them. */
__attribute__((format(printf, 2, 3))) void error_list_advise(struct error_list *m,
                                                             const char *format, ...);
/* The errors, a line each; those that say the same share one. Caller frees. */
char *error_list_text(const struct error_list *m);
/* If there are any, prints them all and ends all ranks with STATUS_INPUT. If several ranks
   call it, they must have the same errors. */
void error_list_check(struct error_list *m);
void error_list_free(struct error_list *m);
/* Moves the errors of another list to the end of m. */
void error_list_move(struct error_list *m, struct error_list *from);

#endif
