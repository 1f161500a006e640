/* Puts a finished file in the place of another. Local. */
#ifndef REPLACE_H
#define REPLACE_H

#include <stdio.h>

/* Brings the file `temporary` to the disk and renames it to path. A file that was there gets the
   name `previous` (NULL: is gone), and its own back if the new one cannot take it. If that fails,
   removes the temporary file and dies with STATUS_IO. */
void replace_file(const char *temporary, const char *path, const char *previous);
/* Closes a file that was written. Returns 0, or errno of the first failure, also of writes before.
 */
int replace_finish(FILE *out);
/* replace_file of the stream that wrote the temporary file: closes it first. What could not be
   written ends the program as above. */
void replace_close(FILE *out, const char *temporary, const char *path);

/* A text file that takes its name when it is closed. Both end the program with STATUS_IO if it
   cannot be written, and leave what was at the path before. */
struct replacement {
  FILE *out;
  char *target, *temporary;
};
struct replacement replacement_open(const char *path);
void replacement_close(struct replacement *r);

#endif
