/* What a backend on a device and the transport of its halo messages share. The backend makes it and
   keeps it as long as it lives; the transport borrows it from transport_open on. */
#ifndef DEVICE_CHANNEL_H
#define DEVICE_CHANNEL_H

#include <stdint.h>

struct device_channel {
  /* The CUDA stream in whose order messages are packed, sent, received and unpacked. */
  void *stream;
  /* Words of device memory, both 0 at first: what this rank sets for all others to learn, and the
     largest that any rank has set. NULL: there is nothing to learn. The CUDA backend keeps the step
     at which lists have expired there. */
  uint64_t *flag_local, *flag_global;
  /* Set by the transport; the backend calls it with context after each wait for the device, before
     it takes anything that came of a message for right. It ends the program where a message was
     lost. */
  void (*check)(void *context);
  void *context;
};

#endif
