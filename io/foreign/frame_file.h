/* Files of frames in formats of other programs (frame_format.h), written to a temporary file that
   takes its name when it is closed. Collective. */
#ifndef FRAME_FILE_H
#define FRAME_FILE_H

#include "io/foreign/frame_format.h"
#include "molecules/selection.h"

struct frame_file;

enum { FRAME_DIGITS_LEAST = 3, FRAME_DIGITS_MOST = 12 };

/* The format of the suffix of a path; NULL: there is none. Local. */
const struct frame_format *frame_format_of(const char *path);
/* Writes the suffixes of all formats, ".gro, .pdb, ...", to text and returns it. Local. */
const char *frame_format_suffixes(char text[FRAME_LINE]);

/* Begins a file of frames of the selected beads; names are those of the system. Dies with
   STATUS_INPUT if the format does not hold so many beads, and with STATUS_IO if the file cannot be
   written. The arguments are borrowed until the file is closed. */
struct frame_file *frame_file_open(const struct ranks *r, const char *path,
                                   const struct frame_format *format,
                                   const struct frame_series *series, const struct system *s,
                                   const struct selection *selection);
/* Adds a frame; b has the selected beads of this rank. Dies with STATUS_IO if that fails, and with
   STATUS_INPUT if the format cannot hold a coordinate; then the temporary file is removed. */
void frame_file_add(struct frame_file *f, const struct frame_block *b);
/* Puts the file in its place. */
void frame_file_close(struct frame_file *file);

#endif
