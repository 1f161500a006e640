/* One rank: the minimum image finds every partner, and there is nothing to carry. */
#include <stdio.h>

#include "mpi/transport/transport.h"

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  (void)on_device;
  snprintf(why, (size_t)size, "it serves a single rank only");
  return r->size == 1;
}

static void nothing(struct transport *t)
{
  (void)t;
}

const struct transport_ops transport_self = {"self",  usable,  nothing, nothing, nothing,
                                             nothing, nothing, NULL,    NULL,    NULL};
