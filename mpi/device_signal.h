/* Words in the memory of GPUs by which one tells another that a message lies there: set and awaited
   by kernels, in the order of a stream, so that no host waits. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DEVICE_WORDS = 2 };
struct device_words {
  int n;
  uint64_t *word[DEVICE_WORDS];
};

/* Pinned host memory: what a wait that took too long leaves there. */
struct device_loss {
  uint64_t value;
  int32_t word; /* 1 + its index; 0: every wait so far has ended well */
};

/* Sets every word to a value, after all that was stored before on this stream is seen everywhere.
 */
void device_signal(struct device_words w, uint64_t value, void *stream);
/* Holds the stream until every word has reached the value, or for so many seconds: then notes it,
   and no later wait with the same *lost (device memory, 0 at first) takes time. */
void device_await(struct device_words w, uint64_t value, int seconds, unsigned *lost,
                  struct device_loss *loss, void *stream);

#ifdef __cplusplus
}
#endif

#endif
