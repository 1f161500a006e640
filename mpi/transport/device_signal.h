/* Lines in the memory of GPUs by which ranks tell each other that a message lies there: set and
   awaited by kernels, in the order of a stream, so that no host waits. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank tells another: the number of its last message, a word that goes with it, and some
   to be added up; for even and odd messages by turns. */
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

/* Pinned host memory: what a wait that took too long leaves there, and which lines are being waited
   for. */
struct device_loss {
  uint64_t message;
  int32_t line;                /* 1 + its index; 0: every wait so far has ended well */
  int32_t waits[DEVICE_LINES]; /* 1: for a second by now */
};

/* What goes with a message, device memory: a word (NULL: 0), and so many to be added up. */
struct device_post {
  const uint64_t *flag;
  const int64_t *word;
  int words;
};
/* What comes of it, device memory: *largest becomes the largest flag that was posted, if that is
   more (NULL: it does not); so many sums. */
struct device_hearing {
  uint64_t *largest;
  int64_t *sum;
  int words;
};

/* Sets the message of every line, after all that was stored before on this stream is seen
   everywhere. */
void device_signal(struct device_lines to, uint64_t message, struct device_post what, void *stream);
/* Holds the stream until every line has the message, or for so many seconds (0: without limit):
   then notes it, and no later wait with the same *lost (device memory, 0 at first) takes time. */
void device_await(struct device_lines from, uint64_t message, struct device_hearing what,
                  int seconds, unsigned *lost, struct device_loss *loss, void *stream);

#ifdef __cplusplus
}
#endif

#endif
