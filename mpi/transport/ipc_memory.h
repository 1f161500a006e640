/* Memory of other ranks' GPUs, mapped by CUDA IPC: ranks of one node whose GPUs can access each
   other's memory, over NVLink or PCIe. Each rank has a board, into which its partners write lines
   (backend/device_lines.h), and for each peer among the partners two buffers, into which the peer
   stores messages: of even and of odd number. */
#ifndef IPC_MEMORY_H
#define IPC_MEMORY_H

#include "backend/device_lines.h"
#include "mpi/transport/transport.h"

/* The device memory of a rank into which its partners write. */
struct board {
  struct device_line line[DEVICE_LINES]; /* by partner of the rank that has the board */
  unsigned lost;
};

struct ipc_memory {
  int n, partner[DEVICE_LINES];      /* the ranks whose boards are mapped; may include this one */
  struct board *own;                 /* of this rank */
  struct board *board[DEVICE_LINES]; /* of the partners */
  /* The lines of the partners on this rank's board; the lines of this rank on their boards. */
  struct device_lines received, posted;
  /* By peer of the transport. */
  char *arena[PEERS_MOST];  /* memory of this rank into which peer k stores */
  char *mapped[PEERS_MOST]; /* memory of peer k; NULL: not mapped */
};

/* Tests with n other ranks whether each can map the memory of the other; both know the same.
   why[size]: the reason of the first failure of this rank. Collective among ranks that name each
   other. */
enum ipc_reach { IPC_FAR, IPC_FAILS, IPC_WORKS }; /* IPC_FAR: on another node */
void ipc_test(const struct ranks *r, int n, const int *rank, int *reach, char *why, int size);
/* Allocates the board and maps those of n partners, at most DEVICE_LINES. Collective among
   partners. */
void ipc_map(struct ipc_memory *p, const struct ranks *r, int n, const int *partner);
/* Replaces buffers of the peers with uses[k] that are too small for t->send_bytes and
   t->receive_bytes. Collective among peers. */
void ipc_reserve(struct ipc_memory *p, struct transport *t, const int uses[PEERS_MOST]);
/* Sets the buffers of peer k: of the message after `message` to send, and of that message
   received. */
void ipc_swap(const struct ipc_memory *p, struct transport *t, int k, uint64_t message);
/* Unmaps and frees everything. The streams of all partners have finished their messages. Collective
   among all ranks. */
void ipc_close(struct ipc_memory *p, const struct ranks *r);

#endif
