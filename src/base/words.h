/* Words and numbers as text, in the same way in every locale. Lists of words are written "a|b|c".
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { WORDS_REAL = 32 }; /* bytes that any printed double fits into */

/* Index of a word in a list, or -1. */
int words_find(const char *list, const char *word);
/* The word of a list with an index; its length goes to n. NULL past the end. */
const char *words_item(const char *list, int index, size_t *n);

/* The candidate most like a word, for "did you mean": start with {0}, offer all, read best. */
struct nearest {
  char best[64]; /* empty where nothing is like it */
  int distance;
};
void nearest_offer(struct nearest *n, const char *word, const char *candidate);
void nearest_offer_list(struct nearest *n, const char *word, const char *list);
/* "; did you mean 'best'?", or "". */
const char *nearest_text(const struct nearest *n, char text[96]);

/* The whole text as a number, else 0: decimal only, finite only, nothing after it. Integers may be
   written 1e6, too. */
int words_to_real(const char *text, double *value);
int words_to_int(const char *text, int64_t *value);
/* The shortest decimal that reads back as the same double. */
const char *words_from_real(double value, char text[WORDS_REAL]);
/* A new YAML scalar in double quotes that reads back as the same text. Caller frees. */
char *words_quote(const char *text);

#endif
