#include "mpi/transport/device_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/comm/ranks_mpi.h"

int devices_ranks_most(const struct device_uuid *device, int n)
{
  int most = 0;
  for (int k = 0; k < n; k++) {
    int ranks = 0;
    for (int m = 0; m < n; m++)
      ranks += memcmp(&device[m], &device[k], sizeof *device) == 0;
    if (ranks > most) most = ranks;
  }
  return most;
}

int devices_shared(const struct ranks *r)
{
  MPI_Comm node;
  int n;
  const struct device_uuid mine = device_uuid();
  MPI_Comm_split(ranks_comm(r), r->node, r->rank, &node);
  MPI_Comm_size(node, &n);
  struct device_uuid *device = alloc_array(n, sizeof *device);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, device, (int)sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  int64_t most = devices_ranks_most(device, n);
  free(device);
  ranks_max_int64(r, &most, 1);
  return (int)most;
}
