/* Message buffers in device memory, for transports that use such. */
#ifndef TRANSPORT_BUFFERS_H
#define TRANSPORT_BUFFERS_H

#include "mpi/transport/transport.h"

/* Grow to the sizes of the next messages, and free, the buffers of this rank. Local. */
void transport_buffers_grow(struct transport *t);
void transport_buffers_free(struct transport *t);

#endif
