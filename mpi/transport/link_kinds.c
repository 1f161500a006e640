#include "mpi/transport/link_kinds.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/transport/ipc_memory.h"

enum { TAG_NODE = 7 };

static const char *const kind_name[LINK_KINDS] = {
    [LINK_IPC] = "ipc", [LINK_NCCL] = "nccl", [LINK_STAGED] = "staged"};

/* Which peers are on the node of this rank. */
static void find_node(const struct transport *t, int here[PEERS_MOST])
{
  MPI_Request request[2 * PEERS_MOST];
  int node[PEERS_MOST] = {0};
  for (int k = 0; k < t->n_peers; k++) {
    MPI_Irecv(&node[k], 1, MPI_INT, t->peer[k], TAG_NODE, ranks_comm(t->ranks), &request[2 * k]);
    MPI_Isend(&t->ranks->node, 1, MPI_INT, t->peer[k], TAG_NODE, ranks_comm(t->ranks),
              &request[2 * k + 1]);
  }
  MPI_Waitall(2 * t->n_peers, request, MPI_STATUSES_IGNORE);
  for (int k = 0; k < t->n_peers; k++)
    here[k] = node[k] == t->ranks->node;
}

void link_kinds_choose(const struct transport *t, enum link_kind other, struct link_kinds *to)
{
  int rank[PEERS_MOST], good[PEERS_MOST], place[PEERS_MOST], n = 0;
  find_node(t, to->here);
  for (int k = 0; k < t->n_peers; k++) {
    to->kind[k] = other;
    if (!to->here[k]) continue;
    place[n] = k;
    rank[n++] = t->peer[k];
  }
  ipc_test(t->ranks, n, rank, good, to->why, (int)sizeof to->why);
  for (int m = 0; m < n; m++)
    if (good[m]) to->kind[place[m]] = LINK_IPC;
}

static void print_counts(const struct transport *t, const enum link_kind kind[PEERS_MOST])
{
  int64_t count[LINK_KINDS] = {0};
  for (int k = 0; k < t->n_peers; k++)
    count[kind[k]]++;
  ranks_sum_int64(t->ranks, count, LINK_KINDS);
  info("links: %lld %s, %lld %s, %lld %s", (long long)count[LINK_IPC] / 2, kind_name[LINK_IPC],
       (long long)count[LINK_NCCL] / 2, kind_name[LINK_NCCL], (long long)count[LINK_STAGED] / 2,
       kind_name[LINK_STAGED]);
}

void link_kinds_print(const struct transport *t, const struct link_kinds *to)
{
  enum { TABLE_RANKS = 16, TEXT = 40 };
  char text[TEXT * (PEERS_MOST + 1)];
  int64_t total;
  for (int k = 0; k < t->n_peers; k++)
    if (to->here[k] && to->kind[k] != LINK_IPC)
      warn("the link of ranks %d and %d, which are on one node, is %s, not ipc: %s", t->ranks->rank,
           t->peer[k], kind_name[to->kind[k]], to->why);
  if (t->ranks->size > TABLE_RANKS) {
    print_counts(t, to->kind);
    return;
  }
  int at = snprintf(text, sizeof text, "rank %d:", t->ranks->rank);
  for (int k = 0; k < t->n_peers; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s %d %s", k ? "," : "", t->peer[k],
                   kind_name[to->kind[k]]);
  char *all = ranks_gather(t->ranks, text, (int64_t)sizeof text, &total);
  for (int k = 0; all && k < t->ranks->size; k++)
    info("links of %s", all + k * (int64_t)sizeof text);
  free(all);
}
