/* What a backend on a device and the transport of its halo messages share. The backend owns it; the
   transport borrows it from transport_open to transport_close. */
#ifndef DEVICE_CHANNEL_H
#define DEVICE_CHANNEL_H

#include <stdint.h>

struct device_channel {
  /* The CUDA stream (cudaStream_t) in which messages are packed, sent, received and unpacked. At a
     list build the backend may wait and unpack in another one (transport.h, finish_wait). */
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
