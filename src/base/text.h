/* Texts in memory, and whole text files. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* A copy of a text; status 2 where there is no memory for it. Caller frees. */
char *text_copy(const char *text);

/* The whole of a file of at most max bytes without NUL, or death. Caller frees. */
char *text_read(const char *path, size_t max);

#endif
