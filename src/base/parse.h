/* Parsing and printing of numbers, in the C locale (the program sets no other); word lists of the
   form "a|b|c"; the nearest known word for "did you mean" messages. */
#ifndef PARSE_H
#define PARSE_H

#include <stddef.h>
#include <stdint.h>

enum { FORMAT_REAL_BYTES = 32 }; /* bytes of any double that format_real prints */

/* Index of a word in a list, from 0, or -1. */
int word_list_find(const char *list, const char *word);
/* The same; the word may be that of GROMACS for one that is the same method (v-rescale, c-rescale).
 */
int word_list_find_alias(const char *list, const char *word);
/* Appends a word to a list in a text of `bytes`. */
void word_list_add(char *list, size_t bytes, const char *word);
/* The word with an index, not terminated; its length is stored in n. NULL past the end of the
   list. */
const char *word_list_item(const char *list, int index, size_t *n);

/* Finds the candidate that is most like a word. Initialise with {0}, offer all candidates, then
   read best. */
struct nearest {
  char best[64]; /* "" if none is similar */
  int distance;
};
void nearest_offer(struct nearest *n, const char *word, const char *candidate);
void nearest_offer_list(struct nearest *n, const char *word, const char *list);
/* Writes "; did you mean 'best'?", or "" if none is similar, to text and returns it. */
const char *nearest_text(const struct nearest *n, char text[96]);

/* Parse a whole string. Return 1, or 0 and leave *value unset if it is no finite decimal number,
   has other characters after it, or is out of range. Integers may be written as 1e6 too. */
int parse_real(const char *text, double *value);
int parse_int(const char *text, int64_t *value);
/* Writes the shortest decimal that reads back as the same double, and returns text. */
const char *format_real(double value, char text[FORMAT_REAL_BYTES]);
/* A YAML scalar in double quotes that reads back as the same string. Caller frees. */
char *format_yaml_string(const char *text);

#endif
