/* Signals between GPUs: a rank writes into a line, a small record in the memory of another rank,
   that its message has been stored there, and the other rank waits for that. Kernels do both
   (device_lines.cuh), so that no host waits. The transport describes what is to be written or
   waited for; a kernel of its own does it (mpi/transport/device_signal.h), or one of the backend
   that packs or unpacks the message. */
#ifndef DEVICE_LINES_H
#define DEVICE_LINES_H

#include <stdint.h>

/* What one rank writes to another: the number of its last message, a flag that is sent with it, and
   words to be summed. Each has two copies, for messages with even and odd numbers. The padding
   keeps numbers and words in different cache lines. */
enum { DEVICE_WORDS = 64 };
struct device_line {
  uint64_t message[2], flag[2];
  char padding[96];
  int64_t word[2][DEVICE_WORDS];
};

/* A line for each rank; in device memory, of this or other GPUs, or in pinned host memory. */
enum { DEVICE_LINES = 64 };
struct device_lines {
  int n;
  struct device_line *line[DEVICE_LINES];
};

/* Written by waiting kernels into pinned host memory: the message that was lost, if any, and for
   which lines a kernel waits. */
struct device_loss {
  uint64_t message;
  int32_t line; /* 1 + the index of its line; 0: no message has been lost. Set last */
  int32_t waits[DEVICE_LINES]; /* 1: a kernel has waited for this line for more than a second */
};

/* What is sent with a message, from device memory: a flag (NULL: 0), and so many words. */
struct device_post {
  const uint64_t *flag;
  const int64_t *word;
  int words;
};

/* Where the reductions over all lines are stored, in device memory: *largest becomes the maximum of
   its value and all flags (NULL: not computed), sum[words] the sums of the words. */
struct device_reduction {
  uint64_t *largest;
  int64_t *sum;
  int words;
};

/* To write: the number of a message and what is sent with it, to every line. */
struct device_signal {
  struct device_lines to;
  uint64_t message;
  struct device_post what;
};

/* To wait for: until every line has the message, at most for `limit` nanoseconds (UINT64_MAX: no
   limit), and then to reduce what was sent with it. After that time the message counts as lost:
   *loss and *lost (device memory, initially 0) are set, and later waits with the same lost return
   at once. */
struct device_wait {
  struct device_lines from;
  uint64_t message;
  struct device_reduction what;
  uint64_t limit;
  unsigned *lost;
  struct device_loss *loss;
};

#endif
