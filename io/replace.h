/* Puts a finished file in the place of another. Local. */
#ifndef REPLACE_H
#define REPLACE_H

/* Brings the file `temporary` to the disk and renames it to path. A file that was there is gone. If
   that fails, removes the temporary file and dies with STATUS_IO. */
void replace_file(const char *temporary, const char *path);

#endif
