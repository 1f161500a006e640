#include "mpi/transport/device_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"

struct device_uuid *devices_of_node(const struct ranks *r)
{
  MPI_Comm node;
  struct device_uuid mine = device_uuid();
  struct device_uuid *all = alloc_array(r->local_size, sizeof *all);
  MPI_Comm_split_type(ranks_comm(r), MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &node);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  return all;
}

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
  struct device_uuid *device = devices_of_node(r);
  int64_t most = devices_ranks_most(device, r->local_size);
  free(device);
  ranks_max_int64(r, &most, 1);
  return (int)most;
}
