/* Kernels of the transport that write and wait for lines, a kernel each. */
#ifndef DEVICE_SIGNAL_H
#define DEVICE_SIGNAL_H

#include "backend/device_lines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a kernel that writes a signal, after all earlier stores of the stream have become
   visible to every GPU. */
void device_signal(const struct device_signal *s, void *stream);
/* Enqueues a kernel that waits for messages and reduces what was sent with them. */
void device_await(const struct device_wait *w, void *stream);

#ifdef __cplusplus
}
#endif

#endif
