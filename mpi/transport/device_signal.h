/* Lines in device memory by which ranks notify each other that a message has been stored: set and
   awaited by kernels, in the order of a stream, so that no host waits. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank posts to another: the number of its last message, a flag that goes with it, and
   words to be added up; one place for even messages and one for odd ones. */
enum { DEVICE_WORDS = 48 };
struct device_line {
  uint64_t message[2], flag[2];
  char apart[96];
  int64_t word[2][DEVICE_WORDS];
};

/* A line for each rank. */
enum { DEVICE_LINES = 64 };
struct device_lines {
  int n;
  struct device_line *line[DEVICE_LINES];
};

/* Pinned host memory, written by waiting kernels: the message that took too long, and which lines
   are being waited for. */
struct device_loss {
  uint64_t message;
  int32_t line;                /* 1 + the index of its line; 0: no message has been lost */
  int32_t waits[DEVICE_LINES]; /* 1: this line has been waited for for a second by now */
};

/* What goes with a message, in device memory: a flag (NULL: 0), and so many words. */
struct device_post {
  const uint64_t *flag;
  const int64_t *word;
  int words;
};
/* What is made of the posts of all lines, in device memory: *largest is raised to the largest flag
   (NULL: it is not), and so many sums of words. */
struct device_reduction {
  uint64_t *largest;
  int64_t *sum;
  int words;
};

/* Sets the message of every line, once all that was stored before in the order of the stream is
   visible to every GPU. */
void device_signal(struct device_lines to, uint64_t message, struct device_post what, void *stream);
/* Holds the stream until every line has the message, or for so many seconds (0: without limit).
   Then the message is lost: that is written to loss, *lost (device memory, 0 at first) becomes 1,
   and no later wait with the same lost takes time. */
void device_await(struct device_lines from, uint64_t message, struct device_reduction what,
                  int seconds, unsigned *lost, struct device_loss *loss, void *stream);

#ifdef __cplusplus
}
#endif

#endif
