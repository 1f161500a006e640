/* Lines in the memory of GPUs by which ranks tell each other that a message lies there: set and
   awaited by kernels, in the order of a stream, so that no host waits. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank tells another: the number of its last message, and a word that goes with it; for
   even and odd messages by turns. */
struct device_line {
  uint64_t message[2], said[2];
  char apart[96];
};

/* A line for each rank. */
enum { DEVICE_LINES = 64 };
struct device_lines {
  int n;
  struct device_line *line[DEVICE_LINES];
};

/* Pinned host memory: what a wait that took too long leaves there. */
struct device_loss {
  uint64_t message;
  int32_t line; /* 1 + its index; 0: every wait so far has ended well */
};

/* Sets the message of every line, after all that was stored before on this stream is seen
   everywhere; with it goes *said (device memory; NULL: 0). */
void device_signal(struct device_lines to, uint64_t message, const uint64_t *said, void *stream);
/* Holds the stream until every line has the message, or for so many seconds: then notes it, and no
   later wait with the same *lost (device memory, 0 at first) takes time. *heard (device memory, or
   NULL) becomes the largest word that was said, if that is more. */
void device_await(struct device_lines from, uint64_t message, uint64_t *heard, int seconds,
                  unsigned *lost, struct device_loss *loss, void *stream);

#ifdef __cplusplus
}
#endif

#endif
