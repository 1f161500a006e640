/* Signals between GPUs: a rank writes into a line, a small record in the memory of another rank,
   that its message has been stored there, and the other rank waits for that. Kernels do both
   (device_lines.cuh), so that no host waits. The transport describes what is to be written or
   waited for; a kernel of its own does it (mpi/transport/device_memory.h), or one of the backend
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

/* What a backend on a device and the transport of its halo messages share. The backend owns it; the
   transport borrows it from transport_open to transport_close. */
struct device_channel {
  /* The CUDA stream (cudaStream_t) in which messages are packed, sent, received and unpacked. At a
     list build the backend may wait and unpack in another one (transport_receive). */
  void *stream;
  /* Two words of device memory, initially 0. The backend sets flag_local; the transport reduces it
     to flag_global, the maximum over ranks. The CUDA backend keeps the step at which lists have
     expired there. NULL: nothing is reduced. */
  uint64_t *flag_local, *flag_global;
  /* Set by the transport. The backend calls check(context) each time it has waited for the device,
     before it uses a result that depends on a message. If a message was lost, it ends the program
     with status 5. */
  void (*check)(void *context);
  void *context;
};

#endif
