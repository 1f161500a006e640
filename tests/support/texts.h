/* Texts for readers: files of them, copies that differ, and force fields that have to be refused.
 */
#ifndef TEXTS_H
#define TEXTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/forcefield_file.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

static inline void write_text(const char *path, const char *text)
{
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* A copy with one text for another; caller frees. */
static inline char *changed(const char *whole, const char *old, const char *new)
{
  const char *at = strstr(whole, old);
  if (!at) fail_msg("'%s' is not there", old);
  char *text = malloc(strlen(whole) + strlen(new) + 1);
  sprintf(text, "%.*s%s%s", (int)(at - whole), whole, new, at + strlen(old));
  return text;
}

static inline void parse_text(void *text)
{
  alarm(20);
  forcefield_destroy(forcefield_parse(text, "ff.yaml"));
}

/* Parses the force field with each change. cases: what is there, what takes its place, and what is
   said about it. */
static inline void assert_refused(const char *whole, const char *const cases[][3], size_t n)
{
  for (size_t k = 0; k < n; k++) {
    char *text = changed(whole, cases[k][0], cases[k][1]);
    if (!dies_saying(parse_text, text, 2, cases[k][2])) fail_msg("%s", cases[k][1]);
    free(text);
  }
}

#endif
