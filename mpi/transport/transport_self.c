/* One rank: every partner is an owned bead by the minimum image, and there are no messages. */
#include <stdio.h>

#include "mpi/transport/transport.h"

static int usable(const struct transport *t, char *why, int size)
{
  snprintf(why, (size_t)size, "it serves a single rank only");
  return t->ranks->size == 1;
}

static void nothing(struct transport *t)
{
  (void)t;
}

const struct transport_ops transport_self = {.name = "self",
                                             .usable = usable,
                                             .open = nothing,
                                             .reserve = nothing,
                                             .start = nothing,
                                             .finish = nothing,
                                             .close = nothing};
