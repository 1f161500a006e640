/* Damaged texts for readers: each has to come back or end with status 2, and soon. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/death.h"

static inline uint64_t fuzz_random(uint64_t *state) /* splitmix64 */
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A copy of text with some damage; caller frees. */
static inline char *fuzz_text(const char *text, uint64_t seed)
{
  static const char *const pieces[] = {"[",
                                       "]",
                                       "{",
                                       "}",
                                       ": ",
                                       ",",
                                       "\n",
                                       "- ",
                                       "-1",
                                       "nan",
                                       "inf",
                                       "~",
                                       "99999999999999999999",
                                       "&a ",
                                       "*a",
                                       "\"",
                                       "'",
                                       "\\0",
                                       "1e999",
                                       "0x10",
                                       "#",
                                       "\xff",
                                       "\x01",
                                       "\t",
                                       "? ",
                                       "---\n",
                                       "[]",
                                       "{}",
                                       "<<: ",
                                       "!!int ",
                                       "|\n",
                                       "0",
                                       "\xc3\xa4",
                                       "1e300"};
  enum { PIECES = sizeof pieces / sizeof pieces[0] };
  uint64_t state = seed;
  size_t n = strlen(text);
  char *damaged = malloc(2 * n + 4096);
  memcpy(damaged, text, n + 1);
  for (uint64_t k = 1 + fuzz_random(&state) % 4; k > 0; k--) {
    size_t at = (size_t)(fuzz_random(&state) % (n + 1)), left = n - at;
    size_t span = (size_t)(fuzz_random(&state) % 40);
    if (span > left) span = left;
    const char *piece = pieces[fuzz_random(&state) % PIECES];
    size_t add = fuzz_random(&state) % 4 ? strlen(piece) : 0;
    if (fuzz_random(&state) % 2) span = 0;
    memmove(damaged + at + add, damaged + at + span, left - span + 1);
    memcpy(damaged + at, piece, add);
    n += add - span;
  }
  return damaged;
}

/* The number of cases, of so many, in which a reader of the text crashed or did not come to an end.
 */
static inline int fuzz_failures(void (*read)(void *), const char *text, int cases)
{
  int failures = 0;
  for (int k = 0; k < cases; k++) {
    char *damaged = fuzz_text(text, (uint64_t)k), message[8192];
    int status = death_of(read, damaged, message, sizeof message);
    if (status != 0 && status != 2 && failures++ < 3)
      fprintf(stderr, "case %d: status %d: %s\n%s\n", k, status, message, damaged);
    free(damaged);
  }
  return failures;
}

#endif
