#include "mpi/transport/cuda_aware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/transport/device_memory.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

static int claimed(void)
{
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#else
  return 0;
#endif
}

enum { PROBE_BYTES = 1 << 16 };

static unsigned char probe_byte(int rank, int place)
{
  return (unsigned char)(rank * 5 + place + (place >> 8));
}

/* The test: sends device memory to the next rank. A failure of MPI does not end the program. */
static int round_trip(const struct ranks *r)
{
  MPI_Comm comm;
  int to = (r->rank + 1) % r->size, from = (r->rank + r->size - 1) % r->size;
  unsigned char *host = alloc_array(PROBE_BYTES, 1);
  char *device = device_grow(NULL, 2 * PROBE_BYTES);
  for (int m = 0; m < PROBE_BYTES; m++)
    host[m] = probe_byte(r->rank, m);
  device_copy(device, host, PROBE_BYTES, NULL);
  device_wait(NULL);
  MPI_Comm_dup(ranks_comm(r), &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int good = MPI_Sendrecv(device, PROBE_BYTES, MPI_BYTE, to, 0, device + PROBE_BYTES, PROBE_BYTES,
                          MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  MPI_Comm_free(&comm);
  memset(host, 0, PROBE_BYTES);
  device_copy(host, device + PROBE_BYTES, PROBE_BYTES, NULL);
  device_wait(NULL);
  for (int m = 0; m < PROBE_BYTES; m++)
    good &= host[m] == probe_byte(from, m);
  device_free(device);
  free(host);
  return good;
}

int cuda_aware_works(const struct ranks *r, char *why, int size)
{
  snprintf(why, (size_t)size, "this MPI says that it cannot take device memory");
  if (!ranks_agree(r, claimed(), why, size)) return 0;
  if (round_trip(r)) return 1;
  snprintf(why, (size_t)size,
           "this MPI says that it takes device memory, but what was sent did not arrive");
  return 0;
}
