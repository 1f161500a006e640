/* Frames of a trajectory or state in a format of another program. */
#ifndef FRAMES_WRITE_H
#define FRAMES_WRITE_H

#include "io/foreign/frame_file.h"
#include "io/frame_source.h"

/* series: has precision and digits. Wrong input ends the program with STATUS_INPUT. Collective. */
void frames_write(struct ranks *r, const struct frame_request *want, const char *path,
                  const struct frame_format *format, struct frame_series series);

#endif
