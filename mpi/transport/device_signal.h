/* Signals between GPUs: a rank writes into a line, a small record in the device memory of another
   rank, that its message has been stored there; the other rank waits for that. Both are kernels in
   a stream, so that no host waits. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank writes to another: the number of its last message, a flag that is sent with it, and
   words to be summed. Each has two copies, for messages with even and odd numbers. The padding
   keeps numbers and words in different cache lines. */
enum { DEVICE_WORDS = 48 };
struct device_line {
  uint64_t message[2], flag[2];
  char padding[96];
  int64_t word[2][DEVICE_WORDS];
};

/* A line for each rank; in device memory, of this or other GPUs. */
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

/* Enqueues a kernel that writes the number of the message and what is sent with it to every line,
   after all earlier stores of the stream have become visible to every GPU. */
void device_signal(struct device_lines to, uint64_t message, struct device_post what, void *stream);
/* Enqueues a kernel that waits until every line has the message, at most for so many seconds (0: no
   limit), and reduces what was sent with it. After that time the message counts as lost: the kernel
   sets *loss and *lost (device memory, initially 0), and later waits with the same lost return at
   once. */
void device_await(struct device_lines from, uint64_t message, struct device_reduction what,
                  int seconds, unsigned *lost, struct device_loss *loss, void *stream);

#ifdef __cplusplus
}
#endif

#endif
