/* Whole text files. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* The whole of a file of at most max bytes without NUL, or death. Caller frees. */
char *text_read(const char *path, size_t max);

#endif
