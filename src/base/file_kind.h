/* Kinds of files of other programs, recognised by their first bytes, so that a message can say what
   a file is and which command makes of it what was expected. Local. */
#ifndef FILE_KIND_H
#define FILE_KIND_H

#include <stddef.h>

enum file_kind {
  FILE_UNKNOWN, /* or no regular file that can be read */
#define KIND(kind, name, way) FILE_##kind,
#include "base/file_kind_list.h"
  FILE_KINDS
};

enum { FILE_KIND_TEXT = 1024 };

enum file_kind file_kind_of(const char *path);
/* "it is a PDB file, not EXPECTED: gmx editconf ..." for a file of a known kind other than
   `wanted`, else NULL. */
const char *file_kind_other(const char *path, enum file_kind wanted, const char *expected,
                            char text[FILE_KIND_TEXT]);
/* Ends all ranks with STATUS_INPUT and that text, if there is one. */
void file_kind_require(const char *path, enum file_kind wanted, const char *expected);

#endif
