/* The part of a frame that a rank has, for files of other programs. */
#ifndef FRAME_BLOCK_H
#define FRAME_BLOCK_H

#include <stdint.h>

struct frame_block {
  int64_t number; /* in the file that is written, from 1 */
  int64_t step;
  double time, box[3];   /* ps; nm */
  int64_t n;             /* beads, in ascending order of ids */
  double (*position)[3]; /* nm */
  double (*velocity)[3]; /* nm/ps; NULL: none */
};

void frame_block_free(struct frame_block *f);

#endif
