/* Copies of strings, and reading of whole text files. Local. */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* A copy of a string; dies with STATUS_INPUT if memory runs out. Caller frees. */
char *text_copy(const char *text);
/* What printf would print; dies likewise. Caller frees. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *format, ...);

/* A text that is written to a stream, from text_begin to text_end, which returns it. The struct
   stays where it is meanwhile. Both die with STATUS_INPUT if memory runs out. Caller frees. */
struct text_stream {
  FILE *out;
  char *text;
  size_t bytes;
};
FILE *text_begin(struct text_stream *s);
char *text_end(struct text_stream *s);

/* The next three report no errors, because the log uses them: text_escape.c. */
/* Copies a text so that a terminal executes nothing of it: control characters and bytes that are no
   UTF-8 become \xNN, except those in keep. out: NULL, or room for the result. Returns the bytes of
   the result, without its end. */
size_t text_escape(char *out, const char *text, const char *keep);
/* What printf would print, and the same as text_escape makes it; NULL if memory runs out. Caller
   frees. */
char *text_vformat(const char *format, va_list args);
char *text_vformat_safe(const char *format, va_list args, const char *keep);

/* printf to stdout of a line that may hold texts of files: as text_escape, keeping line ends. */
__attribute__((format(printf, 1, 2))) void text_print(const char *format, ...);

/* Opens a regular file of at most max bytes to read. Pipes and devices are refused without waiting
   for data. NULL: why says the reason. */
FILE *text_open(const char *path, size_t max, char why[160]);
/* Dies (die_all) with STATUS_INPUT if the file cannot be opened or is no regular file. */
void text_require_file(const char *path);
/* Reads the next line, without its end (\n or \r\n); line and room are getline's. 0 at the end of
   the file. Dies (die_all) with STATUS_IO if reading fails, and STATUS_INPUT if it contains NUL. */
int text_line(FILE *in, const char *path, char **line, size_t *room);
/* Reads a regular file of at most max bytes. Dies (die_all) with STATUS_INPUT if it cannot be
   opened, is larger, or contains NUL bytes, and with STATUS_IO if reading fails. Caller frees. */
char *text_read_file(const char *path, size_t max);

#endif
